"""The page of promises: each promise has a proof, and each proof exists."""

import re
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2]


def promises() -> list[list[str]]:
    promised, _, _ = (TREE / "docs" / "promises.md").read_text().partition("## What is not promised yet")
    rows = [line for line in promised.splitlines() if line.startswith("|")]
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return [row for row in cells if row[0] != "promise" and set(row[0]) != {"-"}]


def there_is(proof: str) -> bool:
    """A file, a folder, a test FILE::NAME, or a unit test Suite.Name of FILE."""
    path, _, name = proof.partition("::")
    if not name:
        return (TREE / path).exists()
    suite, _, test = name.rpartition(".")
    declared = rf"TEST(_F|_P)?\({suite}, {test}\)" if suite else rf"^def {test}\("
    return (TREE / path).is_file() and bool(re.search(declared, (TREE / path).read_text(), re.MULTILINE))


@pytest.mark.parametrize("row", promises(), ids=lambda row: row[0][:40])
def test_a_promise_has_its_proof(row):
    assert len(row) == 3, row
    proofs = re.findall("`([^`]+)`", row[2])
    assert proofs, f"nothing proves: {row[0]}"
    for proof in proofs:
        assert there_is(proof), f"{proof} is not there"


def test_each_file_that_the_page_names_is_there():
    """In the limits and in the table of what is not promised yet, too."""
    page = (TREE / "docs" / "promises.md").read_text()
    named = re.findall(r"`((?:tests|benchmarks|src|examples|tools|docs)/[^`]+)`", page)
    assert len(named) > 100
    assert [one for one in named if not there_is(one)] == []


def test_each_benchmark_that_the_page_runs_is_there():
    page = (TREE / "docs" / "promises.md").read_text()
    benchmarks = {path.stem for path in (TREE / "benchmarks").glob("*.*")}
    named = set(re.findall(r"`\./quickstart bench (\w+)", page))
    assert named and named <= benchmarks


def test_it_would_find_a_missing_proof():
    assert there_is("tests/docs/test_promises.py::test_a_promise_has_its_proof")
    assert not there_is("tests/docs/test_promises.py::test_nothing")
    assert there_is("src/config/tests/schema_test.cpp::Schema.ReadsFormerNamesWithANote")
    assert not there_is("src/config/tests/schema_test.cpp::Schema.Nothing")
    assert not there_is("tests/nowhere.py")
