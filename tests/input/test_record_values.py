"""The values of a record: unpacked, in the model's units and type, with missing ones, and on which levels."""

import netCDF4
import numpy as np
import pytest
import xarray as xr
from support.record_dump import RecordDump, Refused, grid, write

LAT = np.array([-75.0, -31.0, 8.0, 40.0, 66.0])
LON = np.array([3.0, 50.0, 99.0, 160.0, 200.0, 251.0, 330.0])
PLANE = grid(lat=LAT, lon=LON)
FIELD = {"name": "t", "time": "none"}
NAN = float("nan")


def opened(folder, field=None, where=PLANE, files=("a.nc",), **more):
    return RecordDump(folder, where, list(files), [FIELD | (field or {})], **more)


def refusal(folder, field=None, where=PLANE, **more):
    with pytest.raises(Refused) as refused:
        opened(folder, field, where, **more)
    return str(refused.value)


def plane(kind, seed=1):
    random = np.random.default_rng(seed)
    if np.dtype(kind).kind == "f":
        return random.normal(size=(5, 7)).astype(kind)
    info = np.iinfo(kind)
    return random.integers(max(info.min, -(2**52)), min(info.max, 2**52), (5, 7), dtype=kind)


PACKED = [
    ("i2", {"scale_factor": 0.01, "add_offset": 273.15, "_FillValue": np.int16(-32768)}),
    ("i2", {"scale_factor": np.float32(0.5), "missing_value": np.int16(7)}),
    ("u1", {"scale_factor": 2.0, "_FillValue": np.uint8(255)}),
    ("i1", {"scale_factor": 0.5, "_Unsigned": "true", "_FillValue": np.int8(-1)}),
    ("u2", {"add_offset": -4.0, "_FillValue": np.uint16(65535)}),
    ("u4", {"_FillValue": np.uint32(3)}),
    ("i4", {"scale_factor": 1e-3}),
    ("f4", {"_FillValue": np.float32(1e20), "scale_factor": 3.0}),
    ("f8", {"_FillValue": 1e20, "missing_value": -999.0}),
]


@pytest.mark.filterwarnings("ignore:.*multiple fill values")
@pytest.mark.parametrize("kind, attributes", PACKED)
def test_packed_and_missing_values(tmp_path, kind, attributes):
    values = plane(kind)
    for n, name in enumerate(("_FillValue", "missing_value")):
        if name in attributes:
            values[n, n::2] = attributes[name]
    write(tmp_path / "a.nc", values, {"lat": LAT, "lon": LON}, attributes)
    with xr.open_dataset(tmp_path / "a.nc", decode_times=False) as data:
        expected = data["t"].astype("f8").values
    with opened(tmp_path, {"units": "K"}) as dump:
        got, counted = dump.read(0)
    assert counted["missing"] == np.isnan(expected).sum()
    # xarray computes some of these in float32.
    np.testing.assert_allclose(got, expected, rtol=2e-7 if kind in ("i2", "f4", "u1", "i1") else 1e-14, atol=1e-12)
    if "_Unsigned" not in attributes:
        exact = values.astype("f8") * float(attributes.get("scale_factor", 1)) + float(attributes.get("add_offset", 0))
        np.testing.assert_allclose(got, np.where(np.isnan(expected), NAN, exact), rtol=1e-14, atol=1e-12)


def test_valid_ranges_and_several_missing_values(tmp_path):
    values = np.linspace(-10, 24, 35).reshape(5, 7).astype("f4")
    axes = {"lat": LAT, "lon": LON}
    for attributes, is_missing in [
        ({"valid_range": np.array([-3, 8], "f4")}, (values < -3) | (values > 8)),
        ({"valid_min": np.float32(0)}, values < 0),
        ({"valid_max": np.float32(20)}, values > 20),
        ({"missing_value": np.array([1, 3, 5, 7, 9], "f4")}, np.isin(values, [1, 3, 5, 7, 9])),
        ({"missing_value": 1e20}, np.zeros_like(values, bool)),
    ]:
        write(tmp_path / "a.nc", values, axes, attributes)
        with opened(tmp_path, {"type": "float32"}) as dump:
            got, counted = dump.read(0)
        np.testing.assert_array_equal(got, np.where(is_missing, np.float32(NAN), values))
        assert counted["missing"] == is_missing.sum()
    values[2, 3] = 1e20  # which is another number in float32
    write(tmp_path / "a.nc", values, axes, {"missing_value": 1e20})
    with opened(tmp_path) as dump:
        assert dump.read(0)[1]["missing"] == 1


