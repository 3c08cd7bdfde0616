"""Variables of the tables of a MIP: the contents of files, and what is refused."""

import netCDF4
import numpy as np
import pytest
import xarray as xr
import yaml
from support import mip_tables
from support.checkers import complaints
from support.harness import block_grid, field, indexed_grid, inline, model, servers, tailrace
from support.values import missing_cells, put_values

DAY = 86400.0
SHAPE = (5, 7)
PLANE = block_grid(
    "globe",
    SHAPE,
    ("lat",),
    [
        {"name": "lat", "units": "degrees_north", "standard_name": "latitude", "first": -72.0, "spacing": 36.0},
        {"name": "lon", "units": "degrees_east", "standard_name": "longitude", "spacing": 360.0 / 7},
    ],
    ("lat", "lon"),
)
FIELDS = [
    field("t2m", "globe", units="K", fill_value=-999.0),
    field("sw_up", "globe", units="kg s-3"),  # W m-2 in other units
    field("celsius", "globe", units="degC"),
    field("topo", "globe", units="m"),
]
TIMES = [0.75 * DAY * (step + 1) for step in range(82)]  # 61.5 days


MONTHS = [(0.0, 31 * DAY), (31 * DAY, 59 * DAY), (59 * DAY, 61.5 * DAY)]


def config(variables, **more):
    names = ["t2m", "sw_up", "celsius"]
    return {
        "model_time": {"calendar": "noleap", "start": "2001-01-01"},
        "cmip": {"tables": "../Tables"},
        "fields": {"air": {"every": "1 step", "names": names}, "fixed": {"every": "once", "names": ["topo"]}},
        "output": {"a.nc": {"variables": variables}},
    } | more


def run(job, variables, serving=None, grid=PLANE, coordinates=True, **more):
    mip_tables.write(job.root, coordinates)
    fields = [one | {"grid": grid["name"]} for one in FIELDS]
    return job(
        model(2, grids=[grid], fields=fields, times=TIMES), serving or inline(), config=config(variables, **more)
    )


def month(field, window, missing):
    """The mean of the samples of a month that have a value, weighted by their overlap; and the maximum."""
    total, weight, largest = np.zeros(SHAPE), np.zeros(SHAPE), np.full(SHAPE, -np.inf)
    for step, (begin, end) in enumerate(zip([0.0, *TIMES[:-1]], TIMES, strict=True), start=1):
        share = min(end, window[1]) - max(begin, window[0])
        if share <= 0:
            continue
        valid = ~(missing & missing_cells(SHAPE, step))
        values = put_values(field, SHAPE, end, step)
        total += np.where(valid, share * values, 0.0)
        weight += np.where(valid, share, 0.0)
        largest = np.maximum(largest, np.where(valid, values, -np.inf))
    with np.errstate(invalid="ignore"):
        return total / weight, largest


def test_a_month_of_amon(job):
    variables = [{"field": "t2m", "cmip": "Amon/tas"}, {"field": "t2m", "cmip": "Amon/tasmax"}]
    variables.append({"field": "sw_up", "cmip": "Amon/rsus", "attributes": {"comment": "ours", "realm": "atmos"}})
    result = run(
        job, variables, servers(2), defaults={"every": "1 d", "operation": "min", "type": "float64"}
    ).finished()
    with netCDF4.Dataset(result.path("a.nc")) as data:
        assert set(data.variables) == {"tas", "tasmax", "rsus", "height", "time", "time_bnds", "lat", "lon"}
        tas = {name: data["tas"].getncattr(name) for name in data["tas"].ncattrs()}
        fill = tas.pop("_FillValue")
        assert (fill, tas.pop("missing_value"), data["tas"].dtype) == (np.float32(1e20), np.float32(1e20), np.float32)
        assert tas == {
            "standard_name": "air_temperature",
            "units": "K",
            "cell_methods": "area: time: mean",
            "long_name": "the tas",
            "comment": "near it",
            "coordinates": "height",
        }
        assert data["height"][...] == 2.0 and data["height"].units == "m" and data["height"].positive == "up"
        assert data["tasmax"].cell_methods == "area: mean time: maximum"
        rsus = data["rsus"]
        assert (rsus.positive, rsus.units, rsus.comment, rsus.realm) == ("up", "W m-2", "ours", "atmos")
        np.testing.assert_array_equal(data["time_bnds"][:], MONTHS)
        data.set_auto_mask(False)
        for record, window in enumerate(MONTHS):
            mean, largest = month(0, window, missing=True)
            none = np.isnan(mean)
            assert none.any() and not none.all()
            np.testing.assert_allclose(data["tas"][record], np.where(none, np.float32(1e20), mean), rtol=1e-6)
            np.testing.assert_allclose(data["tasmax"][record], np.where(none, np.float32(1e20), largest), rtol=1e-6)
            np.testing.assert_allclose(rsus[record], month(1, window, missing=False)[0], rtol=1e-6)
    assert complaints(result.path("a.nc")) == []
    decoded = xr.open_dataset(result.path("a.nc"))
    assert np.isnan(decoded.tas.values).sum() == 3 * none.sum()


