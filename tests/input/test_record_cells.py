"""The cells of a record, whatever the order and the structure of the file."""

import itertools
import sys

import h5py
import netCDF4
import numpy as np
import pytest
import xarray as xr
from support.record_dump import RecordDump, Refused, grid, write

AXES = {
    "time": np.arange(5.0),
    "lev": np.array([1000.0, 850.0, 500.0]),
    "lat": np.array([-60.0, -10.0, 20.0, 70.0]),
    "lon": np.arange(0.0, 360.0, 36.0),
}
LITTLE = 64 * 1024  # bytes that a library reads besides values, to find them and in whole blocks
FIELD = {"name": "t", "type": "float32", "units": "K"}
KINDS = ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA", "NETCDF4", "NETCDF4_CLASSIC"]


def numbers(seed=1, lengths=None):
    shape = lengths or [len(axis) for axis in AXES.values()]
    return np.random.default_rng(seed).normal(280, 20, shape).astype("f4")


def model_grid():
    return grid(lev=AXES["lev"][::-1], lat=AXES["lat"], lon=AXES["lon"] - 180.0)


def as_in_model(values):
    return np.roll(values[:, ::-1], len(AXES["lon"]) // 2, axis=3)


@pytest.mark.parametrize("kind", KINDS)
def test_dims_in_any_order_and_direction(tmp_path, kind):
    values, expected = numbers(), as_in_model(numbers())
    orders = list(itertools.permutations(AXES)) if kind == "NETCDF4" else [tuple(AXES), tuple(AXES)[::-1]]
    for n, order in enumerate(orders):
        turned = [name for bit, name in enumerate(AXES) if n >> bit & 1 and name != "time"]
        data = xr.DataArray(values, AXES).isel({name: slice(None, None, -1) for name in turned}).transpose(*order)
        unlimited = "time" if order[0] == "time" or (kind == "NETCDF4" and n % 2) else None
        write(tmp_path / f"{n}.nc", data.values, {d: data[d].values for d in order}, kind=kind, unlimited=unlimited)
        with RecordDump(tmp_path, model_grid(), [f"{n}.nc"], [FIELD]) as dump:
            assert dump.prepared[0]["type"] == "float32"
            assert dump.values().tobytes() == expected.tobytes(), (order, turned)


def test_large_records_are_transposed_in_tiles(tmp_path):
    axes = {"lon": np.arange(0, 360, 4.0), "lat": np.linspace(-80, 80, 67), "lev": np.arange(1000.0, 100, -19)}
    values = numbers(lengths=[len(axis) for axis in axes.values()])
    write(tmp_path / "a.nc", values, axes)
    shifted = np.roll(axes["lon"], 13)
    with RecordDump(
        tmp_path, grid(lev=axes["lev"], lat=axes["lat"][::-1], lon=shifted), ["a.nc"], [FIELD | {"time": "none"}]
    ) as dump:
        got, counted = dump.read(0)
    np.testing.assert_array_equal(got, np.roll(values, 13, axis=0)[:, ::-1].transpose(2, 1, 0))
    assert counted["missing"] == 0
    assert values.nbytes <= counted["bytes_read"] < values.nbytes + LITTLE


def test_a_region_reads_only_its_chunks(tmp_path):
    axes = AXES | {"time": np.arange(2.0), "lat": np.linspace(-79.6, 80, 400), "lon": np.arange(0.0, 360.0, 0.6)}
    values = numbers(lengths=[len(axis) for axis in axes.values()])
    write(tmp_path / "a.nc", values, axes, chunksizes=(1, 1, 200, 200), zlib=True)
    lon = np.array([-0.6, 0.0, 0.6])  # the cells 599, 0 and 1 of the file
    with RecordDump(
        tmp_path, grid(lat=axes["lat"][303:301:-1], lon=lon), ["a.nc"], [FIELD | {"select": {"lev": 2}}]
    ) as dump:
        got, counted = dump.read(1)
    np.testing.assert_array_equal(got, values[1, 2, 303:301:-1][:, [599, 0, 1]])
    with h5py.File(tmp_path / "a.nc") as file:
        stored = sum(file["t"].id.get_chunk_info_by_coord((1, 2, 200, first)).size for first in (0, 400))
    assert stored <= counted["bytes_read"] < stored + LITTLE, "two chunks"


def test_each_chunk_is_read_once(tmp_path):
    values = numbers()
    write(tmp_path / "a.nc", values, AXES, chunksizes=(2, 2, 4, 5), zlib=True)
    with RecordDump(tmp_path, model_grid(), ["a.nc"], [FIELD]) as dump:
        read = [dump.read(record)[1]["bytes_read"] for record in range(5)]
    assert [one > 0 for one in read] == [True, False, True, False, True]
    with RecordDump(tmp_path, model_grid(), ["a.nc"], [FIELD], chunk_bytes=1) as dump:  # no room for two records
        np.testing.assert_array_equal(dump.values(), as_in_model(values))


def test_records_are_read_together_where_time_is_the_fastest_dim(tmp_path):
    """A library reads blocks of the file, so that reading them one by one would read all of it for each."""
    axes = {"lon": AXES["lon"], "lat": np.linspace(-80, 80, 100), "time": np.arange(200.0)}
    values = numbers(lengths=[len(axis) for axis in axes.values()])
    for kind in ("NETCDF4", "NETCDF3_CLASSIC"):
        write(tmp_path / "a.nc", values, axes, kind=kind)
        with RecordDump(tmp_path, grid(lat=axes["lat"], lon=AXES["lon"]), ["a.nc"], [FIELD]) as dump:
            records = [dump.read(record) for record in range(200)]
        np.testing.assert_array_equal([record for record, _ in records], values.transpose(2, 1, 0))
        total = sum(counted["bytes_read"] for _, counted in records)  # some may come with the header
        assert 0.9 * values.nbytes < total < values.nbytes + LITTLE


def test_files_of_different_structure(tmp_path):
    """Chunks, type, packing and order of dims change from file to file."""
    values = np.round(numbers() * 4) / 4
    of = [xr.DataArray(values[n : n + 1], AXES | {"time": AXES["time"][n : n + 1]}) for n in range(5)]
    packed = {"scale_factor": 0.25, "add_offset": 200.0}
    made = [
        (of[0].values, list(AXES), {}, {"chunksizes": (1, 1, 2, 3)}),
        (of[1].values.astype("f8"), list(AXES), {}, {"zlib": True}),
        (((of[2].values - 200) * 4).astype("i2"), list(AXES), packed, {}),
        (of[3].transpose("lon", "time", "lat", "lev").values, ["lon", "time", "lat", "lev"], {}, {}),
        (of[4].values[:, ::-1], list(AXES), {}, {"kind": "NETCDF3_CLASSIC", "unlimited": "time"}),
    ]
    for n, (data, dims, attributes, how) in enumerate(made):
        axes = {dim: of[n][dim].values for dim in dims}
        if n == 4:
            axes["lev"] = axes["lev"][::-1]
        write(tmp_path / f"{n}.nc", data, axes, attributes, **how)
    field = FIELD | {"type": "float64"}
    with RecordDump(tmp_path, model_grid(), ["*.nc"], [field]) as dump:
        np.testing.assert_array_equal(dump.values(), as_in_model(values))
    with pytest.raises(Refused) as refused:
        RecordDump(tmp_path, model_grid(), ["*.nc"], [FIELD])
    assert str(refused.value) == (
        f"run.yml:7:3  input.forcing.fields.t: {tmp_path}/1.nc: variable t: the values have the type double, which "
        "float32, the model's type, cannot hold; expected `narrow: true`"
    )


def test_ensembles_and_further_dims(tmp_path):
    axes = {"member": 4, "time": np.arange(2.0), "one": 1, "lat": AXES["lat"], "lon": AXES["lon"]}
    values = numbers(lengths=[4, 2, 1, 4, 10])
    write(tmp_path / "a.nc", values, axes)
    plane = grid(lat=AXES["lat"], lon=AXES["lon"])
    with RecordDump(tmp_path, plane, ["a.nc"], [FIELD | {"select": {"member": 3}}]) as dump:
        np.testing.assert_array_equal(dump.values(), values[3, :, 0])
    for select, message in [
        ({}, "dim member of the file (4 cells) is none of the grid's (lat, lon); choose an index by `select`"),
        ({"members": 3}, '`select` names the dim members, which the variable lacks. Did you mean "member"?'),
        ({"member": 4}, "`select` asks for index 4 (counted from 0) of the dim member, which has 4"),
    ]:
        with pytest.raises(Refused) as refused:
            RecordDump(tmp_path, plane, ["a.nc"], [FIELD | {"select": select}])
        assert f"{tmp_path}/a.nc: variable t: {message}" in str(refused.value)


def test_names_in_groups(tmp_path):
    values = numbers(lengths=[2, 4])
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as data:
        data.createDimension("time", 2)
        data.createVariable("time", "f8", ("time",))[:] = [3, 4]
        data["time"].units = "days since 2000-01-01"
        inner = data.createGroup("forcing").createGroup("land")
        inner.createDimension("lat", 4)
        inner.createVariable("lat", "f8", ("lat",))[:] = AXES["lat"]
        inner["lat"].units = "degrees_north"
        inner.createVariable("t", "f4", ("time", "lat"))[:] = values
        inner["t"].units = "K"
    for path in ("forcing/land/t", "/forcing/land/t"):
        with RecordDump(tmp_path, grid(lat=AXES["lat"][::-1]), ["a.nc"], [FIELD | {"variable": path}]) as dump:
            assert dump.times() == [3 * 86400, 4 * 86400]
            np.testing.assert_array_equal(dump.values(), values[:, ::-1])
    with pytest.raises(Refused, match=r'there is no variable t\. Did you mean "forcing/land/t"'):
        RecordDump(tmp_path, grid(lat=AXES["lat"]), ["a.nc"], [FIELD])


def test_what_does_not_fit_is_named(tmp_path):
    write(tmp_path / "a.nc", numbers(), AXES, name="temp")
    elsewhere = grid(lev=AXES["lev"], lat=AXES["lat"] + 1, lon=AXES["lon"])
    for where, field, files, message in [
        (
            model_grid(),
            {"variable": "tempp"},
            "a.nc",
            f'{tmp_path}/a.nc: variable tempp: there is no variable tempp. Did you mean "temp"',
        ),
        (
            elsewhere,
            {"variable": "temp"},
            "a.nc",
            "the grid has a cell at lat = -59, and the nearest one of the file is at -60",
        ),
        (model_grid(), {}, "b.nc", "run.yml:5:12  input.forcing.files: "),
    ]:
        with pytest.raises(Refused) as refused:
            RecordDump(tmp_path, where, [files], [FIELD | field])
        assert message in str(refused.value)


def test_several_fields_of_several_files(tmp_path):
    for n in range(3):
        with netCDF4.Dataset(tmp_path / f"{n}.nc", "w") as data:
            for name, axis in (AXES | {"time": AXES["time"] + 5 * n}).items():
                data.createDimension(name, len(axis))
                data.createVariable(name, "f8", (name,))[:] = axis
            for name, units in zip(
                AXES, ("days since 2000-01-01", "hPa", "degrees_north", "degrees_east"), strict=True
            ):
                data[name].units = units
            data.createVariable("a", "f4", tuple(AXES))[:] = numbers(n)
            data.createVariable("b", "f4", ("lat", "time"))[:] = numbers(n)[:, 0, :, 0].T
    fields = [{"name": "b", "type": "float32"}, {"name": "a", "type": "float32"}]
    plane = grid(lat=AXES["lat"])
    with RecordDump(tmp_path, plane, ["?.nc"], [fields[0], fields[1] | {"select": {"lev": 1, "lon": 2}}]) as dump:
        np.testing.assert_array_equal(dump.values(0), np.concatenate([numbers(n)[:, 0, :, 0] for n in range(3)]))
        np.testing.assert_array_equal(dump.values(1), np.concatenate([numbers(n)[:, 1, :, 2] for n in range(3)]))


def test_what_xarray_opens(tmp_path):
    values = numbers()
    data = xr.Dataset({"t": (tuple(AXES), values, {"units": "K"})}, AXES)
    data["time"].attrs["units"] = "days since 2000-01-01"
    data["lat"].attrs["units"], data["lon"].attrs["units"], data["lev"].attrs["units"] = (
        "degrees_north",
        "degrees_east",
        "hPa",
    )
    data.to_netcdf(tmp_path / "a.nc")
    with RecordDump(tmp_path, model_grid(), ["a.nc"], [FIELD], python=sys.executable) as dump:
        np.testing.assert_array_equal(dump.values(), as_in_model(values))


def test_a_file_that_changes_while_it_is_open(tmp_path):
    for change in ("replaced", "truncated", "removed"):
        path = tmp_path / f"{change}.nc"
        write(path, numbers(), AXES)
        with RecordDump(tmp_path, model_grid(), [path.name], [FIELD]) as dump:
            np.testing.assert_array_equal(dump.read(0)[0], as_in_model(numbers())[0])
            if change == "truncated":
                with path.open("r+b") as file:
                    file.truncate(1000)
            else:
                path.unlink()
            if change == "replaced":
                write(path, numbers(2), AXES)
            with pytest.raises(Refused) as refused:
                dump.read(1)
            assert str(refused.value).startswith(
                f"run.yml:7:3  input.forcing.fields.t: {path}: variable t, record 1 (counted from 0): "
            ), refused.value
            with pytest.raises(Refused):
                dump.read(2)


@pytest.mark.parametrize(
    "north, east, turned",
    [
        (("degrees_north", AXES["lat"]), ("degrees_east", np.arange(0.0, 361.0, 36.0)), True),  # 0 comes twice
        (("degrees_north", AXES["lat"].astype("f4") + 1e-5), ("degrees_east", AXES["lon"] - 360.0), True),
        (("radian", np.radians(AXES["lat"])), ("radian", np.radians(AXES["lon"])), True),
        ((None, AXES["lat"]), (None, AXES["lon"]), True),  # known by their names
        (None, None, False),  # without coordinates the order of the file counts
    ],
)
def test_coordinates_of_many_kinds(tmp_path, north, east, turned):
    count = 10 if east is None else len(east[1])
    values = numbers(lengths=[2, 4, count])
    if count == 11:
        values[:, :, 10] = values[:, :, 0]
    with netCDF4.Dataset(tmp_path / "a.nc", "w") as data:
        for name, given, length in (("time", None, 2), ("lat", north, 4), ("lon", east, count)):
            data.createDimension(name, length)
            if given is not None:
                data.createVariable(name, given[1].dtype, (name,))[:] = given[1]
                if given[0]:
                    data[name].units = given[0]
                data[name].standard_name = {"lat": "latitude", "lon": "longitude"}[name]
        data.createVariable("time", "f8", ("time",))[:] = [0, 1]
        data["time"].units = "days since 2000-01-01"
        data.createVariable("t", "f4", ("time", "lat", "lon"))[:] = values
        data["t"].units = "K"
    where = grid(lat=AXES["lat"][::-1], lon=AXES["lon"] - 180)
    expected = np.roll(values[:, ::-1, :10], 5, axis=2) if turned else values
    with RecordDump(tmp_path, where, ["a.nc"], [FIELD]) as dump:
        np.testing.assert_array_equal(dump.values(), expected)


def test_lists_of_cells_and_curvilinear_grids(tmp_path):
    """Their coordinates belong to no dim, so the cells are in the order of the file."""
    values = numbers(lengths=[2, 17, 3])
    write(tmp_path / "a.nc", values, {"time": np.arange(2.0), "ncells": 17, "lev": AXES["lev"]})
    with netCDF4.Dataset(tmp_path / "a.nc", "a") as data:
        for name, units in (("clat", "degrees_north"), ("clon", "degrees_east")):
            data.createVariable(name, "f8", ("ncells",))[:] = np.random.default_rng(1).normal(size=17)
            data[name].units = units
        data["t"].coordinates = "clat clon"
    where = grid(lev=AXES["lev"][::-1], cell=17)
    for name, units, standard_name in (("lat", "degrees_north", "latitude"), ("lon", "degrees_east", "longitude")):
        where["coordinates"].append(
            {"name": name, "dims": ["cell"], "units": units, "standard_name": standard_name, "values": [1.0] * 17}
        )
    with RecordDump(tmp_path, where, ["a.nc"], [FIELD]) as dump:
        np.testing.assert_array_equal(dump.values(), values.transpose(0, 2, 1)[:, ::-1])
    with pytest.raises(Refused, match=r"dim ncells of the file \(17 cells\) is none of the grid's \(cell\)"):
        RecordDump(tmp_path, grid(cell=16), ["a.nc"], [FIELD | {"select": {"lev": 0}}])
