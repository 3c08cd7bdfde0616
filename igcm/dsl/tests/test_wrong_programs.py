"""Programs that are refused: with the place, what was expected, and the nearest name. In each, @ marks the place."""

import contextlib
import os
import random

import pytest
from stencilc import output, parser, target
from stencilc.analysis import analyse
from stencilc.explain import explain
from stencilc.messages import StencilError
from stencils import stencilc

HEAD = """/* a comment, so that nothing begins in line 1 */
mesh triangles;
field cell full T "K";
field edge full flux "K m-1";
field cell full out "K m-2";
field cell half w "m s-1";
field cell half phi "m2 s-2";
field cell area "m2";
field cell total "K";
field cell.edge weight "m-1";
field column full dz "m";
temporary cell full work "K";
parameter real g "m s-2";
"""
C = "foreach c in cells, k in levels "
# For each mistake the body of a kernel with it, and a part of the message.
WRONG = {
    "unknown neighbour": (
        C + "out[c, k] = sum(e in c.@egde: weight[c, e] * flux[e, k]);",
        '"egde" is no neighbour of a cell; did you mean "edge"? (known: edge, neighbour, vertex)',
    ),
    "unknown field": (
        C + "out[c, k] = weight[c, 0] * @flix[c.edge[0], k];",
        '"flix" is no field; did you mean "flux"?',
    ),
    "unknown slot": (
        C + "T[c, k] = 2 * out[c.@edge[3], k];",
        '"3" is no neighbour of the kind cell.edge (known: 0, 1, 2)',
    ),
    "an edge field read by a cell": (
        C + "out[c, k] = weight[c, 0] * flux[@c, k];",
        'the index is a cell, and "flux" is a field of edges; expected flux[a edge, a full level]',
    ),
    "a level above the top": (
        C + "work[c, k] = T[c, @k.above] - T[c, k];",
        'a level out of range: 1 above the top of "T"; expected "except top"',
    ),
    "a level below the bottom": (
        "foreach c in cells, k in half_levels except top w[c, k] = w[c, @k.lower.lower] + w[c, k.upper.upper];",
        'a level out of range: 1 below the bottom of "w"; expected "except bottom"',
    ),
    "a full level of a half field": (
        C + "w[c, @k] = 0;",
        'the index is a full level, and "w" is a field of half levels; expected '
        "w[a cell, a half level], such as k.upper",
    ),
    "a write that races": (
        C + "@out[c.neighbour[0], k] = 0;",
        'a race: two points may write "out" at the same neighbour; expected out at "c" itself',
    ),
    "a read that races": (
        C + "T[c, k] = 0.25 * sum(n in c.neighbour: @T[n, k]);",
        'a race: "T" is read at a neighbour that the same foreach writes; expected two foreach, or another field',
    ),
    "levels that write one place": (
        C + "@total[c] += T[c, k];",
        'a race: all levels write "total" at one place; expected "upward" or "downward" after "levels"',
    ),
    "a recurrence without a direction": (
        C + "phi[c, k.upper] = @phi[c, k.lower] + g * dz[k];",
        'a race: "phi" is written at one level and used at another, and levels have no order here; expected "upward"',
    ),
    "a recurrence against its direction": (
        "foreach c in cells, k in levels downward phi[c, k.upper] = @phi[c, k.lower] + g * dz[k];",
        'a recurrence against its direction: going downward, this level of "phi" is not yet computed; '
        'expected "upward"',
    ),
    "a level that is read while all are written": (
        C + "upward T[c, k] = @T[c, bottom];",
        '"T" is read at the bottom while the same foreach writes its levels; expected two foreach',
    ),
    "levels that are read while one is written": (
        C + "upward T[c, top] = @T[c, k];",
        '"T" is read at each level while the same foreach writes its top; expected two foreach',
    ),
    "a column that is written": (C + "@dz[k] = T[c, k];", 'a race: every point writes the column "dz"'),
    "an exchange inside a foreach": (C + "{ T[c, k] = 0; @exchange T; }", '"exchange" inside a foreach'),
    "an exchange of a column": ("exchange @dz;", '"dz" is a column, and has no points to exchange'),
    "a neighbour without a number": (
        C + "T[c, k] = T[c.@neighbour, k];",
        '"neighbour" is 3 neighbours; expected one, such as neighbour[0], or a sum',
    ),
    "a missing boundary": (
        "foreach c in cells(all), k in levels work[c, k] = 0.5 * sum(n in c.neighbour: @T[n, k]);",
        'a missing boundary: cells(all) has neighbours beyond the 1 rings of "T"; expected cells(interior)',
    ),
    "a missing exchange": (
        C + "T[c, k] = 0; " + C + "work[c, k] = sum(n in c.neighbour: @T[n, k]);",
        'a missing exchange: "T" is read 1 rings around the interior, and was last written 0 around it; expected '
        '"exchange T" before this foreach, "given T" if older values are meant, or a wider set where it is written '
        "(cells(all))",
    ),
    "units that do not match": (
        C + "T[c, k] = T[c, k] + @g * dz[k];",
        'a sum of "K" and "m2 s-2"; expected the same unit',
    ),
    "a unit that is assigned": (C + "T[c, k] = @area[c];", '"T" is assigned a value in "m2"; expected "K"'),
    "a power with a unit": (C + "out[c, k] = exp(@T[c, k]);", '"exp" has a value in "K"; expected "1"'),
    "a temporary before it is written": (
        C + "T[c, k] = @work[c, k];",
        'the temporary "work" is read before it is written',
    ),
    "a temporary that one branch writes": (
        "if (g > 1) { " + C + "work[c, k] = 0; } " + C + "T[c, k] = @work[c, k];",
        'the temporary "work" is read before it is written',
    ),
    "a temporary under a condition": (
        C + "if (T[c, k] > 0) @work[c, k] = 0; " + C + "T[c, k] = work[c, k];",
        'the temporary "work" is written only under a condition; expected a value else too',
    ),
    "a temporary beyond its levels": (
        C + "except top work[c, k] = 0; " + C + "T[c, k] = @work[c, k];",
        'the temporary "work" is read at a level where it is not written; expected more levels there',
    ),
    "a temporary beyond its rings": (
        C + "work[c, k] = 0; " + C + "T[c, k] = sum(n in c.neighbour: @work[n, k]);",
        'the temporary "work" is read 1 rings around the interior and written 0; expected a wider set where it is '
        "written (cells(all))",
    ),
    "an exchange that one branch lacks": (
        C + "T[c, k] = 0; if (g > 1) { exchange T; } " + C + "work[c, k] = sum(n in c.neighbour: @T[n, k]);",
        'a missing exchange: "T" is read 1 rings around the interior',
    ),
    "arithmetic with points": (
        C + "T[@c + 1, k] = 0;",
        "no arithmetic with places; expected a point, such as c or c.edge[0]",
    ),
    "arithmetic with levels": (
        C + "T[c, @k + 1] = 0;",
        "no arithmetic with levels; expected a level, such as k or k.above",
    ),
    "an unknown set": (
        "foreach @c in cells(interiour), k in levels T[c, k] = 0;",
        '"interiour" is no set of cells of the mesh triangles; did you mean "interior"?',
    ),
    "an unknown function": (C + "T[c, k] = @sqr(T[c, k]);", '"sqr" is no function; did you mean "sqrt"?'),
    "a parameter that is assigned": (C + "@g[c, k] = 0;", '"g" is no field (known: T, area, '),
    "a field without a place": (
        C + "T[c, k] = @total;",
        'the field "total" is read without a place; expected total[a cell]',
    ),
    "a name that is taken": (C + "{ @let g = 2; T[c, k] = g; }", '"g" is declared already; expected a new name'),
    "a foreach in a foreach": (C + "{ @foreach e in edges flux[e, k] = 0; }", "a foreach inside a foreach"),
    "a slot of another point": (
        C + "out[c, k] = sum(n in c.neighbour: sum(e in c.edge: weight[n, @e] * flux[e, k]));",
        '"e" is a neighbour of another point than the one before it',
    ),
    "a statement without an end": (C + "T[c, k] = 0 @}", "unexpected '}'; expected "),
}
DECLARED = {
    "unknown mesh": ("mesh @triangels;", '"triangels" is no mesh; did you mean "triangles"? (known: hexagons, '),
    "unknown location": ("mesh triangles; \nfield cel full @q;", '"cel" is no location; did you mean "cell"?'),
    "unknown kind of levels": (
        "mesh triangles;\nfield cell @ful q;",
        '"ful" is no kind of levels; expected full, half, or none',
    ),
    "a precision": (
        "mesh triangles;\nparameter @float q;",
        '"float" is no type of a parameter; expected real (double precision) or int',
    ),
    "a precision of a field": (
        "mesh triangles;\nfield cell @float q;",
        '"float" is no kind of levels; expected full, half, or none; all numbers have double precision',
    ),
    "unknown unit": ('mesh triangles;\nfield cell full @q "kelvin";', '"kelvin" is no unit (known: '),
    "a name given twice": ("mesh triangles;\nfield cell q;\nfield edge @q;", '"q" is declared already, in line 2'),
    "names of different case": (
        "mesh triangles;\nfield cell T;\nfield cell @t;",
        '"t" differs from "T" only in case, which Fortran does not see',
    ),
    "a long name": (f"mesh triangles;\nfield cell @{'q' * 61};", "a name of 61 letters; expected at most 60"),
    "a letter of another script": ("mesh triangles;\nfield cell q@é;", "unexpected 'é'"),
    "a kernel with the name of a method": (
        HEAD + "kernel @store { foreach c in cells total[c] = 0; }",
        '"store" would hide a method of the Python interface; expected another name (taken: call, functions,',
    ),
    "a reserved name": (
        "mesh triangles;\nfield cell old, @new;",
        '"new" is a name of the language, of C or C++, or of generated code',
    ),
}
FORTRAN = """! a comment
mesh triangles
field cell full T "K"
field edge full flux

kernel k1
   foreach c in cells, k in levels
      T(c, k) = {}
   end foreach
end kernel
"""
WRONG_FORTRAN = {
    "neighbours count from 1": ("flux(c%edge(@0), k)", "the neighbours of Fortran count from 1"),
    "the last neighbour": ("flux(c%@edge(4), k)", '"4" is no neighbour of the kind cell.edge (known: 1, 2, 3)'),
    "members of C": ("flux(c@.edge(1), k)", "unexpected '.'"),
    "a kind of number": ("@flix(c%edge(1), k)*2.0_wp", '"flix" is no field; did you mean "flux"?'),
}


