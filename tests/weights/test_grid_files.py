"""Grids of NetCDF files: CF, UGRID, SCRIP, HEALPix."""

import netCDF4
import numpy as np
import pytest
from support.weights import icosahedron, lat_lon_of, needs_yac, rotated_lat_lon
from tailrace.weights.errors import WeightsError
from tailrace.weights.grid_files import read_grid
from tailrace.weights.grids import Cells, Healpix, LatLon
from tailrace.weights.methods import make_rows

NODES, FACES = icosahedron(1)


def write(path, dims, variables, kind="NETCDF4"):
    """`variables`: name -> (dims, values, attributes); a `_FillValue` among them is that of the file."""
    with netCDF4.Dataset(path, "w", format=kind) as file:
        for name, length in dims.items():
            file.createDimension(name, length)
        for name, (on, values, attributes) in variables.items():
            fill = attributes.pop("_FillValue", None)
            values = np.asarray(values)
            file.createVariable(name, values.dtype, on, fill_value=fill)[...] = values
            file[name].setncatts(attributes)
    return path


NORTH, EAST = {"units": "degrees_north"}, {"units": "degrees_east"}


@pytest.mark.parametrize("kind", ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF4"])
def test_rows_and_columns(tmp_path, kind):
    lat, lon = np.array([60.0, 20.0, -10.0]), np.array([0.0, 90.0, 180.0, 270.0])
    bounds = np.array([[80, 40], [40, 5], [5, -30.0]])
    variables = {
        "data": (("lat", "lon"), np.zeros((3, 4)), {}),
        "lon": (("lon",), lon, dict(EAST)),
        "lat": (("lat",), lat, {**NORTH, "bounds": "lat_bnds"}),
        "lat_bnds": (("lat", "two"), bounds, {}),
    }
    grid = read_grid(write(tmp_path / "g.nc", {"lat": 3, "lon": 4, "two": 2}, variables, kind))
    assert isinstance(grid, LatLon) and grid.shape == (3, 4) and grid.is_cyclic
    assert grid.north.tolist() == [80, 40, 5] and grid.south.tolist() == [40, 5, -30]
    assert grid.areas().sum() == pytest.approx(2 * np.pi * (np.sin(np.radians(80)) + 0.5), rel=1e-14)


@pytest.mark.parametrize("units", ["degrees", "radians"])
def test_curvilinear(tmp_path, units):
    (lat, lon), (lat_corners, lon_corners) = rotated_lat_lon(5, 8)
    turn = np.radians if units == "radians" else np.asarray
    variables = {
        "south": (
            ("y", "x"),
            turn(lat.reshape(5, 8)),
            {"standard_name": "latitude", "units": units, "bounds": "b_lat"},
        ),
        "west": (
            ("y", "x"),
            turn(lon.reshape(5, 8)),
            {"standard_name": "longitude", "units": units, "bounds": "b_lon"},
        ),
        "b_lat": (("y", "x", "four"), turn(lat_corners.reshape(5, 8, 4)), {}),
        "b_lon": (("y", "x", "four"), turn(lon_corners.reshape(5, 8, 4)), {}),
    }
    grid = read_grid(write(tmp_path / "g.nc", {"y": 5, "x": 8, "four": 4}, variables))
    assert isinstance(grid, Cells) and grid.shape == (5, 8) and not grid.parallels
    assert np.abs(grid.lat - lat).max() < 1e-12 and np.abs(grid.lat_corners - lat_corners).max() < 1e-12
    assert grid.areas().sum() == pytest.approx(4 * np.pi, rel=1e-12)


def test_two_dimensional_lat_lon_has_parallels(tmp_path):
    """Edges along parallels are those of boxes, however coordinates are stored."""
    boxes = LatLon(np.linspace(-75, 75, 6), np.arange(7) * 360 / 7)
    lat_corners, lon_corners = boxes.corners()
    grid = Cells(boxes.shape, *boxes.centres(), lat_corners, lon_corners)
    assert grid.parallels and np.abs(grid.areas() / boxes.areas() - 1).max() < 1e-13


def mesh(start=0, transposed=False, square=True):
    """Triangles, and one quadrangle of two of them if `square`."""
    lat, lon = lat_lon_of(NODES)
    faces = FACES.tolist()
    if square:
        other = next(k for k in range(1, len(faces)) if len(set(faces[0]) & set(faces[k])) == 2)
        fourth = next(node for node in faces[other] if node not in faces[0])
        at = next(k for k in range(3) if {faces[0][k], faces[0][(k + 1) % 3]} <= set(faces[other]))
        faces[0] = [*faces[0][: at + 1], fourth, *faces[0][at + 1 :]]
        del faces[other]
    table = np.array([[*(node + start for node in face), *[-1] * (4 - len(face))] for face in faces], np.int32)
    on = ("corner", "face") if transposed else ("face", "corner")
    topology = {"cf_role": "mesh_topology", "topology_dimension": 2, "node_coordinates": "node_lon node_lat",
                "face_node_connectivity": "faces", "face_dimension": "face"}  # fmt: skip
    variables = {
        "mesh": ((), np.int32(0), topology),
        "node_lat": (("node",), lat, dict(NORTH)),
        "node_lon": (("node",), lon, dict(EAST)),
        "faces": (on, table.T if transposed else table, {"_FillValue": np.int32(-1), "start_index": np.int32(start)}),
    }
    return {"node": len(lat), "face": len(table), "corner": 4}, variables


@pytest.mark.parametrize(("start", "transposed"), [(0, False), (1, False), (0, True)])
def test_meshes(tmp_path, start, transposed):
    grid = read_grid(write(tmp_path / "g.nc", *mesh(start, transposed)))
    assert grid.shape == (79,) and grid.corners()[0].shape == (79, 4)
    areas = grid.areas()
    assert areas.sum() == pytest.approx(4 * np.pi, rel=1e-12)
    assert areas[0] > 1.5 * np.median(areas)
    # The centre of a face is the middle of its nodes, each counted once.
    middle = lat_lon_of(NODES[FACES[-1]].sum(axis=0))
    assert np.allclose([grid.lat[-1], grid.lon[-1]], middle, atol=1e-9)


@needs_yac
def test_a_mesh_keeps_constants(tmp_path):
    grid = read_grid(write(tmp_path / "g.nc", *mesh()))
    rows = make_rows(grid, Healpix(1, "ring"), "conservative", 0, 48).rows
    assert np.abs(rows.sums() - 1).max() < 1e-12


@pytest.mark.parametrize("units", ["degrees", "radians"])
def test_scrip(tmp_path, units):
    (lat, lon), (lat_corners, lon_corners) = rotated_lat_lon(5, 8)
    turn = np.radians if units == "radians" else np.asarray
    variables = {"grid_dims": (("rank",), np.array([8, 5], np.int32), {})}
    for name, values in (("center_lat", lat), ("center_lon", lon)):
        variables[f"grid_{name}"] = (("size",), turn(values), {"units": units})
    for name, values in (("corner_lat", lat_corners), ("corner_lon", lon_corners)):
        variables[f"grid_{name}"] = (("size", "corners"), turn(values), {"units": units})
    grid = read_grid(write(tmp_path / "g.nc", {"rank": 2, "size": 40, "corners": 4}, variables))
    assert grid.shape == (5, 8) and np.abs(grid.lon - lon).max() < 1e-12
    assert grid.areas().sum() == pytest.approx(4 * np.pi, rel=1e-12)


@pytest.mark.parametrize(
    ("attributes", "name"),
    [
        ({"refinement_level": np.int32(4), "indexing_scheme": "nested"}, "healpix level 4 nested"),
        ({"healpix_nside": np.int32(8), "healpix_order": "ring"}, "healpix level 3 ring"),
        ({"nside": np.int32(8), "healpix_order": "nest"}, "healpix level 3 nested"),
    ],
)
def test_healpix_by_its_grid_mapping(tmp_path, attributes, name):
    mapping = {"crs": ((), np.int32(0), {"grid_mapping_name": "healpix", **attributes})}
    assert read_grid(write(tmp_path / "g.nc", {}, mapping)).name == name


def refused(path):
    with pytest.raises(WeightsError) as caught:
        read_grid(path)
    assert str(path) in str(caught.value)
    return str(caught.value)


def test_grids_that_are_refused(tmp_path):
    path = tmp_path / "g.nc"
    write(path, {"x": 3}, {"pressure": (("x",), np.ones(3), {"units": "Pa"})})
    lacks = "has no variable with the standard_name latitude, no mesh of UGRID and no grid of SCRIP"
    assert refused(path) == f"{path}: {lacks}; its variables: pressure"
    write(path, {"x": 3, "y": 2}, {"lat": (("y", "x"), np.ones((2, 3)), {}), "lon": (("x",), np.ones(3), {})})
    assert "lat and lon are not along the same one or two dimensions" in refused(path)
    values = np.array([10.0, -9e33, 30.0])
    filled = (("x",), values, {**NORTH, "_FillValue": -9e33})
    write(path, {"x": 3}, {"lat": filled, "lon": (("x",), values, dict(EAST))})
    assert refused(path).endswith("cell 1: the coordinates of its centre are not numbers")
    dims, variables = mesh()
    variables["faces"][1][5, 1] = 4711
    write(path, dims, variables)
    assert refused(path) == f"{path}: cell 5 has the node 4711, which is out of range (there are 42)"
    dims, variables = mesh()
    variables["faces"][1][5] = [1, 2, -1, -1]
    write(path, dims, variables)
    assert refused(path) == f"{path}: cell 5 has fewer than 3 nodes"
    dims, variables = mesh()
    del variables["node_lat"]
    write(path, dims, variables)
    assert refused(path) == f"{path}: there is no variable node_lat, which the mesh names"
    scrip = {"grid_dims": (("rank",), np.array([3, 2], np.int32), {})}
    scrip |= {f"grid_center_{axis}": (("size",), np.ones(5), {"units": "degrees"}) for axis in ("lat", "lon")}
    write(path, {"rank": 2, "size": 5}, scrip)
    assert refused(path) == f"{path}: grid_dims (3, 2) do not fit the 5 cells of grid_center_lat"
    level = {"crs": ((), np.int32(0), {"grid_mapping_name": "healpix"})}
    write(path, {}, level)
    assert refused(path) == f"{path}: grid mapping crs is HEALPix, but has no refinement_level"
    level["crs"][2]["healpix_nside"] = np.int32(7)
    write(path, {}, level)
    assert "grid mapping crs: 2.8" in refused(path)
    level["crs"][2].update({"refinement_level": np.int32(3), "indexing_scheme": "zuniq"})
    write(path, {}, level)
    assert refused(path) == f"{path}: grid mapping crs: the indexing_scheme 'zuniq' is unknown; expected nested or ring"
