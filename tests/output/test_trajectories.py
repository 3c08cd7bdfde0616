"""Files along trajectories, compared with NumPy on whole arrays: rows and columns, levels, curvilinear grids and
lists."""

import netCDF4
import numpy as np
import xarray as xr
from analytics.support.jobs import Case, worst
from support.checkers import complaints
from support.harness import attached, inline, servers
from support.reading import differences, every_bit, read

STEPS, SHAPE = 6, (3, 7, 12)
RNG = np.random.default_rng(7)
T = RNG.normal(280, 8, (STEPS, *SHAPE))
PS = RNG.normal(1e5, 1e3, (STEPS, *SHAPE[1:])).astype(np.float32)
LAT, LON, HEIGHT = np.linspace(75, -75, 7), np.arange(12) * 30.0, np.array([10.0, 50.0, 200.0])
Z = (HEIGHT, "m", {"standard_name": "height", "attributes": {"positive": "up", "axis": "Z"}})
GLOBE = {
    "lat": (LAT, "degrees_north", {"standard_name": "latitude"}),
    "lon": (LON, "degrees_east", {"standard_name": "longitude"}),
}
# Time, latitude, longitude, height; the ship crosses 180 degrees, and the flight begins late, ends early.
WAYS = {
    "Polarstern": [(0.0, 70.0, 150.0, 12.0), (2.5, 20.0, 179.0, 30.0), (6.0, 10.0, -140.0, 60.0)],
    "Flight, 7": [(1.5, -10.0, -20.0, 150.0), (4.25, 33.0, 10.0, 20.0)],
}
RECORDS = np.arange(1.0, STEPS + 1)


def table(ways: dict = WAYS, names: tuple = ("lat", "lon")) -> str:
    """In the order of time, so that the trajectories are interleaved."""
    rows = sorted((time, name, *place) for name, fixes in ways.items() for time, *place in fixes)
    lines = [f'{time},"{name}",{",".join(map(str, place))},aside' for time, name, *place in rows]
    return "\n".join([f"time,trajectory,{','.join(names)},height,remark", "# of the summer", *lines, ""])


def place(fixes: list, time: float, turns: int | None) -> np.ndarray | None:
    times = [fix[0] for fix in fixes]
    if not times[0] <= time <= times[-1]:
        return None
    places = np.array([fix[1:] for fix in fixes])
    if turns is not None:
        places[:, turns] = np.unwrap(places[:, turns], period=360)
    return np.array([np.interp(time, times, one) for one in places.T])


def beside(values: np.ndarray, at: float, circle: float = 0.0) -> list[tuple[int, float]]:
    """Indices and weights of the neighbours along a coordinate; beyond its end, the last cell."""
    order = np.argsort(values)
    ascending = values[order]
    if circle:
        at = (at - ascending[0]) % circle + ascending[0]
        ascending, order = np.append(ascending, ascending[0] + circle), np.append(order, order[0])
    at = np.clip(at, ascending[0], ascending[-1])
    k = max(1, min(int(np.searchsorted(ascending, at, side="right")), len(ascending) - 1))
    share = (at - ascending[k - 1]) / (ascending[k] - ascending[k - 1])
    return [(int(order[k - 1]), 1 - share), (int(order[k]), share)]


def closest(values: np.ndarray, at: float, circle: float = 0.0) -> list[tuple[int, float]]:
    away = np.abs(values - at)
    return [(int((np.minimum(away % circle, -away % circle) if circle else away).argmin()), 1.0)]


def sampled(values: np.ndarray, find, level: bool, ways: dict = WAYS, records=RECORDS) -> np.ndarray:
    """From (time, ..., lat, lon) to (time, trajectory, ...)."""
    result = []
    for number, time in enumerate(records):
        row = []
        for fixes in ways.values():
            at, now = place(fixes, time, 1), values[number].astype(float)
            if at is None:
                row.append(np.full(now[..., 0, 0].shape if not level else (), np.nan))
                continue
            flat = sum(v * w * now[..., j, i] for j, v in find(LAT, at[0]) for i, w in find(LON, at[1], 360.0))
            row.append(sum(w * flat[k] for k, w in find(HEIGHT, at[2])) if level else flat)
        result.append(row)
    return np.array(result)