def refused(text, name):
    """The message for the text without its mark, and the place of the mark."""
    before, _, after = text.partition("@")
    path = name
    with pytest.raises(StencilError) as found:
        analyse(parser.parse(before + after, path, parser.language_of(path)))
    line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
    assert (found.value.at.line, found.value.at.column) == (line, column), found.value.message
    return found.value.message


@pytest.mark.parametrize("what", WRONG)
def test_wrong_kernels(what):
    body, message = WRONG[what]
    assert message in refused(f"{HEAD}\nkernel k1 {{\n  {body}\n}}\n", "s.gg.c")


@pytest.mark.parametrize("what", DECLARED)
def test_wrong_declarations(what):
    text, message = DECLARED[what]
    assert message in refused(text, "s.gg.c")


@pytest.mark.parametrize("what", WRONG_FORTRAN)
def test_wrong_fortran(what):
    value, message = WRONG_FORTRAN[what]
    assert message in refused(FORTRAN.format(value), "s.gg.f90")


def test_messages_are_those_of_gcc(tmp_path):
    (tmp_path / "s.gg.c").write_text(HEAD + "kernel k1 {\n\tforeach c in cels, k in levels\n\t\tT[c, k] = 0;\n}\n")
    done = stencilc("check", "s.gg.c", cwd=tmp_path)
    assert done.returncode == 1 and done.stdout == ""
    assert done.stderr.splitlines() == [
        's.gg.c:15:10: error: "cels" is no set of points; did you mean "cells"? (known: cells, edges, vertices)',
        "    \tforeach c in cels, k in levels",
        "    \t        ^~~~~~~~~",
    ]


