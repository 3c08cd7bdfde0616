"""Prints what kernels read, write, move and compute: `stencilc explain`."""

from __future__ import annotations

from . import exchanges
from .analysis import Analysis
from .cost import cost
from .generate import reads, signature, writes
from .mesh import PLURALS, Mesh
from .messages import StencilError
from .nodes import Beyond, Field
from .places import Facts, Loop


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
