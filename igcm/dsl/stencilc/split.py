"""Finds the blocks of the stencil language in a file of C or Fortran. All other text belongs to the host language.

A block begins with one of WORDS as the first word of a line, with a name after it; in C outside all braces, comments
and strings. A kernel ends with its closing brace or `end kernel`, a declaration with its semicolon or its line.
"""

from __future__ import annotations

import re

WORDS = "mesh|field|temporary|parameter|constant|kernel"
C_TOKEN = re.compile(
    rf"""(?P<comment>//[^\n]*|/\*(?:.|\n)*?(?:\*/|\Z)) | (?P<string>"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?)
    | (?P<directive>^[ \t]*\#(?:\\\r?\n|[^\n])*) | (?P<word>^[ \t]*(?:{WORDS})(?=[ \t]+[A-Za-z_]))
    | (?P<mark>[{{}};])""",
    re.VERBOSE | re.MULTILINE,
)
FORTRAN_WORD = re.compile(rf"^[ \t]*({WORDS})[ \t]+[a-z]", re.IGNORECASE)
END_KERNEL = re.compile(r"^[ \t]*end[ \t]*kernel\b", re.IGNORECASE)
CONTINUED = re.compile(r"&[ \t]*(![^\n]*)?$")


def blocks_of_c(text: str) -> list[tuple[int, int]]:
    blocks, depth, position = [], 0, 0
    while token := C_TOKEN.search(text, position):
        position = token.end()
        if token["word"] and depth == 0:
            position = end_of_c(text, position, token["word"].strip() == "kernel")
            begin = token.start() + len(token["word"]) - len(token["word"].lstrip())
            blocks.append((begin, position))
        elif token["mark"] == "{":
            depth += 1
        elif token["mark"] == "}":
            depth = max(depth - 1, 0)
    return blocks


def end_of_c(text: str, position: int, braces: bool) -> int:
    depth = 0
    while token := C_TOKEN.search(text, position):
        position = token.end()
        if token["mark"] == "{":
            depth += 1
        elif token["mark"] == "}":
            depth -= 1
            if depth <= 0:
                return position
        elif token["mark"] == ";" and not braces:
            return position
    return len(text)


def blocks_of_fortran(text: str) -> list[tuple[int, int]]:
    """Whole lines, with the ends of lines."""
    blocks, position, begin, kernel = [], 0, None, False
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        if begin is None and (word := FORTRAN_WORD.match(line)):
            begin, kernel = position, word[1].lower() == "kernel"
        position += len(line)
        if begin is not None and (END_KERNEL.match(line) if kernel else not CONTINUED.search(line.rstrip("\r\n"))):
            blocks.append((begin, position))
            begin = None
    if begin is not None:
        blocks.append((begin, len(text)))
    return blocks


def masked(text: str, blocks: list[tuple[int, int]], language: str) -> str:
    """The text with blanks instead of the host language, so that places in it are those of the file. Fortran's names
    are in lower case."""
    parts, position = [], 0
    for begin, end in blocks:
        parts += [blank(text[position:begin]), text[begin:end] if language == "c" else lowered(text[begin:end])]
        position = end
    result = "".join(parts) + blank(text[position:])
    return result if result.endswith("\n") else result + "\n"


def blank(text: str) -> str:
    return re.sub(r"[^\r\n]", " ", text)


def lowered(text: str) -> str:
    """In lower case but for units in quotes; letters whose lower case is longer stay as they are."""
    return re.sub(r"\"[^\"\n]*\"|'[^'\n]*'|[A-Z]", lambda m: m[0].lower() if len(m[0]) == 1 else m[0], text)