def test_form_feeds_do_not_move_the_place(tmp_path):
    """Python sees the end of a line there; compilers and editors do not."""
    text = FORTRAN.format("@flix(c%edge(1), k)").replace("! a comment", "! a \f comment\u2028 of one line")
    assert '"flix" is no field' in refused(text, "s.gg.f90")
    (tmp_path / "s.gg.f90").write_text(text.replace("@", ""), encoding="utf-8")
    assert "          T(c, k) = flix(c%edge(1), k)" in stencilc("check", "s.gg.f90", cwd=tmp_path).stderr.splitlines()


def test_what_is_not_used_is_a_warning(tmp_path):
    (tmp_path / "s.gg.c").write_text(HEAD + "kernel k1 { foreach c in cells, k in levels T[c, k] = 0; }\n")
    done = stencilc("check", "s.gg.c", cwd=tmp_path)
    assert done.returncode == 0
    assert 's.gg.c:4:17: warning: the field "flux" is used by no kernel' in done.stderr
    assert "error" not in done.stderr


SMALL = (
    HEAD
    + """
kernel step {
  exchange T;
  foreach e in edges, k in levels
    flux[e, k] = (T[e.cell[0], k] - T[e.cell[1], k]) / dz[k];
  foreach c in cells, k in levels {
    let s = sum(e in c.edge: weight[c, e] * flux[e, k]);
    if (s > 0 || g == 1) out[c, k] = -s; else out[c, k] -= min(s, 0);
  }
  foreach c in cells, k in levels upward except top
    phi[c, k.upper] = phi[c, k.lower] + g * dz[k];
}
"""
)


