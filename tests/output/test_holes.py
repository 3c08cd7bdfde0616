"""`grids: {ocean: {holes: missing}}`: cells that no rank holds are missing in all fields of the grid; compared with
NumPy over the cells that are held."""

import numpy as np
import pytest
import xarray as xr
from analytics.support.jobs import Case, worst
from support.harness import attached, inline, servers
from support.reading import differences, every_bit

STEPS, SHAPE = 4, (3, 8, 15)
RNG = np.random.default_rng(31)
SST = RNG.normal(280, 8, (STEPS, *SHAPE))
ICE = RNG.integers(0, 50, (STEPS, *SHAPE[1:])).astype(np.int32)
AREA = RNG.gamma(2, 1e6, SHAPE[1:])
LAT = np.linspace(-70, 70, 8)[:, None] + RNG.normal(0, 0.2, SHAPE[1:])
LON = np.linspace(0, 280, 15)[None, :] + RNG.normal(0, 0.2, SHAPE[1:])
LAND = np.zeros(SHAPE[1:], bool)
LAND[0:3, 0:4] = LAND[3:8, 9:15] = True
# The blocks of the sea that ranks hold, as (y, x, rows, columns), by rank.
SEA = {
    "two": [[(0, 4, 3, 11)], [(3, 0, 5, 9)]],
    "three": [[(0, 4, 3, 11)], [(3, 0, 5, 4)], [(3, 4, 5, 5)]],
    "five": [[(3, 0, 1, 9)], [(0, 4, 2, 6)], [(4, 0, 4, 9)], [(2, 4, 1, 11)], [(0, 10, 2, 5)]],
    "one, two blocks": [[(0, 4, 3, 11), (3, 0, 5, 9)]],
    "three, several blocks": [
        [(0, 4, 2, 6), (4, 0, 4, 9)],
        [(2, 4, 1, 11)],
        [(3, 6, 1, 3), (0, 10, 2, 5), (3, 0, 1, 6)],
    ],
    "five, an empty block": [
        [(3, 0, 1, 9)],
        [(0, 0, 0, 0), (0, 4, 2, 6), (0, 10, 2, 5)],
        [(0, 0, 0, 0)],
        [(4, 0, 2, 9), (6, 0, 2, 9)],
        [(2, 4, 1, 11)],
    ],
}
DIAGNOSTICS = {
    "mean_all": "mean(sst)",
    "mean_plane": "mean(sst, y, x, weights=area)",
    "total": "sum(sst, y)",
    "warmest": "max(sst)",
    "cells": "count(ice)",
    "spread": "std(ice)",
    "counts": "histogram(ice, low=0, high=50, bins=5)",
    "median": "quantile(ice, y, x, q=0.5)",
    "cut": "slice(sst, y=[0, 4], x=[2, 8])",
    "gradient": "diff(ice, x)",
    "north": "mean(mask(ice, lat > 0))",
    "filled": "where(isnan(ice), -1, ice)",
}
ICE_ONLY = {"write_every": "1 h", "variables": [{"field": "ice", "every": "1 step"}]}
MEAN = {"operation": "mean", "every": "2 s"}
DEEP = [
    {"field": "sst", "every": "1 step"},
    {"field": "sst", "name": "sst_mean", **MEAN},
    *({"field": name, "every": "1 step"} for name in DIAGNOSTICS if name != "filled"),
]
SURFACE = [  # with latitudes and longitudes
    {"field": "ice", "every": "1 step"},
    {"field": "ice", "name": "ice_mean", **MEAN},
    {"field": "area", "every": "once"},
    {"field": "filled", "every": "1 step"},
]


def on_grid(one: tuple[int, ...], levels: int = 0) -> list[list[int]]:
    y, x, rows, columns = one
    return [[0, y, x], [levels, rows, columns]] if levels else [[y, x], [rows, columns]]


