"""A run of a workload, event by event.

Ranks compute a step together (they exchange halos, so none is ahead of its neighbours), and the ranks of a server put
their data into its buffers; if these are full, they wait. A server works on a step when all its ranks have completed
it, unless the commits that are due and not written exceed a quarter of its memory for some home. When all servers have
worked on a step, its commits go to their homes over the network, and are written one after the other for each file.
"""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass, field

import numpy as np

from ..costs import Costs
from ..machine import Machine
from ..predict import TRANSIT_SHARE, WAKING, Layout, is_crowded
from ..shares import Shares, Write, clients_of, shares_of
from ..workload import Workload
from .events import Channel, Events, Line, Node, Then

MOST_EVENTS = 1_000_000  # about; a run that has more is replayed in part


@dataclass(frozen=True)
class Replayed:
    seconds: float  # of the whole run, from `ready` to the end of `finish`
    stall_seconds: float
    lag_seconds: float  # on average
    most_lag_seconds: float
    most_pending: float  # bytes put and not yet worked on, of the server that had most
    steps: int  # that were replayed
    events: int


@dataclass
class Server:
    node: Node  # or its own cores
    cores: int
    room: float  # bytes of the buffers of its ranks
    arrived: deque[int] = field(default_factory=deque)
    accepted: int = -1  # the latest step
    pending: float = 0.0
    most_pending: float = 0.0
    busy: bool = False
    waiting: deque[tuple[float, Then]] = field(default_factory=deque)  # puts that have no room yet


