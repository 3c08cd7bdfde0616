"""The fragments of the changelog: a few sentences each, the first of which begins with a verb in the past tense."""

import re

import pytest
from support.harness import TREE

FOLDER = TREE / "docs" / "changelog"
FRAGMENTS = sorted(page for page in FOLDER.glob("*.md") if page.name != "README.md")
IRREGULAR = {"Built", "Gave", "Kept", "Let", "Made", "Put", "Split", "Sped", "Took", "Wrote"}


def faults(text: str) -> list[str]:
    """The faults in the form of a fragment."""
    first = text.split()[0] if text.split() else ""
    found = []
    if not (re.fullmatch(r"[A-Z][a-z]+ed", first) or first in IRREGULAR):
        found.append(f"expected a verb in the past tense first, but got {first!r}")
    if len(re.findall(r"[.!?](?:\s|$)", text)) > 5 or re.search(r"^#", text, re.MULTILINE):
        found.append("expected one to five sentences, without a heading")
    return found


@pytest.mark.parametrize("page", FRAGMENTS, ids=lambda page: page.stem)
def test_a_fragment_has_the_form(page):
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", page.stem)
    assert faults(page.read_text(encoding="utf-8")) == []


def test_another_form_is_found():
    assert faults("Fixed the name of a file.") == []
    assert faults("Fixes the name of a file.")
    assert faults("# Fixed\n\nThe name of a file.")
    assert faults("Fixed a. Fixed b. Fixed c. Fixed d. Fixed e. Fixed f.")
    assert faults("")


def test_the_changelog_is_a_summary():
    lines = (TREE / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) < 130
