"""Files that callers of generated functions include, use or import: a header, and modules of Fortran and Python."""

from __future__ import annotations

from . import exchanges, generate
from .analysis import Analysis
from .exchanges import Exchanges
from .mesh import PLURALS, Mesh
from .nodes import Field
from .places import Facts
from .target import Layout, Target
from .writer import fold

RESULTS = {"STENCIL_OK": 0, "STENCIL_TOO_FEW_LEVELS": 1, "STENCIL_NO_MEMORY": 2, "STENCIL_GPU_FAILED": 3}


def tables(mesh: Mesh) -> list[str]:
    return [name.replace(".", "_") for name in mesh.relations]


def sets(mesh: Mesh) -> list[str]:
    return [f"{location}_{name}" for location, named in mesh.sets.items() for name in named]


def layout_words(mesh: Mesh, target: Target, found: Field) -> str:
    """Where the number of a point and a level lies, as a formula."""
    if found.location == "column":
        return "[level]"
    points = PLURALS[found.location]
    layout, point = target.layouts[found.location], found.location
    extra = mesh.extra_half_levels if found.kind == "half" else 0
    if found.kind is None:
        where = f"[{point}]"
    elif layout.fastest == "level":
        where = f"[{point}*{f'(levels+{extra})' if extra else 'levels'} + level]"
    elif layout.block > 1:
        levels = f"(levels+{extra})" if extra else "levels"
        where = f"[(({point}/{layout.block})*{levels} + level)*{layout.block} + {point}%{layout.block}]"
    else:
        where = f"[level*{points} + {point}]"
    return f"{len(mesh.relations[found.relation].slots)} times {where}" if found.relation else where


def contract(analysis: Analysis, target: Target, facts: Facts) -> list[str]:
    """A line for each argument: its location, levels, unit, and whether it is read and written."""
    read, written = generate.reads(facts), generate.writes(facts)
    halo = exchanges.find(analysis, facts) if target.code == "mpi" else Exchanges()
    lines = []
    for item in generate.signature(analysis, facts)[1]:
        unit = f" in {item.unit}" if item.unit else ""
        if not isinstance(item, Field):
            lines.append(f"{item.name}: a number{unit}")
            continue
        where = (item.relation or item.location).replace(".", " by ")
        kind = f", {item.kind} levels" if item.kind else ""
        use = "in and out" if item.name in read and item.name in written else "out" if item.name in written else "in"
        halo_words = "; with its halo" if item.name in halo.geometry else ""
        if item.name in halo.fields - written:
            halo_words = "; its halo is filled"
        lines.append(
            f"{item.name}: {use}; {where}{kind}{unit}; {layout_words(analysis.mesh, target, item)}{halo_words}"
        )
    return lines


HANDLE = """#ifndef STENCIL_COMMON
#define STENCIL_COMMON
/* What functions return. Nothing is written when levels or memory are missing. */
enum {{ STENCIL_OK = 0, STENCIL_TOO_FEW_LEVELS = 1, STENCIL_NO_MEMORY = 2, STENCIL_GPU_FAILED = 3 }};
enum {{ STENCIL_CELL = 0, STENCIL_EDGE = 1, STENCIL_VERTEX = 2 }};

/* Points of a part: `count` ranges, each as its first point and one past its last. Points of the first `inner` ranges
   need no halo: code with MPI computes them while an exchange is under way. */
typedef struct {{
  int32_t count;
  const int32_t *ranges;
  int32_t inner;
}} stencil_set;
#endif

#ifndef STENCIL_MESH_{upper}
#define STENCIL_MESH_{upper}
/* A part of a mesh. The caller owns all arrays; functions read them only, so threads may share a handle. Numbers of
   points count from 0. Neighbour i of point p is table[i * points + p]; a table that no kernel follows may be NULL. */
typedef struct {{
  int32_t levels; /* full levels{half} */
  int32_t {counts};
{tables}
{sets}
  /* Fill the halo of `count` fields, and return when messages have left and when all have come. shapes: for each field
     its location, levels and block: point p of level k is fields[i][((p / block) * levels + k) * block + p % block].
     Called by one thread. NULL where the part is the whole mesh. */
  void (*begin_exchange)(void *context, int32_t count, double *const *fields, const int32_t *shapes);
  void (*end_exchange)(void *context);
  void *context;
}} stencil_{name};
#endif
"""


def header(analysis: Analysis, target: Target, stem: str) -> str:
    mesh = analysis.mesh
    guard = f"STENCILS_{stem.upper()}_H"
    half = f"; half levels are {mesh.extra_half_levels} more" if mesh.extra_half_levels else ", and as many half levels"
    handle = HANDLE.format(
        upper=mesh.name.upper(), name=mesh.name, half=half, counts=", ".join(PLURALS[name] for name in mesh.sets),
        tables="\n".join(f"  const int32_t *{name};" for name in tables(mesh)),
        sets="\n".join(f"  stencil_set {name};" for name in sets(mesh)),
    )  # fmt: skip
    parts = [f"#ifndef {guard}\n#define {guard}\n\n#include <stdint.h>\n\n"]
    parts += ['#ifdef __cplusplus\n#define restrict __restrict\nextern "C" {\n#endif\n\n', handle, "\n"]
    parts.append(
        f"/* Between a point and the furthest neighbour that a function reads. */\n"
        f"enum {{ STENCILS_{stem.upper()}_STEPS = {exchanges.most_steps(analysis)} }};\n\n"
    )
    for facts in analysis.kernels:
        lines = contract(analysis, target, facts)
        parts.append(f"/* From line {facts.kernel.at.line} of {source_name(analysis)}. Arrays do not overlap.\n")
        parts += [f"   {line}\n" for line in lines]
        parts.append(
            f"   Returns STENCIL_OK, or what was wrong. */\n{folded(generate.prototype(analysis, target, facts))};\n\n"
        )
    parts.append("#ifdef __cplusplus\n}\n#undef restrict\n#endif\n\n#endif\n")
    return "".join(parts)


