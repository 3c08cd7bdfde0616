"""Records that are regridded, against NumPy on the weights of the cache, and against sums made otherwise."""

import subprocess

import netCDF4
import numpy as np
import pytest
from support.input_regridding import boxes, mean_of_valid, weights
from support.record_dump import RecordDump, Refused, grid, write
from support.weights import needs_cdo

LAT, LON = np.linspace(-85.0, 85.0, 18), np.arange(5.0, 360.0, 10.0)
TARGET_LAT, TARGET_LON = np.linspace(60.0, -60.0, 7), np.arange(-175.0, 180.0, 14.4)
FIELD = {"name": "t", "units": "K"}


def conservative(coverage=0.5, **more):
    return FIELD | {"regrid": {"method": "conservative", "coverage": coverage}} | more


def numbers(*shape, seed=35):
    return np.random.default_rng(seed).normal(280.0, 20.0, shape)


def dump(folder, model, fields, files=("a.nc",), **more):
    return RecordDump(folder, model, list(files), fields, weights=str(folder / "cache"), **more)


def test_means_over_the_cells_of_the_model(tmp_path):
    values = numbers(3, len(LAT), len(LON))
    write(tmp_path / "a.nc", values, {"time": np.arange(3.0), "lat": LAT, "lon": LON})
    model = grid(lat=TARGET_LAT, lon=TARGET_LON)
    with dump(tmp_path, model, [conservative()]) as reader:
        got = reader.values()
        assert reader.prepared[0]["type"] == "float64"
        assert reader.prepared[0]["regridded"].startswith(
            "regridded from lat-lon 18 x 36 of the files to lat-lon 7 x 25"
        )
    expected = [boxes(one, LAT, LON, TARGET_LAT, TARGET_LON) for one in values]
    np.testing.assert_allclose(got, expected, rtol=1e-13)


def test_a_file_in_another_order_gives_the_same(tmp_path):
    values = numbers(2, len(LAT), len(LON))
    write(tmp_path / "a.nc", values, {"time": np.arange(2.0), "lat": LAT, "lon": LON})
    turned = values[:, ::-1].transpose(2, 0, 1)
    write(
        tmp_path / "b.nc",
        np.roll(turned, 18, axis=0),
        {"lon": np.roll((LON + 180) % 360 - 180, 18), "time": np.arange(2.0), "lat": LAT[::-1]},
    )
    model = grid(lat=TARGET_LAT, lon=TARGET_LON)
    with dump(tmp_path, model, [conservative()]) as one, dump(tmp_path, model, [conservative()], ["b.nc"]) as other:
        np.testing.assert_allclose(one.values(), other.values(), rtol=1e-14)


def test_levels_and_the_order_of_the_models_dims(tmp_path):
    lev = np.array([1000.0, 700.0, 500.0])
    values = numbers(2, 3, len(LAT), len(LON))
    write(tmp_path / "a.nc", values, {"time": np.arange(2.0), "lev": lev, "lat": LAT, "lon": LON})
    plain = grid(lev=lev[::-1], lat=TARGET_LAT, lon=TARGET_LON)
    inner = grid(lon=TARGET_LON, lev=lev[::-1], lat=TARGET_LAT)
    with dump(tmp_path, plain, [conservative()]) as reader:
        got = reader.values()
    with dump(tmp_path, inner, [conservative()]) as reader:
        np.testing.assert_allclose(reader.values(), got.transpose(0, 3, 1, 2), rtol=1e-14)
    for level in range(3):
        np.testing.assert_allclose(
            got[1, level], boxes(values[1, 2 - level], LAT, LON, TARGET_LAT, TARGET_LON), rtol=1e-13
        )


