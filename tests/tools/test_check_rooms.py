"""tools/check_rooms: it finds every kind of offence, and this tree has none."""

import subprocess
import sys
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parent.parent.parent
TABLE = """
# a room per line: tailrace_room(ghost)
tailrace_room(base)
tailrace_room(model)
tailrace_room(comm LIBRARIES MPI::MPI_C)
tailrace_room(output USES model
              LIBRARIES tailrace_hdf5)
tailrace_room(session USES output comm)
"""


def check(tree: Path) -> tuple[int, str]:
    done = subprocess.run([sys.executable, TREE / "tools" / "check_rooms", tree], capture_output=True, text=True)
    assert not done.stderr, done.stderr
    return done.returncode, done.stdout


@pytest.fixture
def house(tmp_path):
    """A small tree that obeys the rules."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "CMakeLists.txt").write_text(TABLE)
    for room in ("base", "model", "comm", "output", "session"):
        (tmp_path / "src" / room).mkdir()
        (tmp_path / "src" / room / "README.md").write_text("A room.\n")
    return tmp_path


def write(house: Path, path: str, *lines: str) -> None:
    (house / path).parent.mkdir(parents=True, exist_ok=True)
    (house / path).write_text("\n".join(lines) + "\n")


def test_a_tree_that_obeys_the_rules_passes(house):
    write(house, "src/output/a.cpp", "#include <hdf5.h>", '#include "model/field.hpp"', '#include "base/error.hpp"')
    write(house, "src/comm/mpi/c.cpp", "#include <mpi.h>")
    write(house, "src/session/tests/s_test.cpp", '#include "model/testing/fields.hpp"', '#include "output/tests/x.hpp"')
    write(house, "bindings/c/c.cpp", '#include "tailrace/tailrace.hpp"', '#include "guard.hpp"', "#include <mpi.h>")
    assert check(house) == (0, "check_rooms: 0 offences\n")


@pytest.mark.parametrize(
    ("path", "line", "expected"),
    [
        (
            "src/output/a.cpp",
            '#include "session/plan.hpp"',
            "output may not include session (may: base, model, output)",
        ),
        ("src/session/a.cpp", '#include "model/field.hpp"', "session may not include model"),
        ("src/model/a.hpp", '  #  include "output/dataset.hpp"', "model may not include output"),
        ("src/base/a.hpp", '#include "model/field.hpp"', "base may not include model"),
        ("src/output/a.cpp", '#include "model/testing/fields.hpp"', "is for tests only"),
        ("src/output/a.cpp", '#include "output/netcdf/tests/job.hpp"', "is for tests only"),
        ("src/output/a.cpp", '#include "b.hpp"', "does not begin with a room"),
        ("src/comm/a.cpp", "#include <mpi.h>", "mpi.h may be included only in src/comm/mpi"),
        ("src/session/a.cpp", '#include "comm/mpi/mpi_c.hpp"', "comm/mpi/mpi_c.hpp may be included only in src/comm"),
        ("src/session/a.cpp", "#include <tailrace/tailrace.h>", "tailrace/tailrace.h may be included only in src/comm"),
        ("src/session/a.cpp", '#include "H5public.h"', "H5public.h may be included only in src/output"),
        ("src/model/tests/m_test.cpp", '#include "output/dataset.hpp"', "model may not include output"),
        ("bindings/c/c.cpp", '#include "session/plan.hpp"', "bindings sees only tailrace/..."),
        ("examples/toy/c/toy.c", '#include "../../../src/model/field.hpp"', "examples sees only tailrace/..."),
    ],
)
def test_each_kind_of_offence_is_named_with_its_line(house, path, line, expected):
    write(house, path, "// first line", line)
    status, output = check(house)
    assert status == 1
    assert output.startswith(f"{path}:2: ")
    assert expected in output
    assert output.endswith("check_rooms: 1 offence\n")


def test_a_room_without_readme_and_a_folder_that_is_not_a_room(house):
    (house / "src" / "model" / "README.md").unlink()
    (house / "src" / "attic").mkdir()
    status, output = check(house)
    assert status == 1
    assert "src/model: has no README.md" in output
    assert "src/attic: is not in the table" in output


def test_dependencies_must_not_be_cyclic(house):
    (house / "src" / "CMakeLists.txt").write_text(
        TABLE.replace("tailrace_room(model)", "tailrace_room(model USES session)")
    )
    status, output = check(house)
    assert status == 1
    assert "session uses output, which comes back to session" in output


def test_this_tree():
    status, output = check(TREE)
    assert status == 0, output
