"""The report on the terminal."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from tailrace._text import bytes_text, count_text, percent_text, plural, seconds_text
from tailrace.report.facts import BUSY_PHASES, Report, busy_share, compression, findings, headline

MOST_ROWS = 12


def print_report(report: Report, console: Console) -> None:
    console.print()
    console.print(_title(report))
    console.print(_headline(report))
    for sentence in findings(report):
        console.print(Padding(Text("! " + sentence, style="yellow"), (0, 0, 0, 2)))
    for table in (_fields(report), _servers(report), _files(report)):
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


def _table(title: str, *columns: str, wraps: int = 0) -> Table:
    """Where the terminal is narrow, the column `wraps` continues in a second line."""
    table = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, collapse_padding=True)
    for number, column in enumerate(columns):
        table.add_column(column, justify="left" if number == 0 else "right", no_wrap=number != wraps, overflow="fold")
    return table


def _fields(report: Report) -> Table:
    table = _table("Cost for the model", "field", "puts", "size", "median", "most", "total", "stalls", "unwanted")
    several = len({field["component"] for field in report["fields"]}) > 1
    ordered = sorted(report["fields"], key=lambda field: -field["put"]["seconds"])
    for field in ordered[:MOST_ROWS]:
        put, stall = field["put"], field["stall"]
        table.add_row(
            Text(f"{field['component']}.{field['name']}" if several else field["name"]),
            count_text(put["count"]),
            bytes_text(field["bytes"] / put["count"]) if put["count"] else "-",
            seconds_text(put["median_seconds"]),
            seconds_text(put["most_seconds"]),
            seconds_text(put["seconds"]),
            seconds_text(stall["seconds"]) if stall["count"] else "none",
            count_text(field["unwanted"]),
        )
    _tell_the_rest(table, len(ordered), "field")
    return table


def _servers(report: Report) -> Table:
    table = _table("Work of the servers", "server", "busy", "mostly with", "lag", "memory", "held at most", wraps=2)
    for server in report["servers"][:MOST_ROWS]:
        table.add_row(
            Text(f"{server['rank']} {server['host']}"),
            percent_text(busy_share(server)),
            _most_work(server),
            seconds_text(server["lag"]["mean_seconds"]),
            bytes_text(server["resident_high_water_bytes"]),
            _most_held(server),
        )
    _tell_the_rest(table, len(report["servers"]), "server")
    return table


def _most_held(server: dict[str, Any]) -> str:
    """In all, and the two kinds of which there was most at some time."""
    held = server.get("held_high_water_bytes", {})
    first = sorted(held, key=lambda kind: -held[kind])[:2]
    kinds = ", ".join(f"{kind} {bytes_text(held[kind])}" for kind in first if held[kind] > 0)
    return bytes_text(server["pending_high_water_bytes"]) + (f" ({kinds})" if kinds else "")


def _most_work(server: dict[str, Any]) -> str:
    """The three phases that took longest."""
    seconds = {phase: server["phases"][phase]["seconds"] for phase in BUSY_PHASES if phase in server["phases"]}
    first = sorted(seconds, key=lambda phase: -seconds[phase])[:3]
    return ", ".join(f"{phase} {seconds_text(seconds[phase])}" for phase in first if seconds[phase] > 0) or "-"


def _files(report: Report) -> Table:
    table = _table("Files", "path", "records", "commits", "raw", "on disk", "ratio", "write", "up to")
    for file in report["files"][:MOST_ROWS]:
        table.add_row(
            Text(file["path"]),
            count_text(file["records"]),
            count_text(file["commits"]),
            bytes_text(file["raw_bytes"]),
            bytes_text(file["disk_bytes"]),
            f"{compression(file['raw_bytes'], file['encoded_bytes']):.1f}",
            seconds_text(file["write"]["seconds"]),
            f"{file['last_model_time']:g} s" if file["commits"] else "-",
        )
    _tell_the_rest(table, len(report["files"]), "file")
    words = [f"{file['path']} was skipped: {file['skipped']}" for file in report["files"] if file.get("skipped")]
    words += [
        f"{file['path']}: {count_text(lost['values'])} values of {lost['variable']} did not fit {lost['type']}, or equalled the fill value"
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