@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "f4", "f8"])
@pytest.mark.parametrize("model", ["float32", "float64", "int32", "int64"])
def test_types(tmp_path, kind, model):
    """A copy holds every bit; what cannot is refused."""
    values = plane(kind)
    if np.dtype(kind).kind == "f":
        values[0, :3] = -0.0, np.inf, np.finfo(kind).smallest_subnormal
    write(tmp_path / "a.nc", values, {"lat": LAT, "lon": LON})
    digits = {"i1": 7, "i2": 15, "i4": 31, "i8": 63, "u1": 8, "u2": 16, "u4": 32, "f4": 24, "f8": 53}[kind]
    room = {"float32": 24, "float64": 53, "int32": 31, "int64": 63}[model]
    if digits > room or (kind.startswith("f") and model.startswith("int")):
        assert f"which {model}, the model's type, cannot hold; expected `narrow: true`" in refusal(
            tmp_path, {"type": model}
        )
        return
    with opened(tmp_path, {"type": model}) as dump:
        got, counted = dump.read(0)
    assert counted["missing"] == 0
    assert got.astype(model).tobytes() == values.astype(model).tobytes()
    if model.startswith("float") or kind[-1] == "1" or kind == "i8":
        assert got.dtype == ("float32" if model == "float64" and digits <= 24 else model), "the type that it travels in"
    narrow = {"type": model, "time": "linear", "narrow": True}
    write(tmp_path / "b.nc", values[:, None], {"lat": LAT, "time": np.arange(1.0), "lon": LON})
    with RecordDump(tmp_path, PLANE, ["b.nc"], [FIELD | narrow]) as dump:
        assert dump.read(0)[0].tobytes() == values.astype(dump.prepared[0]["type"]).tobytes()


def test_whole_numbers_that_may_be_missing(tmp_path):
    values = plane("i4")
    values[1, 1] = -2147483647  # the default fill value
    write(tmp_path / "a.nc", values, {"lat": LAT, "lon": LON})
    with opened(tmp_path, {"type": "int32"}) as dump:
        got, counted = dump.read(0)
    assert got.dtype == "f8" and counted["missing"] == 1 and np.isnan(got[1, 1])
    np.testing.assert_array_equal(np.nan_to_num(got, nan=-2147483647), values)
    write(tmp_path / "a.nc", plane("i8"), {"lat": LAT, "lon": LON}, {"missing_value": np.int64(-1)})
    assert "values of int64 that may be missing travel as float64" in refusal(tmp_path, {"type": "int64"})
    write(tmp_path / "a.nc", values, {"lat": LAT, "lon": LON}, {"scale_factor": 0.5})
    assert "become real numbers when they are unpacked or converted" in refusal(tmp_path, {"type": "int32"})


def test_whole_numbers_without_a_sign(tmp_path):
    values = plane("u1")
    write(tmp_path / "a.nc", values.view("i1"), {"lat": LAT, "lon": LON}, {"_Unsigned": "true"})
    for model in ("int32", "float32"):
        with opened(tmp_path, {"type": model}) as dump:
            np.testing.assert_array_equal(dump.read(0)[0], values)
    write(tmp_path / "a.nc", plane("i4"), {"lat": LAT, "lon": LON}, {"_Unsigned": "true"})
    assert "the values have the type int, which int32, the model's type, cannot hold" in refusal(
        tmp_path, {"type": "int32"}
    )


def test_units(tmp_path):
    values = plane("f4")
    for own, field, expected in [
        ("degC", {"units": "K"}, values.astype("f8") + 273.15),
        ("K", {"units": "degC"}, values.astype("f8") - 273.15),
        ("mm/day", {"units": "kg m-2 s-1", "units_of_file": "kg m-2 d-1"}, values.astype("f8") / 86400.0),
        ("hPa", {"units": "Pa", "scale": 2.0, "offset": 3.0}, (values.astype("f8") * 2.0 + 3.0) * 100.0),
        ("m2 s-2", {"units": "m", "scale": 0.10197}, values.astype("f8") * 0.10197),
        ("furlong", {"units": ""}, values.astype("f8")),
        (None, {"units": "1"}, values.astype("f8")),
    ]:
        write(tmp_path / "a.nc", values, {"lat": LAT, "lon": LON}, {"units": own or ""})
        if own is None:
            with netCDF4.Dataset(tmp_path / "a.nc", "a") as data:
                data["t"].delncattr("units")
        with opened(tmp_path, field) as dump:
            np.testing.assert_allclose(dump.read(0)[0], expected, rtol=1e-13)
    assert "the variable has no attribute units, and the model expects K" in refusal(tmp_path, {"units": "K"})
    for own, message in [
        ("m", 'the units "m" cannot be converted to "K", which the model expects'),
        ("Kelvins?", 'the units "Kelvins?" are not known to UDUNITS, so "Kelvins?" cannot be converted to "K"'),
    ]:
        write(tmp_path / "a.nc", values, {"lat": LAT, "lon": LON}, {"units": own})
        assert refusal(tmp_path, {"units": "K"}).endswith(f"{tmp_path}/a.nc: variable t: {message}")


