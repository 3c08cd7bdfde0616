"""CF metadata from a model and a configuration, in files as stock readers and checkers see them."""

import json

import netCDF4
import numpy as np
import pytest
import xarray as xr
from support.checkers import complaints
from support.harness import (
    Job,
    Running,
    attached,
    block_grid,
    field,
    indexed_grid,
    inline,
    model,
    mpi_environment,
    servers,
)
from support.programs import build_program
from support.reading import differences, every_bit, read
from support.values import put_values, varying_times

TIMES = varying_times(12, seed=9)
SHAPE = (4, 5, 7)
LEVELS = {"dims": ["lev"], "spacing": 2.0, "vertices": 2}
ATMOSPHERE = {
    **block_grid("atm", SHAPE, split=("y", "x"), dims=("lev", "y", "x")),
    "coordinates": [
        {"name": "lev", "units": "1", "first": 1.0, "vertices": 2, "attributes": {"positive": "down"}}
        | {"standard_name": "atmosphere_hybrid_sigma_pressure_coordinate"},
        {"name": "ap", "units": "Pa", "long_name": "pressure at levels", **LEVELS},
        {"name": "b", "units": "1", "long_name": "sigma at levels", **LEVELS},
        {"name": "p0", "units": "Pa", "long_name": "reference pressure", "first": 1e5, "scalar": True},
        {"name": "y", "units": "degrees", "standard_name": "grid_latitude", "spacing": 0.5, "computed_bounds": True},
        {"name": "x", "units": "degrees", "standard_name": "grid_longitude", "spacing": 0.5, "vertices": 2},
        {"name": "lat", "dims": ["y", "x"], "units": "degrees_north", "standard_name": "latitude", "part": True}
        | {"first": 40.0, "spacing": 0.25, "vertices": 4},
        {"name": "lon", "dims": ["y", "x"], "units": "degrees_east", "standard_name": "longitude", "spacing": 0.25}
        | {"vertices": 4},
        {"name": "area", "dims": ["y", "x"], "units": "m2", "standard_name": "cell_area", "measure": "area"}
        | {"first": 1e6, "spacing": 10.0, "part": True},
    ],
    "grid_mapping": {
        "grid_mapping_name": "rotated_latitude_longitude",
        "attributes": {"grid_north_pole_latitude": [39.25], "grid_north_pole_longitude": [-162.0]},
    },
}
ATMOSPHERE["coordinates"][0]["attributes"]["formula_terms"] = "ap: ap b: b ps: ps"
SURFACE = {
    **ATMOSPHERE,
    "name": "surface",
    "dims": ["y", "x"],
    "shape": list(SHAPE[1:]),
    "coordinates": ATMOSPHERE["coordinates"][4:],
}
FLAGS = {"flag_values": [0, 1, 2], "flag_meanings": "clear cloud rain", "valid_range": [0, 2]}
FIELDS = [
    field("t", "atm", "float32", units="K", standard_name="air_temperature", attributes={"valid_range": [100, 400]}),
    field("ps", "surface", units="Pa", standard_name="surface_air_pressure"),
    field("sky", "surface", "int32", units="1", long_name="state of the sky", attributes=FLAGS),
]
HEIGHT = {"height": {"value": 2, "units": "m", "standard_name": "height", "attributes": {"positive": "up"}}}
CONFIG = {
    "model_time": {"calendar": "standard", "start": "2026-01-01"},
    "fields": {"state": {"every": "1 step", "names": ["t", "ps", "sky"]}},
    "diagnostics": {
        "t_mean": {"is": "mean(t, y, x)", "units": "K", "standard_name": "air_temperature"}
        | {"attributes": {"comment": "of the whole domain", "valid_min": 100}},
        "t_largest": {"is": "max(t, lev)", "units": "K", "long_name": "largest temperature of a column"},
    },
    "output": {
        "fields.nc": {
            "variables": [
                {"field": "t", "every": "1 step"},
                {"field": "ps", "every": "1 step"},
                {"field": "sky", "every": "1 step"},
                {"field": "t_mean", "every": "1 step"},
                {"field": "t_largest", "every": "1 step", "coordinates": HEIGHT},
            ],
        },
        "means.nc": {
            "variables": [
                {"field": "t", "time": "mean", "every": "5 s"},
                {"field": "ps", "time": "mean", "every": "5 s", "attributes": {"cell_methods": "area: mean"}},
                {"field": "t_mean", "time": "mean", "every": "5 s"},
            ],
        },
    },
}
SCENARIO = {"grids": [ATMOSPHERE, SURFACE], "fields": FIELDS, "times": TIMES}


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    job = Job(tmp_path_factory.mktemp("cf"))
    return job(model(3, **SCENARIO), servers(2), config=CONFIG).finished()


