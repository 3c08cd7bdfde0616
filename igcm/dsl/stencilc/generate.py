"""C of a kernel: a function of plain pointers and a grid handle."""

from __future__ import annotations

from . import exchanges
from .analysis import Analysis
from .exchanges import Exchanges
from .expressions import Printer, offset
from .mesh import PLURALS
from .nodes import At, Beyond, Each, Expression, Field, Foreach, If, Let, Statement
from .places import Facts
from .target import Target
from .writer import Writer


def signature(analysis: Analysis, facts: Facts) -> tuple[list[str], list]:
    """Names of the arguments after the grid, and what they are: parameters, then fields, as they were declared."""
    used = set(facts.parameters) | set(facts.fields)
    chosen = [item for item in analysis.source.declarations if item.name in used]
    items = [item for item in chosen if not isinstance(item, Field) and item.value is None]
    items += [item for item in chosen if isinstance(item, Field) and not item.temporary]
    return [item.name for item in items], items


def writes(facts: Facts) -> set[str]:
    return exchanges.changing(facts)


def reads(facts: Facts) -> set[str]:
    return {use.field.name for loop in facts.loops for use in loop.uses if not use.write}


def changed(analysis: Analysis, target: Target, facts: Facts) -> set[str]:
    """Fields that the function writes: also those whose halo it fills."""
    filled = exchanges.find(analysis, facts).fields if target.code == "mpi" else set()
    return writes(facts) | filled


def prototype(analysis: Analysis, target: Target, facts: Facts) -> str:
    written = changed(analysis, target, facts)
    arguments = [f"const stencil_{analysis.mesh.name} *grid"]
    for item in signature(analysis, facts)[1]:
        if isinstance(item, Field):
            arguments.append(f"{'' if item.name in written else 'const '}double *restrict {item.name}")
        else:
            arguments.append(f"{'int32_t' if item.type == 'int' else 'double'} {item.name}")
    return f"int {facts.kernel.name}({', '.join(arguments)})"


def field_size(mesh, target: Target, found: Field) -> str:
    """How many numbers a field has, in C."""
    points = f"(ptrdiff_t)grid->{PLURALS[found.location]}"
    block = target.layouts[found.location].block
    if found.kind is None:
        return points
    levels = offset("grid->levels", mesh.extra_half_levels if found.kind == "half" else 0)
    levels = f"({levels})" if " " in levels else levels
    return f"{points} * {levels}" if block == 1 else f"({points} + {block - 1}) / {block} * {block} * {levels}"