def case(serving, layout: str = "three", coordinates: bool = True) -> Case:
    parts = SEA[layout]
    made = Case(len(parts), serving, STEPS)
    places = {
        "lat": (LAT.ravel(), "degrees_north", {"standard_name": "latitude", "dims": ["y", "x"], "part": True}),
        "lon": (LON.ravel(), "degrees_east", {"standard_name": "longitude", "dims": ["y", "x"], "part": True}),
    }
    places = places if coordinates else {}
    deep = [[on_grid(one, 3) for one in of_rank] for of_rank in parts]
    flat = [[on_grid(one) for one in of_rank] for of_rank in parts]
    made.grid("ocean", "zyx", SHAPE, blocks=deep)
    made.grid("surface", "yx", SHAPE[1:], blocks=flat, coordinates=places)
    made.field("area", np.broadcast_to(AREA, (STEPS, *SHAPE[1:])), grid="surface", units="m2")
    made.field("sst", SST, grid="ocean", units="K")
    return made.field("ice", ICE, grid="surface", units="1", fill_value=-1)


HOLES = {"ocean": {"holes": "missing"}, "surface": {"holes": "missing"}}


def configuration(made: Case, grids: dict | None = None, output: dict | None = None) -> dict:
    fields = {
        "state": {"every": "1 step", "names": ["sst", "ice"]},
        "fixed": {"every": "once", "names": ["area"]},
    }
    return made.configuration(
        DIAGNOSTICS if output is None else {},
        output=files() if output is None else output,
        fields=fields,
        grids=HOLES if grids is None else grids,
    )


def files(**options) -> dict:
    options = {"write_every": "1 h", "compression": "none"} | options
    return {"deep.nc": options | {"variables": DEEP}, "surface.nc": options | {"variables": SURFACE}}


def expected() -> dict[str, np.ndarray]:
    sst = np.ma.masked_array(SST, np.broadcast_to(LAND, SST.shape))
    ice = np.ma.masked_array(ICE.astype(float), np.broadcast_to(LAND, ICE.shape))
    of_step = [ice[step].compressed() for step in range(STEPS)]
    whole = {
        "sst": sst,
        "sst_mean": sst.reshape(2, 2, *SHAPE).mean(axis=1),
        "ice": ice,
        "ice_mean": ice.reshape(2, 2, *SHAPE[1:]).mean(axis=1),
        "area": np.ma.masked_array(AREA, LAND),
        "lat": np.ma.masked_array(LAT, LAND),
        "lon": np.ma.masked_array(LON, LAND),
        "mean_all": sst.mean(axis=(1, 2, 3)),
        "mean_plane": np.ma.average(sst, axis=(2, 3), weights=np.broadcast_to(AREA, SST.shape)),
        "total": sst.sum(axis=2),
        "warmest": sst.max(axis=(1, 2, 3)),
        "cells": np.full(STEPS, (~LAND).sum()),
        "spread": np.array([one.std() for one in of_step]),
        "counts": np.array([np.histogram(one, 5, (0, 50))[0] for one in of_step]),
        "median": np.array([np.quantile(one, 0.5) for one in of_step]),
        "cut": sst[:, :, 0:4, 2:8],
        "gradient": np.ma.masked_invalid(np.diff(ice.filled(np.nan), axis=2)),
        "north": np.array([ice[step][LAT > 0].mean() for step in range(STEPS)]),
        "filled": ice.filled(-1.0),
    }
    return {name: np.ma.filled(value, np.nan) for name, value in whole.items()}


def compare(folder) -> None:
    with (
        xr.open_dataset(folder / "deep.nc", decode_times=False) as deep,
        xr.open_dataset(folder / "surface.nc", decode_times=False) as surface,
    ):
        compare_all({**dict(deep.variables), **dict(surface.variables)})


def compare_all(data: dict) -> None:
    near = {"mean_all", "mean_plane", "total", "spread", "north", "sst_mean", "ice_mean"}
    wrong = {name: worst(data[name].values, one, 1e-13 if name in near else 0) for name, one in expected().items()}
    assert wrong == dict.fromkeys(wrong, "")


def test_cells_that_no_rank_holds_are_missing(job):
    made = case(servers(2))
    result = made.run(job.root, configuration(made)).finished()
    compare(result.folder)
    with xr.open_dataset(result.path("surface.nc"), decode_times=False) as data:
        assert data.ice.encoding["_FillValue"] == -1
        assert data.area.encoding["_FillValue"] == data.lat.encoding["_FillValue"] == 9.969209968386869e36
    with xr.open_dataset(result.path("deep.nc"), decode_times=False, mask_and_scale=False) as data:
        assert (data.sst.values == 9.969209968386869e36).sum() == STEPS * 3 * LAND.sum()
        assert not np.isnan(data.sst_mean.values).any()