def even(first: float, spacing: float, *shape: int) -> np.ndarray:
    return first + spacing * np.arange(np.prod(shape)).reshape(shape)


def ends(values: np.ndarray, spacing: float, vertices: int) -> np.ndarray:
    return values[..., None] + spacing * (np.arange(vertices) / (vertices - 1) - 0.5)


def test_coordinates_and_their_bounds(written):
    data = read(written.path("fields.nc"))
    lat = even(40.0, 0.25, *SHAPE[1:])
    np.testing.assert_array_equal(data.lat.values, lat)
    np.testing.assert_array_equal(data[data.lat.attrs["bounds"]].values, ends(lat, 0.25, 4))
    np.testing.assert_array_equal(data[data.lon.attrs["bounds"]].values, ends(even(0.0, 0.25, *SHAPE[1:]), 0.25, 4))
    np.testing.assert_array_equal(data[data.y.attrs["bounds"]].values, ends(even(0.0, 0.5, SHAPE[1]), 0.5, 2))
    np.testing.assert_array_equal(data[data.x.attrs["bounds"]].values, ends(even(0.0, 0.5, SHAPE[2]), 0.5, 2))
    np.testing.assert_array_equal(data.area.values, even(1e6, 10.0, *SHAPE[1:]))
    with netCDF4.Dataset(written.path("fields.nc")) as raw:
        assert set(raw["t"].coordinates.split()) == {"lat", "lon", "p0"}
        assert set(raw["ps"].coordinates.split()) == {"lat", "lon"}, "both grids have the same ones, in parts"
        assert set(raw["t_largest"].coordinates.split()) == {"lat", "lon", "p0", "height"}
        measured = [raw[name].cell_measures for name in ("t", "ps", "t_largest")]
        assert measured == ["area: area"] * 3
        assert raw["t_largest"].grid_mapping == "crs"
        assert not hasattr(raw["t_mean"], "grid_mapping")
        mapping = raw[raw["t"].grid_mapping]
        assert raw["ps"].grid_mapping == raw["t"].grid_mapping == "crs"
        assert (mapping.grid_mapping_name, mapping.grid_north_pole_latitude) == ("rotated_latitude_longitude", 39.25)
        assert raw.Conventions == "CF-1.12"


def test_levels_are_computed_from_their_terms(written):
    with netCDF4.Dataset(written.path("fields.nc")) as data:
        terms = dict(zip(*[iter(data["lev"].formula_terms.split())] * 2, strict=True))
        assert terms == {"ap:": "ap", "b:": "b", "ps:": "ps"}
        pressure = data["ap"][:][:, None, None] + data["b"][:][:, None, None] * data["ps"][2]
        ps = put_values(1, SHAPE[1:], TIMES[2], 3)
        np.testing.assert_array_equal(pressure, even(0.0, 2.0, 4)[:, None, None] * (1 + ps))
        assert data["lev_bnds"].formula_terms == "ap: ap_bnds b: b_bnds ps: ps"


def test_attributes_have_the_type_of_the_variable(written):
    with netCDF4.Dataset(written.path("fields.nc")) as data:
        assert data["t"].valid_range.dtype == data["t"].dtype == np.float32
        assert data["sky"].flag_values.dtype == data["sky"].valid_range.dtype == np.int32
        assert data["sky"].flag_values.tolist() == [0, 1, 2]
        assert data["t_mean"].valid_min.dtype == np.float64
        assert data["t_mean"].comment == "of the whole domain"