def test_what_is_interpolated_travels_in_full(tmp_path):
    """Converted values keep the digits of float64 until the client has interpolated it."""
    values = plane("f4")[None]
    write(tmp_path / "a.nc", values, {"time": np.arange(1.0), "lat": LAT, "lon": LON}, {"units": "degC"})
    types = {
        rule: opened(tmp_path, {"type": "float32", "units": units, "time": rule[0]})
        for rule, units in {("linear", 1): "K", ("previous", 1): "K", ("linear", 2): "degC"}.items()
    }
    assert [dump.prepared[0]["type"] for dump in types.values()] == ["float64", "float32", "float32"]
    for (_, kind), dump in types.items():
        with dump:
            got = dump.read(0)[0]
        expected = values[0].astype("f8") + (273.15 if kind == 1 else 0)
        np.testing.assert_array_equal(got, expected.astype(got.dtype))


def test_a_value_beyond_float32(tmp_path):
    values = plane("f4")
    values[3, 4] = 3e38
    write(tmp_path / "a.nc", values, {"lat": LAT, "lon": LON})
    with opened(tmp_path, {"type": "float32", "scale": 10.0}) as dump, pytest.raises(Refused) as refused:
        dump.read(0)
    assert str(refused.value).endswith(
        "record 0 (counted from 0): a value is beyond what float32, the model's type, holds"
    )


@pytest.mark.parametrize("on_sphere", [True, False])
def test_missing_values_from_the_nearest_cell(tmp_path, on_sphere):
    random = np.random.default_rng(5)
    values = random.normal(size=(3, 2, 5, 7))
    is_missing = random.random((3, 2, 5, 7)) < 0.6
    is_missing[1] = is_missing[0]
    is_missing[2, 1] = True
    values[is_missing] = 1e20
    axes = {"time": np.arange(3.0), "lev": np.array([850.0, 300.0]), "lat": LAT, "lon": LON}
    write(tmp_path / "a.nc", values, axes, {"_FillValue": 1e20})
    where = grid(lev=axes["lev"], lat=LAT, lon=LON)
    north, east = np.meshgrid(np.radians(LAT), np.radians(LON), indexing="ij")
    places = np.stack([np.cos(north) * np.cos(east), np.cos(north) * np.sin(east), np.sin(north)], -1)
    if not on_sphere:
        where["coordinates"] = where["coordinates"][:1]
        places = np.stack(np.meshgrid(np.arange(5.0), np.arange(7.0), indexing="ij"), -1)
    places = places.reshape(35, -1)
    expected = np.where(is_missing, NAN, values).reshape(3, 2, 35)
    for record, level in np.ndindex(3, 2):
        row = expected[record, level]
        valid = np.flatnonzero(~np.isnan(row))
        if len(valid):
            distances = ((places[:, None] - places[valid]) ** 2).sum(-1)
            row[:] = row[valid[distances.argmin(1)]]
    with opened(tmp_path, {"time": "linear", "missing": "nearest"}, where) as dump:
        counts = [dump.read(record)[1]["missing"] for record in range(3)]
        np.testing.assert_array_equal(dump.values().reshape(3, 2, 35), expected)
    assert counts == [0, 0, 35], "a level without any value stays missing"


LEVELS = {"time": np.arange(2.0), "lev": np.array([900.0, 500.0, 200.0, 50.0]), "lat": LAT, "lon": LON}
TARGET = grid(lev=np.array([1000.0, 700.0, 300.0]), lat=LAT, lon=LON)


