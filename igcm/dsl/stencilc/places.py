"""Gives each place of a kernel its meaning: points, neighbours, levels. Finds fields that are read at the wrong
location and levels out of range, and records every access for the other checks.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .mesh import PLURALS, Mesh, Relation
from .messages import StencilError, unknown
from .names import ENDS
from .nodes import (
    Access,
    At,
    Beyond,
    Expression,
    Field,
    Foreach,
    Kernel,
    Level,
    Name,
    Number,
    Parameter,
    Point,
    Slot,
    Step,
)


@dataclass(frozen=True)
class Use:
    """A read or a write of a field."""

    field: Field
    point: Point | None  # None for a column
    level: Level | None
    write: bool
    at: At
    low: int | None  # the lowest level that is used, from the bottom; None: unknown
    high: int | None  # the highest level, from the top: 0 or less


@dataclass
class Loop:
    """A foreach and all accesses in it, in their order."""

    foreach: Foreach
    uses: list[Use] = field(default_factory=list)
    tables: set[str] = field(default_factory=set)  # relations that are followed


@dataclass
class Branches:
    """An `if` around loops."""

    yes: list[Loop | Beyond | Branches] = field(default_factory=list)
    no: list[Loop | Beyond | Branches] = field(default_factory=list)


@dataclass
class Facts:
    """The facts about a kernel. order: its loops, and statements `given` and `exchange`, as they follow each other."""

    kernel: Kernel
    order: list[Loop | Beyond | Branches] = field(default_factory=list)
    parameters: dict[str, Parameter] = field(default_factory=dict)
    fields: dict[str, Field] = field(default_factory=dict)
    least_levels: int = 0

    @property
    def steps(self) -> list[Loop | Beyond]:
        """All of them, whatever branch they are in."""
        found, waiting = [], list(reversed(self.order))
        while waiting:
            step = waiting.pop()
            if isinstance(step, Branches):
                waiting += reversed([*step.yes, *step.no])
            else:
                found.append(step)
        return found

    @property
    def loops(self) -> list[Loop]:
        return [step for step in self.steps if isinstance(step, Loop)]


class Places:
    """Resolves places within one loop. first_slot: the number of the first neighbour in the source, 0 or 1."""

    def __init__(self, declared: dict[str, Field | Parameter], mesh: Mesh, kernel: Kernel, first_slot: int):
        self.declared, self.mesh, self.facts, self.first_slot = declared, mesh, Facts(kernel), first_slot
        self.loop: Loop | None = None
        self.points: dict[str, Point] = {}
        self.sums: dict[str, Point] = {}  # variables that run over neighbours, with the path that they run over

    def level_variable(self) -> str | None:
        return self.loop.foreach.level.variable if self.loop and self.loop.foreach.level else None

    def relation(self, location: str, name: str, at: At) -> Relation:
        known = {key.split(".")[1]: value for key, value in self.mesh.relations.items() if value.start == location}
        if name not in known:
            raise StencilError(at, unknown(name, f"neighbour of a {location}", known))
        return known[name]

    def point(self, node: Expression) -> Point:
        if not isinstance(node, Name):
            raise StencilError(node.at, "no arithmetic with places; expected a point, such as c or c.edge[0]")
        if node.name not in self.points and node.name not in self.sums:
            raise StencilError(node.at, unknown(node.name, "point", [*self.points, *self.sums]))
        point = self.points.get(node.name) or self.sums[node.name]
        if node.name in self.sums:
            self.loop.tables.add(point.steps[-1].relation)
        for member in node.members:
            relation = self.relation(point.location, member.name, member.at)
            if member.slot is None:
                raise StencilError(
                    member.at,
                    f'"{member.name}" is {len(relation.slots)} neighbours; expected one, such as '
                    f"{member.name}[{relation.slots[0]}], or a sum",
                )
            slot = self.slot_number(relation, member.slot, member.at)
            self.loop.tables.add(relation.name)
            steps = (*point.steps, Step(relation.name, slot))
            point = Point(point.variable, steps, relation.to, point.reach + relation.reach)
        return point

    def slot_number(self, relation: Relation, slot: str, at: At) -> int | str:
        if slot in self.sums:
            over = self.mesh.relations[self.sums[slot].steps[-1].relation]
            if over.start != relation.start or len(over.slots) != len(relation.slots):
                raise StencilError(
                    at,
                    f'"{slot}" runs over {over.name}, which numbers no neighbours {relation.name}; expected a '
                    f"number, or a sum over {relation.name}",
                )
            return slot
        if slot in relation.slots:
            return relation.slots.index(slot)
        if slot.isdigit() and int(slot) < len(relation.slots):
            return int(slot)
        numbers = [str(i + self.first_slot) for i in range(len(relation.slots))]
        named = [name for name in relation.slots if not name.isdigit()]
        shown = str(int(slot) + self.first_slot) if slot.isdigit() else slot
        raise StencilError(at, unknown(shown, f"neighbour of the kind {relation.name}", named or numbers))

    def shape(self, f: Field) -> str:
        brackets = "[]" if self.first_slot == 0 else "()"
        parts = [] if f.location == "column" else [f"a {f.location}"]
        parts += ["a neighbour"] * bool(f.relation) + [f"a {f.kind} level"] * bool(f.kind)
        return f"{f.name}{brackets[0]}{', '.join(parts)}{brackets[1]}"

    def field_names(self) -> list[str]:
        return [name for name, what in self.declared.items() if isinstance(what, Field)]

    def access(self, node: Access, write: bool):
        found = self.declared.get(node.field)
        if not isinstance(found, Field):
            raise StencilError(node.at, unknown(node.field, "field", self.field_names()))
        if not self.loop:
            raise StencilError(node.at, f'the field "{node.field}" is read outside a foreach, where there is no point')
        node.declared = found
        indices = list(node.indices)
        wanted = (found.location != "column") + bool(found.relation) + bool(found.kind)
        if len(indices) != wanted:
            raise StencilError(node.at, f"{len(indices)} indices; expected {self.shape(found)}")
        if found.location != "column":
            self.horizontal(node, found, indices)
        low = high = None
        if found.kind:
            node.level = self.level(indices[0], found)
            low, high = self.in_range(node, found)
        self.facts.fields.setdefault(found.name, found)
        self.loop.uses.append(Use(found, node.point, node.level, write, node.at, low, high))

    def horizontal(self, node: Access, found: Field, indices: list[Expression]):
        index = indices.pop(0)
        node.point = self.point(index)
        if node.point.location != found.location:
            raise StencilError(
                index.at,
                f'the index is a {node.point.location}, and "{found.name}" is a field of '
                f"{PLURALS[found.location]}; expected {self.shape(found)}",
            )
        if found.relation:
            node.slot = self.slot(indices.pop(0), node.point, self.mesh.relations[found.relation])

    def slot(self, node: Expression, start: Point, relation: Relation) -> Slot:
        if isinstance(node, Number) and node.text.endswith(".0") and node.text[:-2].isdigit():
            number = int(node.text[:-2]) - self.first_slot
            if 0 <= number < len(relation.slots):
                return Slot(relation.name, number)
            raise StencilError(
                node.at, f"{node.text[:-2]} numbers none of the {len(relation.slots)} neighbours {relation.name}"
            )
        if not isinstance(node, Name) or node.members:
            raise StencilError(
                node.at, f"expected a neighbour {relation.name}: the variable of a sum, a name or a number"
            )
        if node.name in self.sums:
            point = self.sums[node.name]
            if point.steps[:-1] != start.steps or point.variable != start.variable:
                raise StencilError(node.at, f'"{node.name}" is a neighbour of another point than the one before it')
        return Slot(relation.name, self.slot_number(relation, node.name, node.at))

    def level(self, node: Expression, found: Field) -> Level:
        if not isinstance(node, Name):
            raise StencilError(node.at, "no arithmetic with levels; expected a level, such as k or k.above")
        variable = self.level_variable()
        if node.name != variable and node.name not in ENDS:
            raise StencilError(node.at, unknown(node.name, "level", [*filter(None, [variable]), *ENDS]))
        switches = sum(member.name in ("upper", "lower") for member in node.members)
        if node.name == variable:
            kind = self.loop.foreach.kind
        else:
            kind = found.kind if switches % 2 == 0 else "half" if found.kind == "full" else "full"
        shift = 0
        for member in node.members:
            if member.slot is not None:
                raise StencilError(member.at, f'"{member.name}" is one level; expected no index')
            if member.name == "above":
                shift += 1
            elif member.name == "below":
                shift -= 1
            elif member.name == "upper":  # half level k is the lower face of full level k
                shift, kind = (shift + 1, "half") if kind == "full" else (shift, "full")
            elif member.name == "lower":
                shift, kind = (shift, "half") if kind == "full" else (shift - 1, "full")
            else:
                raise StencilError(
                    member.at, unknown(member.name, "level beside a level", ("above", "below", "upper", "lower"))
                )
        if kind != found.kind:
            raise StencilError(
                node.at,
                f'the index is a {kind} level, and "{found.name}" is a field of {found.kind} levels; '
                f"expected {self.shape(found)}, such as {node.name}.{'upper' if kind == 'full' else 'lower'}",
            )
        return Level(node.name if node.name in ENDS else "k", kind, shift)

    def in_range(self, node: Access, found: Field) -> tuple[int | None, int | None]:
        """The lowest and the highest level that are used must be there, whatever the number of levels."""
        level, loop = node.level, self.loop.foreach
        last = self.mesh.extra_half_levels if level.kind == "half" else 0  # of the field, beyond full levels
        if level.anchor == "bottom":
            low, high = level.shift, None
            self.facts.least_levels = max(self.facts.least_levels, level.shift + 1 - last)
        elif level.anchor == "top":
            low, high = None, level.shift
            self.facts.least_levels = max(self.facts.least_levels, 1 - last - level.shift)
        else:
            low = loop.bounds[0] + level.shift
            top = (self.mesh.extra_half_levels if loop.kind == "half" else 0) - loop.bounds[1]
            high = top + level.shift - last
        if low is not None and low < 0:
            raise StencilError(
                node.indices[-1].at,
                f'a level out of range: {-low} below the bottom of "{found.name}"; expected '
                '"except bottom" in the foreach, or a level further up',
            )
        if high is not None and high > 0:
            raise StencilError(
                node.indices[-1].at,
                f'a level out of range: {high} above the top of "{found.name}"; expected '
                '"except top" in the foreach, or a level further down',
            )
        return low, high
