"""Targets, a table that shows which were met, and the same as JSON."""

import argparse
import json
import os
import platform
import sys
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path


@dataclass
class Results:
    name: str
    rows: list[dict] = field(default_factory=list)
    details: dict = field(default_factory=dict)

    def add(self, what: str, value: float, unit: str, at_most: float | None = None, note: str = "") -> None:
        row = {"what": what, "value": value, "unit": unit}
        if at_most is not None:
            row |= {"at_most": at_most, "met": value <= at_most}
        if note:
            row["note"] = note
        self.rows.append(row)

    def met(self) -> bool:
        return all(row.get("met", True) for row in self.rows)

    def table(self) -> str:
        def number(value: float) -> str:
            return f"{value:.4g}" if abs(value) < 1e6 else f"{value:.0f}"

        lines = [("", "measured", "target", "", "")]
        for row in self.rows:
            target = f"<= {number(row['at_most'])}" if "at_most" in row else ""
            verdict = {True: "met", False: "MISSED", None: ""}[row.get("met")]
            lines.append((row["what"], f"{number(row['value'])} {row['unit']}", target, verdict, row.get("note", "")))
        widths = [max(len(line[i]) for line in lines) for i in range(5)]
        return "\n".join(
            "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip() for line in lines
        )

    def finish(self, into: Path | None) -> None:
        """Prints, writes, and ends this program: not 0 where a target was missed."""
        print(self.table())
        if into:
            into.parent.mkdir(parents=True, exist_ok=True)
            into.write_text(json.dumps(self.page(), indent=1) + "\n")
        sys.exit(0 if self.met() else 1)

    def page(self) -> dict:
        machine = {
            "processor": processor(),
            "cores": len(os.sched_getaffinity(0)),
            "system": platform.platform(),
            "load": os.getloadavg()[0],
        }
        when = datetime.now(UTC).isoformat(timespec="seconds")
        return {
            "benchmark": self.name,
            "when": when,
            "machine": machine,
            "met": self.met(),
            "rows": self.rows,
        } | self.details


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def arguments(description: str, **defaults: float) -> argparse.Namespace:
    """--json FILE, and an option for each default."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", type=Path, help="where the figures go")
    for name, value in defaults.items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    return parser.parse_args()
