"""quickstart and tools/install_packages, as far as they can be tried without installing and building."""

import os
import subprocess
from pathlib import Path

import pytest

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