def case(ranks: int = 2, serving=None, parts: dict | None = None) -> Case:
    parts = parts or {}
    flat = {dim: count for dim, count in parts.items() if dim != "z"}
    made = Case(ranks, serving, STEPS).grid(
        "air", ("z", "lat", "lon"), SHAPE, coordinates={"z": Z, **GLOBE}, parts=parts
    )
    made.grid("surface", ("lat", "lon"), SHAPE[1:], coordinates=GLOBE, parts=flat)
    made.field("t", T, grid="air", units="K", standard_name="air_temperature")
    return made.field("ps", PS, grid="surface", units="Pa", standard_name="surface_air_pressure")


def written(field: str, **more) -> dict:
    return {"field": field, "every": "1 step", **more}


FILES = {
    "flight.nc": {
        "trajectories": {"file": "tables/ways.csv", "method": "bilinear", "vertical": "height"},
        "variables": [written("t"), written("ps")],
    },
    "columns.nc": {"trajectories": {"file": "tables/ways.csv", "method": "bilinear"}, "variables": [written("t")]},
    "near.nc": {
        "trajectories": {"file": "tables/ways.csv"},
        "variables": [written("ps"), written("warmest"), written("level_mean")],
    },
    "low.nc": {"trajectories": {"file": "tables/ways.csv", "vertical": "height"}, "variables": [written("t")]},
    "means.nc": {
        "trajectories": {"file": "tables/ways.csv", "method": "bilinear"},
        "variables": [{"field": "ps", "operation": "mean", "every": "3 s", "type": "float64"}],
    },
    "parts.nc": {
        "new_file_every": "4 s",
        "trajectories": {"file": "tables/ways.csv"},
        "variables": [written("ps")],
    },
}
DIAGNOSTICS = {
    "warmest": {"is": "max(t, z)", "units": "K", "long_name": "warmest"},
    "level_mean": "mean(t, lat, lon, weights=cos(lat))",
}
LAYOUTS = [
    (1, inline(), {}),
    (5, servers(2), {"lat": 5}),
    (3, attached(), {"z": 3}),
]


def run(made: Case, folder, files: dict, diagnostics: dict | None = None, text: str | None = None, **sections):
    (folder / "tables").mkdir(parents=True, exist_ok=True)
    (folder / "tables/ways.csv").write_text(table() if text is None else text)
    return made.run(folder, made.configuration(diagnostics or {}, output=files, **sections))


def test_values_and_bits_on_any_decomposition(job):
    first = None
    for number, (ranks, serving, parts) in enumerate(LAYOUTS):
        folder = job.root / str(number)
        result = run(case(ranks, serving, parts), folder, FILES, DIAGNOSTICS).finished()
        names = sorted(path.name for path in folder.glob("*.nc"))
        bits = {name: every_bit(result.path(name)) for name in names}
        first = first or bits
        assert names == sorted(first)
        for name in names:
            assert differences(first[name], bits[name]) == [], (ranks, name)
    flight, columns, near, low, means = (read(result.path(name)) for name in list(FILES)[:5])
    assert flight.t.dims == ("time", "trajectory") and columns.t.dims == ("time", "trajectory", "z")
    assert worst(flight.t.values, sampled(T, beside, True), 1e-13) == ""
    assert worst(flight.ps.values, sampled(PS, beside, False).astype(np.float32), 1e-7) == ""
    assert worst(columns.t.values, sampled(T, beside, False), 1e-13) == ""
    np.testing.assert_array_equal(near.ps.values, sampled(PS, closest, False))
    assert near.ps.dtype == np.float32 and near.level_mean.dims == ("time", "z")
    np.testing.assert_array_equal(near.warmest.values, sampled(T.max(axis=1), closest, False))
    np.testing.assert_array_equal(low.t.values, sampled(T, closest, True))
    right = sampled(PS, beside, False).reshape(2, 3, 2)
    assert np.isnan(right).any(axis=1).sum() == 2 and worst(means.ps.values, np.nanmean(right, axis=1), 1e-13) == ""
    series = xr.concat([read(result.path(name)).ps for name in names if name.startswith("parts")], "time")
    np.testing.assert_array_equal(series.values, near.ps.values)


