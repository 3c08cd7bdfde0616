"""C of the loops of a kernel: a function for each, of a tile of points, and loops over tiles that threads share."""

from __future__ import annotations

import re

from . import groups
from .analysis import Analysis
from .cost import cost
from .exchanges import Exchanges
from .expressions import Printer, offset
from .groups import Group
from .mesh import PLURALS, Mesh
from .nodes import At, Each, Field, Foreach, If, Let, Statement
from .places import Facts, Loop
from .target import Target
from .writer import Writer


def used(names: list[str], printer: Printer, body: Writer) -> set[str]:
    """Those of the names that a body or its neighbours contain."""
    lines = [line for line in body.lines if not line.startswith("#line")]
    lines += [printer.lookup(name) for name in printer.neighbours]
    return set(names) & set(re.findall(r"[A-Za-z_]\w*", " ".join(lines)))


def describe(node: Foreach) -> str:
    text = f"{PLURALS[node.location]}({node.point.set})"
    return text + (f", {' '.join(filter(None, (node.level.word, node.level.direction)))}" if node.level else "")


def lets(body: list[Statement]) -> set[str]:
    names = set()
    for statement in body:
        if isinstance(statement, Let):
            names.add(statement.name)
        elif isinstance(statement, If):
            names |= lets(statement.yes) | lets(statement.no)
        elif isinstance(statement, Each):
            names |= lets(statement.body)
    return names


def field_size(mesh, target: Target, found: Field) -> str:
    """How many numbers a field has, in C."""
    points = f"(ptrdiff_t)grid->{PLURALS[found.location]}"
    block = target.layouts[found.location].block
    if found.kind is None:
        return points
    levels = offset("grid->levels", mesh.extra_half_levels if found.kind == "half" else 0)
    levels = f"({levels})" if " " in levels else levels
    return f"{points} * {levels}" if block == 1 else f"({points} + {block - 1}) / {block} * {block} * {levels}"


