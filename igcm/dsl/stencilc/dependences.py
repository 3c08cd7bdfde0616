"""Dependences between accesses: races between points and between levels, recurrences against their direction, and
values that are read further out than they were written.
"""

from __future__ import annotations

from .mesh import PLURALS, Mesh
from .messages import StencilError
from .nodes import Beyond, Field
from .places import Facts, Loop, Use

OPPOSITE = {"upward": "downward", "downward": "upward"}


def check(facts: Facts, mesh: Mesh):
    for loop in facts.loops:
        written = {use.field.name: use.field for use in loop.uses if use.write}
        for use in loop.uses:
            if use.write:
                check_target(loop, use)
            elif use.field.name in written:
                check_own_column(use)
        for name in written:
            check_levels(loop, [use for use in loop.uses if use.field.name == name])
    Reaches(facts, mesh).check()


def check_target(loop: Loop, use: Use):
    name = use.field.name
    if use.field.location == "column":
        raise StencilError(use.at, f'a race: every point writes the column "{name}"; expected a field of points')
    if use.point.steps:
        raise StencilError(
            use.at,
            f'a race: two points may write "{name}" at the same neighbour; expected {name} at '
            f'"{use.point.variable}" itself, with a sum over its neighbours',
        )
    level = loop.foreach.level
    single = use.level is None or use.level.anchor != "k"
    if level and single and not level.direction:
        raise StencilError(
            use.at,
            f'a race: all levels write "{name}" at one place; expected "upward" or "downward" after '
            f'"{level.word}", which orders them',
        )


def check_own_column(use: Use):
    if use.point is not None and use.point.steps:
        raise StencilError(
            use.at,
            f'a race: "{use.field.name}" is read at a neighbour that the same foreach writes; expected two '
            "foreach, or another field for the result",
        )


def check_levels(loop: Loop, uses: list[Use]):
    """uses: all of a field that the loop writes, at its own column."""
    level = loop.foreach.level
    if not level or uses[0].level is None:
        return
    name = uses[0].field.name
    shifts = [use.level.shift for use in uses if use.write and use.level.anchor == "k"]
    for use in uses:
        if use.level.anchor != "k" and not use.write and shifts:
            raise StencilError(
                use.at,
                f'"{name}" is read at the {use.level.anchor} while the same foreach writes its levels; '
                "expected two foreach",
            )
        if use.level.anchor != "k":
            continue
        if not level.direction and use.level.shift != shifts[0]:
            raise StencilError(
                use.at,
                f'a race: "{name}" is written at one level and used at another, and levels have no order here; '
                f'expected "upward" or "downward" after "{level.word}"',
            )
        against = (use.level.shift > max(shifts)) if level.direction == "upward" else (use.level.shift < min(shifts))
        if level.direction and not use.write and against:
            raise StencilError(
                use.at,
                f'a recurrence against its direction: going {level.direction}, this level of "{name}" is not '
                f'yet computed; expected "{OPPOSITE[level.direction]}", or the level before',
            )


class Reaches:
    """Follows, loop by loop, how many rings around the interior hold what this kernel wrote."""

    def __init__(self, facts: Facts, mesh: Mesh):
        self.facts, self.mesh = facts, mesh
        self.written: dict[str, int] = {}  # rings of the last write
        self.widest: dict[str, int] = {}  # of all writes
        self.given: set[str] = set()

    def check(self):
        for step in self.facts.steps:
            if isinstance(step, Beyond):
                self.beyond(step)
                continue
            ring = self.mesh.sets[step.foreach.location][step.foreach.point.set]
            local: set[str] = set()
            for use in step.uses:
                if use.write:
                    local.add(use.field.name)
                elif use.point is not None:
                    self.read(use, ring + use.point.reach, use.field.name in local, step)
            for name in local:
                self.written[name] = ring
                self.widest[name] = max(ring, self.widest.get(name, ring))
                self.given.discard(name)

    def beyond(self, step: Beyond):
        for name in step.fields:
            found = self.facts.fields[name.name]
            if found.temporary and name.name not in self.widest:
                raise StencilError(name.at, f'the temporary "{name.name}" is not written before this')
            if step.word == "exchange" and found.relation:
                raise StencilError(name.at, f'"{name.name}" has values at neighbours, which no exchange sends')
            if found.location == "column":
                raise StencilError(name.at, f'"{name.name}" is a column, and has no points to {step.word}')
            self.given.add(name.name)

    def read(self, use: Use, ring: int, in_this_loop: bool, loop: Loop):
        found, name = use.field, use.field.name
        outermost = self.mesh.outermost(found.location)
        if ring > outermost:
            raise StencilError(
                use.at,
                f"a missing boundary: {PLURALS[loop.foreach.location]}({loop.foreach.point.set}) has "
                f'neighbours beyond the {outermost} rings of "{name}"; expected {self.inner_sets(loop)}',
            )
        if found.temporary and name not in self.widest and not in_this_loop:
            raise StencilError(use.at, f'the temporary "{name}" is read before it is written')
        if found.temporary and name not in self.given and ring > self.widest.get(name, ring):
            raise StencilError(
                use.at,
                f'the temporary "{name}" is read {ring} rings around the interior and written '
                f"{self.widest[name]}; expected a wider set where it is written {self.wider_sets(found, ring)}",
            )
        if name in self.written and name not in self.given and ring > self.written[name]:
            raise StencilError(
                use.at,
                f'a missing exchange: "{name}" is read {ring} rings around the interior, and was last written '
                f'{self.written[name]} around it; expected "exchange {name}" before this foreach, "given {name}" '
                f"if older values are meant, or a wider set where it is written {self.wider_sets(found, ring)}",
            )

    def wider_sets(self, found: Field, ring: int) -> str:
        sets = [name for name, rings in self.mesh.sets[found.location].items() if rings >= ring]
        return f"({', '.join(f'{PLURALS[found.location]}({name})' for name in sets)})"

    def inner_sets(self, loop: Loop) -> str:
        location = loop.foreach.location
        here = self.mesh.sets[location][loop.foreach.point.set]
        sets = [f"{PLURALS[location]}({name})" for name, rings in self.mesh.sets[location].items() if rings < here]
        return " or ".join(sets) or "fewer steps to neighbours"