@pytest.mark.parametrize("coverage", [0.0, 0.5, 1.0])
def test_missing_cells_count_by_coverage(tmp_path, coverage):
    values = numbers(1, len(LAT), len(LON))
    values[:, np.random.default_rng(1).random(values.shape[1:]) < 0.4] = -99.0
    write(tmp_path / "a.nc", values, {"time": np.arange(1.0), "lat": LAT, "lon": LON}, {"_FillValue": -99.0})
    with dump(tmp_path, grid(lat=TARGET_LAT, lon=TARGET_LON), [conservative(coverage=coverage)]) as reader:
        got, counted = reader.read(0)
    known = np.where(values == -99.0, np.nan, values).reshape(1, -1)
    expected = mean_of_valid(weights(tmp_path), known, coverage).reshape(got.shape)
    np.testing.assert_allclose(got, expected, rtol=1e-13)
    assert 0 < np.isnan(got).sum() == counted["missing"] or coverage == 0.0


def test_units_come_before_and_missing_after(tmp_path):
    values = numbers(1, len(LAT), len(LON))
    values[0, :, 20:] = np.nan
    write(tmp_path / "a.nc", values, {"time": np.arange(1.0), "lat": LAT, "lon": LON})
    model = grid(lat=TARGET_LAT, lon=TARGET_LON)
    celsius = conservative(units="degC", missing="nearest")
    with dump(tmp_path, model, [conservative()]) as plain, dump(tmp_path, model, [celsius]) as filled:
        kelvin, got = plain.values()[0], filled.values()[0]
    assert np.isnan(kelvin).any() and not np.isnan(got).any()
    there = np.isfinite(kelvin)
    np.testing.assert_allclose(got[there], kelvin[there] - 273.15, rtol=0, atol=1e-11)
    assert np.isin(got[~there], got[there]).all()


def test_values_of_float32(tmp_path):
    values = numbers(1, len(LAT), len(LON)).astype("f4")
    write(tmp_path / "a.nc", values, {"time": np.arange(1.0), "lat": LAT, "lon": LON})
    model = grid(lat=TARGET_LAT, lon=TARGET_LON)
    single = conservative(variable="t", type="float32")
    fields = [single | {"time": "previous"}, single | {"name": "u"}, conservative(name="v", variable="t")]
    with dump(tmp_path, model, fields) as reader:
        assert [one["type"] for one in reader.prepared] == ["float32", "float64", "float64"]
        (got, counted), (wide, _) = reader.read(0, 0), reader.read(0, 2)
        np.testing.assert_array_equal(got, wide.astype("f4"))
    links = np.count_nonzero(weights(tmp_path))
    assert 12 * links < counted["bytes_of_weights"] < 30 * links, "once for all three fields"


def test_nearest_keeps_classes(tmp_path):
    values = np.random.default_rng(2).integers(0, 9, (1, len(LAT), len(LON))).astype("i4")
    write(tmp_path / "a.nc", values, {"time": np.arange(1.0), "lat": LAT, "lon": LON})
    model = grid(lat=TARGET_LAT + 0.1, lon=TARGET_LON)
    classes = FIELD | {"type": "int32", "time": "nearest", "regrid": {"method": "nearest"}}
    with dump(tmp_path, model, [classes]) as reader:
        got = reader.values()[0]
    rows = np.abs(LAT[:, None] - TARGET_LAT - 0.1).argmin(0)
    columns = np.abs((LON[:, None] - TARGET_LON + 180) % 360 - 180).argmin(0)
    np.testing.assert_array_equal(got, values[0][rows][:, columns])
    with pytest.raises(Refused, match="become real numbers when they are regridded"):
        dump(tmp_path, model, [classes | {"regrid": {"method": "conservative"}}])


def test_the_same_cells_are_copied(tmp_path):
    values = numbers(1, len(LAT), len(LON))
    write(tmp_path / "a.nc", values, {"time": np.arange(1.0), "lat": LAT, "lon": LON})
    with dump(tmp_path, grid(lat=LAT[10:4:-1], lon=np.roll(LON, 3)[:9]), [conservative()]) as reader:
        assert reader.values().tobytes() == values[:, 10:4:-1][:, :, np.arange(-3, 6)].tobytes()
        assert (
            reader.prepared[0]["regridded"] == "not regridded: lat-lon 18 x 36 of the files has the cells of the model"
        )
    assert not (tmp_path / "cache").exists()
    every_second = grid(lat=LAT[1::2], lon=LON[::2])  # all of its centres are those of the file, but not its cells
    with dump(tmp_path, every_second, [conservative()]) as reader:
        np.testing.assert_allclose(reader.values()[0], boxes(values[0], LAT, LON, LAT[1::2], LON[::2]), rtol=1e-13)


