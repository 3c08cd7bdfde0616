"""Files of stations, compared with NumPy on whole arrays: on planes, spheres, curvilinear grids and meshes."""

import netCDF4
import numpy as np
from analytics.support.jobs import Case, worst
from support.checkers import complaints
from support.harness import attached, inline, servers
from support.reading import differences, every_bit, read

STEPS, SHAPE = 3, (3, 7, 12)
RNG = np.random.default_rng(5)
T = RNG.normal(280, 8, (STEPS, *SHAPE))
PS = RNG.normal(1e5, 1e3, (STEPS, *SHAPE[1:])).astype(np.float32)
LAT = np.linspace(75, -75, 7)  # from north to south
LON = np.arange(12) * 30.0
PLACES = {
    "Quito": (-0.2, -78.5),
    "Wake": (19.3, 166.6),
    "Greenwich": (51.5, -0.1),
    "node": (25.0, 60.0),
    "E": (-74.0, 359.0),
}
Z = ([10.0, 50.0, 200.0], "m", {"standard_name": "height", "attributes": {"positive": "up", "axis": "Z"}})
GLOBE = {
    "lat": (LAT, "degrees_north", {"standard_name": "latitude"}),
    "lon": (LON, "degrees_east", {"standard_name": "longitude"}),
}


def case(ranks: int = 2, serving=None, parts: dict | None = None) -> Case:
    parts = parts or {}
    flat = {dim: count for dim, count in parts.items() if dim != "z"}
    made = Case(ranks, serving, STEPS).grid(
        "air", ("z", "lat", "lon"), SHAPE, coordinates={"z": Z, **GLOBE}, parts=parts
    )
    made.grid("surface", ("lat", "lon"), SHAPE[1:], coordinates=GLOBE, parts=flat)
    made.field("t", T, grid="air", units="K", standard_name="air_temperature")
    return made.field("ps", PS, grid="surface", units="Pa", standard_name="surface_air_pressure")


def points(places: dict = PLACES, altitude: bool = True) -> dict:
    more = {"altitude": 5.0} if altitude else {}
    return {name: {"latitude": lat, "longitude": lon, **more} for name, (lat, lon) in places.items()}


def written(field: str, **more) -> dict:
    return {"field": field, "every": "1 step", **more}


def configuration(made: Case, files: dict, diagnostics: dict | None = None) -> dict:
    return made.configuration(diagnostics or {}, output=files)


def beside(values: np.ndarray, place: float, circle: float = 0.0) -> list[tuple[int, float]]:
    """Indices and weights of the neighbours along a coordinate."""
    order = np.argsort(values)
    ascending = values[order]
    if circle:
        place = (place - ascending[0]) % circle + ascending[0]
        ascending, order = np.append(ascending, ascending[0] + circle), np.append(order, order[0])
    k = min(int(np.searchsorted(ascending, place, side="right")), len(ascending) - 1)
    share = (place - ascending[k - 1]) / (ascending[k] - ascending[k - 1])
    return [(int(order[k - 1]), 1 - share), (int(order[k]), share)]


def bilinear(values: np.ndarray, places: dict = PLACES) -> np.ndarray:
    """From (..., lat, lon); the stations follow the time."""
    columns = []
    for lat, lon in places.values():
        total = sum(w * v * values[..., j, i] for j, w in beside(LAT, lat) for i, v in beside(LON, lon, 360.0) if w * v)
        columns.append(total)
    return np.stack(columns, axis=1)


def nearest(values: np.ndarray, places: dict = PLACES) -> np.ndarray:
    columns = []
    for lat, lon in places.values():
        away = (LON - lon + 180) % 360 - 180
        columns.append(values[..., np.abs(LAT - lat).argmin(), np.abs(away).argmin()])
    return np.stack(columns, axis=1)


