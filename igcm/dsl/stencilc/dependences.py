"""Dependences between accesses: races between points and between levels, recurrences against their direction, and
values that are read further out than they were written.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass

from .mesh import PLURALS, Mesh
from .messages import StencilError
from .nodes import Assign, Beyond, Each, Field, If, Statement
from .places import Branches, Facts, Loop, Use

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
    Reaches(facts, mesh).check(facts.order)


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
        if not shifts:
            raise StencilError(
                use.at,
                f'"{name}" is read at each level while the same foreach writes its {written_end(uses)}; expected two '
                "foreach",
            )
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


def written_end(uses: list[Use]) -> str:
    return next(use.level.anchor for use in uses if use.write)


class Reaches:
    """Follows, loop by loop, how many rings around the interior hold what this kernel wrote, and which levels of
    temporaries have a value."""

    def __init__(self, facts: Facts, mesh: Mesh):
        self.facts, self.mesh = facts, mesh
        self.written: dict[str, int] = {}  # rings of the last write, of fields whose older values are not meant
        self.filled: dict[str, Filled] = {}  # temporaries that have values
        self.given: set[str] = set()  # temporaries that may be read further out

    def check(self, order: list[Loop | Beyond | Branches]):
        for step in order:
            if isinstance(step, Branches):
                self.branches(step)
            elif isinstance(step, Beyond):
                self.beyond(step)
            else:
                self.loop(step)

    def branches(self, step: Branches):
        """Afterwards holds what holds after both branches."""
        before = (self.written, self.filled, self.given)
        ends = []
        for order in (step.yes, step.no):
            self.written, self.filled, self.given = (copy(state) for state in before)
            self.check(order)
            ends.append((self.written, self.filled, self.given))
        (one, one_filled, one_given), (other, other_filled, other_given) = ends
        self.written = one | other | {name: min(one[name], other[name]) for name in one.keys() & other.keys()}
        both = one_filled.keys() & other_filled.keys()
        self.filled = {name: one_filled[name].common(other_filled[name]) for name in both}
        self.given = one_given & other_given

    def loop(self, loop: Loop):
        ring = self.mesh.sets[loop.foreach.location][loop.foreach.point.set]
        new: dict[str, Filled] = {}
        for use in loop.uses:
            name = use.field.name
            if use.write:
                new[name] = new[name].joined(use) if name in new else Filled(ring, use.low, use.high)
            elif use.point is not None:
                self.read(use, ring + use.point.reach, name in new, loop)
        always = assigned(loop.foreach.body)
        for use in loop.uses:
            name = use.field.name
            if use.write and use.field.temporary and name not in self.filled and name not in always:
                raise StencilError(
                    use.at, f'the temporary "{name}" is written only under a condition; expected a value else too'
                )
        for name, filled in new.items():
            self.written[name] = ring
            self.filled[name] = self.filled[name].together(filled) if name in self.filled else filled
            self.given.discard(name)

    def beyond(self, step: Beyond):
        for name in step.fields:
            found = self.facts.fields[name.name]
            if found.temporary and name.name not in self.filled:
                raise StencilError(name.at, f'the temporary "{name.name}" is not written before this')
            if step.word == "exchange" and found.relation:
                raise StencilError(name.at, f'"{name.name}" has values at neighbours, which no exchange sends')
            if found.location == "column":
                raise StencilError(name.at, f'"{name.name}" is a column, and has no points to {step.word}')
            self.given.add(name.name)
            self.written.pop(name.name, None)

    def read(self, use: Use, ring: int, in_this_loop: bool, loop: Loop):
        found, name = use.field, use.field.name
        outermost = self.mesh.outermost(found.location)
        if ring > outermost:
            raise StencilError(
                use.at,
                f"a missing boundary: {PLURALS[loop.foreach.location]}({loop.foreach.point.set}) has "
                f'neighbours beyond the {outermost} rings of "{name}"; expected {self.inner_sets(loop)}',
            )
        if found.temporary and not in_this_loop:
            self.read_temporary(use, ring)
        elif name in self.written and ring > self.written[name]:
            raise StencilError(
                use.at,
                f'a missing exchange: "{name}" is read {ring} rings around the interior, and was last written '
                f'{self.written[name]} around it; expected "exchange {name}" before this foreach, "given {name}" '
                f"if older values are meant, or a wider set where it is written {self.wider_sets(found, ring)}",
            )

    def read_temporary(self, use: Use, ring: int):
        name = use.field.name
        filled = self.filled.get(name)
        if filled is None:
            raise StencilError(use.at, f'the temporary "{name}" is read before it is written')
        if ring > filled.ring and name not in self.given:
            raise StencilError(
                use.at,
                f'the temporary "{name}" is read {ring} rings around the interior and written {filled.ring}; '
                f"expected a wider set where it is written {self.wider_sets(use.field, ring)}",
            )
        if below(use.low, filled.low) or below(filled.high, use.high):
            raise StencilError(
                use.at, f'the temporary "{name}" is read at a level where it is not written; expected more levels there'
            )

    def wider_sets(self, found: Field, ring: int) -> str:
        sets = [name for name, rings in self.mesh.sets[found.location].items() if rings >= ring]
        return f"({', '.join(f'{PLURALS[found.location]}({name})' for name in sets)})"

    def inner_sets(self, loop: Loop) -> str:
        location = loop.foreach.location
        here = self.mesh.sets[location][loop.foreach.point.set]
        sets = [f"{PLURALS[location]}({name})" for name, rings in self.mesh.sets[location].items() if rings < here]
        return " or ".join(sets) or "fewer steps to neighbours"


@dataclass(frozen=True)
class Filled:
    """How far a temporary has values: rings, and the lowest and highest level; None where that is not known."""

    ring: int
    low: int | None
    high: int | None

    def joined(self, use: Use) -> Filled:
        return self.together(Filled(self.ring, use.low, use.high))

    def together(self, other: Filled) -> Filled:
        """The places that two writes fill; they are taken to leave no gap between their levels."""
        lows = [low for low in (self.low, other.low) if low is not None]
        highs = [high for high in (self.high, other.high) if high is not None]
        return Filled(max(self.ring, other.ring), min(lows, default=None), max(highs, default=None))

    def common(self, other: Filled) -> Filled:
        lows = [low for low in (self.low, other.low) if low is not None]
        highs = [high for high in (self.high, other.high) if high is not None]
        return Filled(min(self.ring, other.ring), max(lows, default=None), min(highs, default=None))


def below(one: int | None, other: int | None) -> bool:
    return one is not None and other is not None and one < other


def assigned(body: list[Statement]) -> set[str]:
    """Fields that are assigned whatever the conditions are."""
    names: set[str] = set()
    for statement in body:
        if isinstance(statement, Assign):
            names.add(statement.target.field)
        elif isinstance(statement, If):
            names |= assigned(statement.yes) & assigned(statement.no)
        elif isinstance(statement, Each):
            names |= assigned(statement.body)
    return names
