"""Reads a source: finds what is written in the stencil language between lines of C or Fortran, and makes its tree."""

from __future__ import annotations

import functools
from pathlib import Path

import lark

from . import grammar, nodes
from .messages import StencilError, unknown
from .names import FUNCTIONS, REDUCTIONS
from .split import blocks_of_c, blocks_of_fortran, masked

DEEPEST = 150
SUFFIXES = {".gg.c": "c", ".gg.f90": "fortran"}
C_OPERATORS = {".and.": "&&", ".or.": "||", ".not.": "!", "/=": "!="}


def language_of(path: str) -> str:
    for suffix, language in SUFFIXES.items():
        if path.endswith(suffix):
            return language
    raise StencilError(None, f"the name ends neither in {' nor in '.join(SUFFIXES)}")


def read(path: str) -> nodes.Source:
    """Raises StencilError for a file that cannot be read or parsed."""
    return parse(text_of(path), path, language_of(path))


def text_of(path: str) -> str:
    language_of(path)
    try:
        with Path(path).open(encoding="utf-8", newline="") as file:  # ends of lines stay as they are
            return file.read()
    except OSError as error:
        raise StencilError(None, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise StencilError(None, f"byte {error.start} is not UTF-8 text") from error


def parse(text: str, path: str, language: str) -> nodes.Source:
    blocks = blocks_of_c(text) if language == "c" else blocks_of_fortran(text)
    source = nodes.Source(path, language, text, blocks)
    try:
        tree = lark_parser(language).parse(masked(text, blocks, language))
        check_depth(tree)
        Builder(source).transform(tree)
    except lark.exceptions.VisitError as error:
        if isinstance(error.orig_exc, StencilError):
            raise error.orig_exc from None
        raise
    except lark.exceptions.UnexpectedInput as error:
        raise syntax_error(text, error) from None
    return source


@functools.cache
def lark_parser(language: str) -> lark.Lark:
    return lark.Lark(grammar.text(language), parser="lalr", propagate_positions=True, maybe_placeholders=False)


def check_depth(tree: lark.Tree):
    """The passes over the tree call themselves for each level of it."""
    waiting = [(tree, 0)]
    while waiting:
        node, depth = waiting.pop()
        if depth > DEEPEST:
            raise StencilError(
                place(node.meta), f"nested more than {DEEPEST} deep; expected parts of it as values of let"
            )
        waiting += [(child, depth + 1) for child in node.children if isinstance(child, lark.Tree)]


def syntax_error(text: str, error: lark.exceptions.UnexpectedInput) -> StencilError:
    if isinstance(error, lark.exceptions.UnexpectedToken):
        expected, token = error.expected, error.token
        found = "the end of the file" if token.type == "$END" else repr(str(token).split("\n")[0].strip())
        if token.type == "_END":
            found = "the end of the statement"
        length = len(str(token).split("\n")[0])
    else:
        expected, found, length = error.allowed or set(), repr(text[error.pos_in_stream]), 1
    if error.line > 0:
        at = nodes.At(error.line, error.column, max(length, 1))
    else:
        lines = text.removesuffix("\n").split("\n")
        at = nodes.At(len(lines), len(lines[-1]) + 1)
    words = sorted(grammar.FRIENDLY.get(name, f'"{name.lower().strip("_")}"') for name in expected)
    return StencilError(at, f"unexpected {found}; expected {', '.join(words) or 'nothing more'}")


def place(meta: lark.tree.Meta) -> nodes.At:
    """Nodes over several lines are marked in their first line only; `render` cuts the mark at the end of the line."""
    length = meta.end_column - meta.column if meta.end_line == meta.line else 1_000_000
    return nodes.At(meta.line, meta.column, max(length, 1))


def spot(token: lark.Token) -> nodes.At:
    return nodes.At(token.line, token.column, len(token))


def number(token: str) -> str:
    """A literal as C writes a double: without a kind, with a point or an exponent."""
    text = token.lower().split("_")[0].replace("d", "e")
    return text if "." in text or "e" in text else text + ".0"


def unit_of(items: list) -> str | None:
    return next((item.removeprefix("unit:") for item in items if isinstance(item, str) and item[:5] == "unit:"), None)


@lark.v_args(meta=True)
class Builder(lark.Transformer):
    """Makes nodes. Numbers of neighbours count from 0 in the tree, and from 1 in Fortran's text."""

    def __init__(self, source: nodes.Source):
        super().__init__()
        self.source = source
        self.fortran = source.language == "fortran"

    # Declarations

    def start(self, meta, items):
        return self.source

    def mesh(self, meta, items):
        if self.source.mesh is not None:
            raise StencilError(place(meta), f'the mesh is "{self.source.mesh.name}" already; a file has one mesh')
        self.source.mesh = nodes.Name(spot(items[0]), str(items[0]))

    def unit(self, meta, items):
        return "unit:" + str(items[0])[1:-1]

    def place(self, meta, items):
        return items

    def declared(self, items, temporary):
        where, names, unit = items[0], [item for item in items[1:] if isinstance(item, lark.Token)], unit_of(items)
        relation = f"{where[0]}.{where[1].name}" if len(where) > 1 else None
        kind = str(names[0]) if len(names) > 1 else None
        if kind is not None and kind not in ("full", "half"):
            typed = "; all numbers have double precision" if kind in ("float", "double", "real", "single") else ""
            raise StencilError(spot(names[0]), f'"{kind}" is no kind of levels; expected full, half, or none{typed}')
        for name in [names[-1], *(item.children[0] for item in items if isinstance(item, lark.Tree))]:
            new = nodes.Field(spot(name), str(name), str(where[0]), relation, kind, unit, temporary)
            self.source.declarations.append(new)

    def field(self, meta, items):
        self.declared(items, False)

    def temporary(self, meta, items):
        self.declared(items, True)

    def parameter(self, meta, items):
        type_, name = items[0], items[1]
        if type_ not in ("real", "int"):
            raise StencilError(
                spot(type_), f'"{type_}" is no type of a parameter; expected real (double precision) or int'
            )
        for one in [name, *(item.children[0] for item in items if isinstance(item, lark.Tree))]:
            self.source.declarations.append(nodes.Parameter(spot(one), str(one), str(type_), unit_of(items)))

    def constant(self, meta, items):
        name, value = items[0], items[1]
        self.source.declarations.append(nodes.Parameter(spot(name), str(name), "real", unit_of(items), value))

    def signed(self, meta, items):
        return "".join(map(str, items[:-1])) + number(items[-1])

    def kernel(self, meta, items):
        statements = [item for item in items if not isinstance(item, lark.Token)]
        end = next(item for item in items if isinstance(item, lark.Token) and item.type in ("RBRACE", "END_KERNEL"))
        names = [item for item in items if isinstance(item, lark.Token) and item.type == "NAME"]
        if len(names) > 1 and names[1] != names[0]:
            raise StencilError(spot(names[1]), f'"end kernel {names[1]}" ends the kernel "{names[0]}"')
        self.source.kernels.append(nodes.Kernel(spot(names[0]), str(names[0]), statements, end.line))

    # Statements

    def point(self, meta, items):
        names = [str(item) for item in items]
        return nodes.Places(place(meta), names[0], names[1], names[2] if len(names) > 2 else None)

    def level(self, meta, items):
        names = [str(item) for item in items if isinstance(item, lark.Token)]
        result = nodes.Places(place(meta), names[0], names[1], names[2] if len(names) > 2 else None)
        for item in items:
            if isinstance(item, dict):
                result.__dict__.update(item)
        return result

    def direction(self, meta, items):
        return {"direction": str(items[0])}

    def skipped(self, meta, items):
        for item in items:
            if item not in ("bottom", "top"):
                raise StencilError(spot(item), f'"{item}" cannot be left out; expected bottom or top')
        return {"skipped": [str(item) for item in items]}

    def block(self, meta, items):
        return items

    def foreach(self, meta, items):
        items = [item for item in items if not isinstance(item, lark.Token)]
        point, rest = items[0], items[1:]
        level = rest.pop(0) if rest and isinstance(rest[0], nodes.Places) else None
        body = rest if self.fortran else rest[0]
        return nodes.Foreach(place(meta), point, level, body)

    def each(self, meta, items):
        items = [item for item in items if not isinstance(item, lark.Token) or item.type == "NAME"]
        members = [item for item in items if isinstance(item, nodes.Member)]
        body = [item for item in items if not isinstance(item, (lark.Token, nodes.Member))]
        path = nodes.Name(nodes.At(items[1].line, items[1].column, len(items[1])), str(items[1]), members)
        return nodes.Each(place(meta), str(items[0]), path, body if self.fortran else body[0])

    def else_if(self, meta, items):
        return tuple(items[1:])

    def if_(self, meta, items):
        """if, block, (condition, block)*, block; a Fortran `if` may have one assignment without a block."""
        parts = [item for item in items if not isinstance(item, lark.Token)]
        items = [one for part in parts for one in (part if isinstance(part, tuple) else (part,))]
        items = [item if isinstance(item, list) or i % 2 == 0 else [item] for i, item in enumerate(items)]
        no = items.pop() if len(items) % 2 else []
        while len(items) > 2:
            yes, condition = items.pop(), items.pop()
            no = [nodes.If(condition.at, condition, yes, no)]
        return nodes.If(place(meta), items[0], items[1], no)

    def let(self, meta, items):
        return nodes.Let(place(meta), str(items[0]), items[1])

    def path_name(self, meta, items):
        return nodes.Name(place(meta), str(items[0]))

    def given(self, meta, items):
        return nodes.Beyond(place(meta), "given", items)

    def exchange(self, meta, items):
        return nodes.Beyond(place(meta), "exchange", items)

    def assign(self, meta, items):
        if not isinstance(items[0], nodes.Access):
            raise StencilError(items[0].at, f'"{items[0].function}" is a function; expected a field')
        return nodes.Assign(place(meta), items[0], str(items[1]), items[2])

    # Expressions

    def path(self, meta, items):
        return nodes.Name(place(meta), str(items[0]), items[1:])

    def slot(self, meta, items):
        text = str(items[0])
        if items[0].type == "NAME":
            return text
        if not text.isdigit():
            raise StencilError(spot(items[0]), f"{text} numbers no neighbour; expected a whole number")
        first = 1 if self.fortran else 0
        if int(text) < first:
            raise StencilError(spot(items[0]), "the neighbours of Fortran count from 1")
        return str(int(text) - first)

    def member(self, meta, items):
        return nodes.Member(spot(items[0]), str(items[0]), items[1] if len(items) > 1 else None)

    def number(self, meta, items):
        return nodes.Number(place(meta), number(items[0]))

    def arguments(self, meta, items):
        return items

    def access(self, meta, items):
        name, arguments = str(items[0]), items[1]
        if self.fortran and (name in FUNCTIONS or name == "merge"):
            return self.call(meta, items)
        return nodes.Access(place(meta), name, arguments)

    def call(self, meta, items):
        name, arguments = str(items[0]), items[1]
        if self.fortran and name == "merge" and len(arguments) == 3:
            return nodes.Choice(place(meta), arguments[2], arguments[0], arguments[1])
        return nodes.Call(place(meta), name, arguments)

    def reduction(self, meta, items):
        if items[0] not in REDUCTIONS:
            raise StencilError(spot(items[0]), unknown(str(items[0]), "reduction", REDUCTIONS))
        return nodes.Reduction(place(meta), str(items[0]), str(items[1]), items[2], items[3])

    def unary(self, meta, items):
        operator = C_OPERATORS.get(str(items[0]), str(items[0]))
        return items[1] if operator == "+" else nodes.Unary(place(meta), operator, items[1])

    def binary(self, meta, items):
        operator = C_OPERATORS.get(str(items[1]), str(items[1]))
        return nodes.Binary(place(meta), operator, items[0], items[2])

    def power(self, meta, items):
        return nodes.Call(place(meta), "pow", items)

    def choice(self, meta, items):
        return nodes.Choice(place(meta), *items)


setattr(Builder, "if", Builder.if_)