def source_name(analysis: Analysis) -> str:
    return analysis.source.path.replace("\\", "/").rsplit("/", 1)[-1]


def folded(prototype: str) -> str:
    return "\n    ".join(fold(prototype, 100))


FORTRAN_TYPE = """
   type, bind(c) :: stencil_set
      integer(c_int32_t) :: count = 0
      type(c_ptr) :: ranges = c_null_ptr ! pairs: the first point from 0, and one past the last
      integer(c_int32_t) :: inner = 0 ! ranges that need no halo, which come first
   end type stencil_set

   ! A part of a mesh; the header has the contract. Points count from 0 in tables and ranges.
   type, bind(c) :: stencil_{name}
      integer(c_int32_t) :: levels = 0
      integer(c_int32_t) :: {counts}
{tables}
{sets}
      type(c_funptr) :: begin_exchange = c_null_funptr
      type(c_funptr) :: end_exchange = c_null_funptr
      type(c_ptr) :: context = c_null_ptr
   end type stencil_{name}
"""


def fortran(analysis: Analysis, target: Target, stem: str) -> str:
    mesh = analysis.mesh
    text = FORTRAN_TYPE.format(
        name=mesh.name, counts=", ".join(f"{PLURALS[name]} = 0" for name in mesh.sets),
        tables="\n".join(f"      type(c_ptr) :: {name} = c_null_ptr" for name in tables(mesh)),
        sets="\n".join(f"      type(stencil_set) :: {name}" for name in sets(mesh)),
    )  # fmt: skip
    lines = [f"module {stem}_stencils", "   use, intrinsic :: iso_c_binding", "   implicit none", "   public"]
    lines += ["", *(f"   integer(c_int), parameter :: {name} = {value}" for name, value in RESULTS.items())]
    lines += [text.rstrip("\n"), "", "   interface"]
    for facts in analysis.kernels:
        lines += fortran_interface(analysis, target, facts)
    return "\n".join([*lines, "   end interface", f"end module {stem}_stencils", ""])


def fortran_interface(analysis: Analysis, target: Target, facts: Facts) -> list[str]:
    written = generate.changed(analysis, target, facts)
    name, (names, items) = facts.kernel.name, generate.signature(analysis, facts)
    lines = [f"      ! {line}" for line in contract(analysis, target, facts)]
    head = f"      integer(c_int) function {name}({', '.join(['grid', *names])})"
    lines += [*continued(head), f'         bind(c, name="{name}")']
    lines[-2] += " &"
    lines.append(f"         import :: c_int, c_int32_t, c_double, stencil_{analysis.mesh.name}")
    lines.append(f"         type(stencil_{analysis.mesh.name}), intent(in) :: grid")
    for item in items:
        if isinstance(item, Field):
            intent = "in" if item.name not in written else "inout"
            lines.append(f"         real(c_double), intent({intent}) :: {item.name}(*)")
        else:
            kind = "integer(c_int32_t)" if item.type == "int" else "real(c_double)"
            lines.append(f"         {kind}, value :: {item.name}")
    return [*lines, f"      end function {name}", ""]


def continued(line: str) -> list[str]:
    parts = fold(line.strip(), 110)
    return ["      " + parts[0] + " &" * (len(parts) > 1), *("         " + part + " &" for part in parts[1:-1])] + (
        ["         " + parts[-1]] if len(parts) > 1 else []
    )


def layout_data(layout: Layout) -> str:
    return f'Layout("{layout.fastest}", {layout.block})'


def python(analysis: Analysis, target: Target, stem: str) -> str:
    """A module that describes the functions to `stencilc.runtime`, which calls them."""
    lines = [
        f'"""Functions of {source_name(analysis)}: load(path of the library).NAME(grid, argument=array, ...)."""',
        "",
    ]
    lines += ["from stencilc.runtime import Argument, Library", "from stencilc.target import Layout", ""]
    lines += [f'MESH = "{analysis.mesh.name}"', f"STEPS = {exchanges.most_steps(analysis)}", "LAYOUTS = {"]
    lines += [f'    "{location}": {layout_data(layout)},' for location, layout in target.layouts.items()]
    lines += ["}", "FUNCTIONS = {"]
    for facts in analysis.kernels:
        written = generate.changed(analysis, target, facts)
        geometry = exchanges.find(analysis, facts).geometry if target.code == "mpi" else set()
        lines.append(f'    "{facts.kernel.name}": [')
        for item in generate.signature(analysis, facts)[1]:
            if isinstance(item, Field):
                text = f'"{item.name}", "{item.location}", {item.relation!r}, {item.kind!r}, {item.name in written}'
                text += ", True" * (item.name in geometry)
                lines.append(f"        Argument({text}),")
            else:
                lines.append(f'        Argument("{item.name}", "{item.type}"),')
        lines.append("    ],")
    return "\n".join(
        [
            *lines,
            "}",
            "",
            "",
            "def load(path) -> Library:",
            "    return Library(path, MESH, LAYOUTS, FUNCTIONS, STEPS)",
            "",
        ]
    )