def test_only_what_the_model_needs_is_read(tmp_path):
    lat, lon = np.linspace(-89.5, 89.5, 180), np.arange(0.5, 360.0)
    values = numbers(1, 180, 360)
    write(tmp_path / "a.nc", values, {"time": np.arange(1.0), "lat": lat, "lon": lon}, chunksizes=(1, 30, 30))
    model = grid(lat=np.array([40.2, 42.2]), lon=np.array([-1.1, 0.9, 2.9]))  # over the file's first longitude
    with dump(tmp_path, model, [conservative()]) as reader:
        got, counted = reader.read(0)
    np.testing.assert_allclose(
        got, boxes(values[0], lat, lon, np.array([40.2, 42.2]), np.array([-1.1, 0.9, 2.9])), rtol=1e-12
    )
    assert counted["bytes_read"] < 2 * 30 * 30 * 8 + 65536


def test_nested_grids_are_read_once(tmp_path):
    """Two domains of a model, one within the other, from one variable."""
    lat, lon = np.linspace(-89.5, 89.5, 180), np.arange(0.5, 360.0)
    values = numbers(5, 180, 360)
    write(tmp_path / "a.nc", values, {"time": np.arange(5.0), "lat": lat, "lon": lon}, chunksizes=(2, 180, 360))
    outer_lat, outer_lon = np.arange(30.0, 61.0, 3.0), np.arange(0.0, 40.0, 4.0)
    inner_lat, inner_lon = np.arange(40.0, 50.0, 1.1), np.arange(10.0, 22.0, 1.3)
    model, nest = grid(lat=outer_lat, lon=outer_lon), grid(lat=inner_lat, lon=inner_lon)
    fields = [conservative(name="t_outer", variable="t"), conservative(name="t_nest", variable="t", grid=1)]
    with dump(tmp_path, model, fields, more_grids=[nest]) as reader:
        read, got = [0, 0], [[], []]
        # As servers ask: what a field needs at once, then further ones in turn.
        for record, field in [(0, 0), (1, 0), (0, 1), (1, 1), (2, 0), (2, 1), (3, 1), (3, 0), (4, 0), (4, 1)]:
            one, counted = reader.read(record, field)
            got[field].append(one)
            read[field] += counted["bytes_read"]
    assert sum(read) < 6 * 180 * 360 * 8 + 65536, "each chunk of two records once"
    for record in range(5):
        np.testing.assert_allclose(got[0][record], boxes(values[record], lat, lon, outer_lat, outer_lon), rtol=1e-12)
        np.testing.assert_allclose(got[1][record], boxes(values[record], lat, lon, inner_lat, inner_lon), rtol=1e-12)
    assert len(list(tmp_path.glob("cache/*.nc"))) == 2


def curvilinear(path, values, bounds=True):
    """A grid of 2-D coordinates, as those of tripolar oceans are stored."""
    y, x = values.shape[-2:]
    south, west = np.linspace(-70, 66, y + 1), np.linspace(10, 370, x + 1)

    def places(j, i):
        return (south[j] + 4 * np.sin(np.radians(2 * west[i])) * np.cos(np.radians(south[j])), west[i] % 360)

    j, i = np.mgrid[0:y, 0:x]
    corners = [places(j + dj, i + di) for dj, di in ((0, 0), (0, 1), (1, 1), (1, 0))]
    with netCDF4.Dataset(path, "w") as data:
        for dim, length in (("time", len(values)), ("y", y), ("x", x), ("corner", 4)):
            data.createDimension(dim, length)
        data.createVariable("time", "f8", ("time",))[:] = np.arange(len(values))
        data["time"].units = "days since 2000-01-01"
        for axis, (name, units) in enumerate((("nav_lat", "degrees_north"), ("nav_lon", "degrees_east"))):
            data.createVariable(name, "f8", ("y", "x"))[:] = (
                places(j + 0, i + 0)[axis] if axis else (corners[0][0] + corners[2][0]) / 2
            )
            data[name].units = units
            if axis:
                data[name][:] = (west[:-1] + west[1:])[None, :] / 2 % 360 + 0 * south[:-1, None]
            if bounds:
                data[name].bounds = f"{name}_bounds"
                data.createVariable(f"{name}_bounds", "f8", ("y", "x", "corner"))[:] = np.stack(
                    [one[axis] for one in corners], -1
                )
        made = data.createVariable("t", "f8", ("time", "y", "x"))
        made.setncatts({"units": "K", "coordinates": "nav_lat nav_lon"})
        made[:] = values