SMALL_FORTRAN = """program host
mesh hexagons
field cell full T, q "K"
field edge full :: flux
field cell half w
field cell%edge weight
parameter real g ! a comment
kernel step
   foreach e in edges(extended), k in levels: flux(e, k) = g*(T(e%cell(own), k) - T(e%cell(2), k))
   foreach c in cells, k in levels except top
      let s = sum(e in c%edge: weight(c, e)*flux(e, k))
      if (s > 0 .or. g == 1.0_wp) then
         q(c, k) = -s + &
            w(c, k%upper)
      else
         q(c, k) = merge(T(c, k%above), T(c, top), s**2 < 1d3)
      end if
   end foreach
end kernel
end program host
"""


def mutated(text, dice):
    """One to three changes: letters, pieces of the text itself, and lines."""
    for _ in range(dice.randint(1, 3)):
        at, other = dice.randrange(len(text)), dice.randrange(len(text))
        piece = text[other : other + dice.randint(1, 12)]
        text = (
            dice.choice(
                [
                    text[:at] + text[at + dice.randint(1, 6) :],
                    text[:at] + piece + text[at:],
                    text[:at] + piece + text[at + len(piece) :],
                    text[:at] + dice.choice("{}()[];,.:+-*/=<>!?&|\"'#%@$\\\n\t\0é0123456789kceT") + text[at + 1 :],
                ]
            )
            or text
        )
    return text


def survives(text, path):
    """Compiles the text, or refuses it with a place within the text. Any other exception is a crash."""
    try:
        analysis = analyse(parser.parse(text, path, parser.language_of(path)))
    except StencilError as error:
        assert error.message and (error.at is None or 1 <= error.at.line <= text.count("\n") + 1), text
        return False
    output.files(analysis, target.load("openmp"))
    output.files(analysis, target.load("cuda"))
    with contextlib.suppress(StencilError):  # not every program has code with MPI
        output.files(analysis, target.load("mpi"))
    explain(analysis, 40)
    return True


@pytest.mark.parametrize("opened, closed", [("-", ""), ("sqrt(", ")"), ("T[c, k] + ", ""), ("c == 1 ? 2 : ", "")])
def test_deep_nesting_is_refused(opened, closed):
    def text(depth):
        head = HEAD.replace('cell full T "K"', "cell full T").replace('field cell total "K"', "parameter int c1")
        return f"{head}kernel k1 {{ {C} T[c, k] = {opened.replace('c ', 'c1 ') * depth}T[c, k]{closed * depth}; }}"

    assert survives(text(60), "s.gg.c")
    with pytest.raises(StencilError, match="nested more than 150 deep"):
        parser.parse(text(2000), "s.gg.c", "c")


@pytest.mark.parametrize("path", ["s.gg.c", "s.gg.f90"])
def test_mutated_sources_never_crash(path):
    count = 5_000 if os.environ.get("TAILRACE_TEST_FAULTS") else 500
    text = SMALL if path == "s.gg.c" else SMALL_FORTRAN
    assert survives(text, path)
    dice = random.Random(20261127)
    results = [survives(mutated(text, dice), path) for _ in range(count)]
    assert 0.02 < sum(results) / count < 0.9, "some mutants are right, and most are not"
