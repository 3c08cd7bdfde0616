"""Checks that units fit: of sums, comparisons, arguments of functions, and assignments. A bare number takes the unit of
what it is added to or compared with; a field without a unit is not checked.
"""

from __future__ import annotations

from . import units
from .messages import StencilError
from .nodes import (
    Access,
    Assign,
    At,
    Binary,
    Call,
    Choice,
    Each,
    Expression,
    Foreach,
    If,
    Let,
    Name,
    Number,
    Reduction,
    Statement,
    Unary,
)
from .units import NONE, Unit, product, show


def is_number(node: Expression) -> bool:
    if isinstance(node, Unary):
        return is_number(node.operand)
    if isinstance(node, Binary):
        return is_number(node.left) and is_number(node.right)
    return isinstance(node, Number)


class UnitCheck:
    def __init__(self, declared: dict[str, Unit | None]):
        self.units = dict(declared)

    def statements(self, body: list[Statement]):
        for statement in body:
            if isinstance(statement, (Each, Foreach)):
                self.statements(statement.body)
            elif isinstance(statement, If):
                self.of(statement.condition)
                self.statements(statement.yes)
                self.statements(statement.no)
            elif isinstance(statement, Let):
                # A number by itself may stand for any unit.
                value = self.of(statement.value)
                self.units[statement.name] = None if is_number(statement.value) else value
            elif isinstance(statement, Assign):
                self.assign(statement)

    def assign(self, node: Assign):
        target = self.units[node.target.field]
        value = self.of(node.value)
        if node.operator == "*=":
            self.same(node.value.at, NONE, value, node.value, f'"{node.target.field}" is scaled with')
        else:
            self.same(node.value.at, target, value, node.value, f'"{node.target.field}" is assigned')

    def same(self, at: At, wanted: Unit | None, found: Unit | None, node: Expression, what: str):
        if wanted is not None and found is not None and wanted != found and not is_number(node):
            raise StencilError(at, f'{what} a value in "{show(found)}"; expected "{show(wanted)}"')

    def alike(self, node: Expression, parts: list[Expression], what: str) -> Unit | None:
        """The unit that all parts have; numbers have any."""
        result: Unit | None = None
        for part in parts:
            found = self.of(part)
            if is_number(part) or found is None:
                continue
            if result is not None and found != result:
                raise StencilError(part.at, f'{what} of "{show(result)}" and "{show(found)}"; expected the same unit')
            result = found
        return NONE if all(map(is_number, parts)) else result

    def of(self, node: Expression) -> Unit | None:
        if isinstance(node, Number):
            return NONE
        if isinstance(node, Name):
            return self.units.get(node.name)
        if isinstance(node, Access):
            return self.units[node.field]
        if isinstance(node, Unary):
            return self.of(node.operand)
        if isinstance(node, Reduction):
            return self.of(node.body)
        if isinstance(node, Choice):
            self.of(node.condition)
            return self.alike(node, [node.yes, node.no], "a choice")
        if isinstance(node, Binary):
            return self.binary(node)
        return self.call(node)

    def binary(self, node: Binary) -> Unit | None:
        if node.operator in "*/":
            return product(self.of(node.left), self.of(node.right), 1 if node.operator == "*" else -1)
        if node.operator in ("&&", "||"):
            self.of(node.left)
            self.of(node.right)
            return NONE
        word = {"+": "a sum", "-": "a difference"}.get(node.operator, "a comparison")
        result = self.alike(node, [node.left, node.right], word)
        return result if node.operator in "+-" else NONE

    def call(self, node: Call) -> Unit | None:
        first = node.arguments[0]
        if node.function in ("min", "max"):
            return self.alike(node, node.arguments, f'a "{node.function}"')
        found = self.of(first)
        if node.function == "abs":
            return found
        if node.function == "sign":
            self.of(node.arguments[1])
            return found
        if node.function == "sqrt":
            return product(NONE, found, 0.5)
        if node.function == "pow":
            self.same(node.arguments[1].at, NONE, self.of(node.arguments[1]), node.arguments[1], '"pow" raises to')
            if isinstance(node.arguments[1], Number):
                return product(NONE, found, float(node.arguments[1].text))
            self.same(first.at, NONE, found, first, '"pow" with a power that is no number has')
            return NONE
        self.same(first.at, NONE, found, first, f'"{node.function}" has')
        return NONE


def declared_unit(text: str | None, at: At) -> Unit | None:
    if text is None:
        return None
    try:
        return units.parse(text)
    except ValueError as error:
        raise StencilError(at, str(error)) from None