class LoopWriter:
    """The part of KernelWriter that writes loops; it makes the members below."""

    analysis: Analysis
    target: Target
    facts: Facts
    mesh: Mesh
    exchanges: Exchanges
    printer: Printer
    out: Writer
    places: set[str]
    values: set[str]
    integers: set[str]
    loop_of: dict[int, Loop]
    functions: list[str]

    def plan(self):
        found = groups.plan(self.facts, self.mesh, self.target, self.exchanges)
        self.groups = {id(group.loops[0].foreach): group for group in found}
        self.contracted = {name: group for group in found for name in group.contracted}

    def size(self, item: Field) -> str:
        """How many numbers a temporary has, in C."""
        if item.name not in self.contracted:
            return field_size(self.mesh, self.target, item)
        return f"stencil_shares * ({self.scratch_size(item)})"

    def scratch_size(self, item: Field) -> str:
        """How many numbers a contracted temporary has for a thread."""
        if self.contracted[item.name].by == "levels":
            return f"(ptrdiff_t)grid->{PLURALS[item.location]}"
        return f"(ptrdiff_t){self.tile(item.location)}" + (f" * {self.levels_of(item)}" if item.kind else "")

    def tile(self, location: str) -> int:
        """Points of a tile; a block of the layout is one."""
        block = self.target.layouts[location].block
        return block if block > 1 else self.target.tile

    def levels_of(self, item: Field) -> str:
        levels = offset("grid->levels", self.mesh.extra_half_levels if item.kind == "half" else 0)
        return f"({levels})" if " " in levels else levels

    def group(self, group: Group):
        """Shares the points, or the levels, among threads. Loops for which fields are exchanged run in two parts: first
        the points that need no halo, while messages are on their way."""
        first = group.loops[0].foreach
        calls = [self.function(loop.foreach, group) for loop in group.loops]
        at, depth = first.at, self.out.depth
        sent = self.exchanges.of(first)
        if sent:
            self.begin_exchange(sent, at)
            self.open(None, "for (int stencil_late = 0; stencil_late < 2; ++stencil_late)", at)
            self.line("if (stencil_late && grid->end_exchange != NULL) grid->end_exchange(grid->context);", at)
        self.open(self.pragma(), "for (int stencil_share = 0; stencil_share < stencil_shares; ++stencil_share)", at)
        if group.by == "levels":
            self.share_levels(group, calls)
        else:
            self.walk(first, bool(sent), "stencil_share, stencil_shares")
            self.lines(calls, at.line)
        while self.out.depth > depth:
            self.out.depth -= 1
            self.line("}")

    def pragma(self) -> str | None:
        return self.target.parallel if self.target.code in ("openmp", "mpi") else None

    def walk(self, node: Foreach, in_parts: bool, share: str):
        """A loop over the tiles of the points of a share."""
        chosen, at = f"grid->{node.location}_{node.point.set}", node.at.line
        ranges, count = f"{chosen}.ranges", f"{chosen}.count"
        if in_parts:
            ranges = f"{ranges} + (stencil_late ? 2 * {chosen}.inner : 0)"
            count = f"stencil_late ? {count} - {chosen}.inner : {chosen}.inner"
        self.line(f"stencil_walk stencil_tile = stencil_part({ranges}, {count}, {share});", at)
        self.open(None, f"while (stencil_next(&stencil_tile, {self.tile(node.location)}))", node.at)

    def share_levels(self, group: Group, calls: list[str]):
        """All loops at a level, then at the next."""
        ends = [self.level_ends(loop.foreach) for loop in group.loops]
        below = min(below for below, _ in ends)
        extra = self.mesh.extra_half_levels if group.loops[0].foreach.kind == "half" else 0
        above = min(loop.foreach.bounds[1] for loop in group.loops)
        at = group.loops[0].foreach.at
        count = offset("(ptrdiff_t)grid->levels", extra - above - below)
        self.line(f"const ptrdiff_t stencil_count = {count};", at)
        for name, share in (("stencil_first", "stencil_share"), ("stencil_end", "(stencil_share + 1)")):
            plus = f"{below} + " if below else ""
            self.line(f"const ptrdiff_t {name} = {plus}stencil_count * {share} / stencil_shares;", at)
        self.open(
            None, "for (ptrdiff_t stencil_level = stencil_first; stencil_level < stencil_end; ++stencil_level)", at
        )
        for loop, call, (low, end) in zip(group.loops, calls, ends, strict=True):
            node, depth = loop.foreach, self.out.depth
            conditions = [f"stencil_level >= {low}"] * (low > below)
            conditions += [f"stencil_level < {end}"] * (node.bounds[1] > above)
            self.open(None, f"if ({' && '.join(conditions)})" if conditions else "", node.at)
            self.walk(node, False, "0, 1")
            self.line(call, node.at)
            while self.out.depth > depth:
                self.out.depth -= 1
                self.line("}")

    def body(self, node: Foreach, group: Group) -> tuple[Printer, Writer]:
        """It is written first, since the loops around it begin with the neighbours that it needs."""
        taken = {node.point.variable, *self.facts.fields, *self.facts.parameters, *lets(node.body)}
        taken |= {node.level.variable} if node.level else set()
        around, self.printer = self.printer, Printer(self.mesh, taken, self.integers)
        self.printer.scratch = dict.fromkeys(group.contracted, self.scratch_place)
        self.printer.blocked = self.target.code != "cuda" and self.target.layouts[node.location].block > 1
        if node.level:
            self.printer.level_variable = node.level.variable
        body = self.writer()
        outer, self.out = self.out, body
        self.statements(node.body)
        printer, self.printer, self.out = self.printer, around, outer
        self.places |= printer.places
        return printer, body

    def function(self, node: Foreach, group: Group) -> str:
        """Writes the function of a loop over a tile, and returns the call."""
        printer, body = self.body(node, group)
        outer = self.out
        names = self.arguments(printer, body, node)
        name = f"stencil_{self.facts.kernel.name}_{len(self.functions) + 1}"
        alike = self.finds_alike(printer)
        self.out = self.writer()
        head = [f"const stencil_{self.mesh.name} *grid", "ptrdiff_t range_first", "ptrdiff_t range_end"]
        head += ["ptrdiff_t stencil_level"] * (group.by == "levels")
        declared = ", ".join([*head, *names.values()])
        self.line(f"/* {describe(node)} */", node.at)
        if alike:
            self.line(f"STENCIL_INLINE void {name}_at({declared}, const int stencil_same) {{", node.at)
        else:
            self.line(f"static void {name}({declared}) {{", node.at)
        self.out.depth += 1
        if not used(["grid"], printer, body):
            self.line("(void)grid;", node.at)
        self.loops(node, group, printer, body, alike)
        self.out.depth -= 1
        self.line("}")
        if alike:
            self.choice(name, declared, [*(part.split()[-1].lstrip("*") for part in head), *names], node, printer)
        self.functions.append(self.out.text())
        self.out = outer
        values = [
            f"{one} + stencil_share * ({self.scratch_size(self.facts.fields[one])})" if one in group.contracted else one
            for one in names
        ]
        given = ["grid", "stencil_tile.first", "stencil_tile.end", *["stencil_level"] * (group.by == "levels"), *values]
        return f"{name}({', '.join(given)});"

    def finds_alike(self, printer: Printer) -> bool:
        """Whether neighbours may be next to each other in memory, so that no table is needed."""
        layouts = self.target.layouts.values()
        dense = all(one.fastest == "point" and one.block == 1 for one in layouts)
        return bool(printer.neighbours) and dense and self.target.outer_loop == "level"

    def choice(self, name: str, declared: str, values: list[str], node: Foreach, printer: Printer):
        """The function that finds out whether all points of a tile have their neighbours at the same distances."""
        at = node.at
        self.line(f"static void {name}({declared}) {{", at)
        self.out.depth += 1
        c, bases = node.point.variable, {start for start, _, _ in printer.neighbours.values()}
        self.line(f"const ptrdiff_t {c} = range_first, stencil_points = range_end - range_first;", at)
        self.lines([printer.lookup(neighbour) for neighbour in printer.neighbours if neighbour in bases], at.line)
        conditions = [f"stencil_alike(&{printer.entry(neighbour)}, stencil_points)" for neighbour in printer.neighbours]
        self.line(f"if ({' && '.join(conditions)})", at)
        self.line(f"  {name}_at({', '.join(values)}, 1);", at)
        self.line("else", at)
        self.line(f"  {name}_at({', '.join(values)}, 0);", at)
        self.out.depth -= 1
        self.line("}")

    def scratch_place(self, found: Field, point: str, level: str | None) -> str:
        """Where a number of a contracted temporary lies."""
        if self.contracted[found.name].by == "levels":
            return point
        point = f"{point} - range_first"
        if level is None:
            return point
        if self.target.outer_loop == "point":
            return f"({point}) * {self.levels_of(found)} + {level}"
        level = f"({level})" if " " in level else level
        return f"{level} * {self.tile(found.location)} + {point}"

    def loops(self, node: Foreach, group: Group, printer: Printer, body: Writer, alike: bool):
        """The loops over a tile, around a body, which has been written."""
        depth = self.out.depth
        lookups = [printer.lookup(name) for name in printer.neighbours]
        if alike:
            c = node.point.variable
            for name in printer.neighbours:
                self.line(printer.first(name, c), node.at)
            lookups = [printer.same(name, c) for name in printer.neighbours]
        if self.gathers(node, printer):
            lookups.append("if (!stencil_same) STENCIL_ONE_BY_ONE;" if alike else "STENCIL_ONE_BY_ONE;")
        if group.by == "levels":
            if used([node.level.variable], printer, body):
                self.line(f"const ptrdiff_t {node.level.variable} = stencil_level;", node.level.at)
            self.point_loop(node, innermost=True)
            self.lines(lookups, node.at.line)
        elif node.level and self.level_is_outer(node):
            self.level_loop(node, None)
            self.point_loop(node, innermost=True)
            self.lines(lookups, node.at.line)
        else:
            self.point_loop(node, innermost=node.level is None)
            self.lines(lookups, node.at.line)
            if node.level:
                self.level_loop(node, None if node.level.direction else self.target.innermost)
        self.append(body)
        while self.out.depth > depth:
            self.out.depth -= 1
            self.line("}")

    def gathers(self, node: Foreach, printer: Printer) -> bool:
        """Whether a loop over points does little more than fetch numbers of neighbours."""
        operations = cost(self.loop_of[id(node)], self.mesh).flops
        return self.target.outer_loop == "level" and operations <= 3 * len(printer.neighbours) > 0

    def level_is_outer(self, node: Foreach) -> bool:
        """Levels that follow each other are always: a compiler makes vectors of points then."""
        return self.target.outer_loop == "level" or node.level.direction is not None

    def arguments(self, printer: Printer, body: Writer, node: Foreach) -> dict[str, str]:
        """The kernel's fields, parameters and values that a loop uses: declarations by name."""
        here = used([*self.facts.fields, *self.facts.parameters, *self.values], printer, body)
        written = {use.field.name for use in self.loop_of[id(node)].uses if use.write}
        found = {}
        for name in sorted(self.facts.fields.keys() & here):
            found[name] = f"{'' if name in written else 'const '}double *restrict {name}"
        for name, item in self.facts.parameters.items():
            if name in here:
                found[name] = f"{'int32_t' if item.type == 'int' else 'double'} {name}"
        return found | {name: f"double {name}" for name in sorted((self.values & here) - lets(node.body))}

    def lines(self, lines: list[str], at: int):
        for line in lines:
            self.line(line, at)

    def append(self, body: Writer):
        for line in body.lines:
            self.out.lines.append(line if line.startswith("#line") else "  " * self.out.depth + line)
        if body.lines:
            self.out.next_line = body.next_line

    def open(self, pragma: str | None, head: str, at: At):
        if pragma:
            self.line(f"#pragma {pragma}", at)
        self.line(f"{head} {{" if head else "{", at)
        self.out.depth += 1

    def level_ends(self, node: Foreach, plus: int = 0) -> tuple[int, str]:
        """The lowest level, and one past the highest, and `plus` more."""
        below, above = node.bounds
        extra = self.mesh.extra_half_levels if node.kind == "half" else 0
        return below, offset("grid->levels", extra - above + plus)

    def level_loop(self, node: Foreach, pragma: str | None):
        k, (below, end) = node.level.variable, self.level_ends(node)
        if node.level.direction == "downward":
            head = f"for (ptrdiff_t {k} = {self.level_ends(node, -1)[1]}; {k} >= {below}; --{k})"
        else:
            head = f"for (ptrdiff_t {k} = {below}; {k} < {end}; ++{k})"
        self.open(pragma, head, node.level.at)

    def point_loop(self, node: Foreach, innermost: bool):
        c = node.point.variable
        pragma = self.target.innermost if innermost else None
        self.open(pragma, f"for (ptrdiff_t {c} = range_first; {c} < range_end; ++{c})", node.point.at)
