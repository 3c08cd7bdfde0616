"""The work of each server at a step of one kind, by the rules that give a run's chunks and files their servers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .costs import Costs
from .machine import Machine
from .workload import Commit, Kind, Workload

PARTS = ("receive", "accumulate", "message", "assemble", "encode")

Seconds = np.ndarray  # by server


@dataclass(frozen=True)
class Write:
    """A write by one server."""

    server: int
    lane: int  # writes of a lane come one after the other: those of a file, and of others if there are many
    seconds: float
    worked: float  # seconds of a core among them; the others are waits for the disk
    stored: float  # bytes
    raw: float  # bytes before compression
    received: float  # bytes, stored or not, that come from other servers


@dataclass(frozen=True)
class Shares:
    parts: dict[str, Seconds]  # of a core, by PARTS
    bytes_in: np.ndarray  # by server
    writes: tuple[Write, ...]

    @property
    def work(self) -> Seconds:
        return sum(self.parts.values())  # type: ignore[return-value]


def clients_of(ranks: int, servers: int) -> np.ndarray:
    """The number of ranks of each server, as handshake/assignment deals them: rank i has server i * servers / ranks."""
    first = -(-np.arange(servers + 1) * ranks // servers)
    return np.diff(first).astype(float)


def shares_of(workload: Workload, costs: Costs, machine: Machine, servers: int, kind: Kind) -> Shares:
    client_share = clients_of(workload.ranks, servers) / workload.ranks
    whole = np.ones(servers)
    assembled, encoded, sent = np.zeros(servers), 0.0, np.zeros(servers)
    for file, number in kind.records:
        variable = workload.files[file].variables[number]
        home = file % servers
        encoded += costs.encoding(variable, machine).of(variable.bytes)
        if variable.is_spread:  # pieces to the owners of chunks, and chunks to the home
            stored = variable.bytes * costs.stored_share(workload.files[file].path, variable, machine)
            assembled += variable.bytes / servers
            sent += 2.0 * variable.bytes * client_share * (1.0 - 1.0 / servers)
            if not workload.files[file].by_many:
                sent += _to_one(stored / servers * whole, home)
        else:  # pieces to the home
            assembled[home] += variable.bytes
            sent += _to_one(variable.bytes * client_share, home)
    writes = [one for commit in kind.commits for one in _writes(workload, costs, machine, servers, commit)]
    if kind.has_checkpoint:
        each = workload.checkpoint_bytes / servers
        writes += [
            _write(workload, costs, machine, servers, server, -1, (each, each, 0.0)) for server in range(servers)
        ]
    parts = {
        "receive": costs.receive.value * kind.packets * client_share,
        "accumulate": costs.accumulate.value * kind.bytes_in * client_share,
        "message": costs.message.value * sent,
        "assemble": costs.assemble.value * assembled,
        "encode": encoded / servers * whole,
    }
    return Shares(parts, kind.bytes_in * client_share, tuple(writes))


def _to_one(amounts: np.ndarray, home: int) -> np.ndarray:
    """The bytes that each server handles where all send to one: the home takes those of the others."""
    handled = amounts.copy()
    handled[home] = amounts.sum() - amounts[home]
    return handled


def _writes(workload: Workload, costs: Costs, machine: Machine, servers: int, commit: Commit) -> list[Write]:
    file = workload.files[commit.file]
    raw, stored, moved = 0.0, 0.0, 0.0
    for number, records in commit.records:
        variable = file.variables[number]
        size = records * variable.bytes
        small = size * costs.stored_share(file.path, variable, machine)
        raw += size
        stored += small
        moved += small if variable.is_spread else size
    if file.by_many:
        part = (stored / servers, raw / servers, 0.0)
        return [_write(workload, costs, machine, servers, one, commit.file, part) for one in range(servers)]
    all_of_it = (stored, raw, moved * (1.0 - 1.0 / servers))
    return [_write(workload, costs, machine, servers, commit.file % servers, commit.file, all_of_it)]


def _write(
    workload: Workload,
    costs: Costs,
    machine: Machine,
    servers: int,
    server: int,
    file: int,
    sizes: tuple[float, float, float],
) -> Write:
    """`file`: -1 for a checkpoint. A commit that takes longer than a small write on this machine waits for the rest."""
    stored, raw, received = sizes
    bytes_seconds = costs.write.of(stored)
    commit = costs.commit.value if file >= 0 else 0.0
    worked = machine.disk.processor * (min(commit, machine.disk.commit_seconds) + bytes_seconds)
    lane = file // servers % workload.writers  # of the files of this home
    return Write(server, lane, commit + bytes_seconds, worked, stored, raw, received)
