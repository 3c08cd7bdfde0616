"""The front page is right about what is not available yet: by the reference, and by what the schema refuses."""

import re

import pytest
import yaml
from support.harness import TREE, tailrace

NOT_AVAILABLE = re.compile(r"^##+ `([^`]+)`$(?:(?!^#).)*?^- Available: not yet", re.MULTILINE | re.DOTALL)
REFERENCE = (TREE / "docs" / "reference" / "configuration.md").read_text(encoding="utf-8")
RESERVED = NOT_AVAILABLE.findall(REFERENCE)
MESSAGE = "is not available yet in this version"


def not_available() -> set[str]:
    """Last names of options, and values that choices will have."""
    options = {re.split(r"[.\]]", path)[-1] for path in RESERVED}
    later = re.findall(r"^- Not available yet: (.*)$", REFERENCE, re.MULTILINE)
    return options | {value for line in later for value in re.findall(r"`([^`]+)`", line)}


def not_yet_column() -> set[str]:
    page = (TREE / "README.md").read_text(encoding="utf-8")
    table = page[page.index("| | today | not yet |") :].split("\n\n")[0]
    cells = [line.split("|")[3] for line in table.splitlines()[2:]]
    return {word for cell in cells for word in re.findall(r"`([^`]+)`", cell)}


def example(path: str):
    """A value of the option that is not empty, which would be accepted."""
    section = REFERENCE.split(f"# `{path}`\n", 1)[1].split("\n#", 1)[0]
    value = yaml.safe_load(re.search(r"^- Example: `([^`]+)`$", section, re.MULTILINE).group(1))
    return next(iter(value.values())) or {"anything": 1}


def configuration(path: str, value):
    """A map in which the option at the path has the value, such as `{output: {a.nc: {state: io}}}`."""
    for word in reversed(re.findall(r"\[\]|[^.\[\]]+", path)):
        value = [value] if word == "[]" else {"a.nc" if word.startswith("<") else word: value}
    return value


def test_the_table_names_what_is_not_available_and_nothing_else():
    assert not_yet_column()
    assert not_yet_column() == not_available()


@pytest.mark.parametrize("path", RESERVED)
def test_what_is_not_available_is_refused(path, tmp_path):
    (tmp_path / "run.yaml").write_text(yaml.safe_dump({"tailrace": 1} | configuration(path, example(path))))
    done = tailrace("check", "run.yaml", cwd=tmp_path)
    assert done.returncode == 2
    key = re.sub("<[^>]+>", "a.nc", path).replace("[]", "[0]")
    assert any(line.endswith(f"  {key}: {MESSAGE}") for line in done.stderr.splitlines()), done.stderr