FILES = {
    "profiles.nc": {"stations": {"points": points(), "method": "bilinear"}, "variables": [written("t")]},
    "surface.nc": {
        "stations": {"points": points()},
        "variables": [written("ps"), written("warmest"), written("level_mean")],
    },
    "means.nc": {
        "stations": {"points": points(altitude=False), "method": "bilinear"},
        "variables": [{"field": "ps", "operation": "mean", "every": "3 s", "type": "float64"}],
    },
}
DIAGNOSTICS = {
    "warmest": {"is": "max(t, z)", "units": "K", "long_name": "warmest"},
    "level_mean": "mean(t, lat, lon, weights=cos(lat))",
}
LAYOUTS = [
    (1, inline(), {}),
    (2, attached(), {"lon": 2}),
    (5, servers(2), {"lat": 5}),
    (3, servers(1), {"lon": 3}),
    (3, servers(2), {"z": 3}),
]


def test_values_and_bits_on_any_decomposition(job):
    first = None
    for number, (ranks, serving, parts) in enumerate(LAYOUTS):
        made = case(ranks, serving, parts)
        result = made.run(job.root / str(number), configuration(made, FILES, DIAGNOSTICS)).finished()
        bits = {name: every_bit(result.path(name)) for name in FILES}
        first = first or bits
        for name in FILES:
            assert differences(first[name], bits[name]) == [], (ranks, name)
    profiles, surface, means = (read(result.path(name)) for name in FILES)
    assert profiles.t.dims == ("time", "station", "z") and surface.ps.dims == ("time", "station")
    levels = [bilinear(T[:, z]) for z in range(SHAPE[0])]
    assert worst(profiles.t.values, np.stack(levels, axis=-1), 1e-14) == ""
    np.testing.assert_array_equal(surface.ps.values, nearest(PS))
    assert surface.ps.dtype == np.float32
    np.testing.assert_array_equal(surface.warmest.values, nearest(T.max(axis=1)))
    assert surface.level_mean.dims == ("time", "z")
    assert worst(means.ps.values, bilinear(PS.astype(float).mean(axis=0)[None]), 1e-7) == ""


def test_files_follow_cf(job):
    made = case(1, inline())
    result = made.run(job.root, configuration(made, FILES, DIAGNOSTICS)).finished()
    assert complaints(*(result.path(name) for name in FILES)) == []
    with netCDF4.Dataset(result.path("surface.nc")) as data, netCDF4.Dataset(result.path("profiles.nc")) as profiles:
        assert (data.featureType, profiles.featureType) == ("timeSeries", "timeSeriesProfile")
        names = data["station_name"]
        assert names.cf_role == "timeseries_id"
        assert netCDF4.chartostring(names[:]).tolist() == list(PLACES)
        assert set(data["ps"].coordinates.split()) == {"lat", "lon", "alt", "station_name"}
        assert data["ps"].standard_name == "surface_air_pressure"
        np.testing.assert_array_equal(data["lat"][:], [lat for lat, _ in PLACES.values()])
        np.testing.assert_array_equal(data["lon"][:], [lon for _, lon in PLACES.values()])
        assert (data["alt"][:] == 5).all() and data["alt"].positive == "up"


# A plane in metres, a curvilinear grid and a list of cells, with missing values.
ROWS, CELLS = (6, 11), 23
HEIGHT = RNG.normal(0, 1, (STEPS, 2, *ROWS))
SST = np.where(RNG.uniform(size=(STEPS, *ROWS)) < 0.3, -999.0, RNG.normal(15, 5, (STEPS, *ROWS)))
ICE = RNG.uniform(size=(STEPS, CELLS))
KIND = RNG.integers(0, 9, (STEPS, *ROWS)).astype(np.int32)
X, Y = np.arange(11) * 100.0, np.cumsum([0.0, 80.0, 100.0, 120.0, 90.0, 70.0])
LATS = 50 + np.add.outer(np.arange(6) * 0.5, np.arange(11) * 0.1)
LONS = -3 + np.add.outer(np.arange(6) * -0.2, np.arange(11) * 0.6)
CELL_LAT, CELL_LON = RNG.uniform(-80, 80, CELLS), RNG.uniform(0, 360, CELLS)
TABLE = 'station_name, y, x\n# on the ship\'s way\nalpha, 40, 255\n"beta, north", 399.5, 1000\n'
SHIP = {"alpha": (40.0, 255.0), "beta, north": (399.5, 1000.0)}
BUOYS = {"one": (51.2, -1.9), "two": (52.6, 360 + 1.7), "three": (50.0, -3.0)}
AFAR = {"north": (49.0, 100.0), "south": (-60.0, -20.0), "west": (10.0, 350.0)}
DEGREES = [("lat", "degrees_north", "latitude"), ("lon", "degrees_east", "longitude")]


