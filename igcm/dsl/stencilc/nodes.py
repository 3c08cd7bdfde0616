"""The tree of a source: declarations, kernels, statements and expressions. The parser makes it, `resolve` fills in
what each name means, and the generators read it.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class At:
    """A place in the source; lines and columns count from 1."""

    line: int
    column: int
    length: int = 1


@dataclass
class Node:
    at: At


# Expressions


@dataclass
class Number(Node):
    text: str  # as C writes it, a real number always


@dataclass
class Name(Node):
    """A parameter, a constant or a value of `let`; with members, or as an index, a point or level."""

    name: str
    members: list[Member] = field(default_factory=list)


@dataclass
class Member(Node):
    name: str
    slot: str | None  # "0", "1", ..., or a name that the mesh gives to a neighbour


@dataclass
class Access(Node):
    field: str
    indices: list[Expression]
    # Found by `resolve`: the declaration, the place in the horizontal, the slot of the neighbour, the level.
    declared: Field | None = None
    point: Point | None = None
    slot: Slot | None = None
    level: Level | None = None


@dataclass
class Unary(Node):
    operator: str  # "-" or "!"
    operand: Expression


@dataclass
class Binary(Node):
    operator: str  # as in C
    left: Expression
    right: Expression


@dataclass
class Choice(Node):
    condition: Expression
    yes: Expression
    no: Expression


@dataclass
class Call(Node):
    function: str
    arguments: list[Expression]


@dataclass
class Reduction(Node):
    operator: str  # sum, min or max
    variable: str
    path: Name  # such as c.edge
    body: Expression
    point: Point | None = None  # the path; its last step has no slot
    count: int = 0  # of neighbours


Expression = Number | Name | Access | Unary | Binary | Choice | Call | Reduction


# Meanings of places


@dataclass(frozen=True)
class Step:
    """From a location to a neighbour; slot: a number, or the variable of the reduction that runs over them."""

    relation: str  # such as "cell.edge"
    slot: int | str


@dataclass(frozen=True)
class Point:
    """A point of the horizontal: the variable of the foreach, then steps."""

    variable: str
    steps: tuple[Step, ...]
    location: str
    reach: int  # rings of neighbours between the variable and the point


@dataclass(frozen=True)
class Slot:
    relation: str
    number: int | str


@dataclass(frozen=True)
class Level:
    """A level: the variable of the loop, or "bottom" or "top", and how many levels further up."""

    anchor: str
    kind: str  # full or half
    shift: int


# Statements


@dataclass
class Let(Node):
    name: str
    value: Expression


@dataclass
class Assign(Node):
    target: Access
    operator: str  # "=", "+=", "-=", "*="
    value: Expression


@dataclass
class If(Node):
    condition: Expression
    yes: list[Statement]
    no: list[Statement]


@dataclass
class Places(Node):
    """`c in cells(interior)`, or `k in levels upward except top`."""

    variable: str
    word: str
    set: str | None
    direction: str | None = None  # upward or downward
    skipped: list[str] = field(default_factory=list)  # bottom, top


@dataclass
class Foreach(Node):
    point: Places
    level: Places | None
    body: list[Statement]
    location: str = ""  # these three are filled in by `resolve`
    kind: str | None = None
    bounds: tuple[int, int] = (0, 0)  # levels that are left out at the bottom and at the top


@dataclass
class Each(Node):
    """`foreach e in c.edge`: the body for each neighbour of a kind, from the first to the last."""

    variable: str
    path: Name
    body: list[Statement]
    count: int = 0  # filled in by `resolve`


@dataclass
class Beyond(Node):
    """`given F;` or `exchange F;`: where values beyond the last write come from."""

    word: str
    fields: list[Name]


Statement = Let | Assign | If | Foreach | Each | Beyond


# Declarations


@dataclass
class Field(Node):
    name: str
    location: str  # cell, edge, vertex, column, or "" where the name of the location is unknown
    relation: str | None  # such as "cell.edge" for a value at each neighbour
    kind: str | None  # full, half, or None for a field without levels
    unit: str | None
    temporary: bool = False


@dataclass
class Parameter(Node):
    name: str
    type: str  # real or int; a constant is real
    unit: str | None
    value: str | None = None  # of a constant


@dataclass
class Kernel(Node):
    name: str
    body: list[Statement]
    last_line: int


@dataclass
class Source:
    path: str
    language: str  # c or fortran
    text: str
    blocks: list[tuple[int, int]]  # offsets of what is in this language, in the text
    mesh: Name | None = None
    declarations: list[Field | Parameter] = field(default_factory=list)
    kernels: list[Kernel] = field(default_factory=list)
