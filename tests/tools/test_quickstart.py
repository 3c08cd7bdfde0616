"""quickstart and tools/install_packages, as far as they can be tried without installing and building."""

import os
import pty
import re
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from support.harness import BUILD

TREE = Path(__file__).resolve().parent.parent.parent


def run(command: list, **variables: str) -> subprocess.CompletedProcess:
    return subprocess.run(command, env=os.environ | variables, capture_output=True, text=True)


def test_help_names_each_command():
    done = run([TREE / "quickstart", "help"])
    assert done.returncode == 0
    for command in ("build", "build-mpich", "test", "test --mpi mpich", "test --faults", "bench", "sanitize", "docs"):
        assert f"./quickstart {command} " in done.stdout


def test_an_unknown_command_names_the_known_ones():
    done = run([TREE / "quickstart", "tset"])
    assert done.returncode == 1
    assert done.stderr.startswith("quickstart: 'tset' is unknown (known: build, build-mpich, test, ")


SLOW_BUILD = "echo '[1/3] Building a'; sleep 1.2; echo '[2/3] Building b'; sleep 1.2; echo '[3/3] Linking'"


def test_a_build_shows_how_far_it_is_in_a_log():
    done = run(["bash", "-c", f"({SLOW_BUILD}) | {TREE}/tools/show_progress 'Building (demo)' 1"])
    assert done.returncode == 0
    assert re.search(r" \[[12]/3\] [12] s,", done.stdout), done.stdout
    assert "\n" not in done.stdout  # the step ends the line


def test_a_step_without_counts_shows_that_it_goes_on():
    done = run(["bash", "-c", f"(echo Reading lists; sleep 2.2; echo done) | {TREE}/tools/show_progress Installing 1"])
    assert re.match(r" [12] s,", done.stdout), done.stdout


def test_a_build_shows_how_far_it_is_on_a_terminal():
    leader, follower = pty.openpty()
    with subprocess.Popen(
        ["bash", "-c", f"({SLOW_BUILD}) | {TREE}/tools/show_progress 'Building (demo)'"], stdout=follower
    ) as build:
        os.close(follower)
        shown = b""
        with suppress(OSError):  # the end of a pseudo terminal
            while more := os.read(leader, 1000):
                shown += more
    os.close(leader)
    assert build.returncode == 0
    assert re.search(rb"\rBuilding \(demo\) \[1/3\] \d s", shown)
    assert shown.endswith(b"\rBuilding (demo) [3/3]\x1b[K")


@pytest.fixture
def apt(tmp_path):
    """A system on which apt-get prints its arguments, and all packages are there but those of the file `missing`."""
    for name, script in {
        "apt-get": 'echo apt-get "$@"',
        "sudo": 'echo sudo; "$@"',
        "dpkg-query": f'grep -qx "$4" {tmp_path}/missing || printf installed',
    }.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)

    def install(missing: str, *purposes: str) -> subprocess.CompletedProcess:
        (tmp_path / "missing").write_text("\n".join(missing.split()) + "\n")
        return run([TREE / "tools" / "install_packages", *purposes], PATH=f"{tmp_path}:{os.environ['PATH']}")

    return install


@pytest.mark.parametrize(
    ("missing", "purposes", "installed"),
    [
        ("cmake libnetcdf-mpi-dev mpich gfortran", [], "gfortran cmake"),
        ("cmake libnetcdf-mpi-dev mpich", ["tests"], "cmake mpich"),
        ("cmake libnetcdf-mpi-dev mpich", ["benchmarks"], "cmake libnetcdf-mpi-dev"),
    ],
)
def test_packages_that_are_missing_are_installed(apt, missing, purposes, installed):
    done = apt(missing, *purposes)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[-1].startswith("apt-get ")
    assert lines[-1].endswith(f"install -y --no-install-recommends {installed}")


def test_nothing_is_installed_where_all_is_there(apt):
    done = apt("mpich libnetcdf-mpi-dev")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


STUB = """#!/bin/sh
echo "$(basename "$0") $*" >>"$CALLS"
case "$*" in
  "$WAITS"*) until grep -qs "$FOR" "$CALLS"; do sleep 0.01; done ;;
  "$FAILS"*) echo "no such package" >&2; exit 1 ;;
esac
"""


def build(tree: Path, **variables: str) -> tuple[subprocess.CompletedProcess, list[str]]:
    """`./quickstart build` in a tree whose programs only note their arguments in a file."""
    for path in ("tools/install_packages", "tools/link_python", ".venv/bin/python", ".venv/bin/cmake"):
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(STUB)
        (tree / path).chmod(0o755)
    (tree / "tools/show_progress").write_text("#!/bin/sh\ncat >/dev/null\n")
    (tree / "tools/show_progress").chmod(0o755)
    (tree / ".venv/bin/activate").write_text(f"VIRTUAL_ENV={tree.resolve()}/.venv\n")
    (tree / "quickstart").write_bytes((TREE / "quickstart").read_bytes())
    unused = {"WAITS": "none", "FOR": "none", "FAILS": "none"}
    done = run(["bash", tree / "quickstart", "build"], CALLS=str(tree / "calls"), **unused | variables)
    return done, (tree / "calls").read_text().splitlines()


PIP_OF_TESTS = "-m pip install --disable-pip-version-check --no-compile -r tools/requirements_tests.txt"


def test_packages_of_the_tests_come_while_it_is_built(tmp_path):
    """Here the build ends only after their installation has begun."""
    waiting = {"WAITS": "--build", "FOR": "requirements_tests"}
    done, calls = build(tmp_path, **waiting)
    assert done.returncode == 0, done.stdout + done.stderr
    assert calls[0] == "install_packages tests" and calls[1].endswith("-r tools/requirements.txt")
    assert calls.index("cmake --preset release") < calls.index(f"python {PIP_OF_TESTS}")
    assert f"python {PIP_OF_TESTS}" in calls[: calls.index("cmake --install build/release")]


def test_a_package_that_is_not_there_ends_the_build(tmp_path):
    done, calls = build(tmp_path, FAILS=PIP_OF_TESTS)
    assert done.returncode == 1
    assert done.stderr.startswith("quickstart: installing Python packages failed: no such package")
    assert "cmake --install build/release" not in calls


def test_all_that_is_installed_is_built_before():
    """`./quickstart` and the build for MPICH make the target `product` only, and then install."""
    text = (BUILD / "cmake_install.cmake").read_text()
    lists = re.findall(r'TYPE (?:SHARED_LIBRARY|MODULE|EXECUTABLE) FILES\s+((?:"[^"]*"\s*)+)', text)
    installed = [Path(file).relative_to(BUILD) for files in lists for file in re.findall(r'"([^"]*)"', files)]
    commands = ["ninja", "-C", BUILD, "-t", "commands", "product"]
    words = re.split(r"[\s'\"]+", subprocess.run(commands, capture_output=True, text=True, check=True).stdout)
    assert "bindings/c/libtailrace.so" in map(str, installed)
    assert [file for file in installed if str(file) not in set(words)] == []
