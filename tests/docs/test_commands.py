"""The commands that the documents name are commands of `tailrace`, and so are their options."""

import re

import click
import pytest
from support.harness import TREE
from tailrace.cli import cli

PAGES = sorted(
    [TREE / "README.md", TREE / "CHANGELOG.md", TREE / "CONTRIBUTING.md", *(TREE / "benchmarks").rglob("*.md")]
    + [page for folder in ("docs", "examples", "clients") for page in (TREE / folder).rglob("*.md")]
)
FENCE = re.compile(r"^ *(`{3,})(\w*)[^`\n]*\n(.*?)^ *\1`*\s*$", re.MULTILINE | re.DOTALL)
SHELL = {"bash", "console", ""}


def calls(text: str) -> list[str]:
    """Each call of `tailrace` in code within the prose, and at the begin of a line of a shell block."""
    found = [call for span in re.findall(r"`([^`]+)`", FENCE.sub("", text)) for call in [" ".join(span.split())]]
    for _, language, body in FENCE.findall(text):
        if language in SHELL:
            found += re.sub(r"\\\n", " ", body).splitlines()
    return [call.strip() for call in found if re.match(r"\s*tailrace [a-z]", call)]


def fault(call: str) -> str:
    """The fault of a call, such as an unknown command or option; empty if there is none."""
    words = re.split(r" -- |[|;&#>]", call)[0].split()[1:]
    command: click.Command = cli
    while isinstance(command, click.Group) and words and re.fullmatch(r"[a-z-]+", words[0]):
        found = command.get_command(click.Context(command), words[0])
        if found is None:
            if command is cli:
                return f"no command {words[0]!r} (known: {', '.join(sorted(command.commands))})"
            break  # a file, as in `tailrace convert SOURCE TARGET`
        command = found
        del words[0]
    commands = [command, *(command.commands.values() if isinstance(command, click.Group) else [])]
    known = {name for one in commands for parameter in one.params for name in parameter.opts + parameter.secondary_opts}
    given = [word.split("=")[0] for word in words if re.match(r"--?[a-zA-Z]", word)]
    unknown = [name for name in given if name not in known | {"-h", "--help"}]
    return f"no option {unknown[0]!r} of {command.name}" if unknown else ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(TREE)))
def test_each_command_of_a_page_is_there(page):
    faults = {call: fault(call) for call in calls(page.read_text(encoding="utf-8"))}
    assert {call: one for call, one in faults.items() if one} == {}


def test_another_command_is_found():
    text = "`tailrace inspect\n--repair a.nc`, `tailrace repair a.nc`\n\n```bash run\ntailrace check --declare x\n```\n"
    good, repair, declare = map(fault, calls(text))
    assert good == ""
    assert "no command 'repair'" in repair
    assert "no option '--declare' of check" in declare
    assert fault("tailrace checkpoint drain restart") == "" and fault("tailrace convert a.zarr b.nc --jobs 2") == ""
    assert "no option '--fast'" in fault("tailrace convert a.zarr b.nc --fast")


def test_the_pages_name_most_commands():
    named = {call.split()[1] for page in PAGES for call in calls(page.read_text(encoding="utf-8"))}
    assert {"check", "run", "serve", "report", "inspect", "convert", "checkpoint"} <= named