def test_cells_with_two_coordinates_each(tmp_path):
    values = numbers(2, 17, 29)
    curvilinear(tmp_path / "a.nc", values)
    with dump(tmp_path, grid(lat=TARGET_LAT, lon=TARGET_LON), [FIELD | {"regrid": {"method": "nearest"}}]) as reader:
        got = reader.values()
        assert "from 17 x 29 cells of the files" in reader.prepared[0]["regridded"]
    expected = (values.reshape(2, -1) @ weights(tmp_path).T).reshape(got.shape)
    np.testing.assert_array_equal(got, expected)
    assert len(np.unique(got)) > 50


def test_conservative_from_curvilinear_cells(tmp_path):
    pytest.importorskip("yac")
    values = numbers(1, 17, 29)
    curvilinear(tmp_path / "a.nc", values)
    with dump(tmp_path, grid(lat=TARGET_LAT, lon=TARGET_LON), [conservative()]) as reader:
        got = reader.values()
    expected = mean_of_valid(weights(tmp_path), values.reshape(1, -1)).reshape(got.shape)
    np.testing.assert_allclose(got, expected, rtol=1e-13)


def test_cells_without_bounds(tmp_path):
    """The message says whose they are."""
    curvilinear(tmp_path / "a.nc", numbers(1, 17, 29), bounds=False)
    with pytest.raises(Refused, match=r"variable t: .* needs the corners of cells, and the grid of the file has no "):
        dump(tmp_path, grid(lat=TARGET_LAT, lon=TARGET_LON), [conservative()])
    write(tmp_path / "b.nc", numbers(1, len(LAT), len(LON)), {"time": np.arange(1.0), "lat": LAT, "lon": LON})
    model = grid(cell=43)
    for name, units in (("clat", "degrees_north"), ("clon", "degrees_east")):
        places = {"name": name, "dims": ["cell"], "units": units, "values": np.linspace(-80, 80, 43).tolist()}
        model["coordinates"].append(places)
    with pytest.raises(Refused, match=r"variable t: .* and the grid model of the model has no bounds"):
        dump(tmp_path, model, [conservative()], ["b.nc"])


def healpix(path, values, order, level, easy_gems=False):
    with netCDF4.Dataset(path, "w") as data:
        data.createDimension("time", len(values))
        data.createDimension("cell", values.shape[1])
        data.createVariable("time", "f8", ("time",))[:] = np.arange(len(values))
        data["time"].units = "days since 2000-01-01"
        data.createVariable("crs", "i4")
        old = {"healpix_nside": 2**level, "healpix_order": {"nested": "nest", "ring": "ring"}[order]}
        new = {"refinement_level": level, "indexing_scheme": order}
        data["crs"].setncatts({"grid_mapping_name": "healpix"} | (old if easy_gems else new))
        data.createVariable("t", "f8", ("time", "cell"))[:] = values
        data["t"].setncatts({"units": "K", "grid_mapping": "crs"})


