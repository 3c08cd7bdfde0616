"""Everything that is known about a source: checked, with the accesses of each kernel."""

from __future__ import annotations

from dataclasses import dataclass

from . import dependences, mesh
from .mesh import Mesh
from .messages import StencilError, unknown
from .names import METHODS, is_reserved
from .nodes import At, Field, Parameter, Source
from .places import Facts
from .resolve import Resolver
from .unit_check import UnitCheck, declared_unit

LONGEST_NAME = 60


@dataclass
class Analysis:
    source: Source
    mesh: Mesh
    kernels: list[Facts]
    warnings: list[tuple[At, str]]


def analyse(source: Source) -> Analysis:
    """Raises StencilError at the first mistake."""
    if source.mesh is None:
        what = "no mesh" if source.blocks else "nothing in the stencil language"
        at = source.kernels[0].at if source.kernels else None
        raise StencilError(at, f'{what}; expected a line such as "mesh triangles" (known: {", ".join(mesh.names())})')
    try:
        found = mesh.load(source.mesh.name)
    except StencilError as error:
        raise StencilError(source.mesh.at, error.message) from None
    declared: dict[str, Field | Parameter] = {}
    for item in source.declarations:
        check_new(item.name, item.at, declared)
        if isinstance(item, Field):
            check_field(item, found)
        declared[item.name] = item
    units = {name: declared_unit(item.unit, item.at) for name, item in declared.items()}
    kernels: dict[str, Facts] = {}
    for kernel in source.kernels:
        check_new(kernel.name, kernel.at, declared | kernels)
        if kernel.name in METHODS:
            raise StencilError(
                kernel.at, f'"{kernel.name}" would hide a method of the Python interface; expected another name '
                f"(taken: {', '.join(sorted(METHODS))})",
            )  # fmt: skip
        facts = Resolver(declared, found, kernel, 1 if source.language == "fortran" else 0).run()
        dependences.check(facts, found)
        UnitCheck(units).statements(kernel.body)
        kernels[kernel.name] = facts
    return Analysis(source, found, list(kernels.values()), unused(declared, list(kernels.values())))


def check_new(name: str, at: At, declared: dict):
    if name in declared:
        raise StencilError(at, f'"{name}" is declared already, in line {place_of(declared[name])}; expected a new name')
    # Fortran's interfaces have names without case, of at most 63 letters.
    alike = next((other for other in declared if other.lower() == name.lower()), None)
    if alike:
        raise StencilError(at, f'"{name}" differs from "{alike}" only in case, which Fortran does not see')
    if len(name) > LONGEST_NAME:
        raise StencilError(at, f"a name of {len(name)} letters; expected at most {LONGEST_NAME}")
    if is_reserved(name):
        raise StencilError(
            at, f'"{name}" is a name of the language, of C or C++, or of generated code; expected another one'
        )


def place_of(item: Field | Parameter | Facts) -> int:
    return (item.kernel if isinstance(item, Facts) else item).at.line


def check_field(item: Field, found: Mesh):
    locations = [*found.sets, "column"]
    if item.location not in locations:
        raise StencilError(item.at, unknown(item.location, "location", locations))
    if item.relation is not None and item.relation not in found.relations:
        known = [name for name in found.relations if name.startswith(item.location + ".")]
        raise StencilError(item.at, unknown(item.relation, f"kind of neighbours in the mesh {found.name}", known))
    if item.location == "column" and item.kind is None:
        raise StencilError(
            item.at, f'the column "{item.name}" has no levels; expected "full" or "half", or a parameter'
        )
    if item.temporary and (item.location == "column" or item.relation):
        raise StencilError(item.at, f'the temporary "{item.name}" is no field of points; expected a location alone')


def unused(declared: dict[str, Field | Parameter], kernels: list[Facts]) -> list[tuple[At, str]]:
    warnings = []
    for name, item in declared.items():
        if isinstance(item, Parameter):
            if not any(name in facts.parameters for facts in kernels):
                warnings.append((item.at, f'"{name}" is used by no kernel'))
            continue
        uses = [use for facts in kernels for loop in facts.loops for use in loop.uses if use.field.name == name]
        if not uses:
            warnings.append((item.at, f'the field "{name}" is used by no kernel'))
        elif item.temporary and all(use.write for use in uses):
            warnings.append((item.at, f'the temporary "{name}" is written and never read'))
    return warnings
