"""The puts, records and commits of a run, from the clocks of its plan (docs/formats/workload.md)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

MOST_STEPS = 20_000  # of a run that are followed one by one; a longer run goes on like them


@dataclass(frozen=True)
class Variable:
    name: str
    bytes: int  # of a record, not compressed
    accumulated_bytes: int  # of a sample that is added to its window; 0: it has none
    is_spread: bool  # its chunks are assembled on all servers, not on the home of the file
    codec: str
    level: int
    is_rounded: bool

    @property
    def encoding(self) -> str:
        """The name under which its costs are known: `none`, or codec and level, with `keep` where it is rounded."""
        if self.codec == "none":
            return "none"
        return f"{self.codec} {self.level}{' keep' if self.is_rounded else ''}"


@dataclass(frozen=True)
class File:
    path: str
    by_many: bool  # each server writes the chunks that it holds
    gathers: bool  # commits that wait for the disk become one
    variables: tuple[Variable, ...]


@dataclass(frozen=True)
class Commit:
    file: int
    records: tuple[tuple[int, int], ...]  # (variable, number)


@dataclass(frozen=True)
class Kind:
    """Steps at which the same happens."""

    bytes_in: int  # that all ranks put
    packets: int
    records: tuple[tuple[int, int], ...]  # (file, variable) that close
    commits: tuple[Commit, ...]
    has_checkpoint: bool


@dataclass(frozen=True)
class Memory:
    held_bytes: int  # of a server, at all times
    suffices: bool  # the option `memory` of the configuration
    option_bytes: int  # the option that has room for it


@dataclass(frozen=True)
class Workload:
    component: str
    ranks: int
    steps: int  # that were followed; the last entry of `runs` is the end of the run, which is no step
    step_seconds: float  # of model time
    is_dedicated: bool
    count: int
    per_node: int
    per_domain: int
    threads: int  # of a server; 0: as many as it has cores
    memory_bytes: int  # option `memory` of a server
    buffer_bytes: int  # of a rank
    writers: int  # commits of a server at a time, to different files
    is_fed: bool  # has inputs, which are not counted here
    checkpoint_bytes: int
    memory: dict[int, Memory]  # by number of servers
    files: tuple[File, ...]
    kinds: tuple[Kind, ...]
    runs: tuple[tuple[int, int], ...]  # (kind, number of steps)

    @cached_property
    def times(self) -> list[int]:
        """How often each kind occurs."""
        counts = [0] * len(self.kinds)
        for kind, count in self.runs:
            counts[kind] += count
        return counts

    @cached_property
    def bytes_in(self) -> float:
        """The bytes of all steps that were followed."""
        return float(sum(count * kind.bytes_in for kind, count in zip(self.kinds, self.times, strict=True)))

    @cached_property
    def packets(self) -> float:
        return float(sum(count * kind.packets for kind, count in zip(self.kinds, self.times, strict=True)))

    def record_bytes(self, file: int, variable: int) -> int:
        return self.files[file].variables[variable].bytes

    def bytes_of(self, commit: Commit) -> int:
        return sum(count * self.record_bytes(commit.file, variable) for variable, count in commit.records)


def followed(steps: int) -> int:
    return min(steps, MOST_STEPS)


def workload_of(
    config: Path,
    declared: Path,
    *,
    steps: int,
    step_seconds: float,
    ranks: int,
    servers: Sequence[int],
    options: Mapping[str, str],
) -> Workload:
    """Raises tailrace.Error with the mistakes of the configuration."""
    from tailrace import _core

    text = _core.workload(config, declared, followed(steps), step_seconds, ranks, sorted(set(servers)), dict(options))
    return from_page(json.loads(text))


def from_page(page: Mapping[str, Any]) -> Workload:
    fields = page["fields"]
    ranks = page["ranks"]
    files = tuple(
        File(
            one["path"],
            one["by_many"],
            one["gathers"],
            tuple(
                Variable(
                    var["name"],
                    var["bytes"],
                    var["accumulated_bytes"],
                    var["is_spread"],
                    var["codec"],
                    var["level"],
                    var["is_rounded"],
                )
                for var in one["variables"]
            ),
        )
        for one in page["files"]
    )
    kinds = tuple(
        Kind(
            bytes_in=sum(fields[f]["bytes"] for f in kind["puts"]),
            packets=ranks + sum(fields[f]["senders"] for f in kind["puts"]),  # a step is a packet too
            records=tuple((f, v) for f, v in kind["records"]),
            commits=tuple(Commit(c["file"], tuple((v, n) for v, n in c["records"])) for c in kind["commits"]),
            has_checkpoint=kind["checkpoint"],
        )
        for kind in page["kinds"]
    )
    memory = {one["servers"]: Memory(one["held_bytes"], one["suffices"], one["option_bytes"]) for one in page["memory"]}
    same = ("component", "ranks", "steps", "step_seconds", "is_dedicated", "count", "per_node", "per_domain", "threads")
    more = ("memory_bytes", "buffer_bytes", "writers", "is_fed", "checkpoint_bytes")
    return Workload(
        **{name: page[name] for name in (*same, *more)},
        memory=memory,
        files=files,
        kinds=kinds,
        runs=tuple((kind, count) for kind, count in page["runs"]),
    )