def test_other_frequencies_and_fixed_fields(job):
    variables = [{"field": "t2m", "cmip": "3hr/tas"}]
    more = {"field": "sw_up", "name": "flux", "cmip": "Amon/rsus", "every": "1 month", "operation": "mean"}
    files = {"a.nc": {"variables": variables}, "b.nc": {"variables": [more, {"field": "topo", "cmip": "fx/orog"}]}}
    result = run(job, variables, output=files).finished()
    with netCDF4.Dataset(result.path("a.nc")) as data:
        assert data["tas"].cell_methods == "area: mean time: point"
        data.set_auto_mask(False)
        assert len(data["tas"]) == len(TIMES)
        for step, time in enumerate(TIMES, start=1):
            put = put_values(0, SHAPE, time, step).astype(np.float32)
            expected = np.where(missing_cells(SHAPE, step), np.float32(1e20), put)
            np.testing.assert_array_equal(data["tas"][step - 1], expected)
    with netCDF4.Dataset(result.path("b.nc")) as data:
        assert data["flux"].long_name == "the rsus"
        assert data["orog"].dimensions == ("lat", "lon")
        assert data["orog"].standard_name == "surface_altitude"
        np.testing.assert_allclose(data["orog"][:], put_values(3, SHAPE, TIMES[0], 1), rtol=1e-6)


def test_cmip7_and_fields_with_the_names_of_variables(job):
    diagnostics = {"tas": {"is": "to_units(celsius, units='K')"}, "rsus": {"is": "1.0 * sw_up", "units": "W m-2"}}
    files = {"a.nc": {"variables": [{"group": "cmor", "cmip": "CMIP6_Amon"}]}}
    seven = {"field": "t2m", "cmip": "atmos/tas_tavg-h2m-hxy-u"}
    files["b.nc"] = {"defaults": {"every": "10 d"}, "variables": [seven]}
    groups = {"cmor": ["tas", "rsus"]}
    result = run(job, [], diagnostics=diagnostics, groups=groups, output=files).finished()
    with netCDF4.Dataset(result.path("a.nc")) as data:
        assert data["tas"].cell_methods == data["rsus"].cell_methods == "area: time: mean"
        kelvin = month(2, MONTHS[0], missing=False)[0] + 273.15
        np.testing.assert_allclose(data["tas"][0], kelvin, rtol=1e-6)
    with netCDF4.Dataset(result.path("b.nc")) as data:
        assert data["tas"].long_name == "air temperature near the surface"
        assert len(data["tas"]) == 7 and data["time_bnds"][0, 1] == 10 * DAY


def test_a_grid_without_longitude_and_a_folder_without_coordinates(job):
    icosahedron = indexed_grid("globe", (2, 43))
    result = run(job, [{"field": "t2m", "cmip": "Amon/ta"}], grid=icosahedron, coordinates=False).finished()
    assert "Amon" not in result.output, result.output
    result = run(job, [{"field": "t2m", "cmip": "Amon/taClim"}], grid=icosahedron, coordinates=False).finished()
    with netCDF4.Dataset(result.path("a.nc")) as data:
        assert data["ta"].cell_methods == "time: mean within years time: mean over years"
        assert data["time"].climatology in data.variables and len(data["ta"]) == 3
    result = run(job, [{"field": "t2m", "cmip": "Amon/tas"}], grid=icosahedron, coordinates=False).finished()
    assert 'so 1 is expected besides time, but "t2m" has 2 (level, cell)' in result.output
    with netCDF4.Dataset(result.path("a.nc")) as data:
        assert "height" not in data.variables


