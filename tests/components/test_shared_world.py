"""A component beside programs that know nothing of Tailrace: MPI_COMM_WORLD is not used."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from support.harness import MPI, mpi_environment

PROGRAM = Path(__file__).parent / "programs" / "shared_world.py"
STEPS, TABLE = 5, (3, 4)
CONFIGURATION = """
tailrace: 1
servers: {mode: %s}
fields: {state: {every: 1 step, names: [mass, budget]}}
output:
  out.nc:
    attributes: {restart: "{restart_number}"}
    variables: [{field: mass, every: 1 step, operation: snapshot}, {field: budget, every: 1 step, operation: snapshot}]
"""
needs_yac = pytest.mark.skipif(
    importlib.util.find_spec("yac") is None or MPI != "openmpi", reason="needs YAC for this MPI (pip install yac)"
)


def run(folder: Path, mode: str, split: str, roles: dict[str, int]) -> None:
    (folder / "run.yaml").write_text(CONFIGURATION % mode)
    beside = [role for role in roles if role != "foreign"]
    foreign = sum(ranks for place, ranks in enumerate(roles.values()) if place < list(roles).index("foreign"))
    command: list[str] = []
    for role, ranks in roles.items():
        command += [":"] if command else ["mpirun"]
        program = [str(PROGRAM), role, split, str(foreign), *beside]
        if (role, split) == ("server", "handshake"):
            program = ["-m", "tailrace.cli", "serve", "--group", "io", "run.yaml"]
        command += ["-n", str(ranks), sys.executable, *program]
    done = subprocess.run(command, cwd=folder, env=mpi_environment(), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    with xr.open_dataset(folder / "out.nc") as file:
        assert file.attrs["restart"] == "17"
        assert np.array_equal(file.mass, 101.0 + np.arange(STEPS))
        assert np.array_equal(file.budget, [np.arange(12.0).reshape(TABLE) * n for n in range(1, STEPS + 1)])


@pytest.mark.parametrize(
    ("mode", "roles"),
    [
        ("inline", {"foreign": 1, "model": 2}),
        ("attached", {"model": 2, "foreign": 1}),
        ("dedicated, count: 1", {"foreign": 1, "model": 3}),
        ("dedicated", {"model": 2, "foreign": 1, "server": 1}),
    ],
)
def test_a_foreign_program_has_part_of_the_world(tmp_path, mode, roles):
    run(tmp_path, mode, "colours", roles)


@needs_yac
@pytest.mark.parametrize(
    ("mode", "roles"),
    [("inline", {"foreign": 1, "model": 2}), ("dedicated", {"server": 1, "foreign": 1, "model": 2})],
)
def test_yac_owns_the_world(tmp_path, mode, roles):
    run(tmp_path, mode, "yac", roles)


@needs_yac
@pytest.mark.parametrize("roles", [{"server": 1, "foreign": 1, "model": 2}, {"model": 2, "foreign": 1, "server": 2}])
def test_a_server_is_a_group_of_an_mpi_handshake(tmp_path, roles):
    run(tmp_path, "dedicated", "handshake", roles)


def test_a_group_that_nobody_else_named_ends_the_job(tmp_path):
    (tmp_path / "run.yaml").write_text(CONFIGURATION % "dedicated")
    command = ["mpirun", "-n", "1", sys.executable, "-m", "tailrace.cli", "serve", "--group", "oi", "run.yaml"]
    done = subprocess.run(command, cwd=tmp_path, env=mpi_environment(), capture_output=True, text=True, timeout=120)
    assert done.returncode != 0
    assert "tailrace: error: no other program of this job named the group 'oi' in its MPI handshake" in done.stderr