def test_cell_methods_of_space_and_time(written):
    with netCDF4.Dataset(written.path("fields.nc")) as data, netCDF4.Dataset(written.path("means.nc")) as means:
        assert data["t"].cell_methods == "time: point"
        assert data["t_mean"].cell_methods == "area: mean time: point"
        assert means["t_mean"].cell_methods == "area: mean time: mean"
        assert means["ps"].cell_methods == "area: mean time: mean"
        name = "atmosphere_hybrid_sigma_pressure_coordinate"
        assert data["t_largest"].cell_methods == f"{name}: maximum time: point"


def test_scalar_coordinates_of_one_variable(written):
    with netCDF4.Dataset(written.path("fields.nc")) as data:
        assert "height" in data["t_largest"].coordinates.split()
        assert "height" not in data["t"].coordinates.split()
        assert (data["height"][...], data["height"].units, data["height"].positive) == (2.0, "m", "up")


OF_ONE_FIELD = """
import numpy as np
import tailrace
from mpi4py import MPI

with tailrace.Session.start(MPI.COMM_WORLD, "tailrace.yaml", component="sky") as io:
    if not io.is_server():
        rank = io.model_comm().rank
        io.grid("line", dims=["x"], shape=[7], offset=[4 * rank], count=[4 - rank])
        io.coordinate("line", "x", np.arange(7.0), units="m")
        for name, height in (("tas", 2.0), ("uas", 10.0), ("ps", None)):
            io.field(name, grid="line", units="1")
            if height:
                up = {"positive": "up"}
                io.coordinate(name, "height", height, units="m", bounds=[height - 1, height + 1], attributes=up)
        io.ready()
        for step in (1, 2, 3):
            io.step(step, 5.0 * step)
            for name in ("tas", "uas", "ps"):
                io.put(name, np.arange(4.0 - rank) + step)
"""


def test_scalar_coordinates_of_one_field(tmp_path):
    """They do not apply to other fields on the grid; if two in a file differ, one gets another name. Those of the
    configuration are added."""
    variables = [{"field": name, "every": "5 s"} for name in ("tas", "uas", "ps")]
    variables[0]["coordinates"] = {"band": {"value": 3, "units": "1", "long_name": "number of the band"}}
    fields = {"state": {"every": "1 step", "names": ["tas", "uas", "ps"]}}
    config = {"tailrace": 1, "servers": {"count": 1}, "fields": fields, "output": {"a.nc": {"variables": variables}}}
    (tmp_path / "tailrace.yaml").write_text(json.dumps(config))
    command = ["mpirun", "-n", "3", *build_program(tmp_path, "python", OF_ONE_FIELD)]
    with Running(command, tmp_path, mpi_environment()) as running:
        running.wait(60).finished()
    with xr.open_dataset(tmp_path / "a.nc", decode_times=False) as data:
        heights = {name: data[data[name].encoding["coordinates"].split()[0]] for name in ("tas", "uas")}
        assert {name: float(one) for name, one in heights.items()} == {"tas": 2.0, "uas": 10.0}
        assert heights["tas"].name != heights["uas"].name and heights["uas"].attrs["positive"] == "up"
        np.testing.assert_array_equal(data[heights["uas"].attrs["bounds"]], [9.0, 11.0])
        assert float(data["tas"].coords["band"]) == 3.0
        assert "coordinates" not in data["ps"].encoding
    assert complaints(tmp_path / "a.nc") == []


def test_checkers_find_no_error(written):
    assert complaints(written.path("fields.nc"), written.path("means.nc")) == []


@pytest.mark.parametrize(("ranks", "serving"), [(1, inline()), (5, attached())])
def test_the_same_bits_from_other_ranks_and_servers(written, job, ranks, serving):
    other = job(model(ranks, **SCENARIO), serving, config=CONFIG).finished()
    for name in ("fields.nc", "means.nc"):
        assert differences(every_bit(other.path(name)), every_bit(written.path(name))) == []


