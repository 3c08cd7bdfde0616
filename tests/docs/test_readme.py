"""The front page tells the truth about what is not there yet: by the options that the reference calls not available."""

import re

from support.harness import TREE

NOT_AVAILABLE = re.compile(r"^##+ `([^`]+)`$(?:(?!^#).)*?^- Available: not yet", re.MULTILINE | re.DOTALL)


def not_available() -> set[str]:
    """Last names of options, and values that choices will have."""
    page = (TREE / "docs" / "reference" / "configuration.md").read_text(encoding="utf-8")
    options = {re.split(r"[.\]]", path)[-1] for path in NOT_AVAILABLE.findall(page)}
    later = re.findall(r"^- Not available yet: (.*)$", page, re.MULTILINE)
    return options | {value for line in later for value in re.findall(r"`([^`]+)`", line)}


def test_the_table_names_what_is_not_available_and_nothing_else():
    page = (TREE / "README.md").read_text(encoding="utf-8")
    table = page[page.index("| | today | not yet |") :].split("\n\n")[0]
    cells = [line.split("|")[3] for line in table.splitlines()[2:]]
    named = {word for cell in cells for word in re.findall(r"`([^`]+)`", cell)}
    assert len(named) > 2
    assert named == not_available()
