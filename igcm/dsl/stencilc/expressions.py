"""Expressions as C, and the neighbours that they need, which a loop over points looks up once."""

from __future__ import annotations

from .mesh import Mesh
from .names import FUNCTIONS
from .nodes import Access, Binary, Call, Choice, Expression, Level, Name, Number, Point, Reduction, Step, Unary

PRECEDENCE = {"||": 1, "&&": 2, "==": 3, "!=": 3, "<": 4, "<=": 4, ">": 4, ">=": 4, "+": 5, "-": 5, "*": 6, "/": 6}
UNARY, ATOM = 7, 8


class Printer:
    """Prints expressions of one point. sums: lines that compute reductions, to be written before the statement."""

    def __init__(self, mesh: Mesh, taken: set[str], integers: set[str]):
        self.mesh, self.taken, self.integers = mesh, taken, integers
        self.neighbours: dict[str, tuple[str, Step, int]] = {}  # name: from which point, by which step
        self.sums: list[str] = []
        self.slots: dict[str, int] = {}  # of the variables of reductions
        self.places: set[str] = set()  # functions of places that are needed
        self.blocked = False  # a tile is within a block, where its points are next to each other
        self.scratch: dict = {}  # temporaries that lie elsewhere: functions of the field, a point and a level
        self.level_variable = "k"
        self.number = 0

    def fresh(self, name: str) -> str:
        while name in self.taken:
            name += "_"
        return name

    def text(self, node: Expression, least: int = 0) -> str:
        """least: the precedence below which parentheses are needed."""
        text, precedence = self.parts(node)
        return f"({text})" if precedence < least else text

    def parts(self, node: Expression) -> tuple[str, int]:
        if isinstance(node, Number):
            return node.text, ATOM
        if isinstance(node, Name):
            return (f"(double){node.name}" if node.name in self.integers else node.name), ATOM
        if isinstance(node, Access):
            return self.access(node), ATOM
        if isinstance(node, Unary):
            return node.operator + self.text(node.operand, ATOM), UNARY
        if isinstance(node, Binary):
            mine = PRECEDENCE[node.operator]
            # Comparisons do not chain, and compilers want parentheses between && and ||.
            inner = mine + 1 if mine in (3, 4) else mine
            left, right = self.text(node.left, inner), self.text(node.right, mine + 1)
            if mine == 1:
                left, right = self.text(node.left, 3), self.text(node.right, 3)
            return f"{left} {node.operator} {right}", mine
        if isinstance(node, Choice):
            parts = [self.text(part, 1) for part in (node.condition, node.yes, node.no)]
            return f"({parts[0]} ? {parts[1]} : {parts[2]})", ATOM
        if isinstance(node, Call):
            arguments = ", ".join(self.text(argument) for argument in node.arguments)
            return f"{FUNCTIONS[node.function][1]}({arguments})", ATOM
        return self.reduction(node), ATOM

    def reduction(self, node: Reduction) -> str:
        """A variable that a line for each neighbour adds to, from the first to the last."""
        self.number += 1
        name = self.fresh(f"{node.operator}_{self.number}")
        for slot in range(node.count):
            self.slots[node.variable] = slot
            term = self.text(node.body)
            if slot == 0:
                self.sums.append(f"double {name} = {term};")
            elif node.operator == "sum":
                self.sums.append(f"{name} += {term};")
            else:
                self.sums.append(f"{name} = stencil_{node.operator}({name}, {term});")
        del self.slots[node.variable]
        return name

    def access(self, node: Access) -> str:
        found = node.declared
        if found.location == "column":
            return f"{found.name}[{self.level(node.level)}]"
        indices = [self.point(node.point)]
        if found.name in self.scratch:
            level = self.level(node.level) if found.kind else None
            return f"{found.name}[{self.scratch[found.name](found, indices[0], level)}]"
        place = found.location
        if found.relation:
            place = found.relation.replace(".", "_")
            indices.append(str(self.slot(node.slot.number)))
        if found.kind:
            place += "_" + found.kind
            indices.append(self.level(node.level))
        if place == found.location:
            return f"{found.name}[{indices[0]}]"
        self.places.add(place)
        if self.blocked and found.kind and not node.point.steps:
            c, indices[0] = indices[0], "range_first"
            return f"{found.name}[{place}_at(grid, {', '.join(indices)}) + ({c} - range_first)]"
        return f"{found.name}[{place}_at(grid, {', '.join(indices)})]"

    def slot(self, number: int | str) -> int:
        return number if isinstance(number, int) else self.slots[number]

    def point(self, point: Point) -> str:
        name = point.variable
        for step in point.steps:
            relation = self.mesh.relations[step.relation]
            slot = self.slot(step.slot)
            base, word = name, step.relation.split(".")[1]
            name = self.fresh(f"{base}_{word}_{relation.slots[slot]}")
            self.neighbours.setdefault(name, (base, step, slot))
            self.places.add(step.relation.replace(".", "_"))
        return name

    def entry(self, name: str, base: str | None = None) -> str:
        """The entry of a table of neighbours, as C."""
        start, step, slot = self.neighbours[name]
        table = step.relation.replace(".", "_")
        return f"grid->{table}[{table}_at(grid, {base or start}, {slot})]"

    def lookup(self, name: str) -> str:
        return f"const ptrdiff_t {name} = {self.entry(name)};"

    def first(self, name: str, variable: str) -> str:
        """The neighbour of the first point of a tile."""
        start = self.neighbours[name][0]
        base = "range_first" if start == variable else f"stencil_{start}"
        return f"const ptrdiff_t stencil_{name} = {self.entry(name, base)};"

    def same(self, name: str, variable: str) -> str:
        """The neighbour, by its distance from that of the first point where distances are the same."""
        return (
            f"const ptrdiff_t {name} = stencil_same ? stencil_{name} + ({variable} - range_first) : {self.entry(name)};"
        )

    def level(self, level: Level) -> str:
        if level.anchor == "k":
            base = self.level_variable
        elif level.anchor == "bottom":
            return str(level.shift)
        else:
            extra = self.mesh.extra_half_levels if level.kind == "half" else 0
            return offset("grid->levels", extra - 1 + level.shift)
        return offset(base, level.shift)


def offset(base: str, shift: int) -> str:
    return base if shift == 0 else f"{base} {'+' if shift > 0 else '-'} {abs(shift)}"
