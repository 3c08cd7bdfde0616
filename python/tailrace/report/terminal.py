"""The report on the terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tailrace._text import bytes_text, count_text, percent_text, plural, seconds_text
from tailrace.report.facts import BUSY_PHASES, Report, busy_share, compression, findings, headline, inputs, outputs

MOST_ROWS = 12
LEAST_WRAPPED = 16  # columns of the terminal that a column of names keeps where it continues in a second line

Column = tuple[str, Callable[[dict[str, Any]], str | Text]]  # the heading, and the cell of a row


def print_report(report: Report, console: Console) -> None:
    console.print()
    console.print(_title(report))
    console.print(_headline(report))
    for sentence in findings(report):
        console.print(Padding(Text("! " + sentence, style="yellow"), (0, 0, 0, 2)))
    tables = (_fields(report, console), _inputs(report, console), _servers(report, console), _files(report, console))
    for table in tables:
        if table.row_count:
            console.print()
            console.print(table)
    console.print()


def _title(report: Report) -> Text:
    run = report["run"]
    good = run["outcome"] == "complete"
    text = Text("tailrace ", style="bold")
    text.append("complete" if good else run["outcome"], style="green" if good else "bold red")
    text.append(
        f"   {run['configuration']}   {plural(run['clients'], 'model rank')}, "
        f"{plural(run['servers'], 'server')} ({run['mode']}, {run['transport']})   "
        f"{seconds_text(run['seconds'])}",
        style="dim",
    )
    return text


def _headline(report: Report) -> Padding:
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim")
    grid.add_column(style="bold", justify="right")
    grid.add_column()
    for what, value, context in headline(report):
        grid.add_row(what, value, context)
    return Padding(grid, (1, 0, 1, 2))


def _table(title: str, columns: list[Column], rows: list[dict[str, Any]]) -> Table:
    """The first column has names. Where the terminal is narrow, a long name continues in a second line."""
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, collapse_padding=True)
    for number, (heading, _) in enumerate(columns):
        table.add_column(heading, justify="right" if number else "left", no_wrap=number > 0, overflow="fold")
    for row in rows[:MOST_ROWS]:
        table.add_row(*(cell(row) for _, cell in columns))
    return table


def _least_width(table: Table, console: Console) -> int:
    """The width below which numbers would be cut."""

    def natural(one: Table) -> int:
        return Measurement.get(console, console.options.update(width=10_000), one).maximum

    names = Table.grid()
    for cell in table.columns[0].cells:
        names.add_row(cell)
    return natural(table) - max(0, natural(names) - LEAST_WRAPPED)


def _fitting(console: Console, title: str, rows: list[dict[str, Any]], *choices: list[Column]) -> Table:
    """The first of these tables, from detailed to brief, whose numbers the terminal can show."""
    tables = [_table(title, columns, rows) for columns in choices]
    return next((table for table in tables if _least_width(table, console) <= console.width), tables[-1])


def _without(columns: list[Column], *headings: str) -> list[Column]:
    return [column for column in columns if column[0] not in headings]


def _fields(report: Report, console: Console) -> Table:
    several = len({field["component"] for field in report["fields"]}) > 1
    columns: list[Column] = [
        ("field", lambda field: Text(f"{field['component']}.{field['name']}" if several else field["name"])),
        ("puts", lambda field: count_text(field["put"]["count"])),
        ("size", lambda field: bytes_text(field["bytes"] / field["put"]["count"]) if field["put"]["count"] else "-"),
        ("median", lambda field: seconds_text(field["put"]["median_seconds"])),
        ("most", lambda field: seconds_text(field["put"]["most_seconds"])),
        ("total", lambda field: seconds_text(field["put"]["seconds"])),
        ("stalls", lambda field: seconds_text(field["stall"]["seconds"]) if field["stall"]["count"] else "none"),
        ("unwanted", lambda field: count_text(field["unwanted"])),
    ]
    ordered = sorted(outputs(report), key=lambda field: -field["put"]["seconds"])
    briefer = _without(columns, "most", "unwanted")
    table = _fitting(console, "Cost for the model", ordered, columns, briefer, _without(briefer, "size", "median"))
    _tell_the_rest(table, len(ordered), "field")
    return table


def _inputs(report: Report, console: Console) -> Table:
    several = len({field["component"] for field in report["fields"]}) > 1
    columns: list[Column] = [
        ("field", lambda field: Text(f"{field['component']}.{field['name']}" if several else field["name"])),
        ("gets", lambda field: count_text(field["get"]["count"])),
        ("size", lambda field: bytes_text(field["got_bytes"] / field["get"]["count"])),
        ("median", lambda field: seconds_text(field["get"]["median_seconds"])),
        ("most", lambda field: seconds_text(field["get"]["most_seconds"])),
        ("total", lambda field: seconds_text(field["get"]["seconds"])),
        ("waited", lambda field: seconds_text(field["wait"]["seconds"]) if field["wait"]["count"] else "none"),
    ]
    ordered = sorted(inputs(report), key=lambda field: -field["get"]["seconds"])
    table = _fitting(console, "Input of the model", ordered, columns, _without(columns, "size", "median", "most"))
    _tell_the_rest(table, len(ordered), "field")
    return table


def _servers(report: Report, console: Console) -> Table:
    def columns(phases: int, kinds: int) -> list[Column]:
        return [
            ("server", lambda server: Text(f"{server['rank']} {server['host']}")),
            ("busy", lambda server: percent_text(busy_share(server))),
            ("mostly with", lambda server: _most_work(server, phases)),
            ("lag", lambda server: seconds_text(server["lag"]["mean_seconds"])),
            ("memory", lambda server: bytes_text(server["resident_high_water_bytes"])),
            ("held at most", lambda server: _most_held(server, kinds)),
        ]

    detailed, brief = columns(3, 2), columns(1, 0)
    choices = (detailed, columns(2, 1), columns(2, 0), brief, _without(brief, "lag", "memory"), brief[:3])
    table = _fitting(console, "Work of the servers", report["servers"], *choices)
    _tell_the_rest(table, len(report["servers"]), "server")
    return table


def _most_held(server: dict[str, Any], most: int) -> str:
    """In all, and the kinds of which there was most at some time."""
    held = server.get("held_high_water_bytes", {})
    first = sorted(held, key=lambda kind: -held[kind])[:most]
    kinds = ", ".join(f"{kind} {bytes_text(held[kind])}" for kind in first if held[kind] > 0)
    return bytes_text(server["pending_high_water_bytes"]) + (f" ({kinds})" if kinds else "")


def _most_work(server: dict[str, Any], most: int) -> str:
    """The phases that took longest."""
    seconds = {phase: server["phases"][phase]["seconds"] for phase in BUSY_PHASES if phase in server["phases"]}
    first = sorted(seconds, key=lambda phase: -seconds[phase])[:most]
    return ", ".join(f"{phase} {seconds_text(seconds[phase])}" for phase in first if seconds[phase] > 0) or "-"


def _files(report: Report, console: Console) -> Table:
    columns: list[Column] = [
        ("path", lambda file: Text(file["path"])),
        ("records", lambda file: count_text(file["records"])),
        ("commits", lambda file: count_text(file["commits"])),
        ("raw", lambda file: bytes_text(file["raw_bytes"])),
        ("on disk", lambda file: bytes_text(file["disk_bytes"])),
        ("ratio", lambda file: f"{compression(file['raw_bytes'], file['encoded_bytes']):.1f}"),
        ("write", lambda file: seconds_text(file["write"]["seconds"])),
        ("up to", lambda file: f"{file['last_model_time']:g} s" if file["commits"] else "-"),
    ]
    briefer = _without(columns, "raw", "write")
    table = _fitting(console, "Files", report["files"], columns, briefer, _without(briefer, "commits", "ratio"))
    _tell_the_rest(table, len(report["files"]), "file")
    words = [f"{file['path']} was skipped: {file['skipped']}" for file in report["files"] if file.get("skipped")]
    words += [
        f"{file['path']}: {count_text(lost['values'])} values of {lost['variable']} did not fit {lost['type']}, or "
        "equalled the fill value"
        for file in report["files"]
        for lost in file.get("out_of_range", [])
    ]
    words += [
        f"{file['path']}: {count_text(file['stream'][what])} steps were {what}"
        for file in report["files"]
        for what in ("discarded", "lost")
        if file.get("stream", {}).get(what)
    ]
    if words:
        table.caption = "\n".join([*([str(table.caption)] if table.caption else []), *words])
        table.caption_justify = "left"
    return table


def _tell_the_rest(table: Table, count: int, word: str) -> None:
    if count > MOST_ROWS:
        table.caption = f"and {plural(count - MOST_ROWS, 'more ' + word)}"
        table.caption_justify = "left"
