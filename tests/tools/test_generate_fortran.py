"""tools/generate_fortran: the modules of this tree are those of their sources, and one that differs is named."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parent.parent.parent
FOLDER = Path("bindings") / "fortran"


def generate(*arguments) -> subprocess.CompletedProcess:
    command = [sys.executable, TREE / "tools" / "generate_fortran", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


@pytest.fixture
def copy(tmp_path) -> Path:
    (tmp_path / "bindings").mkdir()
    shutil.copytree(TREE / FOLDER, tmp_path / FOLDER)
    return tmp_path


def test_the_modules_of_this_tree_are_current():
    done = generate("--check")
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("tailrace_steps.f90", "nullify (array)", "array => null()"),
        ("tailrace_steps.fypp", "nullify (array)", "array => null()"),
        ("common.fypp", "call settle(", "call resettle("),
    ],
)
def test_a_module_that_differs_is_named_and_written(copy, path, old, new):
    module = copy / FOLDER / "tailrace_steps.f90"
    changed = copy / FOLDER / path
    text = changed.read_text()
    assert old in text
    changed.write_text(text.replace(old, new))
    done = generate("--check", copy)
    assert done.returncode == 1
    assert "tailrace_steps.f90: differs from tailrace_steps.fypp; run tools/generate_fortran" in done.stdout
    assert generate(copy).returncode == 0
    assert (new in module.read_text()) == (path != module.name)
    assert generate("--check", copy).returncode == 0


def test_a_generated_module_names_its_source():
    for source in (TREE / FOLDER).glob("tailrace*.fypp"):
        first = source.with_suffix(".f90").read_text().splitlines()[0]
        assert first.startswith(f"! Generated from {source.name} by tools/generate_fortran")