T2M = {"field": "t2m"}
REFUSED = {
    "a slip in the table": (T2M | {"cmip": "Amn/tas"}, 'there is no table "Amn"', 'Did you mean "Amon"?'),
    "a slip in the variable": (
        T2M | {"cmip": "Amon/tasmxa"},
        "CMIP6_Amon.json",
        'no variable "tasmxa"',
        'Did you mean "tasmax"?',
    ),
    "no variable": (T2M | {"cmip": "Amon/"}, "variables[0].cmip: expected a table", 'got "Amon/"'),
    "an option of the model": (T2M | {"cmip": "{table}/tas"}, "is read before the model gives its options"),
    "other units": (
        {"field": "celsius", "cmip": "Amon/tas"},
        'field "celsius" is in "degC"',
        "and Amon/tas (",
        "tas: {is: 'to_units(celsius, units=\"K\")'}",
    ),
    "units of another kind": ({"field": "sw_up", "cmip": "Amon/tas"}, '"kg s-3"', "cannot be converted"),
    "another period": (
        T2M | {"cmip": "Amon/tas", "every": "30 d"},
        "variables[0].every: Amon/tas",
        'frequency "mon": expected `every: 1 month`, but got `every: 30 d`',
    ),
    "another operation": (
        T2M | {"cmip": "Amon/tasmax", "operation": "mean"},
        "variables[0].operation: Amon/tasmax",
        '"area: mean time: maximum": expected `max`, but got mean',
    ),
    "two operations": (T2M | {"cmip": "Amon/tasDaily"}, "maximum within days time: mean over days", "no `operation`"),
    "another type": (T2M | {"cmip": "Amon/tas", "type": "float64"}, "type real: expected float32, but got float64"),
    "packed": (T2M | {"cmip": "Amon/tas", "pack": {"range": [1, 2]}}, "variables[0].pack", "is not packed"),
    "another attribute": (
        T2M | {"cmip": "Amon/tas", "attributes": {"standard_name": "sst"}},
        "attributes.standard_name: Amon/tas",
        'has "air_temperature", but got "sst"',
    ),
    "another dimension": (
        T2M | {"cmip": "Amon/ta"},
        '"longitude latitude alevel time", so 3 are expected besides time, but "t2m" has 2 (lat, lon)',
    ),
    "one that is fixed": (T2M | {"cmip": "fx/orog"}, "does not change with time", "`every: once`"),
    "one that is not": ({"field": "topo", "cmip": "Amon/rsus"}, '"topo" is put once', "changes with time"),
    "a group and a variable": ({"fields": "t2*", "cmip": "Amon/tas"}, "many fields", "`cmip: Amon`"),
    "no variable of the name": ({"fields": "t2*", "cmip": "Amon"}, 'no variable "t2m"'),
}


# By the stage in which they are found: reading tables, checking the configuration, knowing the model.
READ = ["a slip in the table", "an option of the model"]
PLANNED = ["other units", "units of another kind", "another dimension", "one that is fixed", "one that is not"]
CHECKED = [case for case in REFUSED if case not in READ + PLANNED]


@pytest.mark.parametrize("cases", [READ, CHECKED, PLANNED], ids=["read", "checked", "planned"])
def test_all_errors_are_reported_together(job, cases):
    named = [{"name": f"v{i}"} if "field" in REFUSED[case][0] else {} for i, case in enumerate(cases)]
    variables = [REFUSED[case][0] | name for case, name in zip(cases, named, strict=True)]
    result = run(job, variables)
    for i, case in enumerate(cases):
        words = [word.replace("variables[0]", f"variables[{i}]") for word in REFUSED[case][1:]]
        result.failed_with("tailrace.yaml:", f"output.a.nc.variables[{i}]", *words)


def test_a_standard_name_that_differs_in_the_model(job):
    mip_tables.write(job.root)
    fields = [FIELDS[0] | {"standard_name": "sea_surface_temperature"}, *FIELDS[1:]]
    player = model(1, grids=[PLANE], fields=fields, times=TIMES[:2])
    result = job(player, inline(), config=config([{"field": "t2m", "cmip": "Amon/tas"}]))
    result.failed_with("sea_surface_temperature", '"air_temperature"', "CMIP6_Amon.json:")


SECTIONS = {
    "no tables": (None, "expected the tables", "`cmip: {tables: ...}`"),
    "a key": ({"tabels": "../Tables"}, "cmip.tabels", 'Did you mean "tables"?'),
    "nothing": ({}, '"tables" is missing'),
    "no such folder": ({"tables": "../Tabels"}, "cmip.tables: there is no file or folder", "Tabels"),
    "no JSON": ({"tables": ["../broken/X_Amon.json"]}, "X_Amon.json:2:11", "this is not JSON"),
    "no table": ({"tables": ["../broken/Y_Amon.json"]}, "Y_Amon.json", 'with "Header"'),
    "two of the name": ({"tables": ["../broken"]}, '"Amon" may be one of several', "X_Amon, Y_Amon"),
}


@pytest.mark.parametrize("case", SECTIONS)
def test_what_is_wrong_with_tables(tmp_path, case):
    section, *words = SECTIONS[case]
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "X_Amon.json").write_text('{\n"Header": ]}')
    (broken / "Y_Amon.json").write_text("{}")
    whole = {"tailrace": 1} | config([{"field": "t2m", "cmip": "Amon/tas"}]) | {"cmip": section}
    if section is None:
        del whole["cmip"]
    mip_tables.write(tmp_path)
    (tmp_path / "run").mkdir()
    (tmp_path / "run/tailrace.yaml").write_text(yaml.safe_dump(whole, sort_keys=False))
    done = tailrace("check", "tailrace.yaml", cwd=tmp_path / "run")
    assert done.returncode == 2
    assert all(word in done.stderr for word in words), done.stderr
