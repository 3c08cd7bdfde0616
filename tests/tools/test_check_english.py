"""tools/check_english: it finds fragments and phrases in comments, documents and messages, and nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parent.parent.parent


def check(path: Path, text: str) -> list[str]:
    path.write_text(text)
    script = (
        "import importlib.machinery, importlib.util, sys, pathlib\n"
        "loader = importlib.machinery.SourceFileLoader('check_english', sys.argv[1])\n"
        "module = importlib.util.module_from_spec(importlib.util.spec_from_loader('check_english', loader))\n"
        "loader.exec_module(module)\n"
        "print(*module.offences(pathlib.Path(sys.argv[2])), sep='\\n')\n"
    )
    command = [sys.executable, "-B", "-c", script, TREE / "tools" / "check_english", path]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return [line.removeprefix(f"{path}:") for line in done.stdout.splitlines() if line]


@pytest.mark.parametrize(
    ("name", "text", "line", "what"),
    [
        ("a.cpp", "int a;\n// Of a function: who calls it.\n", 2, 'begins with "Of"'),
        ("a.cpp", "// The end. What counts once is\n// forwarded.\n", 1, 'begins with "What"'),
        ("a.hpp", "int a;  // Who calls it holds the mutex.\n", 1, 'begins with "Who"'),
        ("a.py", 'def f():\n    """Which format it has."""\n', 2, 'begins with "Which"'),
        ("a.py", "# That a stream holds nothing up is tested.\n", 1, 'begins with "That"'),
        ("a.f90", "! What it keeps\n", 1, 'begins with "What"'),
        ("a.md", "# What works\n\nIt works. Of all files, two\nare read.\n", 3, 'begins with "Of"'),
        ("a.md", "- first\n- What is second\n", 2, 'begins with "What"'),
        ("a.md", "| a | What counts |\n", 1, 'begins with "What"'),
        ("a.cpp", 'throw Error("the client is told nothing");\n', 1, '"is told"'),
        ("a.cpp", "// It waits for\n// ever.\n", 1, '"for ever"'),
        ("a.md", "The record behind it goes.\n", 1, '"goes"'),
        ("a.md", "Whoever waits looks.\n", 1, '"Whoever"'),
        ("a.md", "A chunk, as HDF5 has it, is small.\n", 1, '"as HDF5 has it"'),
        ("CMakeLists.txt", "# What is installed.\n", 1, 'begins with "What"'),
    ],
)
def test_an_offence_is_found(tmp_path, name, text, line, what):
    (found,) = check(tmp_path / name, text)
    assert found.startswith(f"{line}: ")
    assert what in found


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.md", "## What bounds memory\n\nWhat does it cost? A copy.\n"),
        ("a.md", "```text\nWhat the program prints, for ever\n```\n\nThe word `whoever` is code.\n"),
        ("a.md", "Of course it is. That is why. That file is read.\n"),
        ("a.cpp", 'const char* What = "Of the two";\nint who_ever;\n'),
        ("a.py", "text = 'What'\nOf = 1\n"),
        ("a.md", "Control goes back to the model.\n"),
        ("a.md", "| What | Who |\n|---|---|\n| a | b |\n"),
    ],
)
def test_good_english_passes(tmp_path, name, text):
    assert check(tmp_path / name, text) == []


def test_it_names_the_files_that_it_read():
    done = subprocess.run([sys.executable, TREE / "tools" / "check_english"], capture_output=True, text=True)
    assert done.stdout.splitlines()[-1].startswith("check_english: ")
    assert done.returncode == 0, done.stdout