def test_holes_are_refused_unless_asked_for(job):
    made = case(servers(1))
    made.run(job.root, configuration(made, grids={})).failed_with(
        'grid "ocean" (z, y, x: 3 x 8 x 15): no rank holds z=0..2, y=0..2, x=0..3 (126 cells are missing in all) '
        "(indices count from 0); if the model leaves them out, as land processors, write "
        "`grids: {ocean: {holes: missing}}`"
    )


def test_the_bits_do_not_depend_on_ranks_blocks_servers_and_transports(job):
    layouts = {
        "two": case(servers(1), "two"),
        "three": case(servers(3, transport="mpi"), "three"),
        "five": case(servers(2, transport="shm"), "five"),
        "inline": case(inline(), "five"),
        "one, two blocks": case(servers(2), "one, two blocks"),
        "several blocks": case(servers(2, transport="mpi"), "three, several blocks"),
        "an empty block": case(attached(), "five, an empty block"),
        "block by block": case(servers(1), "three, several blocks"),
    }
    layouts["block by block"].by_blocks = True
    output = files(write_every="2 s", compression={"codec": "zlib"})
    found = {}
    for name, made in layouts.items():
        folder = job.root / name.replace(" ", "_")
        config = configuration(made) | {"output": output}
        made.run(folder, config, environment={"TAILRACE_RANDOM_DELAYS": "3:300"}).finished()
        compare(folder)
        bits = {file: every_bit(folder / file) for file in output}
        found[name] = {f"{file} {key}": value for file, all_of in bits.items() for key, value in all_of.items()}
    for name, bits in found.items():
        assert differences(found["two"], bits) == [], name


PACKED = {"type": "int16", "pack": {"scale_factor": 0.5, "add_offset": 280}}
KEEP = """
from pathlib import Path
import numpy as np
def keep(ds):
    number = len(list(Path(".").glob("seen*.npy")))
    np.save(f"seen{number}.npy", np.stack([ds.ice.values[0], ds.ice_mean.values[0]]))
"""


def test_each_format_has_the_holes(job):
    """Numbers of both kinds, compressed and packed."""
    adios2_reading = pytest.importorskip("support.adios2_reading")
    made = case(servers(2), "three, several blocks", coordinates=False)
    variables = [{"field": name, "every": "2 s"} for name in ("ice", "sst")]
    variables += [{"field": "ice", "name": "ice_mean", **MEAN}]
    output = {
        "out.nc": {"compression": {"codec": "zstd"}, "variables": variables},
        "out.zarr": {"format": "zarr", "compression": {"codec": "zlib"}, "variables": variables},
        "out.bp": {"format": "adios2", "variables": variables},
        "packed.nc": {"compression": {"codec": "zlib"}, "variables": [variables[1] | PACKED]},
    }
    config = configuration(made, output=output)
    config["in_situ"] = {"keep": {"python": "keep.py", "when_full": "wait", "variables": variables[::2]}}
    job.root.mkdir(exist_ok=True)
    (job.root / "keep.py").write_text(KEEP)
    result = made.run(job.root, config).finished()
    ice = np.where(LAND, np.nan, ICE.astype(float))
    sst = np.where(LAND, np.nan, SST)
    wanted = {"ice": ice[1::2], "sst": sst[1::2], "ice_mean": ice.reshape(2, 2, *SHAPE[1:]).mean(axis=1)}
    with xr.open_dataset(result.path("out.nc"), decode_times=False) as data:
        for name, values in wanted.items():
            np.testing.assert_array_equal(data[name].values, values)
    with xr.open_zarr(result.path("out.zarr"), decode_times=False) as data:
        for name, values in wanted.items():
            np.testing.assert_array_equal(data[name].values, values)
    stored, attributes = adios2_reading.read(result.path("out.bp"))
    for name, values in wanted.items():
        fill = attributes[f"{name}/_FillValue"]
        np.testing.assert_array_equal(stored[name], np.where(np.isnan(values), fill, values))
    with xr.open_dataset(result.path("packed.nc"), decode_times=False) as data:
        np.testing.assert_array_equal(np.isnan(data.sst.values), np.isnan(wanted["sst"]))
        assert np.nanmax(np.abs(data.sst.values - wanted["sst"])) <= 0.25
    seen = [np.load(path) for path in sorted(result.folder.glob("seen*.npy"))]
    np.testing.assert_array_equal(seen, np.stack([wanted["ice"], wanted["ice_mean"]], axis=1))


