"""Follows commits.jsonl, which may be long: each look reads only what came since the last one."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

MOST_AT_ONCE = 4 << 20  # bytes that one look reads


@dataclass(frozen=True)
class Commit:
    """The latest commit to a file: all records up to `model_time` are in it, whatever happens next."""

    path: str
    commits: int  # to this file, as far as the log tells
    model_time: float
    wall_time: str


class CommitLog:
    def __init__(self, directory: Path):
        self.path = directory / "commits.jsonl"
        self.latest: dict[str, Commit] = {}  # by path
        self._known: tuple[int, int] | None = None  # inode, and how far it was read

    def look(self) -> dict[str, Commit]:
        try:
            with self.path.open("rb") as file:
                self._read(file)
        except OSError:  # no commit yet
            self.latest.clear()
            self._known = None
        return self.latest

    def _read(self, file) -> None:
        found = file.seek(0, 2)
        inode = self.path.stat().st_ino
        if self._known is None or self._known[0] != inode or found < self._known[1]:
            self.latest.clear()  # another run
            self._known = (inode, 0)
        file.seek(self._known[1])
        text = file.read(MOST_AT_ONCE)
        whole = text.rfind(b"\n") + 1  # the rest of a line may be still to come
        for line in text[:whole].splitlines():
            self._add(line)
        if whole == 0 and len(text) == MOST_AT_ONCE:
            whole = len(text)  # no log of ours has such a line
        self._known = (inode, self._known[1] + whole)

    def _add(self, line: bytes) -> None:
        try:
            page = json.loads(line)
            path, time, wall = str(page["path"]), float(page["model_time"]), str(page["wall_time"])
        except (ValueError, KeyError, TypeError):  # half a line of a writer that died
            return
        before = self.latest.get(path)
        self.latest[path] = Commit(path, before.commits + 1 if before else 1, time, wall)
