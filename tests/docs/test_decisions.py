"""The decisions: each page has a date and a status, is short, and is in the table of its folder; gaps are explained."""

import re

import pytest
from support.harness import TREE

FOLDER = TREE / "docs" / "decisions"
PAGES = sorted(FOLDER.glob("[0-9]*.md"))
TABLE = (FOLDER / "README.md").read_text(encoding="utf-8")
STATUS = re.compile(r"Date: \d{4}-\d\d-\d\d\. Status: (proposed|accepted|superseded by \[\d+\]\(\d{4}-[^)]+\.md\))[;.]")


def number(page) -> int:
    return int(page.name[:4])


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_decision_has_the_form(page):
    lines = page.read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith(f"# {number(page)}. ")
    assert STATUS.match(lines[2]), f"expected a date and a status, but got {lines[2]!r}"
    assert len(lines) <= 40, "measurements belong in benchmarks/history"
    headings = [line for line in lines if line.startswith("## ")]
    assert headings[0] == "## The question" and headings[-1] == "## The price"


def test_the_table_lists_each_decision_once_and_in_order():
    rows = re.findall(r"^\| \[(\d+)\]\(([^)]+)\) \|", TABLE, re.MULTILINE)
    assert rows == [(str(number(page)), page.name) for page in PAGES]


def test_each_missing_number_is_explained():
    explained = {int(one) for one in re.findall(r"\b\d+\b", TABLE.partition("## Numbers without a page")[2])}
    used = {number(page) for page in PAGES}
    assert len(used) == len(PAGES)
    assert set(range(1, max(used))) - used <= explained


def test_another_status_is_found():
    assert STATUS.match("Date: 2026-11-21. Status: superseded by [9](0009-workers.md).")
    assert not STATUS.match("Date: 2026-11-21. Status: open.")
    assert not STATUS.match("Status: accepted.")
