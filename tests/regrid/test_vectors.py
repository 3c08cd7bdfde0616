"""Vectors that are regridded: the flow of a solid body over the pole, whose components have no values that would do for
two cells on the two sides of it."""

import subprocess
import sys

import netCDF4
import numpy as np
import pytest

SPACING = 1.0  # degrees of the model's grid
AXIS = np.array([0.6, 0.7, 0.3])  # of the rotation; the pole moves with nearly one metre a second
MODEL = """
import sys
import numpy as np
import tailrace
from mpi4py import MPI

grid = dict(np.load("grid.npz"))
ny, nx = grid["u"].shape
with tailrace.Session.start(MPI.COMM_WORLD, "run.yaml", component="model") as io:
    io.grid("cap", dims=["lev", "y", "x"], shape=[2, ny, nx], offset=[0, 0, 0], count=[2, ny, nx])
    for name, way in (("lat", "north"), ("lon", "east")):
        io.coordinate("cap", name, grid[name], dims=["y", "x"], units="degrees_" + way)
    if "angle" in grid:
        io.coordinate("cap", "angle", grid["angle"], dims=["y", "x"], units="degree",
                      standard_name="angle_of_rotation_from_east_to_x")
    if "rlat" in grid:
        for name, dim, standard in (("rlat", "y", "grid_latitude"), ("rlon", "x", "grid_longitude")):
            io.coordinate("cap", name, grid[name], dims=[dim], units="degrees", standard_name=standard)
        io.grid_mapping("cap", "rotated_latitude_longitude",
                        attributes={"grid_north_pole_latitude": 0.0, "grid_north_pole_longitude": 25.0})
    for name, way in (("u", "x"), ("v", "y")):
        io.field(name, grid="cap", units="m s-1", standard_name=way + "_wind", fill_value=-9e9)
    io.ready()
    for step in (1, 2):
        io.step(step, 3600.0 * step)
        for name in ("u", "v"):
            io.put(name, step * np.stack((grid[name], -grid[name])))
"""


def place(lat, lon):
    p, m = np.radians(lat), np.radians(lon)
    return np.stack((np.cos(p) * np.cos(m), np.cos(p) * np.sin(m), np.sin(p)))


def directions(lat, lon):
    """The unit vectors of true east and north."""
    p, m = np.radians(lat), np.radians(lon)
    east = np.stack((-np.sin(m), np.cos(m), 0 * m))
    return east, np.stack((-np.sin(p) * np.cos(m), -np.sin(p) * np.sin(m), np.cos(p)))


def flow(points):
    return np.cross(AXIS, points, axisb=0, axisc=0)


def cap():
    """A grid of a rotated pole on the equator, so that its middle is the North Pole; none of its points is the pole."""
    rlat, rlon = np.arange(-15.5, 15, SPACING), np.arange(-16.5, 18, SPACING)
    b, a = np.radians(np.meshgrid(rlat, rlon, indexing="ij"))
    pole, start = place(0.0, 25.0), place(90.0, 205.0)
    axes = np.stack((start, np.cross(pole, start), pole), axis=1)  # of the rotated sphere
    points = np.einsum("ij,jyx->iyx", axes, np.stack((np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b))))
    along_x = np.einsum("ij,jyx->iyx", axes, np.stack((-np.sin(a), np.cos(a), 0 * a)))
    along_y = np.cross(points, along_x, axisa=0, axisb=0, axisc=0)
    lat, lon = np.degrees(np.arcsin(points[2])), np.degrees(np.arctan2(points[1], points[0]))
    east, north = directions(lat, lon)
    angle = np.degrees(np.arctan2((along_x * north).sum(0), (along_x * east).sum(0)))
    wind = flow(points)
    components = {"u": (wind * along_x).sum(0), "v": (wind * along_y).sum(0)}
    return dict(lat=lat, lon=lon, rlat=rlat, rlon=rlon, angle=angle) | components


def run(folder, grid, vectors="vectors: [[u, v]]", method="bilinear"):
    np.savez(folder / "grid.npz", **grid)
    (folder / "model.py").write_text(MODEL)
    (folder / "run.yaml").write_text(
        "tailrace: 1\nservers: {mode: inline}\nmodel_time: {calendar: standard, start: 2000-01-01}\n"
        "fields: {state: {names: [u, v], every: 1 step}}\noutput:\n  a.nc:\n"
        f"    regrid: {{to: {{healpix: {{level: 5}}}}, method: {method}, {vectors}}}\n    variables:\n"
        "      - {field: u, time: snapshot, every: 1 h}\n      - {field: v, time: snapshot, every: 1 h}\n"
        "      - {field: u, name: u_mean, time: mean, every: 2 h}\n"
    )
    return subprocess.run([sys.executable, "model.py"], cwd=folder, capture_output=True, text=True, timeout=300)


def errors(folder, name="u", factor=1.0, record=0):
    """By target cell: its distance from the pole in degrees, and the error of the component relative to the flow."""
    with netCDF4.Dataset(folder / "a.nc") as data:
        values = np.ma.filled(data[name][record], np.nan).astype(float)
        standard_name = data[name].standard_name
    (weights,) = (folder / ".tailrace" / "weights").glob("*.nc")
    with netCDF4.Dataset(weights) as data:
        lat, lon = data["dst_grid_center_lat"][:].data, data["dst_grid_center_lon"][:].data
    east, north = directions(lat, lon)
    expected = (flow(place(lat, lon)) * (east if name.startswith("u") else north)).sum(0) * factor
    assert standard_name == ("eastward_wind" if name.startswith("u") else "northward_wind")
    np.testing.assert_array_equal(values[1], -values[0])
    there = np.isfinite(values[0])
    assert 100 < there.sum() < 4000
    return 90 - lat[there], np.abs(values[0] - expected)[there] / factor


@pytest.mark.parametrize("told_by", ["angle", "mapping"])
def test_a_flow_over_the_pole(tmp_path, told_by):
    grid = cap()
    for name in ("rlat", "rlon") if told_by == "angle" else ("angle",):
        del grid[name]
    done = run(tmp_path, grid)
    assert done.returncode == 0, done.stderr
    for name in ("u", "v"):
        distance, error = errors(tmp_path, name)
        assert distance.min() < 1.6
        assert error.max() < 1e-4, "of second order in the spacing, at the pole too"
        assert errors(tmp_path, name, 2.0, 1)[1].max() < 1e-4
    assert errors(tmp_path, "u_mean", 1.5)[1].max() < 1e-4


def test_grids_that_do_not_tell_their_angle(tmp_path):
    grid = cap()
    for name in ("rlat", "rlon", "angle"):
        del grid[name]
    done = run(tmp_path, grid)
    assert done.returncode != 0
    assert 'the grid "cap" of "u" does not tell where its x direction points' in done.stderr
