"""Where YAC's configuration names a field. YAC itself keeps no places."""

from __future__ import annotations

import re
from pathlib import Path


def place_of(coupling: Path, field: str) -> str:
    """file:line:column of the first `field:`, `src:`, `tgt:` or item of a list with that name; else the file."""
    name = re.compile(rf"(?<![\w.-]){re.escape(field)}(?![\w.-])")
    key = re.compile(r"\b(field|src|tgt)\s*:|^\s*-\s")
    for number, line in enumerate(coupling.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        begin = key.search(line)
        found = name.search(line, begin.end()) if begin else None
        if found:
            return f"{coupling}:{number}:{found.start() + 1}"
    return str(coupling)
