"""Files that a run replaces by a copy, or continues: links, permissions and other names of them stay the user's."""

import subprocess
import sys

import netCDF4
import numpy as np
import pytest
from support.harness import mpi_environment

MODEL = """
import os
import sys
import numpy as np
import tailrace
from mpi4py import MPI

first, last = int(sys.argv[1]), int(sys.argv[2])
with tailrace.Session.start(MPI.COMM_WORLD, "run.yaml", initial_time=float(first), initial_step=first) as io:
    io.grid("sea", dims=["y", "x"], shape=[20, 30])
    io.field("t", grid="sea")
    io.ready()
    for step in range(first + 1, last + 1):
        io.step(step, float(step))
        io.put("t", np.full((20, 30), float(step)))
        if step == last and len(sys.argv) > 3:
            os.link("o.nc", sys.argv[3])
"""
CONFIG = """
tailrace: 1
servers: {mode: inline, report: false}
fields: {a: {every: 1 step, names: [t]}}
output: {o.nc: {if_exists: append, write_every: 1 step, compression: zlib, variables: [{field: t, every: 1 step}]}}
"""


@pytest.fixture
def job(tmp_path):
    (tmp_path / "run.yaml").write_text(CONFIG)

    def run(first: int, last: int, *link: str) -> None:
        command = [sys.executable, "-c", MODEL, str(first), str(last), *link]
        done = subprocess.run(command, cwd=tmp_path, env=mpi_environment(), capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr

    return run


def steps(path):
    with netCDF4.Dataset(path) as data:
        return np.asarray(data["t"][:, 0, 0]).tolist()


def test_a_link_stays_and_leads_to_the_file_that_grew(job, tmp_path):
    job(0, 40)
    store = tmp_path / "scratch"
    store.mkdir()
    (tmp_path / "o.nc").rename(store / "kept.nc")
    (tmp_path / "o.nc").symlink_to("scratch/kept.nc")
    (store / "kept.nc").chmod(0o640)
    job(40, 90)
    assert str((tmp_path / "o.nc").readlink()) == "scratch/kept.nc"
    assert not (store / "kept.nc").is_symlink()
    assert (store / "kept.nc").stat().st_mode & 0o777 == 0o640
    assert steps(store / "kept.nc") == list(range(1, 91))
    assert sorted(path.name for path in store.iterdir()) == ["kept.nc"]


def test_a_file_keeps_its_permissions(job, tmp_path):
    job(0, 40)
    (tmp_path / "o.nc").chmod(0o664)
    job(40, 90)
    assert (tmp_path / "o.nc").stat().st_mode & 0o777 == 0o664
    assert steps(tmp_path / "o.nc") == list(range(1, 91))


def test_both_names_of_a_file_have_its_last_state(job, tmp_path):
    """Where there is another name, the end of the run changes the file in place."""
    job(0, 40, "other.nc")
    assert (tmp_path / "o.nc").samefile(tmp_path / "other.nc")
    assert steps(tmp_path / "other.nc") == list(range(1, 41))