@pytest.mark.parametrize("easy_gems", [False, True])
def test_files_on_healpix(tmp_path, easy_gems):
    values = numbers(2, 12 * 4**3)
    for order in ("nested", "ring"):
        healpix(tmp_path / f"{order}.nc", values, order, 3, easy_gems)
    model = grid(cell=12 * 4**2) | {"mapping": {"grid_mapping_name": "healpix", "indexing_scheme": "nested"}}
    with dump(tmp_path, model, [conservative()], ["nested.nc"]) as reader:
        np.testing.assert_allclose(reader.values(), values.reshape(2, -1, 4).mean(2), rtol=1e-14)
    same = grid(cell=12 * 4**3) | {"mapping": {"grid_mapping_name": "healpix", "indexing_scheme": "nested"}}
    with dump(tmp_path, same, [conservative()], ["nested.nc"]) as reader:
        assert reader.prepared[0]["regridded"].startswith("not regridded")
        assert reader.values().tobytes() == values.tobytes()
    with dump(
        tmp_path, grid(lat=TARGET_LAT, lon=TARGET_LON), [FIELD | {"regrid": {"method": "nearest"}}], ["ring.nc"]
    ) as reader:
        assert np.isin(reader.values(), values).all()


def test_hybrid_levels_come_with_regridded_pressure(tmp_path):
    lev, lat, lon = np.arange(1.0, 4.0), LAT, LON
    a, b = np.array([5000.0, 2000.0, 0.0]), np.array([0.0, 0.5, 1.0])
    values, surface = numbers(1, 3, len(lat), len(lon)), numbers(1, len(lat), len(lon), seed=3) * 300
    write(tmp_path / "a.nc", values, {"time": np.arange(1.0), "lev": lev, "lat": lat, "lon": lon})
    with netCDF4.Dataset(tmp_path / "a.nc", "a") as data:
        data["lev"].setncatts({"standard_name": "atmosphere_hybrid_sigma_pressure_coordinate", "units": "1"})
        data["lev"].formula_terms = "ap: ap b: b ps: ps"
        for name, coefficient, units in (("ap", a, "Pa"), ("b", b, "1")):
            data.createVariable(name, "f8", ("lev",))[:] = coefficient
            data[name].units = units
        data.createVariable("ps", "f8", ("time", "lat", "lon"))[:] = surface
        data["ps"].units = "Pa"
    model = grid(lev=np.array([900.0, 500.0]), lat=TARGET_LAT, lon=TARGET_LON)
    with dump(tmp_path, model, [conservative(vertical="lev")]) as reader:
        got, counted = reader.read(0)
    mean = boxes(surface[0], lat, lon, TARGET_LAT, TARGET_LON)
    np.testing.assert_allclose(counted["levels"], (a[:, None, None] + b[:, None, None] * mean) / 100, rtol=1e-12)
    for level in range(3):
        np.testing.assert_allclose(got[level], boxes(values[0, level], lat, lon, TARGET_LAT, TARGET_LON), rtol=1e-12)


def test_other_cells_in_a_later_file_are_refused(tmp_path):
    for n, lat in enumerate((LAT, LAT + 0.5)):
        write(
            tmp_path / f"{n}.nc", numbers(1, len(LAT), len(LON)), {"time": np.array([float(n)]), "lat": lat, "lon": LON}
        )
    with pytest.raises(Refused) as refused:
        dump(tmp_path, grid(lat=TARGET_LAT, lon=TARGET_LON), [conservative()], ["0.nc", "1.nc"])
    place = f"run.yml:7:3  input.forcing.fields.t: {tmp_path}/1.nc: variable t: "
    assert f"{place}its cells (lat-lon 18 x 36) differ from those of the first file" in str(refused.value)


def test_grids_that_cannot_be_regridded(tmp_path):
    write(tmp_path / "a.nc", numbers(1, 7, 9), {"time": np.arange(1.0), "y": 7, "x": 9})
    model = grid(lat=TARGET_LAT, lon=TARGET_LON)
    with pytest.raises(
        Refused,
        match=r"variable t: to be regridded it needs coordinates .* along its dims time, y, x, and it has no latitude",
    ):
        dump(tmp_path, model, [conservative()])
    write(
        tmp_path / "b.nc",
        numbers(1, 7, 36),
        {"time": np.arange(1.0), "lat": np.array([-60.0, -30, np.nan, 10, 20, 30, 40]), "lon": LON},
    )
    with pytest.raises(Refused, match=r"b.nc: variable t: the latitude of cell 2 \(counted from 0\) is nan"):
        dump(tmp_path, model, [conservative()], ["b.nc"])
    write(tmp_path / "c.nc", numbers(1, len(LAT), len(LON)), {"time": np.arange(1.0), "lat": LAT, "lon": LON})
    with pytest.raises(
        Refused,
        match=r'run.yml:7:3  input.forcing.fields.t: grid "model" cannot be regridded: it has no latitude and lon',
    ):
        dump(tmp_path, grid(y=5, x=6), [conservative()], ["c.nc"])
    with pytest.raises(Refused, match=r"c.nc: variable t: no_such.nc: cannot open: No such file"):
        dump(tmp_path, model, [FIELD | {"regrid": {"method": "no_such.nc"}}], ["c.nc"])
    assert not list(tmp_path.glob("cache/making*")), "nothing is left"


