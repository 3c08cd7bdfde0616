"""What each name of a kernel means: fields, neighbours, levels, values. Finds unknown names, fields that are read at
the wrong location, and levels out of range, and records every access for the other checks.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from .mesh import LEVELS, PLURALS, Mesh
from .messages import StencilError, unknown
from .names import ENDS, FUNCTIONS, is_reserved
from .nodes import (
    Access,
    Assign,
    At,
    Beyond,
    Binary,
    Call,
    Choice,
    Each,
    Expression,
    Field,
    Foreach,
    If,
    Kernel,
    Let,
    Level,
    Name,
    Number,
    Parameter,
    Point,
    Reduction,
    Slot,
    Step,
    Unary,
)


@dataclass(frozen=True)
class Use:
    """A read or a write of a field."""

    field: Field
    point: Point | None  # None for a column
    level: Level | None
    write: bool
    at: At
    conditional: bool


@dataclass
class Loop:
    """A foreach and all accesses in it, in their order."""

    foreach: Foreach
    uses: list[Use] = field(default_factory=list)
    tables: set[str] = field(default_factory=set)  # relations that are followed


@dataclass
class Facts:
    """What is known about a kernel. steps: its loops, and statements `given` and `exchange`, in their order."""

    kernel: Kernel
    steps: list[Loop | Beyond] = field(default_factory=list)
    parameters: dict[str, Parameter] = field(default_factory=dict)
    fields: dict[str, Field] = field(default_factory=dict)
    least_levels: int = 0

    @property
    def loops(self) -> list[Loop]:
        return [step for step in self.steps if isinstance(step, Loop)]


class Resolver:
    def __init__(self, declared: dict[str, Field | Parameter], mesh: Mesh, kernel: Kernel, first_slot: int):
        self.declared, self.mesh, self.facts, self.first_slot = declared, mesh, Facts(kernel), first_slot
        self.loop: Loop | None = None
        self.points: dict[str, Point] = {}
        self.sums: dict[str, Point] = {}  # variables of reductions and Each, with the path that they run over
        self.lets: set[str] = set()
        self.conditional = False

    def run(self) -> Facts:
        self.statements(self.facts.kernel.body)
        return self.facts

    # Statements

    def statements(self, body):
        known = set(self.lets)
        for statement in body:
            if isinstance(statement, Foreach):
                self.foreach(statement)
            elif isinstance(statement, If):
                self.expression(statement.condition)
                outer, self.conditional = self.conditional, True
                self.statements(statement.yes)
                self.statements(statement.no)
                self.conditional = outer
            elif isinstance(statement, Each):
                self.each(statement)
            elif isinstance(statement, Let):
                self.let(statement)
            elif isinstance(statement, Assign):
                self.assign(statement)
            else:
                self.beyond(statement)
        self.lets = known

    def foreach(self, node: Foreach):
        if self.loop:
            raise StencilError(node.at, "a foreach inside a foreach; expected a statement of one point")
        words = {PLURALS[location]: location for location in self.mesh.sets}
        if node.point.word not in words:
            raise StencilError(node.point.at, unknown(node.point.word, "set of points", words))
        node.location = words[node.point.word]
        sets = self.mesh.sets[node.location]
        node.point.set = node.point.set or "interior"
        if node.point.set not in sets:
            what = f"set of {node.point.word} of the mesh {self.mesh.name}"
            raise StencilError(node.point.at, unknown(node.point.set, what, sets))
        if node.level:
            self.level_loop(node)
        for places in filter(None, (node.point, node.level)):
            self.is_new(places.variable, places.at)
        if node.level and node.level.variable == node.point.variable:
            raise StencilError(node.level.at, f'"{node.point.variable}" is the point already')
        self.loop = Loop(node)
        self.points = {node.point.variable: Point(node.point.variable, (), node.location, 0)}
        self.statements(node.body)
        self.facts.steps.append(self.loop)
        self.loop, self.points = None, {}

    def level_loop(self, node: Foreach):
        level = node.level
        if level.word not in LEVELS:
            raise StencilError(level.at, unknown(level.word, "set of levels", LEVELS))
        node.kind = LEVELS[level.word]
        sets = self.mesh.levels[node.kind]
        if (level.set or "all") not in sets:
            raise StencilError(level.at, unknown(level.set, f"set of {level.word}", sets))
        below, above = sets[level.set or "all"]
        node.bounds = (below + level.skipped.count("bottom"), above + level.skipped.count("top"))

    def let(self, node: Let):
        self.is_new(node.name, node.at)
        if node.name in self.lets:
            raise StencilError(node.at, f'"{node.name}" has a value already; a value of let does not change')
        self.expression(node.value)
        self.lets.add(node.name)

    def is_new(self, name: str, at: At):
        if name in self.declared:
            raise StencilError(at, f'"{name}" is declared already; expected a new name')
        if is_reserved(name):
            raise StencilError(at, f'"{name}" is a name of the language or of generated code; expected another one')
        if name in self.points or name in self.sums or (self.level_variable() == name):
            raise StencilError(at, f'"{name}" is a point or a level here; expected a new name')

    def level_variable(self) -> str | None:
        return self.loop.foreach.level.variable if self.loop and self.loop.foreach.level else None

    def assign(self, node: Assign):
        if not self.loop:
            raise StencilError(node.at, "an assignment outside a foreach; expected foreach, if, let, given or exchange")
        self.expression(node.value)
        if node.operator != "=":
            self.access(node.target, False)
        self.access(node.target, True)

    def beyond(self, node: Beyond):
        if self.loop:
            raise StencilError(node.at, f'"{node.word}" inside a foreach; it belongs between two of them')
        for name in node.fields:
            if not isinstance(self.declared.get(name.name), Field):
                raise StencilError(name.at, unknown(name.name, "field", self.field_names()))
            self.facts.fields.setdefault(name.name, self.declared[name.name])
        self.facts.steps.append(node)

    # Expressions

    def expression(self, node: Expression):
        if isinstance(node, Name):
            self.value(node)
        elif isinstance(node, Access):
            self.access(node, False)
        elif isinstance(node, Unary):
            self.expression(node.operand)
        elif isinstance(node, Binary):
            self.expression(node.left)
            self.expression(node.right)
        elif isinstance(node, Choice):
            for part in (node.condition, node.yes, node.no):
                self.expression(part)
        elif isinstance(node, Call):
            self.call(node)
        elif isinstance(node, Reduction):
            if not self.loop:
                raise StencilError(node.at, f"a {node.operator} outside a foreach has no point; expected it inside")
            node.point, node.count = self.neighbours(node)
            self.expression(node.body)
            del self.sums[node.variable]

    def value(self, node: Name):
        declared = self.declared.get(node.name)
        if node.members or node.name in self.points or node.name in self.sums or node.name == self.level_variable():
            raise StencilError(node.at, f'"{node.name}" is a place, and not a value; expected the field at this place')
        if isinstance(declared, Parameter):
            self.facts.parameters.setdefault(node.name, declared)
        elif isinstance(declared, Field):
            raise StencilError(
                node.at, f'the field "{node.name}" is read without a place; expected {self.shape(declared)}'
            )
        elif node.name not in self.lets:
            known = [name for name, what in self.declared.items() if isinstance(what, Parameter)]
            raise StencilError(node.at, unknown(node.name, "parameter, constant or value", [*known, *self.lets]))

    def call(self, node: Call):
        if node.function not in FUNCTIONS:
            raise StencilError(node.at, unknown(node.function, "function", FUNCTIONS))
        count = FUNCTIONS[node.function][0]
        if len(node.arguments) != count:
            raise StencilError(node.at, f'"{node.function}" has {len(node.arguments)} arguments; expected {count}')
        for argument in node.arguments:
            self.expression(argument)

    def neighbours(self, node: Reduction | Each) -> tuple[Point, int]:
        """Makes the variable known as a neighbour; the caller removes it after the body."""
        if not node.path.members or node.path.members[-1].slot is not None:
            raise StencilError(node.path.at, "expected all neighbours of a kind, such as c.edge")
        self.is_new(node.variable, node.at)
        last = node.path.members[-1]
        start = self.point(Name(node.path.at, node.path.name, node.path.members[:-1]))
        relation = self.relation(start.location, last.name, last.at)
        steps = (*start.steps, Step(relation.name, node.variable))
        point = Point(start.variable, steps, relation.to, start.reach + relation.reach)
        self.sums[node.variable] = point
        return point, len(relation.slots)

    def each(self, node: Each):
        if not self.loop:
            raise StencilError(node.at, "neighbours outside a foreach over points; expected it inside")
        _, node.count = self.neighbours(node)
        self.statements(node.body)
        del self.sums[node.variable]

    # Places

    def relation(self, location: str, name: str, at: At):
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

    def slot_number(self, relation, slot: str, at: At) -> int | str:
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
        if found.kind:
            node.level = self.level(indices[0], found)
            self.in_range(node, found)
        self.facts.fields.setdefault(found.name, found)
        self.loop.uses.append(Use(found, node.point, node.level, write, node.at, self.conditional))

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

    def slot(self, node: Expression, start: Point, relation) -> Slot:
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

    def in_range(self, node: Access, found: Field):
        """The lowest and the highest level that are read must be there, whatever the number of levels."""
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
