"""Input that is regridded to a curvilinear grid and to a mesh whose places no rank knows as a whole: as NumPy makes it
of the weights, and with the same bits as where each rank has all coordinates, for any ranks and servers."""

import importlib.util
import shutil
import subprocess
import sys

import netCDF4
import numpy as np
from support.harness import TREE, find_errors, mpi_environment
from support.regridding import Weights
from support.weights import icosahedron, lat_lon_of, rotated_lat_lon, xyz_of

LAT, LON = np.linspace(-85.0, 85.0, 18), np.arange(5.0, 360.0, 10.0)
ROWS, COLUMNS = 12, 25
MODEL = """
import sys
import numpy as np
import tailrace
from mpi4py import MPI
from support.weights import icosahedron, lat_lon_of, rotated_lat_lon

rows, columns, is_whole = 12, 25, sys.argv[1] == "whole"
io = tailrace.Session.start(MPI.COMM_WORLD, "run.yaml", component="m")
if not io.is_server():
    rank, ranks = io.model_comm().rank, io.model_comm().size
    first, behind = rank * rows // ranks, (rank + 1) * rows // ranks
    own = slice(0, rows * columns) if is_whole else slice(first * columns, behind * columns)
    count = rows if is_whole else behind - first
    io.grid("rot", dims=["y", "x"], shape=[rows, columns], offset=[first, 0], count=[behind - first, columns])
    (lat, lon), (blat, blon) = rotated_lat_lon(rows, columns)
    for name, values, bounds, units in (("lat", lat, blat, "degrees_north"), ("lon", lon, blon, "degrees_east")):
        io.coordinate("rot", name, values[own].reshape(count, columns), dims=["y", "x"], units=units,
                      bounds=bounds[own].reshape(count, columns, 4))
    nodes, faces = icosahedron(2)
    node_lat, node_lon = lat_lon_of(nodes)
    cells = np.flatnonzero((np.arange(len(faces)) * 7) % (2 * ranks - 1) // 2 == (ranks - 1 - rank))
    used = np.arange(len(nodes)) if is_whole else np.unique(faces[cells])
    io.grid("ico", dims=["cell"], shape=[len(faces)], indexed_dim="cell", indices=cells)
    io.mesh("ico", node_lon[used], node_lat[used], faces[cells], node_indices=used, global_nodes=len(nodes))
    inputs = {name: io.input(name, grid=grid) for name, grid in (("r", "rot"), ("near", "rot"), ("v", "ico"))}
    for name, grid in (("r", "rot"), ("near", "rot"), ("v", "ico")):
        io.field(name + "_got", grid=grid)
    io.ready()
    for step in (1, 2, 3):
        io.step(step, 1800.0 * step)
        for name, handle in inputs.items():
            io.put(name + "_got", io.get(handle))
    io.finish()
"""
CONFIG = """
tailrace: 1
servers: {SERVERS, report: false}
model_time: {calendar: standard, start: 2000-01-01}
fields: {state: {every: 1 step, names: [r_got, near_got, v_got]}}
regrid: {cache: cache}
input:
  forcing:
    files: forcing.nc
    fields: {r: {variable: tos, regrid: {method: METHOD}}, near: {variable: tos, regrid: {method: nearest}}}
  mesh: {files: forcing.nc, fields: {v: {variable: tos, regrid: {method: nearest}}}}
output:
  got.nc: {variables: [{field: r_got, every: 1800 s}, {field: near_got, every: 1800 s}, {field: v_got, every: 1800 s}]}
"""


def values_of_file() -> np.ndarray:
    return np.random.default_rng(8).normal(280, 10, (3, len(LAT), len(LON)))


def write_forcing(path) -> None:
    with netCDF4.Dataset(path, "w") as data:
        for dim, axis, units in (
            ("time", np.arange(3.0), "hours since 2000-01-01"),
            ("lat", LAT, "degrees_north"),
            ("lon", LON, "degrees_east"),
        ):
            data.createDimension(dim, len(axis))
            data.createVariable(dim, "f8", (dim,))[:] = axis
            data[dim].units = units
        data.createVariable("tos", "f8", ("time", "lat", "lon"))[:] = values_of_file()