def test_places_are_those_of_the_records(job):
    result = run(case(1, inline()), job.root, FILES, DIAGNOSTICS).finished()
    assert complaints(*(result.path(name) for name in ("flight.nc", "columns.nc", "means.nc"))) == []
    flight, means = (xr.open_dataset(result.path(name), decode_times=False) for name in ("flight.nc", "means.nc"))
    for name, fixes in enumerate(WAYS.values()):
        for data, times in ((flight, RECORDS), (means, np.clip([1.5, 4.5], fixes[0][0], fixes[-1][0]))):
            one = data.isel(trajectory=name)
            for record, time in enumerate(times):
                at = place(fixes, time, 1)
                if at is None:
                    assert np.isnan(one.lat[record]) and np.isnan(one.lon[record])
                    continue
                assert abs(one.lat[record] - at[0]) < 1e-12
                assert abs((one.lon[record] - at[1] + 180) % 360 - 180) < 1e-12 and abs(one.lon[record]) <= 180 + 1e-9
                assert "z" not in data or abs(data.z[record, name] - at[2]) < 1e-12
    with netCDF4.Dataset(result.path("flight.nc")) as data, netCDF4.Dataset(result.path("columns.nc")) as columns:
        assert (data.featureType, columns.featureType) == ("trajectory", "trajectoryProfile")
        assert data["trajectory_name"].cf_role == "trajectory_id"
        assert netCDF4.chartostring(data["trajectory_name"][:]).tolist() == list(WAYS)
        assert set(data["t"].coordinates.split()) == {"lat", "lon", "z", "trajectory_name"}
        assert data["lat"].standard_name == "latitude" and data["lon"].units == "degrees_east"
        assert data["z"].positive == "up" and data["lat"].dimensions == ("time", "trajectory")


# A curvilinear grid and a list of cells with missing values; and a plane, in dates.
ROWS, CELLS = (6, 11), 23
SST = np.where(RNG.uniform(size=(STEPS, *ROWS)) < 0.3, -999.0, RNG.normal(15, 5, (STEPS, *ROWS)))
ICE = RNG.uniform(size=(STEPS, 2, CELLS))
KIND = RNG.integers(0, 9, (STEPS, CELLS)).astype(np.int32)
LATS = 50 + np.add.outer(np.arange(6) * 0.5, np.arange(11) * 0.1)
LONS = -3 + np.add.outer(np.arange(6) * -0.2, np.arange(11) * 0.6)
CELL_LAT, CELL_LON = RNG.uniform(-80, 80, CELLS), RNG.uniform(0, 360, CELLS)
DEPTH = np.array([5.0, 40.0])
DEGREES = [("lat", "degrees_north", "latitude"), ("lon", "degrees_east", "longitude")]
BUOYS = {
    "one": [(0.0, 50.1, -2.9, 4.0), (3.5, 52.4, 0.4, 10.0), (9.0, 51.0, 2.0, 33.0)],
    "gone": [(1.0, 51.0, 1.0, 21.0), (5.0, 65.0, 1.0, 25.0)],
}


def other_grids(ranks: int, serving, parts: int) -> Case:
    def listed(values, dims, in_parts: bool) -> dict:
        more = {"dims": dims} | ({"part": True} if in_parts else {})
        return {
            name: (one.ravel(), units, {"standard_name": word} | more)
            for (name, units, word), one in zip(DEGREES, values, strict=True)
        }

    made = Case(ranks, serving, STEPS)
    made.grid("sea", ("j", "i"), ROWS, coordinates=listed((LATS, LONS), ["j", "i"], ranks == 5), parts={"i": parts})
    cells = listed((CELL_LAT, CELL_LON), ["cell"], True)
    depth = {"depth": (DEPTH, "m", {"standard_name": "depth", "attributes": {"positive": "down"}})}
    made.grid("ice", ["depth", "cell"], [2, CELLS], kind="indexed", indexed_dim="cell", coordinates=cells | depth)
    made.grid("flat", ["cell"], [CELLS], kind="indexed", indexed_dim="cell", coordinates=cells)
    made.field("sst", SST, grid="sea", units="degC", fill_value=-999.0).field("ice", ICE, grid="ice", units="1")
    return made.field("kind", KIND, grid="flat", units="1")


OTHERS = {
    "buoys.nc": {
        "trajectories": {"file": "tables/ways.csv"},
        "variables": [written("sst"), {"field": "sst", "name": "sst_min", "operation": "min", "every": "3 s"}],
    },
    "ice.nc": {"trajectories": {"file": "tables/ways.csv", "vertical": "depth"}, "variables": [written("ice")]},
    "kind.nc": {"trajectories": {"file": "tables/ways.csv"}, "variables": [written("kind"), written("ice")]},
}


