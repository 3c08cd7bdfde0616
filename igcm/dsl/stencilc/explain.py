"""Counts what a kernel moves and computes, for `stencilc explain`.

Bytes count each number of a field once for each loop that reads or writes it, as if caches kept everything in between;
tables of neighbours are 4 bytes an entry. They are for one point of the loop and one level; what has no levels is
shared by the levels of a column. Operations are + - * / and comparisons; each function of the library counts as one.
"""

from __future__ import annotations

from dataclasses import dataclass

from . import exchanges
from .analysis import Analysis
from .generate import reads, signature, writes
from .mesh import PLURALS, Mesh
from .messages import StencilError
from .nodes import Assign, Beyond, Binary, Call, Choice, Each, Expression, Field, If, Let, Reduction, Statement, Unary
from .places import Facts, Loop


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


def halo(facts: Facts, mesh: Mesh) -> dict[str, int]:
    """Rings around the interior in which a field is read."""
    rings: dict[str, int] = {}
    for loop in facts.loops:
        ring = mesh.sets[loop.foreach.location][loop.foreach.point.set]
        for use in loop.uses:
            if use.point is not None and not use.write:
                rings[use.field.name] = max(rings.get(use.field.name, 0), ring + use.point.reach)
    return rings


def shown(found: Field) -> str:
    parts = [found.relation.replace(".", " by ") if found.relation else found.location]
    return ", ".join([*parts, *([f"{found.kind} levels"] if found.kind else []), *([found.unit] if found.unit else [])])


def explain(analysis: Analysis, levels: int) -> str:
    lines = [f"{analysis.source.path}: mesh {analysis.mesh.name}, {len(analysis.kernels)} kernels"]
    for facts in analysis.kernels:
        lines += ["", f"kernel {facts.kernel.name} (line {facts.kernel.at.line})"]
        read, written, rings = reads(facts), writes(facts), halo(facts, analysis.mesh)
        arguments = [item for item in signature(analysis, facts)[1] if isinstance(item, Field)]
        for title, names in (("reads", read), ("writes", written)):
            for item in (item for item in arguments if item.name in names):
                ring = f"; halo of {rings[item.name]}" if title == "reads" and rings.get(item.name) else ""
                lines.append(f"  {title:6} {item.name}: {shown(item)}{ring}")
        lines += [f"  temporary {item.name}: {shown(item)}" for item in facts.fields.values() if item.temporary]
        for step in facts.steps:
            if isinstance(step, Beyond):
                lines.append(f"  line {step.at.line}: {step.word} {', '.join(name.name for name in step.fields)}")
            else:
                lines.append(loop_line(step, analysis.mesh, levels))
        lines.append(f"  with MPI: {exchanged(analysis, facts)}")
        if facts.least_levels > 1:
            lines.append(f"  needs at least {facts.least_levels} levels")
    return "\n".join(lines)


def exchanged(analysis: Analysis, facts: Facts) -> str:
    """Fields with the line for which they are exchanged."""
    try:
        found = exchanges.find(analysis, facts)
    except StencilError as error:
        return f"refused, line {error.at.line}: {error.message}"
    steps = [step.foreach if isinstance(step, Loop) else step for step in facts.steps]
    places = [(", ".join(one.name for one in found.of(step)), step.at.line) for step in steps if found.of(step)]
    return "; ".join(f"{names} exchanged for line {line}" for names, line in places) or "no exchange"


def loop_line(loop: Loop, mesh: Mesh, levels: int) -> str:
    node, found = loop.foreach, cost(loop, mesh)
    where = f"{PLURALS[node.location]}({node.point.set})"
    if node.level:
        where += f", {node.level.word}{' ' + node.level.direction if node.level.direction else ''}"
        shared = f" + {found.column_bytes:.3g}/levels" if found.column_bytes else ""
    else:
        shared = ""
    return (
        f"  line {node.at.line}: {where}: {found.flops} operations, {found.bytes:.3g}{shared} bytes a point, "
        f"intensity {found.intensity(levels if node.level else 1):.3f} operations/byte"
        + (f" with {levels} levels" if node.level else "")
    )
