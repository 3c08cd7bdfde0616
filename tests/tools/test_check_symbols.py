"""tools/check_symbols: it finds calls that a language lacks or names differently, and this tree has none."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parent.parent.parent
READ = (
    "include/tailrace/tailrace.hpp",
    "include/tailrace/error.hpp",
    "include/tailrace/tailrace.h",
    "bindings/fortran/tailrace.f90",
    "python/tailrace/_core.pyi",
    "bindings/fortran/tailrace_base.f90",
    "bindings/fortran/tailrace_coordinates.f90",
    "bindings/fortran/tailrace_declarations.f90",
    "bindings/fortran/tailrace_steps.f90",
    "bindings/fortran/tailrace_checkpoints.f90",
)


def check(tree: Path) -> tuple[int, str]:
    done = subprocess.run([sys.executable, TREE / "tools" / "check_symbols", tree], capture_output=True, text=True)
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout


@pytest.fixture
def copy(tmp_path):
    for path in READ:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(TREE / path, tmp_path / path)
    return tmp_path


def test_this_tree_offers_the_same_everywhere():
    status, text = check(TREE)
    assert (status, text.splitlines()[:-1]) == (0, [])
    verbs = set(text.split("(")[1].split(")")[0].split(", "))
    assert {
        "start",
        "option",
        "grid",
        "coordinate",
        "mesh",
        "field",
        "ready",
        "step",
        "wants",
        "put",
        "acquire",
    } < verbs
    assert {"publish", "finish", "handle", "model_comm", "is_server", "is_off", "serve", "version", "inspect"} < verbs


@pytest.mark.parametrize(
    ("path", "old", "new", "message"),
    [
        (READ[0], "  void ready();", "  void ready();\n  void fetch(FieldHandle f);", "tailrace.h: fetch is missing"),
        (READ[2], "int tailrace_publish(", "int tailrace_release(", "tailrace.h: publish is missing"),
        (READ[2], "int tailrace_publish(", "int tailrace_release(", "tailrace.h: release is not in"),
        (READ[3], "    procedure :: finish\n", "", "tailrace.f90: finish is missing"),
        (READ[7], "    procedure :: field\n", "", "tailrace.f90: field is missing"),
        (READ[8], "generic :: wants =>", "generic :: wanted =>", "tailrace.f90: wanted is not in"),
        (READ[5], "tailrace_int64 = 3", "tailrace_int64 = 4", "tailrace.f90: types"),
        (READ[4], "def acquire(", "def obtain(", "_core.pyi: acquire is missing"),
        (READ[4], "def schema(", "def _schema(", "_core.pyi: schema is missing"),
        (READ[4], '"lost", ', "", "_core.pyi: error codes"),
        (READ[2], "TAILRACE_FULL = 5", "TAILRACE_FULL = 7", "tailrace.h: error codes"),
    ],
)
def test_a_difference_is_named(copy, path, old, new, message):
    text = (copy / path).read_text()
    assert old in text
    (copy / path).write_text(text.replace(old, new))
    status, out = check(copy)
    assert status == 1
    assert message in out
