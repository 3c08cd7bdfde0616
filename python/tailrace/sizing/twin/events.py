"""A queue of events, a node whose tasks share its cores, and a channel that serves one after the other."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable

Then = Callable[[], None]


class Events:
    """Events at the same time come in the order in which they were asked for."""

    def __init__(self) -> None:
        self.now = 0.0
        self.count = 0  # that have happened
        self._asked = 0
        self._queue: list[tuple[float, int, Then]] = []

    def at(self, when: float, then: Then) -> None:
        self._asked += 1
        heapq.heappush(self._queue, (max(when, self.now), self._asked, then))

    def after(self, seconds: float, then: Then) -> None:
        self.at(self.now + seconds, then)

    def run(self) -> None:
        while self._queue:
            self.now, _, then = heapq.heappop(self._queue)
            self.count += 1
            then()


class Node:
    """Cores that are shared evenly by the tasks on them: each gets a whole core, or an equal part if there are fewer
    cores than tasks. A task stands for `width` processes with the same work.

    All tasks advance by the same amount of work at a time, so the next one to end is the one with the least work, on a
    clock of work that slows down where there are more tasks than cores ("virtual time" of fair queueing).
    """

    def __init__(self, events: Events, cores: int):
        self.events, self.cores = events, cores
        self._work = 0.0  # that a task which was always there would have got
        self._since = 0.0
        self._width = 0
        self._tasks: list[tuple[float, int, int, Then]] = []
        self._asked = 0
        self._turn = 0  # of the planned end; older plans are void

    def work(self, seconds: float, width: int, then: Then) -> None:
        self._advance()
        self._asked += 1
        heapq.heappush(self._tasks, (self._work + seconds, self._asked, width, then))
        self._width += width
        self._plan()

    def _rate(self) -> float:
        return min(1.0, self.cores / self._width) if self._width else 1.0

    def _advance(self) -> None:
        self._work += (self.events.now - self._since) * self._rate()
        self._since = self.events.now

    def _plan(self) -> None:
        self._turn += 1
        if not self._tasks:
            return
        turn, left = self._turn, max(0.0, self._tasks[0][0] - self._work)
        self.events.after(left / self._rate(), lambda: self._end(turn))

    def _end(self, turn: int) -> None:
        if turn != self._turn:
            return
        self._advance()
        end, _, width, then = heapq.heappop(self._tasks)
        self._work = max(self._work, end)  # without the rounding of the time of the event
        self._width -= width
        self._plan()
        then()


class Line:
    """Does one piece of work after the other; each says itself when it has ended: the commits of a file."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[Then], None]] = deque()
        self._busy = False

    def take(self, work: Callable[[Then], None]) -> None:
        self._waiting.append(work)
        if not self._busy:
            self._next()

    def _next(self) -> None:
        self._busy = bool(self._waiting)
        if self._waiting:
            self._waiting.popleft()(self._next)


class Channel:
    """Passes one thing on after the other, each for a known time: a link, a file system."""

    def __init__(self, events: Events):
        self.events = events
        self.free = 0.0  # from then on
        self.busy = 0.0  # seconds in all

    def take(self, seconds: float, then: Then) -> None:
        begin = max(self.free, self.events.now)
        self.free = begin + seconds
        self.busy += seconds
        self.events.at(self.free, then)