class Run:
    def __init__(self, workload: Workload, costs: Costs, machine: Machine, layout: Layout, steps: int):
        self.workload, self.costs, self.machine, self.layout = workload, costs, machine, layout
        self.events = Events()
        self.kinds = _steps_of(workload, steps)
        self.shares: dict[int, Shares] = {
            kind: shares_of(workload, costs, machine, layout.servers, workload.kinds[kind]) for kind in set(self.kinds)
        }
        self.nodes = [Node(self.events, machine.cores) for _ in range(layout.nodes)]
        clients = clients_of(layout.ranks, layout.servers)
        cores = max(1, workload.threads)
        # A server is bound to its cores where all have some; on a crowded node all share all.
        crowded = is_crowded(layout, machine, cores)
        self.servers = [
            Server(
                self.nodes[server * layout.nodes // layout.servers] if crowded else Node(self.events, cores),
                cores,
                clients[server] * workload.buffer_bytes,
            )
            for server in range(layout.servers)
        ]
        self.ranks_of_node = clients_of(layout.ranks, layout.nodes).astype(int)
        network = machine.network
        self.byte_seconds = 1.0 / network.bytes_per_second if network else 0.0
        # A message between all servers passes through a tree of them.
        self.tree_seconds = (network.latency if network else 0.0) * math.ceil(math.log2(layout.servers + 1))
        self.links = [Channel(self.events) for _ in self.servers]
        self.writers: dict[tuple[int, int], Line] = {}  # by lane and server
        self.file_system = Channel(self.events)
        # Raw bytes of commits by home: due by the steps up to each one, and written. A server waits for those that are
        # due by steps which it has accepted, so that the one which is furthest behind can always go on.
        self.due = _due_by_step(self.kinds, self.shares, layout.servers)
        self.written = np.zeros(layout.servers)
        self.most_due = TRANSIT_SHARE * workload.memory_bytes
        self.blocked: dict[int, set[int]] = {}  # servers that wait for homes, by the latest step that they accepted
        self.worked = [0] * len(self.kinds)  # servers that have worked on a step
        self.stalled = 0.0
        self.lags: list[float] = []
        self.left = 0  # ranks' groups that have not ended a part of the step
        self.put_end = [0.0] * len(self.kinds)  # when a step was put

    def play(self) -> None:
        self._compute(0)
        self.events.run()

    # The model -------------------------------------------------------------------------------------------------------

    def _compute(self, step: int) -> None:
        if step == len(self.kinds):
            return
        kind = self.workload.kinds[self.kinds[step]]
        is_step = step < len(self.kinds) - 1
        put = self.costs.put.of(kind.bytes_in / self.layout.ranks)
        seconds = (self.costs.model.step(self.layout.ranks) if is_step else 0.0) + put
        self.left = len(self.nodes)

        def ended() -> None:
            self.left -= 1
            if self.left == 0:
                self._put(step)

        for node, ranks in zip(self.nodes, self.ranks_of_node, strict=True):
            node.work(seconds, int(ranks), ended)

    def _put(self, step: int) -> None:
        shares = self.shares[self.kinds[step]]
        begin = self.events.now
        self.left = len(self.servers)

        def taken(number: int) -> None:
            self.servers[number].arrived.append(step)
            self._serve(number)
            self.left -= 1
            if self.left == 0:
                self.stalled += self.events.now - begin
                self.put_end[step] = self.events.now
                self._compute(step + 1)

        for number, server in enumerate(self.servers):
            self._fill(server, float(shares.bytes_in[number]), lambda number=number: taken(number))

    @staticmethod
    def _fill(server: Server, size: float, then: Then) -> None:
        server.waiting.append((size, then))
        Run._admit(server)

    @staticmethod
    def _admit(server: Server) -> None:
        # A step that is larger than the buffers passes through them while the server works. Sums of shares are no whole
        # bytes, so that less than a byte may be left of nothing.
        while server.waiting and (server.pending < 1.0 or server.pending + server.waiting[0][0] <= server.room):
            size, then = server.waiting.popleft()
            server.pending += size
            server.most_pending = max(server.most_pending, server.pending)
            then()

    # The servers -----------------------------------------------------------------------------------------------------

    def _serve(self, number: int) -> None:
        server = self.servers[number]
        if server.busy or not server.arrived:
            return
        if self._is_full(server.accepted):
            self.blocked.setdefault(server.accepted, set()).add(number)
            return
        server.busy = True
        step = server.accepted = server.arrived.popleft()
        seconds = float(self.shares[self.kinds[step]].work[number]) / server.cores
        wake = WAKING if not server.arrived and self.layout.ranks_on_node < self.machine.cores else 0.0
        self.events.after(wake, lambda: server.node.work(seconds, server.cores, lambda: self._worked(number, step)))

    def _worked(self, number: int, step: int) -> None:
        server = self.servers[number]
        server.busy = False
        server.pending = max(0.0, server.pending - float(self.shares[self.kinds[step]].bytes_in[number]))
        self._admit(server)
        self.worked[step] += 1
        if self.worked[step] == len(self.servers):
            self._commit(step)
        self._serve(number)

    # The files -------------------------------------------------------------------------------------------------------

    def _is_full(self, accepted: int) -> bool:
        return accepted >= 0 and float(np.max(self.due[accepted] - self.written)) > self.most_due

    def _write(self, write: Write, put: float, done: Then) -> None:
        """The part in which a core works, the part in which it waits, and its part of the common file system."""
        node = self.servers[write.server].node

        def waits() -> None:
            self.events.after(write.seconds - write.worked, reaches)

        def reaches() -> None:
            shared = self.machine.file_system
            self.file_system.take(write.stored / shared if shared else 0.0, ends)

        def ends() -> None:
            self.lags.append(self.events.now - put)
            self.written[write.server] += write.raw
            for step in [step for step in self.blocked if not self._is_full(step)]:
                for number in sorted(self.blocked.pop(step)):
                    self._serve(number)
            done()

        node.work(write.worked, 1, waits)

    def _commit(self, step: int) -> None:
        put = self.put_end[step] or self.events.now
        for write in self.shares[self.kinds[step]].writes:
            home = self.links[write.server]
            arrive = write.received * self.byte_seconds

            def sent(write=write) -> None:
                key = (write.lane, write.server)
                self.writers.setdefault(key, Line()).take(lambda done: self._write(write, put, done))

            self.events.after(self.tree_seconds, lambda home=home, arrive=arrive, sent=sent: home.take(arrive, sent))


def replay(workload: Workload, costs: Costs, machine: Machine, layout: Layout, steps: int) -> Replayed:
    """A run of so many steps. If it has too many events, its beginning is replayed, and the rest taken to go on at the
    pace of the second half of that."""
    most = max(20, MOST_EVENTS // (2 * layout.servers + layout.nodes))
    count = min(steps, workload.steps, most)
    run = Run(workload, costs, machine, layout, count)
    run.play()
    seconds, stalled = run.events.now, run.stalled
    if count < steps:
        half = Run(workload, costs, machine, layout, max(1, count // 2))
        half.play()
        more = (steps - count) / (count - count // 2)
        seconds += more * (seconds - half.events.now)
        stalled += more * (stalled - half.stalled)
    return Replayed(
        seconds=costs.ready + seconds,
        stall_seconds=stalled,
        lag_seconds=sum(run.lags) / len(run.lags) if run.lags else 0.0,
        most_lag_seconds=max(run.lags, default=0.0),
        most_pending=max(server.most_pending for server in run.servers),
        steps=count,
        events=run.events.count,
    )


def _due_by_step(kinds: list[int], shares: dict[int, Shares], servers: int) -> list[np.ndarray]:
    """Steps without a commit share the sums of the one before."""
    made: list[np.ndarray] = []
    sums = np.zeros(servers)
    for kind in kinds:
        if shares[kind].writes:
            sums = sums.copy()
            for write in shares[kind].writes:
                sums[write.server] += write.raw
        made.append(sums)
    return made


def _steps_of(workload: Workload, count: int) -> list[int]:
    """The kind of each step, and of the end."""
    kinds = [kind for kind, times in workload.runs for _ in range(times)]
    return [*kinds[: min(count, len(kinds) - 1)], kinds[-1]]