def test_cells_that_only_the_ranks_know(tmp_path):
    write(tmp_path / "a.nc", numbers(1, len(LAT), len(LON)), {"time": np.arange(1.0), "lat": LAT, "lon": LON})
    model = grid(cell=43)
    for name, units in (("clat", "degrees_north"), ("clon", "degrees_east")):
        model["coordinates"].append({"name": name, "dims": ["cell"], "units": units, "values": []})
    with dump(tmp_path, model, [conservative()], makes=False) as reader:
        assert reader.prepared[0]["regridded"] == (
            "regridded from lat-lon 18 x 36 of the files, conservative, to the cells of the model, unless they are the "
            "same: its ranks give their places as the job starts"
        )


@pytest.mark.parametrize("content", ["notes", ""])
def test_a_lock_file_of_others_stays(tmp_path, content):
    """It has the name of the lock of these weights; a server that was killed leaves one like it, too."""
    write(tmp_path / "a.nc", numbers(1, len(LAT), len(LON)), {"time": np.arange(1.0), "lat": LAT, "lon": LON})
    model = grid(lat=TARGET_LAT, lon=TARGET_LON)
    dump(tmp_path, model, [conservative()]).close()
    (weights,) = (tmp_path / "cache").iterdir()
    lock = weights.with_suffix(".lock")
    weights.unlink()
    lock.write_text(content)
    with dump(tmp_path, model, [conservative()]) as reader:
        assert np.isfinite(reader.values()).all()
    assert (sorted((tmp_path / "cache").iterdir()), lock.read_text()) == (sorted((lock, weights)), content)


def test_check_makes_no_weights(tmp_path):
    write(tmp_path / "a.nc", numbers(1, len(LAT), len(LON)), {"time": np.arange(1.0), "lat": LAT, "lon": LON})
    with dump(tmp_path, grid(lat=TARGET_LAT, lon=TARGET_LON), [conservative()], makes=False) as reader:
        assert reader.prepared[0]["regridded"].endswith(" of the model, conservative; the job makes the weights")
    assert not (tmp_path / "cache").exists()


@needs_cdo
def test_cdo_makes_the_same_of_the_same_weights(tmp_path):
    values = numbers(2, len(LAT), len(LON))
    values[:, 3:6, 10:17] = -99.0
    write(
        tmp_path / "a.nc",
        values,
        {"time": np.arange(2.0), "lat": LAT, "lon": LON},
        {"_FillValue": -99.0, "coordinates": "lat lon"},
    )
    with dump(tmp_path, grid(lat=TARGET_LAT, lon=TARGET_LON), [conservative(coverage=0.0)]) as reader:
        got = reader.values()
    axes = {"xvals": TARGET_LON, "yvals": TARGET_LAT}
    lines = ["gridtype = lonlat", f"xsize = {len(TARGET_LON)}", f"ysize = {len(TARGET_LAT)}"]
    lines += [f"{name} = {' '.join(map(repr, axis.tolist()))}" for name, axis in axes.items()]
    (tmp_path / "grid.txt").write_text("\n".join(lines) + "\n")
    (path,) = tmp_path.glob("cache/*.nc")
    subprocess.run(["cdo", "-s", f"remap,grid.txt,{path}", "a.nc", "b.nc"], cwd=tmp_path, check=True)
    with netCDF4.Dataset(tmp_path / "b.nc") as data:
        expected = np.ma.filled(data["t"][:].astype(float), np.nan)
    np.testing.assert_allclose(got, expected, rtol=1e-13)
