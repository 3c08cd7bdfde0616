"""Counts what a loop moves and computes.

Bytes count each number of a field once for each loop that reads or writes it, as if caches kept everything in between;
tables of neighbours are 4 bytes an entry. They are for one point of the loop and one level; what has no levels is
shared by the levels of a column. Operations are + - * / and comparisons; each function of the library counts as one.
"""

from __future__ import annotations

from dataclasses import dataclass

from .mesh import Mesh
from .nodes import Assign, Binary, Call, Choice, Each, Expression, If, Let, Reduction, Statement, Unary
from .places import Loop


def flops(node: Expression) -> int:
    if isinstance(node, Unary):
        return flops(node.operand)
    if isinstance(node, Binary):
        return (node.operator not in ("&&", "||")) + flops(node.left) + flops(node.right)
    if isinstance(node, Choice):
        return flops(node.condition) + max(flops(node.yes), flops(node.no))
    if isinstance(node, Call):
        return 1 + sum(map(flops, node.arguments))
    if isinstance(node, Reduction):
        return node.count * flops(node.body) + node.count - 1
    return 0


def flops_of(body: list[Statement]) -> int:
    """The longer branch of an `if` counts."""
    total = 0
    for statement in body:
        if isinstance(statement, If):
            total += flops(statement.condition) + max(flops_of(statement.yes), flops_of(statement.no))
        elif isinstance(statement, Each):
            total += statement.count * flops_of(statement.body)
        elif isinstance(statement, Let):
            total += flops(statement.value)
        elif isinstance(statement, Assign):
            total += flops(statement.value) + (statement.operator != "=")
    return total


@dataclass
class Cost:
    flops: int  # for a point and a level
    bytes: float  # of fields with levels, for a point and a level
    column_bytes: float  # of fields without levels and of tables, for a point

    def intensity(self, levels: int) -> float:
        moved = self.bytes + self.column_bytes / levels
        return self.flops / moved if moved else 0.0


def cost(loop: Loop, mesh: Mesh) -> Cost:
    result = Cost(flops_of(loop.foreach.body), 0.0, 0.0)
    own = mesh.per_vertex[loop.foreach.location]
    moved: dict[str, set[bool]] = {}
    for use in loop.uses:
        moved.setdefault(use.field.name, set()).add(use.write)
    fields = {use.field.name: use.field for use in loop.uses}
    anchored = {use.field.name for use in loop.uses} - {
        use.field.name for use in loop.uses if use.level and use.level.anchor == "k"
    }
    for name, found in fields.items():
        if found.location == "column":
            continue  # a column of numbers stays in the cache
        slots = len(mesh.relations[found.relation].slots) if found.relation else 1
        size = 8 * len(moved[name]) * slots * mesh.per_vertex[found.location] / own
        if loop.foreach.level and name not in anchored:
            result.bytes += size
        else:
            result.column_bytes += size
    for name in loop.tables:
        relation = mesh.relations[name]
        result.column_bytes += 4 * len(relation.slots) * mesh.per_vertex[relation.start] / own
    if loop.foreach.level is None:
        result.bytes, result.column_bytes = result.column_bytes, 0.0
    return result
