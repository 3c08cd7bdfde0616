"""Gives each name of a kernel its meaning: values, functions, loops; `places` does so for places."""

from __future__ import annotations

from .mesh import LEVELS, PLURALS, Mesh
from .messages import StencilError, unknown
from .names import FUNCTIONS, is_reserved
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
    Name,
    Parameter,
    Point,
    Reduction,
    Step,
    Unary,
)
from .places import Branches, Facts, Loop, Places


class Resolver(Places):
    """Fills in the nodes of a kernel, and collects its facts."""

    def __init__(self, declared: dict[str, Field | Parameter], mesh: Mesh, kernel: Kernel, first_slot: int):
        super().__init__(declared, mesh, kernel, first_slot)
        self.lets: set[str] = set()
        self.order = self.facts.order

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
                self.branches(statement)
            elif isinstance(statement, Each):
                self.each(statement)
            elif isinstance(statement, Let):
                self.let(statement)
            elif isinstance(statement, Assign):
                self.assign(statement)
            else:
                self.beyond(statement)
        self.lets = known

    def branches(self, node: If):
        outer, branches = self.order, Branches()
        for body, self.order in ((node.yes, branches.yes), (node.no, branches.no)):
            self.statements(body)
        self.order = outer
        if not self.loop:
            self.order.append(branches)

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
        self.order.append(self.loop)
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
            raise StencilError(
                at, f'"{name}" is a name of the language, of C or C++, or of generated code; expected another one'
            )
        if name in self.points or name in self.sums or (self.level_variable() == name):
            raise StencilError(at, f'"{name}" is a point or a level here; expected a new name')

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
        self.order.append(node)

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