def run(folder, ranks: int, servers: str, how: str, method: str, model: str = MODEL, **environment: str):
    folder.mkdir(exist_ok=True)
    write_forcing(folder / "forcing.nc")
    (folder / "run.yaml").write_text(CONFIG.replace("SERVERS", servers).replace("METHOD", method))
    (folder / "model.py").write_text(model)
    command = ["mpirun", "-n", str(ranks), sys.executable, "model.py", how]
    env = mpi_environment(PYTHONPATH=str(TREE / "tests"), **environment)
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=240)


def play(folder, ranks: int, servers: str, how: str, method: str) -> dict[str, np.ndarray]:
    """The values that the model got: name -> (step, cell)."""
    done = run(folder, ranks, servers, how, method)
    assert done.returncode == 0, (find_errors(done.stdout), done.stdout, done.stderr)
    with netCDF4.Dataset(folder / "got.nc") as data:
        return {name: data[name][:].filled(np.nan).reshape(3, -1) for name in ("r_got", "near_got", "v_got")}


def at_steps() -> np.ndarray:
    """(step, cell of the file): between the hours of the file, as `time: linear` has it."""
    file = values_of_file().reshape(3, -1)
    return np.stack(((file[0] + file[1]) / 2, file[1], (file[1] + file[2]) / 2))


def nearest(lat, lon) -> np.ndarray:
    source = xyz_of(*(axis.ravel() for axis in np.meshgrid(LAT, LON, indexing="ij")))
    return at_steps()[:, np.argmax(xyz_of(lat, lon) @ source.T, axis=1)]


def test_cells_in_parts_are_those_of_the_whole(tmp_path):
    method = "conservative" if importlib.util.find_spec("yac") else "nearest"
    whole = play(tmp_path / "whole", 2, "mode: dedicated, count: 1", "whole", method)
    (lat, lon), _ = rotated_lat_lon(ROWS, COLUMNS)
    nodes, faces = icosahedron(2)
    np.testing.assert_allclose(whole["near_got"], nearest(lat, lon), rtol=1e-14)
    np.testing.assert_allclose(whole["v_got"], nearest(*lat_lon_of(nodes[faces].sum(axis=1))), rtol=1e-14)
    cache = tmp_path / "whole" / "cache"
    names = {one.name for one in cache.iterdir()}
    assert len(names) == (3 if method == "conservative" else 2), "no scratch folder is left"
    if method == "conservative":
        (weights,) = [one for one in map(Weights.of_file, cache.iterdir()) if len(one.source) > one.target_cells]
        np.testing.assert_allclose(whole["r_got"], weights.apply(at_steps()), rtol=1e-13)
    for ranks, servers in ((5, "mode: dedicated, count: 2"), (2, "mode: inline")):
        folder = tmp_path / f"parts{ranks}"
        shutil.copytree(cache, folder / "cache")
        parts = play(folder, ranks, servers, "parts", method)
        assert {name: got.tobytes() for name, got in parts.items()} == {
            name: got.tobytes() for name, got in whole.items()
        }, servers
        assert {one.name for one in (folder / "cache").iterdir()} == names, "the same weights, by their digests"


def test_a_latitude_beyond_a_pole_is_named(tmp_path):
    """All ranks learn it from the server that regrids, and nothing waits or is left."""
    before = "    for name, values, bounds"
    broken = MODEL.replace(before, f"    lat[7] = 95.0\n{before}", 1)
    done = run(tmp_path / "job", 5, "mode: dedicated, count: 2", "parts", "nearest", broken)
    text = done.stdout + done.stderr
    assert done.returncode != 0
    assert "run.yaml:10:14  input.forcing.fields.r" in text and "cell 7" in text and "95" in text, text
    left = [one.name for one in (tmp_path / "job" / "cache").iterdir() if one.suffix != ".nc"]
    assert left == [], "no more than the weights of the other entry, whose cells are right"


def test_a_rank_that_fails_before_it_gives_its_cells(tmp_path):
    """Its server passes on why, and the servers that wait for the cells do not wait any more."""
    fault = {"TAILRACE_FAULT_AT": "2:plan:throw"}
    done = run(tmp_path / "job", 5, "mode: dedicated, count: 2", "parts", "nearest", **fault)
    assert done.returncode != 0
    assert "plan" in done.stdout + done.stderr
    assert not (tmp_path / "job" / "cache").exists()
