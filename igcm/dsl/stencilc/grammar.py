"""The grammar, for both host languages: expressions are the same but for how members and indices are written."""

from __future__ import annotations

COMMON = r"""
start: _start_of_file item*
?item: mesh | field | temporary | parameter | constant | kernel
mesh: "mesh" NAME _END
field: "field" place NAME NAME? more* unit? _END | "field" place NAME? "::" NAME more* unit? _END
temporary: "temporary" place NAME NAME? more* unit? _END | "temporary" place NAME? "::" NAME more* unit? _END
more: "," NAME
place: NAME member?
parameter: "parameter" NAME "::"? NAME more* unit? _END
constant: "constant" NAME "=" signed unit? _END
signed: MINUS? NUMBER
unit: STRING

point: NAME "in" NAME ("(" NAME ")")?
level: NAME "in" NAME ("(" NAME ")")? direction? skipped?
direction: UPWARD | DOWNWARD
skipped: "except" NAME ("," NAME)*
UPWARD: "upward"
DOWNWARD: "downward"

let: "let" NAME "=" expression _END
given: "given" path_name ("," path_name)* _END
exchange: "exchange" path_name ("," path_name)* _END
path_name: NAME

?expression: choice
?disjunction: conjunction | disjunction OR conjunction -> binary
?conjunction: comparison | conjunction AND comparison -> binary
?comparison: additive | additive COMPARE additive -> binary
?additive: term | additive (PLUS | MINUS) term -> binary
?term: factor | term (TIMES | OVER) factor -> binary
?factor: power | (MINUS | PLUS | NOT) factor -> unary
reduction: NAME "(" NAME "in" path ":" expression ")"
path: NAME member*
arguments: expression ("," expression)*
PLUS: "+"
MINUS: "-"
TIMES: "*"
OVER: "/"
STRING: /"[^"\n]*"|'[^'\n]*'/
%ignore /[ \t\r\f]+/
"""

C = r"""
_start_of_file:
_END: ";"
kernel: "kernel" NAME "{" statement* RBRACE
RBRACE: "}"
?statement: foreach | each | if | let | assign | given | exchange
foreach: "foreach" point ("," level)? block
each: "foreach" NAME "in" NAME member+ block
if: "if" "(" expression ")" block ("else" block)?
block: "{" statement* "}" | statement
assign: access ASSIGN expression _END
access: NAME "[" arguments "]"
ASSIGN: "=" | "+=" | "-=" | "*="
?choice: disjunction | disjunction "?" expression ":" choice -> choice
?power: atom
?atom: NUMBER -> number | path | access | NAME "(" arguments ")" -> call | reduction | "(" expression ")"
member: "." NAME ("[" slot "]")?
slot: NAME | NUMBER
COMPARE: "==" | "!=" | "<=" | ">=" | "<" | ">"
OR: "||"
AND: "&&"
NOT: "!"
NUMBER: /([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?/
NAME: /[A-Za-z_][A-Za-z0-9_]*/
%ignore /\n+/
%ignore /\/\/[^\n]*/
%ignore /\/\*(.|\n)*?\*\//
"""

FORTRAN = r"""
_start_of_file: _END?
_END: /(![^\n]*)?\n([ \t\r]*(![^\n]*)?\n)*/
kernel: "kernel" NAME _END statement* END_KERNEL NAME? _END
END_KERNEL.2: /end[ \t]*kernel\b/
?statement: foreach | each | if | let | assign | given | exchange
each: "foreach" NAME "in" NAME member+ _END statement* END_FOREACH _END | "foreach" NAME "in" NAME member+ ":" statement
foreach: "foreach" point ("," level)? _END statement* END_FOREACH _END | "foreach" point ("," level)? ":" statement
END_FOREACH.2: /end[ \t]*foreach\b/
if: "if" "(" expression ")" "then" _END block else_if* (ELSE _END block)? _END_IF _END
  | "if" "(" expression ")" assign
else_if: ELSE_IF "(" expression ")" "then" _END block
ELSE_IF.2: /else[ \t]*if\b/
ELSE: "else"
_END_IF.2: /end[ \t]*if\b/
block: statement*
assign: access ASSIGN expression _END
access: NAME "(" arguments ")"
ASSIGN: "="
?choice: disjunction
?power: atom | atom "**" factor -> power
?atom: NUMBER -> number | path | access | reduction | "(" expression ")"
member: "%" NAME ("(" slot ")")?
slot: NAME | NUMBER
COMPARE: "==" | "/=" | "<=" | ">=" | "<" | ">"
OR: ".or."
AND: ".and."
NOT: ".not."
NUMBER: /(DD\.DD|DD\.(?![a-z]|[^\S\n]*[a-z]+\.)|DD\.(?=[ed][+-]?[0-9])|DD|\.DD)([ed][+-]?DD)?(_\w+)?/
NAME: /[a-z][a-z0-9_]*/
%ignore /&[ \t\r]*(![^\n]*)?\n/
""".replace("DD", "[0-9]+")

FRIENDLY = {
    "NAME": "a name", "NUMBER": "a number", "_END": "the end of the statement", "LPAR": '"("', "RPAR": '")"',
    "LSQB": '"["', "RSQB": '"]"', "LBRACE": '"{"', "RBRACE": '"}"', "COMMA": '","', "DOT": '"."', "ASSIGN": '"="',
    "EQUAL": '"="', "STRING": "a unit in quotes", "$END": "the end of the file", "COLON": '":"', "PERCENT": '"%"',
    "QMARK": '"?"', "PLUS": '"+"', "MINUS": '"-"', "TIMES": '"*"', "OVER": '"/"', "COMPARE": "a comparison",
    "END_KERNEL": '"end kernel"', "END_FOREACH": '"end foreach"', "_END_IF": '"end if"', "ELSE_IF": '"else if"',
    "__ANON_0": '"::"',
}  # fmt: skip


def text(language: str) -> str:
    return COMMON + (C if language == "c" else FORTRAN)
