#!/usr/bin/env python3
"""Prints how many lines the kernels have: in the stencil language, in what is generated, and by hand; and what the
difference means for a model of 400,000 lines by COCOMO. Needs no build: count_lines.py

Lines are counted as cloc does: those that are neither empty nor only comment. Kernels by hand are igcm/kernels, without
programs, checks of input and layouts of exchange files; Fortran's modules of indices and shapes count.
Poles are not in the language: code for them alone does not count in Fortran either. Generated code is without #line.

COCOMO (Boehm 1981, Software Engineering Economics, basic model): effort = a * K**b person-months for K thousand lines,
time = 2.5 * effort**c months; organic: a = 2.4, b = 1.05, c = 0.38; semi-detached: a = 3.0, b = 1.12, c = 0.35. As in
the report D3.4 of AIMES, 300,000 of 400,000 lines are scientific code, and only they become fewer.
"""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from stencilc import output, parser, target  # noqa: E402
from stencilc.analysis import Analysis, analyse  # noqa: E402

KERNELS = HERE.parent / "kernels"
FAMILIES = {  # source; Fortran and C++ by hand
    "icon.gg.c": (["icon/kernels.F90"], ["icon/kernels.cpp"]),
    "dynamico.gg.f90": (
        [f"dynamico/{name}.f90" for name in ("rhombus", "pvort", "geopot", "caldyn_horiz", "caldyn_vert")],
        [f"dynamico/{name}.cpp" for name in ("pvort", "geopot", "caldyn_horiz", "caldyn_vert")],
    ),
    "nicam.gg.c": (
        ["nicam/regions.f90", "nicam/comparisons.inc"]
        + [f"nicam/{n}.f90" for n in ("diffusion", "divdamp", "horizontal_flux", "horizontal_limiter")]
        + [f"nicam/{n}.f90" for n in ("vertical_limiter", "vi_rhow_solver")],
        [f"nicam/{n}.cpp" for n in ("diffusion", "divdamp", "horizontal_flux", "horizontal_limiter")]
        + [f"nicam/{n}.cpp" for n in ("vertical_limiter", "vi_rhow_solver")],
    ),
}
POLE_ROUTINES = re.compile(
    r"^( *)(?:subroutine|real\(wp\) function) (?:at_pole|pole_\w+|vector)\b.*?^\1end (?:subroutine|function)[^\n]*$",
    re.M | re.S,
)
POLE_CALLS = re.compile(r"^( *)do l = 1, poles$.*?^\1end do$", re.M | re.S)
ONLY_POLES = re.compile(r"^ *(real\(wp\), intent.*:: (\w+_pl\([^)]*\)(, )?)+|if \(s%have_pl == 0\) return)$", re.M)
CODES = ("serial", "openmp", "columns", "blocks", "mpi", "cuda")
MODES = {"organic": (2.4, 1.05, 0.38), "semi-detached": (3.0, 1.12, 0.35)}


def lines(text: str, fortran: bool) -> int:
    if fortran:
        return sum(bool(line.strip()) and not line.strip().startswith("!") for line in text.splitlines())
    without = re.sub(r"/\*.*?\*/", lambda comment: "\n" * comment[0].count("\n"), text, flags=re.S)
    return sum(bool(re.sub(r"//.*", "", line).strip()) for line in without.splitlines())


def without_poles(text: str) -> str:
    """Declarations with `_pl` next to others stay: a line that has both counts."""
    text = POLE_CALLS.sub("", POLE_ROUTINES.sub("", text))
    return ONLY_POLES.sub("", text)


def by_hand(names: list[str]) -> int:
    total = 0
    for name in names:
        text = (KERNELS / name).read_text(encoding="utf-8")
        fortran = not name.endswith(".cpp")
        total += lines(without_poles(text) if fortran and name.startswith("nicam") else text, fortran)
    return total


def generated(analysis: Analysis, code: str) -> int:
    made = output.files(analysis, target.load(code), lines_lead=False)
    return sum(lines(text, fortran=False) for name, text in made.items() if name.endswith((".c", ".cu")))


def cocomo(thousands: float, mode: str) -> tuple[float, float]:
    a, b, c = MODES[mode]
    effort = a * thousands**b
    return effort, 2.5 * effort**c


def table() -> dict[str, list[int]]:
    """For each family of kernels, and for all: lines of stencils, Fortran and C++ by hand, and generated code."""
    rows = {}
    for name, (fortran, cpp) in FAMILIES.items():
        path = HERE / "kernels" / name
        analysis = analyse(parser.read(str(path)))
        own = lines(path.read_text(encoding="utf-8"), name.endswith(".f90"))
        rows[name.split(".")[0]] = [own, by_hand(fortran), by_hand(cpp), *(generated(analysis, code) for code in CODES)]
    return rows | {"all": [sum(column) for column in zip(*rows.values(), strict=True)]}


def efforts(own: int, fortran: int) -> dict[str, tuple[float, tuple[float, float], tuple[float, float]]]:
    """By mode: thousands of lines with stencils, and the effort and the time without and with them."""
    reduced = 100 + 300 * own / fortran
    return {mode: (reduced, cocomo(400, mode), cocomo(reduced, mode)) for mode in MODES}


def printed() -> str:
    rows = table()
    text = ["| kernels | stencils | Fortran by hand | share | C++ by hand | " + " | ".join(CODES) + " |"]
    text.append("|---" * (5 + len(CODES)) + "|")
    for name, (own, hand, *others) in rows.items():
        text.append(f"| {name} | {own} | {hand} | {own / hand:.0%} | {' | '.join(map(str, others))} |")
    text.append("")
    for mode, (reduced, before, after) in efforts(*rows["all"][:2]).items():
        text.append(
            f"COCOMO, {mode}: 400,000 lines are {before[0]:.0f} person-months in {before[1]:.0f} months; "
            f"{1000 * reduced:,.0f} lines {after[0]:.0f} in {after[1]:.0f}"
        )
    return "\n".join(text)


def main():
    print(printed())


if __name__ == "__main__":
    main()
