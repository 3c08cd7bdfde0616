"""Stock readers open the files, after the run and between any two commits of it."""

import contextlib
import copy
import shutil
import subprocess
import time
from pathlib import Path

import h5netcdf
import hdf5plugin  # noqa: F401 (registers zstd with h5py)
import netCDF4
import numpy as np
import pytest
import xarray as xr
from support.checkers import complaints
from support.harness import Job, block_grid, field, indexed_grid, model, servers
from support.reading import commits
from support.values import put_values, varying_times

TIMES = varying_times(60, seed=4)
SHAPE = (3, 7, 11)
CONFIG = {
    "model_time": {"calendar": "standard", "start": "2026-01-01"},
    "fields": {"state": {"every": "1 step", "names": ["w", "t"]}},
    "output": {
        "out.nc": {
            "write_every": "1 step",
            "compression": {"codec": "zlib"},
            "attributes": {"title": "A test", "institution": "Tests", "references": "none", "comment": "none"},
            "variables": [
                {"field": "w", "time": "snapshot", "every": "1 step"},
                {"field": "w", "name": "w_mean", "time": "mean", "every": "10 s"},
                {"field": "t", "name": "t_mean", "time": "mean", "every": "10 s"},
            ],
        }
    },
}
FIELDS = [
    field("w", "les", units="m s-1", standard_name="upward_air_velocity", long_name="vertical wind"),
    field("t", "ico", "float32", units="K", standard_name="air_temperature", long_name="temperature"),
]
SCENARIO = {"grids": [block_grid(shape=SHAPE), indexed_grid(mesh=True)], "fields": FIELDS, "times": TIMES}


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    job = Job(tmp_path_factory.mktemp("readers"))
    return job(model(2, **SCENARIO), servers(2), config=CONFIG).finished().path("out.nc")


def by_netcdf4(path: Path) -> np.ndarray:
    with netCDF4.Dataset(path) as data:
        data.set_auto_maskandscale(False)
        return data["w"][:]


def by_h5netcdf(path: Path) -> np.ndarray:
    with h5netcdf.File(path, "r") as data:
        return data["w"][:]


def by_xarray(engine: str):
    def read(path: Path) -> np.ndarray:
        with xr.open_dataset(path, engine=engine) as data:
            return data.w.values

    return read


def by_ncdump(path: Path) -> np.ndarray:
    done = subprocess.run(["ncdump", "-p", "9,17", "-v", "w", str(path)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    numbers = done.stdout.split("\n w =", 1)[1].split(";", 1)[0]
    return np.array([float(number) for number in numbers.split(",")]).reshape(-1, *SHAPE)


READERS = {
    "netCDF4": by_netcdf4,
    "h5netcdf": by_h5netcdf,
    "xarray-netcdf4": by_xarray("netcdf4"),
    "xarray-h5netcdf": by_xarray("h5netcdf"),
    "ncdump": by_ncdump,
}


def expected(count: int) -> np.ndarray:
    return np.array([put_values(0, SHAPE, TIMES[i], i + 1) for i in range(count)])


@pytest.fixture(params=READERS)
def reader(request):
    if request.param == "ncdump" and not shutil.which("ncdump"):
        pytest.skip("ncdump is not installed")
    return READERS[request.param]


def test_each_reader_sees_the_same_values(written, reader):
    np.testing.assert_array_equal(reader(written), expected(len(TIMES)))


def test_xarray_understands_time_and_coordinates(written):
    with xr.open_dataset(written) as data:
        time_dim = data.w.dims[0]
        assert str(data[time_dim].values[0])[:10] == "2026-01-01"
        np.testing.assert_array_equal(data.x.values, 50.0 * np.arange(SHAPE[2]))
        assert data.z.attrs["standard_name"] == "height"
        assert data.w.attrs["units"] == "m s-1"
        assert "mean" in data.w_mean.attrs["cell_methods"]


def test_unstructured_grid_is_ugrid(written):
    with netCDF4.Dataset(written) as data:
        t = data["t_mean"]
        mesh = data[t.mesh]
        assert (mesh.cf_role, t.location) == ("mesh_topology", "face")
        nodes = data[mesh.face_node_connectivity]
        first = getattr(nodes, "start_index", 0)
        faces = np.arange(nodes.shape[0])
        strip = np.stack([faces, faces + 1, faces + 2], axis=1)
        strip[::2] = strip[::2][:, [0, 2, 1]]  # declared clockwise
        np.testing.assert_array_equal(nodes[:] - first, strip)


def test_checkers_find_no_error(written):
    assert complaints(written) == []


def read_between_commits(reader, folder: Path) -> np.ndarray | None:
    """Returns what the reader sees, or waits and returns None if a commit came in between, over which a reader of HDF5
    may trip. The line of a commit follows the commit."""
    before = commits(folder)
    with contextlib.suppress(OSError, RuntimeError, ValueError):
        values = reader(folder / "out.nc")
        if commits(folder) == before and np.array_equal(values, expected(len(values))):
            return values
    end = time.monotonic() + 1.0
    while commits(folder) == before:
        assert time.monotonic() < end, "no commit came in between, and yet the file could not be read"
        time.sleep(0.01)
    return None


def test_between_commits_of_a_running_job(job, reader):
    seldom = copy.deepcopy(CONFIG)
    seldom["output"]["out.nc"]["write_every"] = "6 steps"
    for pace in (0.2, 0.6, 2.0):  # a commit every 6 steps: a slow run leaves a slow reader enough time between commits
        seen = []
        with job.start(model(2, **SCENARIO, pace=pace), servers(1), config=seldom) as running:
            while running.alive() and len(set(seen)) < 4:
                promised = commits(running.folder).get("out.nc")
                values = read_between_commits(reader, running.folder) if promised else None
                if values is not None:
                    assert len(values) >= max(promised.values())  # there are more steps than windows
                    seen.append(len(values))
                time.sleep(0.02)
            if pace == 0.2:
                running.wait().finished()
        assert seen == sorted(seen)
        if len(set(seen)) > 2:
            return
    pytest.fail(f"the file was not seen growing: {seen}")


def test_an_open_reader_does_not_disturb_the_writer(job):
    with job.start(model(2, **SCENARIO, pace=0.01), servers(1), config=CONFIG) as running:
        while "out.nc" not in commits(running.folder):
            assert running.alive()
            time.sleep(0.01)
        with netCDF4.Dataset(running.folder / "out.nc") as held, h5netcdf.File(running.folder / "out.nc", "r") as too:
            assert len(held["w"]) > 0
            assert too["w"].shape[0] > 0
            result = running.wait().finished()
    np.testing.assert_array_equal(by_netcdf4(result.path("out.nc")), expected(len(TIMES)))