def test_levels_in_the_units_of_the_target(tmp_path):
    values = np.random.default_rng(1).normal(size=(2, 4, 5, 7))
    write(tmp_path / "a.nc", values, LEVELS)
    put = [{"name": "p_full", "units": "Pa"}]
    for to, factor in (("lev", 1.0), ("p_full", 100.0)):
        with opened(tmp_path, {"time": "linear", "vertical": to}, TARGET, put=put) as dump:
            levels = dump.prepared[0]["levels"]
            np.testing.assert_allclose(levels["values"], LEVELS["lev"] * factor, rtol=1e-15)
            assert levels["count"] == 4 and not levels["come_with_records"]
            np.testing.assert_array_equal(dump.values(), values)
    assert 'is neither a coordinate of the grid model nor a field of the model. Did you mean "p_full"?' in refusal(
        tmp_path, {"vertical": "p_ful"}, TARGET, put=put
    ).replace("p_ful, which ", "")
    write(tmp_path / "b.nc", values, LEVELS | {"lev": LEVELS["lev"] + 1, "time": np.arange(2.0) + 2})
    assert "its levels along lev differ from those of the first file" in refusal(
        tmp_path, {"time": "linear", "vertical": "lev"}, TARGET, files=("a.nc", "b.nc")
    )
    write(tmp_path / "d.nc", values, LEVELS | {"lev": np.array([900.0, 500.0, 500.0, 50.0])})
    assert "level 2 (counted from 0) is 500 and the one before 500; expected levels that descend" in refusal(
        tmp_path, {"time": "linear", "vertical": "lev"}, TARGET, files=("d.nc",)
    )
    write(tmp_path / "c.nc", values[:, 0], {dim: LEVELS[dim] for dim in ("time", "lat", "lon")})
    assert "it has no vertical dim among time, lat, lon, but `vertical` is asked for" in refusal(
        tmp_path, {"time": "linear", "vertical": "lev"}, TARGET, files=("c.nc",)
    )


HYBRIDS = [
    ("atmosphere_hybrid_sigma_pressure_coordinate", "ap: ap b: b ps: ps", lambda ap, b, top, ps: ap + b * ps),
    ("atmosphere_hybrid_sigma_pressure_coordinate", "a: a b: b ps: ps p0: p0", lambda ap, b, top, ps: ap + b * ps),
    ("atmosphere_sigma_coordinate", "sigma: b ptop: top ps: ps", lambda ap, b, top, ps: top + b * (ps - top)),
]


@pytest.mark.parametrize("order", [("time", "lev", "lat", "lon"), ("lon", "lat", "time", "lev")])
@pytest.mark.parametrize("standard_name, terms, formula", HYBRIDS)
def test_hybrid_levels(tmp_path, standard_name, terms, formula, order):
    random = np.random.default_rng(1)
    values, ps = random.normal(size=(2, 4, 5, 7)), random.uniform(50000, 102000, (2, 5, 7))
    ap, b, top = np.array([0.0, 6000.0, 9000.0, 2000.0]), np.array([1.0, 0.6, 0.2, 0.0]), 100.0
    data = xr.DataArray(values, LEVELS | {"lev": [1.0, 2.0, 3.0, 4.0]}, tuple(LEVELS)).transpose(*order)
    write(tmp_path / "a.nc", data.values, {dim: data[dim].values for dim in order})
    with netCDF4.Dataset(tmp_path / "a.nc", "a") as file:
        file["lev"].setncatts(
            {"units": "1", "positive": "down", "standard_name": standard_name, "formula_terms": terms}
        )
        for name, dims, given, units in [
            ("ap", ("lev",), ap, "Pa"),
            ("a", ("lev",), ap / 1e5, None),
            ("b", ("lev",), b, "1"),
            ("p0", (), 1000.0, "hPa"),
            ("top", (), top, "Pa"),
            ("ps", ("lat", "time", "lon"), ps.transpose(1, 0, 2) / 100, "hPa"),
        ]:
            file.createVariable(name, "f8", dims)[...] = given
            if units:
                file[name].units = units
    with opened(tmp_path, {"time": "linear", "vertical": "lev"}, TARGET) as dump:
        assert dump.prepared[0]["levels"] == {"count": 4, "come_with_records": True, "values": []}
        total = 0
        for record in range(2):
            got, counted = dump.read(record)
            np.testing.assert_array_equal(got, values[record])
            expected = formula(*(x.reshape(-1, 1, 1) for x in (ap, b)), top, ps[record]) / 100
            np.testing.assert_allclose(counted["levels"], expected, rtol=1e-13)
            total += counted["bytes_read"]
        assert total >= values.nbytes + ps.nbytes
    with netCDF4.Dataset(tmp_path / "a.nc", "a") as file:
        file["lev"].formula_terms = terms.replace("ps: ps", "ps: aps")
    assert "`formula_terms` of lev names the variable aps as ps, which the file lacks" in refusal(
        tmp_path, {"time": "linear", "vertical": "lev"}, TARGET
    )
