"""examples/streams as in its README: pictures made beside the server, and a script that follows the same job's file."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import matplotlib.image
import numpy as np
import pytest
import xarray as xr
from support.harness import BUILD, mpi_environment

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
BUBBLE = BUILD / "examples" / "bubble" / "bubble"
SECONDS = range(60, 301, 60)


@pytest.fixture
def folder(tmp_path) -> Path:
    for name in ("in_situ.yaml", "section.py", "live_plot.py"):
        shutil.copy(EXAMPLES / "streams" / name, tmp_path)
    settings = (EXAMPLES / "bubble" / "demo.nml").read_text()
    assert "t_end = 900" in settings
    (tmp_path / "demo.nml").write_text(settings.replace("t_end = 900", "t_end = 300"))
    return tmp_path


def front_km(folder: Path) -> float:
    """The last column whose lowest cell is more than 1 K below its surroundings."""
    with xr.open_dataset(folder / "theta.nc", engine="netcdf4", decode_times=False) as file:
        lowest = file.theta.isel(time=-1, y=0).transpose("z", "x").isel(z=0)
        return float(file.x[np.flatnonzero(lowest.values - 300.0 < -1.0)[-1]]) / 1000


def test_pictures_while_it_runs(folder):
    command = [sys.executable, "live_plot.py", "theta.nc", "live.png"]
    environment = os.environ | {"MPLBACKEND": "Agg"}
    with subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True) as follower:
        job = ["mpirun", "-n", "2", BUBBLE, "demo.nml", "in_situ.yaml"]
        done = subprocess.run(job, cwd=folder, env=mpi_environment(), capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        told, _ = follower.communicate(timeout=60)
    assert told.splitlines()[-1] == f"5 steps, front at {front_km(folder):.1f} km"
    pictures = {path.name: matplotlib.image.imread(path) for path in (folder / "pictures").iterdir()}
    assert sorted(pictures) == [f"theta_{seconds:05d}s.png" for seconds in SECONDS]
    assert len({picture.tobytes() for picture in pictures.values()}) == len(SECONDS), "two pictures are equal"
    for picture in (*pictures.values(), matplotlib.image.imread(folder / "live.png")):
        assert len(np.unique(picture.reshape(-1, picture.shape[-1]), axis=0)) > 20, "the picture is empty"
