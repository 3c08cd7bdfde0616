"""Where YAC's configuration names a field. YAC itself keeps no places."""

from __future__ import annotations

import re
from pathlib import Path

KEYS = ("field", "src", "tgt")


def place_of(coupling: Path, field: str) -> str:
    """file:line:column of the first mention as a value of `field`, `src` or `tgt`; else the file."""
    text = coupling.read_text(encoding="utf-8", errors="replace")
    text = re.sub(r"(^|\s)#.*", lambda comment: " " * len(comment[0]), text, flags=re.MULTILINE)
    for found in re.finditer(rf"(?<![\w.-]){re.escape(field)}(?![\w.-]|\s*:\s)", text):
        keys = re.findall(r"([\w-]+)\s*:(?=\s)", text[: found.start()])
        if keys and keys[-1] in KEYS:
            before = text[: found.start()]
            return f"{coupling}:{before.count(chr(10)) + 1}:{found.start() - before.rfind(chr(10))}"
    return str(coupling)
