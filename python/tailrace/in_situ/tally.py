"""Counts the steps that an action took, failed or missed, logs them and writes them into the report directory."""

import json
import os
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

MOST_LOGGED = 3  # of one kind of failure; the report counts all


@dataclass
class Tally:
    name: str
    function: str
    report: Path | None = None
    done: int = 0
    failed: dict[str, int] = field(default_factory=dict)  # by kind: loading, raised, timeout, crashed, memory
    discarded: int = 0  # the queue was full
    not_tried: int = 0  # the action had been given up
    seconds: float = 0.0  # in calls, those that failed included
    longest_seconds: float = 0.0
    last_error: str = ""
    outcome: str = "running"

    def succeeded(self, seconds: float) -> None:
        self.done += 1
        self._took(seconds)

    def failed_by(self, kind: str, what: str, seconds: float, details: str = "") -> None:
        self.failed[kind] = self.failed.get(kind, 0) + 1
        self.last_error = what
        self._took(seconds)
        if self.failed[kind] <= MOST_LOGGED:
            last = " (further ones of this kind are only counted)" if self.failed[kind] == MOST_LOGGED else ""
            self.log(f"{what}{last}", details)

    def _took(self, seconds: float) -> None:
        self.seconds += seconds
        self.longest_seconds = max(self.longest_seconds, seconds)

    def log(self, what: str, details: str = "") -> None:
        text = f"tailrace: warning: in_situ.{self.name}: {what}\n{details}"
        with suppress(OSError):
            os.write(sys.stderr.fileno(), text.encode())

    def write(self) -> None:
        if self.report is None:
            return
        members = {
            "schema": "tailrace-in-situ",
            "version": 1,
            "name": self.name,
            "function": self.function,
            "outcome": self.outcome,
            "done": self.done,
            "failed": dict.fromkeys(("loading", "raised", "timeout", "crashed", "memory"), 0) | self.failed,
            "discarded": self.discarded,
            "not_tried": self.not_tried,
            "call_seconds": round(self.seconds, 6),
            "longest_call_seconds": round(self.longest_seconds, 6),
            "last_error": self.last_error,
        }
        path = self.report / f"in_situ.{self.name}.json"
        temporary = path.with_name(f".{path.name}.new")
        try:
            temporary.write_text(json.dumps(members, indent=1) + "\n")
            temporary.replace(path)
        except OSError as error:
            self.log(f"no report: {error}")
