"""Messages as gcc prints them: file:line:column, what is wrong, what was expected, and the nearest known name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

from .nodes import At


class StencilError(Exception):
    """A mistake of the user, at a place of the source or of another file."""

    def __init__(self, at: At | None, message: str):
        super().__init__(message)
        self.at, self.message = at, message


def render(path: str, text: str, at: At | None, message: str, kind: str = "error") -> str:
    if at is None:
        return f"{path}: {kind}: {message}"
    lines = text.split("\n")  # not at form feeds and the like, as the parser counts
    line = lines[at.line - 1].rstrip("\r") if at.line <= len(lines) else ""
    # A tab stays one in the line of the mark, so that both are as wide.
    before = "".join("\t" if letter == "\t" else " " for letter in line[: at.column - 1])
    mark = "^" + "~" * (min(at.length, max(len(line) - at.column + 1, 1)) - 1)
    return f"{path}:{at.line}:{at.column}: {kind}: {message}\n    {line}\n    {before}{mark}"


def unknown(name: str, what: str, known: Iterable[str]) -> str:
    """`"edg" is no neighbour of a cell; did you mean "edge"? (known: ...)`"""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    hint = f'; did you mean "{near[0]}"?' if near else ""
    listed = ", ".join(names) if names else "none"
    return f'"{name}" is no {what}{hint} (known: {listed})'
