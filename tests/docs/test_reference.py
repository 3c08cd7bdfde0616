"""The reference pages agree with this version: the generated ones, and the table of calls."""

import json
import re
import subprocess
import sys

from support.harness import TREE, mpi_environment

REFERENCE = TREE / "docs" / "reference"
LANGUAGES = ("Fortran", "C", "C++", "Python")


def tool(name: str, *arguments: str) -> subprocess.CompletedProcess:
    command = [sys.executable, str(TREE / "tools" / name), *arguments]
    return subprocess.run(command, env=mpi_environment(), capture_output=True, text=True, timeout=60)


def test_the_generated_pages_are_current():
    done = tool("generate_reference", "--check")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_schema_knows_every_option_of_the_page():
    """The page and the schema agree: a heading such as `output.<file>.format` is a property of the schema."""
    schema = json.loads((REFERENCE / "schema.json").read_text(encoding="utf-8"))
    page = (REFERENCE / "configuration.md").read_text(encoding="utf-8")
    paths = re.findall(r"^##+ `([^`]+)`$", page, re.MULTILINE)
    assert len(paths) > 50
    for path in paths:
        assert find(schema, re.findall(r"\[\]|[^.\[\]]+", path)), path


def find(schema: dict, words: list[str]) -> bool:
    if any(find(one, words) for one in schema.get("anyOf", []) + schema.get("oneOf", [])):
        return True
    if not words:
        return True
    first, rest = words[0], words[1:]
    if first == "[]":
        inner = schema.get("items")
    elif first.startswith("<"):
        inner = schema.get("additionalProperties")
    else:
        inner = schema.get("properties", {}).get(first)
    return isinstance(inner, dict) and find(inner, rest)


def table_of_calls() -> dict[str, list[str]]:
    """verb -> how it is spelled in each language, from the rows of docs/reference/api.md."""
    text = (REFERENCE / "api.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line[:2] == "| "]
    calls = [row for row in rows if len(row) == 2 + len(LANGUAGES)]
    assert calls[0][1:-1] == list(LANGUAGES)
    return {row[0].strip("`"): row[1:-1] for row in calls[1:]}


def test_the_table_of_calls_names_every_verb():
    summary = tool("check_symbols").stdout.splitlines()[-1]
    verbs = set(re.search(r"\(([^)]*)\)", summary).group(1).split(", "))
    assert set(table_of_calls()) == verbs


def test_the_table_of_calls_spells_them_as_the_languages_do():
    sources = {
        "Fortran": sorted((TREE / "bindings" / "fortran").glob("tailrace*.f90")),
        "C": [TREE / "include" / "tailrace" / "tailrace.h"],
        "C++": [TREE / "include" / "tailrace" / "tailrace.hpp"],
        "Python": [TREE / "python" / "tailrace" / "_core.pyi"],
    }
    texts = {
        language: "".join(path.read_text(encoding="utf-8") for path in paths) for language, paths in sources.items()
    }
    for verb, spellings in table_of_calls().items():
        for language, spelling in zip(LANGUAGES, spellings, strict=True):
            for name in re.findall(r"`(?:\w+[%.:]+)*(\w+)", spelling):
                assert re.search(rf"\b{name}\b", texts[language]), f"{verb}: {language} has no {name}"