def other_grids(ranks: int, serving, parts: dict) -> Case:
    def listed(values, dims, in_parts: bool) -> dict:
        more = {"dims": dims} | ({"part": True} if in_parts else {})
        return {
            name: (one.ravel(), units, {"standard_name": word} | more)
            for (name, units, word), one in zip(DEGREES, values, strict=True)
        }

    made = Case(ranks, serving, STEPS)
    made.grid("plane", ("z", "y", "x"), (2, *ROWS), coordinates={"y": Y, "x": (X, "m", {"part": True})}, parts=parts)
    made.grid("flat", ("y", "x"), ROWS, coordinates={"y": Y, "x": X}, parts=parts)
    made.grid(
        "sea", ("j", "i"), ROWS, coordinates=listed((LATS, LONS), ["j", "i"], ranks > 1), parts={"i": parts.get("x", 1)}
    )
    made.grid(
        "ice",
        ["cell"],
        [CELLS],
        kind="indexed",
        indexed_dim="cell",
        coordinates=listed((CELL_LAT, CELL_LON), ["cell"], ranks > 1),
    )
    made.field("h", HEIGHT, grid="plane", units="m").field("kind", KIND, grid="flat", units="1")
    made.field("gaps", SST, grid="flat", units="degC", fill_value=-999.0)
    return made.field("sst", SST, grid="sea", units="degC", fill_value=-999.0).field("ice", ICE, grid="ice", units="1")


OTHERS = {
    "ship.nc": {
        "stations": {"file": "tables/ship.csv", "method": "bilinear"},
        "variables": [written("h"), written("kind")],
    },
    "near.nc": {"stations": {"file": "tables/ship.csv"}, "variables": [written("h"), written("kind")]},
    "buoys.nc": {
        "stations": {"points": points(BUOYS)},
        "variables": [written("sst"), {"field": "sst", "name": "sst_mean", "operation": "mean", "every": "3 s"}],
    },
    "ice.nc": {"stations": {"points": points(AFAR)}, "variables": [written("ice", type="float32")]},
    "gaps.nc": {"stations": {"file": "tables/ship.csv", "method": "bilinear"}, "variables": [written("gaps")]},
}


def chord(lat, lon) -> np.ndarray:
    lat, lon = np.radians(lat), np.radians(lon)
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])


def closest(places: dict, lat: np.ndarray, lon: np.ndarray) -> list[int]:
    cells = chord(lat.ravel(), lon.ravel())
    return [int(np.linalg.norm(cells - chord(*place)[:, None], axis=0).argmin()) for place in places.values()]