def chord(lat, lon) -> np.ndarray:
    lat, lon = np.radians(lat), np.radians(lon)
    return np.stack([np.cos(lat) * np.cos(lon), np.cos(lat) * np.sin(lon), np.sin(lat)])


def cell(at: np.ndarray, lat: np.ndarray, lon: np.ndarray) -> int:
    return int(np.linalg.norm(chord(lat.ravel(), lon.ravel()) - chord(*at[:2])[:, None], axis=0).argmin())


def test_curvilinear_grids_and_lists(job):
    seen, text = [], table(BUOYS).replace("height", "depth")
    for ranks, serving, parts in ((1, inline(), 1), (5, servers(2), 4), (3, servers(1), 3)):
        folder = job.root / str(ranks)
        result = run(other_grids(ranks, serving, parts), folder, OTHERS, text=text).finished()
        seen.append({name: every_bit(result.path(name)) for name in OTHERS})
        assert "1 of 5 positions lie outside of grid" in result.output
    for name in OTHERS:
        assert differences(seen[0][name], seen[1][name]) == differences(seen[0][name], seen[2][name]) == [], name
    buoys, ice, kind = (read(result.path(name)) for name in OTHERS)
    sst, frozen, kinds = (np.full((STEPS, 2), np.nan) for _ in range(3))
    deep = np.full((STEPS, 2, 2), np.nan)
    for step, time in enumerate(RECORDS):
        for number, fixes in enumerate(BUOYS.values()):
            if (at := place(fixes, time, 1)) is None:
                continue
            level, here = closest(DEPTH, at[2])[0][0], cell(at, CELL_LAT, CELL_LON)
            frozen[step, number], kinds[step, number] = ICE[step, level, here], KIND[step, here]
            deep[step, number] = ICE[step, :, here]
            room = 0.5 * np.ptp(LATS) / np.sqrt(LATS.size)
            if LATS.min() - room <= at[0] <= LATS.max() + room:
                sst[step, number] = SST[step].ravel()[cell(at, LATS, LONS)]
    sst = np.where(sst == -999, np.nan, sst)
    assert np.isnan(sst).any() and np.isfinite(sst).sum() >= 4 and worst(buoys.sst.values, sst, 0) == ""
    assert worst(ice.ice.values, frozen, 0) == "" and worst(kind.ice.values, deep, 0) == ""
    with netCDF4.Dataset(result.path("kind.nc")) as data:
        assert data["kind"].dtype == np.int32
        np.testing.assert_array_equal(np.ma.filled(data["kind"][:].astype(float), np.nan), kinds)


def test_mistakes_name_their_place(job):
    made = case(1, inline())
    files = {"low.nc": FILES["low.nc"]}
    run(made, job.root, files, text=table().replace("70.0", "7o")).failed_with(
        'tables/ways.csv:3:18  output.low.nc.trajectories: expected a number, but got "7o"'
    )
    wrong = {"low.nc": files["low.nc"] | {"trajectories": {"file": "tables/ways.csv", "vertical": "heigt"}}}
    run(made, job.root, wrong).failed_with(".vertical", 'has no column "heigt". Did you mean "height"?')
    (job.root / "tables/ways.csv").unlink()
    made.run(job.root, made.configuration({}, output=files)).failed_with("trajectories.file", "tables/ways.csv")


def netcdf(path, form: str, ways: dict = WAYS) -> None:
    """Writes one of the forms of CF 9.5 and appendix H.4."""
    fixes = {name: np.array(one) for name, one in ways.items()}
    columns = {"time": 0, "lat": 1, "lon": 2, "height": 3}
    with netCDF4.Dataset(path, "w") as data:
        data.createDimension("trajectory", len(fixes))
        names = data.createVariable("name", str, ("trajectory",))
        names.cf_role = "trajectory_id"
        names[:] = np.array(list(fixes), dtype=object)
        longest, all_of_them = max(map(len, fixes.values())), np.concatenate(list(fixes.values()))
        data.createDimension("obs", longest if form == "padded" else len(all_of_them))
        dims, values = ("obs",), all_of_them
        if form == "contiguous":
            rows = data.createVariable("row_size", "i4", ("trajectory",))
            rows.sample_dimension = "obs"
            rows[:] = [len(one) for one in fixes.values()]
        elif form == "indexed":  # in the order of time
            order = np.argsort(all_of_them[:, 0], kind="stable")
            index = data.createVariable("of", "i4", ("obs",))
            index.instance_dimension = "trajectory"
            index[:] = np.repeat(np.arange(len(fixes)), [len(one) for one in fixes.values()])[order]
            values = all_of_them[order]
        else:
            dims = ("trajectory", "obs")
            values = np.full((len(fixes), longest, 4), -999.0)
            for number, one in enumerate(fixes.values()):
                values[number, : len(one)] = one
        for name, column in columns.items():
            variable = data.createVariable(name, "f8", dims, fill_value=-999.0)
            variable.units = {"time": "minutes", "lat": "degrees_north", "lon": "degrees_east"}.get(name, "m")
            variable.standard_name = {"lat": "latitude", "lon": "longitude"}.get(name, name)
            variable[:] = values[..., column] / (60 if name == "time" else 1)


