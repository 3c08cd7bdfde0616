"""Finds loops of a kernel that run together, so that what one computes is still in the cache when the next reads it.

Two ways: tile by tile of points, where no loop reads at a neighbour what another of the group writes; or level by
level, where all loops are over the same kind of levels in any order, and what one of them writes is used at its own
level alone. A temporary that is used within one group needs room for a tile or a level only. Both ways give each number
by the same operations.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .cost import cost
from .exchanges import Exchanges
from .mesh import Mesh
from .nodes import Beyond, Foreach, If, Statement
from .places import Facts, Loop
from .target import Target


@dataclass
class Group:
    """by: "points" or "levels". contracted: temporaries that have room for a tile or a level of a thread."""

    loops: list[Loop]
    by: str
    contracted: set[str] = field(default_factory=set)


def written(loops: list[Loop]) -> set[str]:
    return {use.field.name for loop in loops for use in loop.uses if use.write}


def by_points(loops: list[Loop]) -> bool:
    first = loops[0].foreach
    if any((loop.foreach.location, loop.foreach.point.set) != (first.location, first.point.set) for loop in loops):
        return False
    shared = written(loops)
    return not any(
        use.point is not None and use.point.steps and use.field.name in shared for loop in loops for use in loop.uses
    )


def by_levels(loops: list[Loop]) -> bool:
    kind = loops[0].foreach.kind
    if any(loop.foreach.level is None or loop.foreach.level.direction or loop.foreach.kind != kind for loop in loops):
        return False
    shared = written(loops)
    return all(
        use.level is not None and use.level.anchor == "k" and use.level.shift == 0 and use.level.kind == kind
        for loop in loops
        for use in loop.uses
        if use.field.name in shared
    )


def gain(before: list[Loop], loop: Loop, mesh: Mesh, temporary: set[str]) -> float:
    """Bytes for a vertex of the grid and a level that need not be read again, or written and read, when a loop follows
    others level by level."""
    shared = written(before) & {use.field.name for use in loop.uses}
    fields = {use.field.name: use.field for use in loop.uses}
    saved = sum((24 if name in temporary else 8) * mesh.per_vertex[fields[name].location] for name in shared)
    return saved - again(loop, mesh)


def again(loop: Loop, mesh: Mesh) -> float:
    """Numbers without levels are read again at each, from a cache that is not near: a quarter of their bytes count."""
    return cost(loop, mesh).column_bytes / 4 * mesh.per_vertex[loop.foreach.location]


class Planner:
    def __init__(self, facts: Facts, mesh: Mesh, target: Target, exchanges: Exchanges):
        self.facts, self.mesh, self.target, self.exchanges = facts, mesh, target, exchanges
        self.loop_of = {id(loop.foreach): loop for loop in facts.loops}
        self.groups: list[Group] = []

    def run(self) -> list[Group]:
        self.body(self.facts.kernel.body)
        for group in self.groups:
            group.contracted = self.within(group.loops)
        return self.groups

    def within(self, loops: list[Loop]) -> set[str]:
        """Temporaries that no other loop uses."""
        here = {use.field.name for loop in loops for use in loop.uses if use.field.temporary}
        other = [loop for loop in self.facts.loops if not any(loop is one for one in loops)]
        return here - {use.field.name for loop in other for use in loop.uses}

    def body(self, statements: list[Statement]):
        run: list[Loop] = []
        for statement in statements:
            if isinstance(statement, Foreach):
                run.append(self.loop_of[id(statement)])
            elif not (isinstance(statement, Beyond) and statement.word == "given"):
                self.split(run)
                run = []
                if isinstance(statement, If):
                    self.body(statement.yes)
                    self.body(statement.no)
        self.split(run)

    def split(self, run: list[Loop]):
        """The first loop with as many after it as may run together, then the rest."""
        while run:
            points = self.longest(run, by_points)
            levels = self.longest(run, self.by_levels)
            count = max(points, levels)
            self.groups.append(Group(run[:count], "points" if count == points else "levels"))
            run = run[count:]

    def by_levels(self, loops: list[Loop]) -> bool:
        layouts = self.target.layouts.values()
        if self.target.outer_loop != "level" or any(one.fastest == "level" or one.block > 1 for one in layouts):
            return False
        return by_levels(loops)

    def longest(self, run: list[Loop], fits) -> int:
        """Fields are exchanged for the first loop of a group only. Tiles that need no halo are computed while they are
        on their way; there are no such levels."""
        count = 1
        if fits is not by_points and self.exchanges.of(run[0].foreach):
            return count
        while count < len(run) and not self.exchanges.of(run[count].foreach) and fits(run[: count + 1]):
            count += 1
        if fits is by_points:
            return count
        gains = [-again(run[0], self.mesh)]
        for end in range(2, count + 1):
            gains.append(gains[-1] + gain(run[: end - 1], run[end - 1], self.mesh, self.within(run[:count])))
        return gains.index(max(gains)) + 1 if max(gains) > 0 else 1


def plan(facts: Facts, mesh: Mesh, target: Target, exchanges: Exchanges) -> list[Group]:
    return Planner(facts, mesh, target, exchanges).run()
