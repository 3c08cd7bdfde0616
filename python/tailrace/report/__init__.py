"""The report of a run: on the terminal, and as one self-contained page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from tailrace._text import seconds_text
from tailrace.report.facts import Report, ReportError, load
from tailrace.report.terminal import print_report

__all__ = ["ReportError", "load", "print_report", "show", "write_html"]


def show(directory: Path | str, html: bool = True, console: Console | None = None) -> None:
    """Prints the report in `directory`; with `html` also writes report.html (and trace.json) beside it."""
    console = console or Console()
    report = load(directory)
    print_report(report, console)
    folder = Path(directory) if Path(directory).is_dir() else Path(directory).parent
    for line in _actions(folder):
        console.print(line)
    trace = join_traces(folder)
    if trace:
        console.print(Text(f"trace   {trace}   (open it in ui.perfetto.dev)", style="dim"))
    if html:
        page = write_html(report, folder)
        console.print(Text(f"page    {page}", style="dim"), soft_wrap=True)


def write_html(report: Report, directory: Path | str) -> Path:
    """Writes report.html and returns its path."""
    from tailrace.report.html import page  # matplotlib takes a second to import

    path = Path(directory) / "report.html"
    path.write_text(page(report), encoding="utf-8")
    return path


def _actions(folder: Path) -> list[Text]:
    """A line for each action: how many of its steps were done, failed or discarded."""
    lines = []
    for path in sorted(folder.glob("in_situ.*.json")):
        action = json.loads(path.read_text(encoding="utf-8"))
        counts = {"done": action["done"], **action["failed"]}
        counts |= {"discarded": action["discarded"], "not tried": action["not_tried"]}
        steps_text = ", ".join(f"{word} {count}" for word, count in counts.items() if count or word == "done")
        line = Text(f"in_situ.{action['name']}   {steps_text}   {seconds_text(action['call_seconds'])} in calls   ")
        good = action["outcome"] == "complete" and not any(action["failed"].values())
        lines.append(line.append(action["outcome"], style="green" if good else "yellow"))
    return lines


def join_traces(directory: Path) -> Path | None:
    """Puts the ranks' trace.*.json into one trace.json; None where there are none."""
    parts = sorted(directory.glob("trace.*.json"))
    if not parts:
        return None
    events: list[Any] = []
    dropped = 0
    for number, part in enumerate(parts):
        page = json.loads(part.read_text(encoding="utf-8"))
        dropped += page.get("otherData", {}).get("dropped", 0)
        # Processes of several nodes may share a number.
        events += [{**event, "pid": number} for event in page["traceEvents"]]
    path = directory / "trace.json"
    joined = {"displayTimeUnit": "ms", "otherData": {"dropped": dropped}, "traceEvents": events}
    path.write_text(json.dumps(joined, separators=(",", ":")), encoding="utf-8")
    return path