def test_planes_curvilinear_grids_and_lists(job):
    seen = []
    for ranks, serving, parts in ((1, inline(), {}), (5, servers(2), {"x": 4})):
        folder = job.root / str(ranks)
        (folder / "tables").mkdir(parents=True)
        (folder / "tables/ship.csv").write_text(TABLE)
        made = other_grids(ranks, serving, parts)
        result = made.run(folder, configuration(made, OTHERS)).finished()
        seen.append({name: every_bit(result.path(name)) for name in OTHERS})
    for name in OTHERS:
        assert differences(seen[0][name], seen[1][name]) == [], name
    ship, near, buoys, ice, gaps = (read(result.path(name)) for name in OTHERS)
    stencils = [[(j, i, v * w) for j, v in beside(Y, y) for i, w in beside(X, x) if v * w] for y, x in SHIP.values()]
    right = np.stack([sum(w * HEIGHT[..., j, i] for j, i, w in one) for one in stencils], axis=1)
    assert worst(ship.h.values, right, 1e-14) == ""
    kinds = np.stack([sum(w * KIND[..., j, i] for j, i, w in one) for one in stencils], axis=1)
    assert ship.kind.dtype == np.float64 and worst(ship.kind.values, kinds, 1e-14) == ""
    holes = np.where(SST == -999, np.nan, SST)
    right = np.stack([sum(w * holes[..., j, i] for j, i, w in one) for one in stencils], axis=1)
    assert np.isnan(right).any() and np.isfinite(right).any() and worst(gaps.gaps.values, right, 1e-14) == ""
    last = len(Y) - 1  # the higher of two equally near ones, as for y = 40
    cells = [(last - np.abs(Y - y)[::-1].argmin(), np.abs(X - x).argmin()) for y, x in SHIP.values()]
    np.testing.assert_array_equal(near.kind.values, np.stack([KIND[:, j, i] for j, i in cells], axis=1))
    assert near.kind.dtype == np.int32 and near.station_name.values.astype(str).tolist() == list(SHIP)
    sst = SST.reshape(STEPS, -1)[:, closest(BUOYS, LATS, LONS)]
    there = np.where(sst == -999, np.nan, sst)
    assert np.isnan(there).any() and worst(buoys.sst.values, there, 0) == ""
    assert worst(buoys.sst_mean.values[0], np.nanmean(there, axis=0), 1e-15) == ""
    np.testing.assert_array_equal(ice.ice.values, ICE[:, closest(AFAR, CELL_LAT, CELL_LON)].astype(np.float32))


def test_a_list_in_another_order(job):
    """The only rank has all cells, but not in the order of their indices."""
    order = np.random.default_rng(3).permutation(CELLS)
    coordinates = {
        name: (one, units, {"standard_name": word, "dims": ["cell"], "part": True})
        for (name, units, word), one in zip(DEGREES, (CELL_LAT, CELL_LON), strict=True)
    }
    made = Case(1, inline(), STEPS).field("ice", ICE, grid="ice")
    more = {"kind": "indexed", "indexed_dim": "cell", "indices": [order.tolist()], "coordinates": coordinates}
    made.grid("ice", ["cell"], [CELLS], **more)
    files = {
        "ice.nc": OTHERS["ice.nc"],
        "some.nc": {"variables": [written("some"), written("ice")]},
    }
    result = made.run(job.root, configuration(made, files, {"some": "slice(ice, cell=[3, 9])"})).finished()
    ice, some = read(result.path("ice.nc")), read(result.path("some.nc"))
    np.testing.assert_array_equal(ice.ice.values, ICE[:, closest(AFAR, CELL_LAT, CELL_LON)].astype(np.float32))
    np.testing.assert_array_equal(some.ice.values, ICE)
    np.testing.assert_array_equal(some.some.values, ICE[:, 3:9])


def test_mistakes_name_the_station_and_its_place(job):
    made = other_grids(3, servers(1), {"x": 3})
    (job.root / "tables").mkdir()
    (job.root / "tables/ship.csv").write_text(TABLE.replace("1000", "1100"))
    far = {"ice.nc": {"stations": {"points": points({"far": (89.9, 3.0)})}, "variables": [written("ice")]}}
    result = made.run(job.root, configuration(made, {"ship.nc": OTHERS["ship.nc"]} | far))
    result.failed_with("tables/ship.csv:4:1  output.ship.nc.stations", '"beta, north" lies outside', "covers 0 to 1000")
    result.failed_with('station "far" lies outside of grid "ice": latitude is 89.9')
    (job.root / "tables/ship.csv").unlink()
    result = made.run(job.root, configuration(made, OTHERS))
    result.failed_with("output.ship.nc.stations.file", "tables/ship.csv")