def test_blocks_that_overlap(job):
    """The message names one rank, or two."""
    made = case(servers(1), "three, several blocks")
    made.grids["ocean"]["blocks"][2][1] = [[0, 3, 8], [3, 1, 2]]
    made.run(job.root / "one", configuration(made)).failed_with(
        'grid "ocean" (z, y, x: 3 x 8 x 15): rank 2 holds z=0..2, y=3, x=8 twice'
    )
    made = case(servers(1), "three, several blocks")
    made.grids["surface"]["blocks"][0][1] = [[3, 5], [1, 2]]
    made.run(job.root / "two", configuration(made)).failed_with(
        'grid "surface" (y, x: 8 x 15): ranks 0 and 2 both hold y=3, x=5'
    )


STATIONS = {
    "stations": {"points": {"at_sea": {"lat": -69.0, "lon": 200.5}, "on_land": {"lat": -61.0, "lon": 40.0}}},
    "write_every": "1 h",
    "variables": [{"field": "ice", "every": "1 step"}],
}


@pytest.mark.parametrize("given", ["in parts", "whole"])
def test_stations_are_at_cells_that_are_held(job, given):
    made = case(servers(2), "three, several blocks")
    if given == "whole":
        for grid in made.grids.values():
            for coordinate in grid["coordinates"]:
                del coordinate["part"]
    config = configuration(made, output={"stations.nc": STATIONS})
    result = made.run(job.root, config).finished()
    at = np.radians(np.stack([LAT, LON]))
    points = np.stack([np.cos(at[0]) * np.cos(at[1]), np.cos(at[0]) * np.sin(at[1]), np.sin(at[0])])
    with xr.open_dataset(result.path("stations.nc"), decode_times=False) as data:
        for number, (name, one) in enumerate(STATIONS["stations"]["points"].items()):
            lat, lon = np.radians([one["lat"], one["lon"]])
            place = np.array([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])
            distance = ((points - place[:, None, None]) ** 2).sum(axis=0)
            assert LAND.flat[distance.argmin()] == (name == "on_land")
            nearest = np.where(LAND, np.inf, distance).argmin()
            np.testing.assert_array_equal(data.ice.values[:, number], ICE.reshape(STEPS, -1)[:, nearest])


def test_coordinates_along_one_dimension(job):
    """Given whole they are written whole; in parts, the part of a row whose first cells are land is unknown."""
    made = case(servers(2), "three", coordinates=False)
    rows = {"name": "y", "values": list(np.arange(8) * 10.0), "units": "m"}
    made.grids["surface"]["coordinates"] = [rows]
    result = made.run(job.root / "whole", configuration(made, output={"ice.nc": ICE_ONLY})).finished()
    with xr.open_dataset(result.path("ice.nc"), decode_times=False) as data:
        np.testing.assert_array_equal(data.y.values, rows["values"])
        np.testing.assert_array_equal(data.ice.values, np.where(LAND, np.nan, ICE))
    rows["part"] = True
    made.run(job.root / "parts", configuration(made, output={"ice.nc": ICE_ONLY})).failed_with(
        'coordinate "y" of grid "surface" is given in parts, and the part at y=0 (counted from 0) is of cells that no '
        "rank holds; expected all of its values on each rank"
    )


WRONG = {
    "replicated": ("column", 'grids.column.holes: grid "column" is whole on every rank, so it has no holes'),
    "unknown": ("oceans", 'grids.oceans: the model declares no grid "oceans". Did you mean "ocean"?'),
}


@pytest.mark.parametrize("mistake", WRONG)
def test_mistakes(job, mistake):
    grid, message = WRONG[mistake]
    made = case(servers(1)).grid("column", "z", SHAPE[:1], kind="replicated")
    made.run(job.root, configuration(made, grids=HOLES | {grid: {"holes": "missing"}})).failed_with(message)
