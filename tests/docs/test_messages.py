"""The messages that docs/guide/errors.md quotes are those of the sources, so that a search for one finds it."""

import re

import pytest
from support.harness import TREE

PAGE = TREE / "docs" / "guide" / "errors.md"
SOURCES = [
    *(TREE / "src").rglob("*.cpp"),
    *(TREE / "bindings").rglob("*.hpp"),
    *(TREE / "python").rglob("*.py"),
]
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
SHORTEST = 6  # shorter texts between two `…` are not looked for


def quoted() -> list[str]:
    rows = re.findall(r"^\| `([^`]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) > 30
    return rows


def literals() -> str:
    """All string literals of the sources, with adjacent ones joined, as {fmt} prints their braces, and without
    backquotes."""
    texts = []
    for path in SOURCES:
        if "tests" in path.parts:
            continue
        code = re.sub(r'"\s*\n\s*"', "", path.read_text(encoding="utf-8"))
        texts += LITERAL.findall(code)
    return plain("\n".join(texts).replace('\\"', '"').replace("{{", "{").replace("}}", "}"))


def plain(text: str) -> str:
    return text.replace("`", "")


@pytest.fixture(scope="module")
def all_texts() -> str:
    return literals()


@pytest.mark.parametrize("message", quoted())
def test_a_quoted_message_is_in_the_sources(message, all_texts):
    pieces = [piece.strip() for piece in message.split("…")]
    for piece in pieces:
        assert len(piece) < SHORTEST or piece in all_texts, f"no source has {piece!r}"