def test_tables_in_netcdf(job):
    """In each form of CF, and compared with the run's own file at the times of its records."""
    (job.root / "tables").mkdir()
    for form in ("padded", "contiguous", "indexed"):
        netcdf(job.root / "tables" / f"{form}.nc", form)
    files = {"flight.nc": FILES["flight.nc"]}
    for form in ("padded", "contiguous", "indexed"):
        ways = FILES["flight.nc"]["trajectories"] | {"file": f"tables/{form}.nc"}
        files[f"{form}.nc"] = FILES["flight.nc"] | {"trajectories": ways}
    first = run(case(3, servers(1), {"lat": 3}), job.root, files).finished()
    right = read(first.path("flight.nc"))
    for form in ("padded", "contiguous", "indexed"):
        got = read(first.path(f"{form}.nc"))
        assert sorted(got.trajectory_name.values.astype(str)) == sorted(WAYS)
        order = [
            list(got.trajectory_name.values.astype(str)).index(name)
            for name in right.trajectory_name.values.astype(str)
        ]
        for name in ("t", "ps"):
            assert worst(got[name].values[:, order], right[name].values, 1e-6) == "", form
    own = FILES["near.nc"]["trajectories"] | {"file": "../flight.nc"}
    more = {"near.nc": {"trajectories": FILES["near.nc"]["trajectories"], "variables": [written("ps")]}}
    more["own.nc"] = {"trajectories": own, "variables": [written("ps")]}
    (job.root / "second").mkdir()
    second = run(case(2, servers(1), {"lat": 2}), job.root / "second", more).finished()
    np.testing.assert_array_equal(read(second.path("own.nc")).ps.values, read(second.path("near.nc")).ps.values)


def test_tables_in_netcdf_without_trajectories(job):
    """All mistakes are reported together, with the file."""
    tables = job.root / "tables"
    tables.mkdir()
    netcdf(tables / "ways.nc", "padded")
    (tables / "torn.nc").write_bytes((tables / "ways.nc").read_bytes()[:3000])
    (tables / "old.nc").write_bytes(b"CDF\x01" + bytes(40))
    with netCDF4.Dataset(tables / "nowhere.nc", "w") as data:
        data.createDimension("obs", 3)
        data.createVariable("time", "f8", ("obs",)).units = "s"
        data.createVariable("salt", "f8", ("obs",))
    with netCDF4.Dataset(tables / "dated.nc", "w") as data:
        data.createDimension("obs", 3)
        for name, units in (("time", "days since 2026-01-01"), ("lat", "degrees_north"), ("lon", "degrees_east")):
            data.createVariable(name, "f8", ("obs",)).units = units
    names = ("torn", "old", "nowhere", "dated")
    files = {f"{name}.nc": FILES["near.nc"] | {"trajectories": {"file": f"tables/{name}.nc"}} for name in names}
    files["ways.nc"] = FILES["near.nc"] | {"trajectories": {"file": "tables/ways.nc", "vertical": "hight"}}
    for one in files.values():
        one["variables"] = [written("ps")]
    result = run(case(1, inline()), job.root, files)
    result.failed_with(
        "output.torn.nc.trajectories.file: tables/torn.nc: ",
        "tables/old.nc: is a netCDF file of a form before netCDF-4; expected netCDF-4",
        "tables/nowhere.nc: expected variables with the standard_names latitude and longitude, or of axis X and Y, but "
        "there are salt, time",
        'tables/dated.nc: the units are "days since 2026-01-01", but `model_time.calendar` is none',
        'trajectories.vertical: tables/ways.nc has no column "hight"',
    )
