"""Predicts a run with so many servers: the formulas of docs/guide/how_many_servers.md."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from .costs import Costs
from .machine import Machine
from .shares import PARTS, shares_of
from .workload import Workload

if TYPE_CHECKING:
    from .twin.replay import Replayed

PROGRAM_BYTES = 35 << 20  # of a server, besides its data and the buffers of its clients (docs/guide/modes.md)
WAKING = 0.01  # seconds until a sleeping server notices a step: half of its longest sleep
CACHED_SHARE = 0.2  # of a node's memory: what the system caches of files before their writers wait for the disk
TRANSIT_SHARE = 0.25  # of `memory`: what is under way on a server before it accepts no further step


@dataclass(frozen=True)
class Layout:
    """Where the ranks and servers of a job are."""

    ranks: int
    servers: int  # in all
    nodes: int
    per_node: int | None  # the same number on each node; None: fewer servers than nodes, or any number on one node

    @property
    def ranks_on_node(self) -> int:
        return math.ceil(self.ranks / self.nodes)

    @property
    def servers_on_node(self) -> int:
        return math.ceil(self.servers / self.nodes)


@dataclass(frozen=True)
class Work:
    """The work of the busiest server in a whole run, in seconds, by what is done."""

    parts: dict[str, float]
    errors: dict[str, float]  # relative, of the same and of `write`
    writing: float  # seconds in which its files are written, side by side
    worked: float  # seconds of a core among them
    stored: float  # bytes that its files get
    stored_in_all: float  # by all servers
    commit: float  # seconds in which a server writes its part of a commit, on average

    @property
    def processor(self) -> float:
        """Seconds of a core."""
        return sum(self.parts.values()) + self.worked


@dataclass(frozen=True)
class Prediction:
    layout: Layout
    steps: int
    seconds: float  # time to solution: from `ready` to the end of `finish`
    error: float  # relative
    loop_seconds: float  # of the model's steps, stalls included
    stall_seconds: float  # of a rank
    finish_seconds: float
    server_seconds: float  # that the busiest server needs for what it gets
    margin: float  # the share of the loop in which the busiest server has nothing to do; negative: it cannot keep up
    lag_seconds: float  # from a put to the disk, on average
    limit: str  # what the time depends on: model, cores, servers, disk
    server_memory: float  # bytes
    memory_suffices: bool
    option_bytes: int  # for `servers: memory`
    rank_memory: int  # the buffer of a rank, in bytes
    node_hours: float
    parts: dict[str, float]  # seconds of the busiest server

    @property
    def keeps_up(self) -> bool:
        return self.margin >= 0.0

    def replayed(self, twin: Replayed) -> Prediction:
        """With the times of the twin in place of those of the formulas."""
        return replace(
            self,
            seconds=twin.seconds,
            stall_seconds=twin.stall_seconds,
            lag_seconds=twin.lag_seconds,
            node_hours=self.layout.nodes * twin.seconds / 3600.0,
        )

    def page(self) -> dict[str, Any]:
        made = {
            "servers": self.layout.servers,
            "servers_per_node": self.layout.per_node,
            "ranks": self.layout.ranks,
            "nodes": self.layout.nodes,
            "keeps_up": self.keeps_up,
        }
        return made | {name: getattr(self, name) for name in self.__dataclass_fields__ if name != "layout"}


def work_of(workload: Workload, costs: Costs, machine: Machine, servers: int, scale: float) -> Work:
    """The work of the busiest server. `scale`: how much longer the run is than the steps that were followed."""
    parts = {name: np.zeros(servers) for name in PARTS}
    lanes, worked, stored = np.zeros((servers, workload.writers)), np.zeros(servers), np.zeros(servers)
    commits = 0.0
    for kind, count in zip(workload.kinds, workload.times, strict=True):
        shares = shares_of(workload, costs, machine, servers, kind)
        for name in PARTS:
            parts[name] += scale * count * shares.parts[name]
        commits += scale * count * len(shares.writes)
        for write in shares.writes:
            lanes[write.server, write.lane] += scale * count * write.seconds
            worked[write.server] += scale * count * write.worked
            stored[write.server] += scale * count * write.stored
    writing = lanes.max(axis=1)
    processor = sum(parts.values()) + worked
    busiest = int(np.argmax(np.maximum(processor, writing)))
    variables = [variable for file in workload.files for variable in file.variables]
    errors = {name: getattr(costs, name).error for name in PARTS if name != "encode"}
    errors["encode"] = max((costs.encoding(one, machine).error for one in variables), default=0.0)
    squeezed = max((costs.compression_error(one) for one in variables), default=0.0)
    errors["write"] = math.hypot(costs.write.error, squeezed)
    own = {name: float(parts[name][busiest]) for name in PARTS}
    commit = float(lanes.sum()) / commits if commits else 0.0
    return Work(
        own,
        errors,
        float(writing[busiest]),
        float(worked[busiest]),
        float(stored[busiest]),
        float(stored.sum()),
        commit,
    )


def predict(workload: Workload, costs: Costs, machine: Machine, layout: Layout, steps: int) -> Prediction:
    """Predicts a run with so many steps."""
    scale = steps / workload.steps
    work = work_of(workload, costs, machine, layout.servers, scale)
    cores = max(1, workload.threads)  # of a server
    model = steps * costs.model.step(layout.ranks)
    put = costs.put.of(workload.bytes_in * scale / layout.ranks)
    alone = model + put
    processor = work.processor
    demand = layout.ranks_on_node * alone + layout.servers_on_node * processor
    crowded = demand / machine.cores if is_crowded(layout, machine, cores) else 0.0
    loop = max(alone, crowded)
    disk = _sustained(work, machine, layout)
    server = max(processor / cores, work.writing, disk)
    late = max(0.0, server - loop)
    # Blocks stay in the buffers until they have been worked on, and commits wait for the disk in the memory.
    buffers = layout.ranks * workload.buffer_bytes
    waiting = layout.servers * TRANSIT_SHARE * workload.memory_bytes
    transit = buffers + (waiting if server > processor / cores else 0.0)
    put_bytes = workload.bytes_in * scale
    absorbed = min(late, server * transit / put_bytes) if put_bytes > 0 else late
    lag = WAKING + sum(work.parts.values()) / cores / steps + work.commit + 0.5 * absorbed
    finish = absorbed + lag if late == 0.0 else max(absorbed, lag)
    seconds = costs.ready + loop + (late - absorbed) + finish
    limit = "model" if alone >= max(crowded, server) else "cores" if crowded >= server else "servers"
    if limit == "servers" and server > processor / cores:
        limit = "disk"
    held = workload.memory[layout.servers]
    return Prediction(
        layout=layout,
        steps=steps,
        seconds=seconds,
        error=_error(costs, work, limit),
        loop_seconds=loop + late - absorbed,
        stall_seconds=late - absorbed,
        finish_seconds=finish,
        server_seconds=server,
        margin=1.0 - server / loop if loop > 0.0 else -math.inf,
        lag_seconds=lag,
        limit=limit,
        server_memory=PROGRAM_BYTES + held.held_bytes + min(buffers + waiting, put_bytes) / layout.servers,
        memory_suffices=held.suffices,
        option_bytes=held.option_bytes,
        rank_memory=workload.buffer_bytes,
        node_hours=layout.nodes * seconds / 3600.0,
        parts=work.parts | {"write": work.writing},
    )


def is_crowded(layout: Layout, machine: Machine, cores: int) -> bool:
    return layout.ranks_on_node + layout.servers_on_node * cores > machine.cores


def _sustained(work: Work, machine: Machine, layout: Layout) -> float:
    """Seconds that the disk needs for what its cache does not take; of all nodes, where there is a common bound."""
    on_node = min(work.stored * layout.servers_on_node, work.stored_in_all)
    beyond = max(0.0, on_node - CACHED_SHARE * machine.memory)
    together = work.stored_in_all / machine.file_system if machine.file_system else 0.0
    return max(beyond / machine.disk.sustained, together)


def _error(costs: Costs, work: Work, limit: str) -> float:
    """Relative: of the model's steps, of what is written, or of the parts of the busiest server, which are independent
    of each other."""
    if limit == "model":
        return costs.model.error
    if limit == "disk":
        return work.errors["write"]
    spent = sum(work.parts.values()) + work.writing
    if spent <= 0.0:
        return costs.model.error
    errors = [seconds * work.errors[name] for name, seconds in work.parts.items()]
    own = math.hypot(*errors, work.writing * work.errors["write"]) / spent
    return max(costs.model.error, own) if limit == "cores" else own
