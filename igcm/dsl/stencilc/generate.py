"""C of a kernel: a function of plain pointers and a grid handle."""

from __future__ import annotations

from . import exchanges
from .analysis import Analysis
from .exchanges import Exchanges
from .expressions import Printer, offset
from .loop_writer import LoopWriter, lets
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


class KernelWriter(LoopWriter):
    def __init__(self, analysis: Analysis, target: Target, facts: Facts, lines_lead: bool):
        self.analysis, self.target, self.facts = analysis, target, facts
        self.mesh, self.lines_lead = analysis.mesh, lines_lead
        self.out = self.writer()
        self.places: set[str] = set()
        self.values: set[str] = set()  # names of `let` outside of loops
        self.temporaries = [item for item in facts.fields.values() if item.temporary]
        self.integers = {name for name, item in facts.parameters.items() if item.type == "int"}
        self.printer = Printer(self.mesh, set(), self.integers)
        self.exchanges = exchanges.find(analysis, facts) if target.code == "mpi" else Exchanges()
        self.loop_of = {id(loop.foreach): loop for loop in facts.loops}
        self.functions: list[str] = []  # of loops
        self.plan()

    def writer(self) -> Writer:
        return Writer(self.analysis.source.path, self.lines_lead)

    def run(self) -> str:
        """The functions of loops, then that of the kernel."""
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
        return "\n".join([*self.functions, self.out.text()])

    def line(self, text: str, at: At | int | None = None):
        self.out.line(text, at.line if isinstance(at, At) else at)

    def finish(self, at: int):
        for item in self.temporaries:
            self.line(f"free({item.name});", at)
        self.line("return STENCIL_OK;", at)

    def allocate(self, at: int):
        if self.facts.loops:
            threads = "stencil_threads()" if self.pragma() else "1"
            self.line(f"const int stencil_shares = {threads};", at)
        for item in self.temporaries:
            size = self.size(item)
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
                if id(statement) in self.groups:
                    self.group(self.groups[id(statement)])
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
