"""The example's configurations show good practice: variables with the same times are in one file, whose only time axis
is called `time`. Their output agrees with the values of the model."""

import subprocess
import sys

import numpy as np
import pytest
from support.harness import BUILD, TREE, mpi_environment
from support.reading import bounds_of, read

EXAMPLE = TREE / "examples" / "bubble"
BUBBLE = BUILD / "examples" / "bubble" / "bubble"
SMALL = {
    "demo": "case = 'density_current', nx = 32, ny = 2, nz = 16, dx = 400, dy = 800, dz = 300, noise = 0.1",
    "density_current": "case = 'density_current', nx = 32, ny = 2, nz = 16, dx = 400, dy = 800, dz = 300",
    "warm_bubble": "case = 'warm_bubble', nx = 16, ny = 12, nz = 20, dx = 500, dy = 600, dz = 400",
}


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """case -> its files by the rest of their names, after 250 s on a small grid."""

    def play(case: str) -> dict:
        folder = tmp_path_factory.mktemp(case)
        (folder / f"{case}.yaml").write_text((EXAMPLE / f"{case}.yaml").read_text())
        (folder / f"{case}.nml").write_text(f"&bubble\n  {SMALL[case]}, viscosity = 75, t_end = 250\n/\n")
        command = ["mpirun", "-n", "3", str(BUBBLE), f"{case}.nml"]
        done = subprocess.run(command, cwd=folder, env=mpi_environment(), capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        return {path.stem.removeprefix(f"{case}_"): read(path) for path in folder.glob("*.nc")}

    cases = {case: play(case) for case in SMALL}
    return cases.__getitem__


@pytest.mark.parametrize("case", SMALL)
def test_each_file_has_one_time_axis(case, played):
    files = played(case)
    assert {"snapshots", "means", "columns", "series"} <= set(files)
    for name, data in files.items():
        assert data.encoding["unlimited_dims"] == {"time"}, name
        assert all(variable.dims[0] == "time" for variable in data.data_vars.values() if variable.dims[0] not in "xyz")
        assert data.sizes["time"] > 1 and np.all(np.diff(data["time"]) > 0), name


def test_the_means_are_those_of_the_samples(played):
    """Each sample is weighted by the time since the previous one."""
    columns, samples = played("demo")["columns"], played("demo")["samples"]
    ends = samples["time"].values
    begins = np.concatenate([[0.0], ends[:-1]])
    for record, (begin, end) in enumerate(bounds_of(columns, columns["column_energy_mean"])):
        weights = np.clip(np.minimum(ends, end) - np.maximum(begins, begin), 0.0, None)
        mean = np.average(samples["column_energy"], axis=0, weights=weights)
        np.testing.assert_allclose(columns["column_energy_mean"][record], mean, rtol=1e-12)


def test_the_steps_add_up_to_the_time(played):
    steps = played("demo")["steps"]
    np.testing.assert_allclose(np.cumsum(steps["time_step"]), steps["time"], rtol=1e-12)


def test_the_pictures_are_made_from_the_snapshots(played, tmp_path):
    played("demo")["snapshots"].to_netcdf(tmp_path / "snapshots.nc")
    command = [sys.executable, str(EXAMPLE / "plot.py"), "snapshots.nc", "pictures"]
    subprocess.run(command, cwd=tmp_path, env=mpi_environment(), check=True, timeout=120)
    frames = list((tmp_path / "pictures").glob("theta_*s.png"))
    assert len(frames) == played("demo")["snapshots"].sizes["time"]
    assert (tmp_path / "pictures" / "density_current.png").stat().st_size > 10_000