# The numbers of edges and nodes of the mesh of `ico`, a strip of triangles.
CELLS = 19
PLANE = {
    "grids": [
        {**indexed_grid("ico", (2, CELLS), mesh=True), "node_units": "m"},
        {"name": "edges", "kind": "indexed", "dims": ["edge"], "shape": [CELLS + 1], "indexed_dim": "edge"}
        | {"mesh_location": "edge"},
        {"name": "nodes", "kind": "indexed", "dims": ["corner"], "shape": [CELLS + 2], "indexed_dim": "corner"}
        | {"mesh_location": "node"},
    ],
    "fields": [
        field("t", "ico", units="K", standard_name="air_temperature"),
        field("flow", "edges", units="m s-1", long_name="flow across edges"),
        field("height", "nodes", units="m", standard_name="surface_altitude"),
    ],
    "times": TIMES[:3],
}
for one in PLANE["grids"][0]["coordinates"][:2]:  # lon and lat are lengths in a plane
    axis = {"lon": "x", "lat": "y"}[one["name"]]
    one |= {"name": f"centre_{axis}", "units": "m", "standard_name": f"projection_{axis}_coordinate"}
EVERY = [{"field": name, "every": "1 step"} for name in ("t", "flow", "height")]
COLUMNS = {"field": "column", "every": "1 step"}


def on_mesh(*variables: dict) -> dict:
    names = [one["field"] for one in EVERY]
    return {
        "fields": {"state": {"every": "1 step", "names": names}},
        "diagnostics": {"column": {"is": "mean(t, level)"}},
        "output": {"mesh.nc": {"variables": list(variables)}},
    }


def test_edges_and_nodes_of_a_mesh_in_a_plane(job):
    result = job(model(3, **PLANE), servers(2), config=on_mesh(*EVERY, COLUMNS)).finished()
    cells = np.arange(CELLS)
    with netCDF4.Dataset(result.path("mesh.nc")) as data:
        mesh = data["mesh"]
        x, y = (data[name] for name in mesh.node_coordinates.split())
        assert (x.units, x.standard_name) == ("m", "projection_x_coordinate")
        located = [data[name].location for name in ("t", "column", "flow", "height")]
        assert located == ["face", "face", "edge", "node"]
        assert all(data[name].mesh == "mesh" for name in ("t", "column", "flow", "height"))
        assert data["column"].coordinates == data["t"].coordinates
        assert data["column"].cell_methods == "height: mean time: point"
        assert data["height"].dimensions[1:] == x.dimensions
        assert data["flow"].dimensions[1] == mesh.edge_dimension
        edges = np.arange(CELLS + 1)
        np.testing.assert_array_equal(data[mesh.edge_node_connectivity][:], np.stack([edges, edges + 1], axis=1))
        faces = data[mesh.face_node_connectivity][:].data
        np.testing.assert_array_equal(np.sort(faces, axis=1), np.stack([cells, cells + 1, cells + 2], axis=1))
        a, b, c = (np.stack([x[:].data[faces[:, i]], y[:].data[faces[:, i]]]) for i in range(3))
        areas = (b - a)[0] * (c - a)[1] - (b - a)[1] * (c - a)[0]
        assert (areas > 0).all(), "every other face was given clockwise"
        np.testing.assert_array_equal(data["flow"][1], put_values(1, (CELLS + 1,), TIMES[1], 2))
    assert complaints(result.path("mesh.nc")) == []


def test_a_file_of_edges_alone_has_the_whole_mesh(job):
    result = job(model(2, **PLANE), servers(1), config=on_mesh(EVERY[1])).finished()
    assert complaints(result.path("mesh.nc")) == []
    with netCDF4.Dataset(result.path("mesh.nc")) as data:
        assert data[data["mesh"].face_node_connectivity].shape == (CELLS, 3)
