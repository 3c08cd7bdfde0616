"""The glossary: terms in alphabetical order, each once, with one line."""

import re

from support.harness import TREE

ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)


def test_terms_are_sorted_and_have_a_sentence():
    rows = ROW.findall((TREE / "docs" / "glossary.md").read_text(encoding="utf-8"))[1:]
    terms = [term for term, _ in rows]
    assert len(terms) >= 40
    assert terms == sorted(set(terms))
    assert [term for term, meaning in rows if not re.match(r"[A-Z].*\.$", meaning)] == []