class KernelWriter:
    def __init__(self, analysis: Analysis, target: Target, facts: Facts, lines_lead: bool):
        self.analysis, self.target, self.facts = analysis, target, facts
        self.mesh, self.lines_lead = analysis.mesh, lines_lead
        self.out = self.writer()
        self.places: set[str] = set()
        self.overlapped = False  # whether the loop at hand runs in two parts
        self.values: set[str] = set()  # names of `let` outside of loops
        self.temporaries = [item for item in facts.fields.values() if item.temporary]
        self.integers = {name for name, item in facts.parameters.items() if item.type == "int"}
        self.printer = Printer(self.mesh, set(), self.integers)
        self.exchanges = exchanges.find(analysis, facts) if target.code == "mpi" else Exchanges()

    def writer(self) -> Writer:
        return Writer(self.analysis.source.path, self.lines_lead)

    def run(self) -> str:
        kernel = self.facts.kernel
        at = kernel.at.line
        self.line(prototype(self.analysis, self.target, self.facts) + " {", at)
        self.out.depth += 1
        if self.facts.least_levels > 0:
            self.line(f"if (grid->levels < {self.facts.least_levels}) return STENCIL_TOO_FEW_LEVELS;", at)
        for item in self.analysis.source.declarations:
            if item.name in self.facts.parameters and item.value is not None:
                self.line(f"const double {item.name} = {item.value};", at)
        self.allocate(at)
        self.statements(kernel.body)
        self.finish(kernel.last_line)
        self.out.depth -= 1
        self.line("}")
        return self.out.text()

    def line(self, text: str, at: At | int | None = None):
        self.out.line(text, at.line if isinstance(at, At) else at)

    def finish(self, at: int):
        for item in self.temporaries:
            self.line(f"free({item.name});", at)
        self.line("return STENCIL_OK;", at)

    def allocate(self, at: int):
        for item in self.temporaries:
            size = field_size(self.mesh, self.target, item)
            self.line(f"double *restrict const {item.name} = malloc((size_t)({size} + 1) * sizeof(double));", at)
        if self.temporaries:
            self.line(f"if ({' || '.join(f'{item.name} == NULL' for item in self.temporaries)}) {{", at)
            self.out.depth += 1
            for item in self.temporaries:
                self.line(f"free({item.name});")
            self.line("return STENCIL_NO_MEMORY;")
            self.out.depth -= 1
            self.line("}")

    def statements(self, body: list[Statement]):
        for statement in body:
            if isinstance(statement, Foreach):
                self.foreach(statement)
            elif isinstance(statement, Each):
                self.each(statement)
            elif isinstance(statement, If):
                self.branch(statement)
            elif isinstance(statement, Beyond):
                self.beyond(statement)
            elif isinstance(statement, Let):
                self.values.add(statement.name)
                self.line(f"const double {statement.name} = {self.value(statement.value, statement.at)};", statement.at)
            else:
                value = self.value(statement.value, statement.at)
                self.line(f"{self.printer.access(statement.target)} {statement.operator} {value};", statement.at)

    def value(self, node: Expression, at: At) -> str:
        """The text of a value, after the lines that compute its sums."""
        text = self.printer.text(node)
        for line in self.printer.sums:
            self.line(line, at)
        self.printer.sums.clear()
        return text

    def branch(self, node: If):
        self.line(f"if ({self.value(node.condition, node.at)}) {{", node.at)
        self.block(node.yes)
        if node.no:
            self.line("} else {")
            self.block(node.no)
        self.line("}")

    def each(self, node: Each):
        """The body for each neighbour, one after the other; in braces where it has values of its own."""
        braces = bool(lets(node.body))
        for slot in range(node.count):
            self.printer.slots[node.variable] = slot
            if braces:
                self.line("{", node.at)
            self.out.depth += braces
            self.statements(node.body)
            self.out.depth -= braces
            if braces:
                self.line("}")
        del self.printer.slots[node.variable]

    def block(self, body: list[Statement]):
        self.out.depth += 1
        self.statements(body)
        self.out.depth -= 1

    def beyond(self, node: Beyond):
        """Code with MPI exchanges only what has changed since; other code leaves that to the handle's owner."""
        found = [self.facts.fields[name.name] for name in node.fields]
        fields = self.exchanges.of(node) if self.target.code == "mpi" else found
        if node.word == "exchange" and fields:
            self.begin_exchange(fields, node.at)
            self.end_exchange(node.at)

    def begin_exchange(self, fields: list[Field], at: At):
        shapes = ", ".join(self.shape(found) for found in fields)
        self.line("if (grid->begin_exchange != NULL) {", at)
        self.out.depth += 1
        self.line(f"double *const stencil_fields[] = {{{', '.join(found.name for found in fields)}}};", at)
        self.line(f"const int32_t stencil_shapes[] = {{{shapes}}};", at)
        self.line(f"grid->begin_exchange(grid->context, {len(fields)}, stencil_fields, stencil_shapes);", at)
        self.out.depth -= 1
        self.line("}")

    def end_exchange(self, at: At):
        self.line("if (grid->end_exchange != NULL) grid->end_exchange(grid->context);", at)

    def shape(self, found: Field) -> str:
        """Location, levels and block, as the handle's functions take them."""
        layout, points = self.target.layouts[found.location], f"grid->{PLURALS[found.location]}"
        block = (
            "1" if layout.fastest == "level" or found.kind is None else points if layout.block == 1 else layout.block
        )
        extra = self.mesh.extra_half_levels if found.kind == "half" else 0
        levels = offset("grid->levels", extra) if found.kind else "1"
        return f"STENCIL_{found.location.upper()}, {levels}, {block}"

    # Loops

    def foreach(self, node: Foreach):
        taken = {node.point.variable, *self.facts.fields, *self.facts.parameters, *lets(node.body)}
        taken |= {node.level.variable} if node.level else set()
        around, self.printer = self.printer, Printer(self.mesh, taken, self.integers)
        if node.level:
            self.printer.level_variable = node.level.variable
        # The body is written first, since the loops around it begin with the neighbours that it needs.
        body = self.writer()
        outer, self.out = self.out, body
        self.statements(node.body)
        printer, self.printer, self.out = self.printer, around, outer
        self.places |= printer.places
        self.loop(node, printer, body)

    def loop(self, node: Foreach, printer: Printer, body: Writer):
        """The loops around a body, which has been written."""
        lookups = [printer.lookup(name) for name in printer.neighbours]
        at, depth = node.at.line, self.out.depth
        self.line(f"/* {describe(node)} */", at)
        sent = self.exchanges.of(node)
        if sent:
            self.begin_exchange(sent, node.at)
            # First points that need no halo, while messages are on their way.
            self.open(None, "for (int stencil_late = 0; stencil_late < 2; ++stencil_late)", node.at)
            self.line("if (stencil_late && grid->end_exchange != NULL) grid->end_exchange(grid->context);", at)
        self.overlapped = bool(sent)
        if self.target.outer_loop == "level" and node.level:
            parallel = self.parallel() if not node.level.direction else None
            self.level_loop(node, parallel)
            self.point_loop(node, self.parallel() if node.level.direction else None, innermost=True)
            self.lines(lookups, at)
        else:
            self.point_loop(node, self.parallel(), innermost=node.level is None)
            self.lines(lookups, at)
            if node.level:
                self.level_loop(node, None if node.level.direction else self.target.innermost)
        self.append(body)
        while self.out.depth > depth:
            self.out.depth -= 1
            self.line("}")

    def parallel(self) -> str | None:
        return self.target.parallel if self.target.code in ("openmp", "mpi") else None

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
        self.line(head + " {", at)
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

    def point_loop(self, node: Foreach, pragma: str | None, innermost: bool):
        chosen, c = f"grid->{node.location}_{node.point.set}", node.point.variable
        first, end = "0", f"{chosen}.count"
        if self.overlapped:
            first, end = f"stencil_late ? {chosen}.inner : 0", f"(stencil_late ? {chosen}.count : {chosen}.inner)"
        self.open(None, f"for (int32_t range = {first}; range < {end}; ++range)", node.point.at)
        ends = [f"{chosen}.ranges[2 * range{plus}]" for plus in ("", " + 1")]
        self.line(f"const ptrdiff_t range_first = {ends[0]}, range_end = {ends[1]};", node.point.at)
        if innermost and not pragma:
            pragma = self.target.innermost
        self.open(pragma, f"for (ptrdiff_t {c} = range_first; {c} < range_end; ++{c})", node.point.at)


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
