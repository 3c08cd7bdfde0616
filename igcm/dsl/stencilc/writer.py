"""Lines of generated C: indented, at most WIDTH columns where they can be broken, and led back to the source."""

from __future__ import annotations

import re

WIDTH = 110
BREAK = re.compile(r"(?<=,) | (?=(?:[-+*/?:]|&&|\|\|) )")


class Writer:
    """lines_lead: whether #line directives are written. Closing braces, which compute nothing, count on from the line
    before."""

    def __init__(self, path: str, lines_lead: bool):
        self.path = escaped(path)
        self.lines_lead = lines_lead
        self.lines: list[str] = []
        self.depth = 0
        self.next_line: int | None = None  # the number that a compiler gives to the next line; None: none of the source

    def line(self, text: str, source_line: int | None = None):
        for i, part in enumerate(fold(text, WIDTH - 2 * self.depth)):
            if source_line is not None and self.next_line != source_line and self.lines_lead:
                self.lines.append(f'#line {source_line} "{self.path}"')
                self.next_line = source_line
            self.lines.append("  " * (self.depth + 2 * (i > 0)) + part)
            if self.next_line is not None:
                self.next_line += 1

    def text(self) -> str:
        return "".join(line + "\n" for line in self.lines)


def escaped(path: str) -> str:
    """As it stands between quotes in C."""
    return path.replace("\\", "\\\\").replace('"', '\\"')


def fold(text: str, width: int) -> list[str]:
    """Breaks after commas and before operators."""
    if text.startswith("#") or len(text) <= width:
        return [text]
    parts = [""]
    for word in BREAK.split(text):
        if parts[-1] and len(parts[-1]) + 1 + len(word) > width - 4 * (len(parts) > 1):
            parts.append(word)
        else:
            parts[-1] += (" " if parts[-1] else "") + word
    return parts
