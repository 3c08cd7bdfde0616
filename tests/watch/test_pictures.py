"""Pictures against values that are computed again, and files that are damaged, being written, or of another run."""

import asyncio
import json
import os
import shutil
import struct

import numpy as np
import pytest
import xarray as xr

pytest.importorskip("scipy")
pytest.importorskip("starlette")

from globe import HEIGHT, LAT, LON
from runs import STEPS, begin_run, finish, until
from tailrace.watch.pictures import PictureError, Request, contents, picture
from tailrace.watch.reader import MOST_WAITING, Busy, Reader


def draw(path, variable, view, at=None, other=None):
    packed = picture(Request(path, variable, view, at or {}, other))
    (length,) = struct.unpack("<I", packed[:4])
    header = json.loads(packed[4 : 4 + length])
    return header, np.frombuffer(packed[4 + length :], "<f4").reshape(header["shape"])


def ta(step: float) -> np.ndarray:
    """(height, lat, lon)"""
    return 100.0 * np.arange(len(HEIGHT))[:, None, None] + np.sin(np.radians(LAT))[:, None] + step + 0.0 * LON


def test_what_can_be_drawn(finished):
    (found,) = contents(finished / "globe.nc")
    assert [view["id"] for view in found["views"]] == [
        "map:lat:lon",
        "section:height:lon",
        "section:height:lat",
        "profile:height",
        "series:time",
    ]
    assert found["units"] == "K" and found["dims"][0] == {"name": "time", "size": STEPS, "grows": True}
    assert [view["id"] for view in contents(finished / "mesh.nc")[0]["views"]] == ["map:face", "series:time"]
    assert [view["id"] for view in contents(finished / "pix.zarr")[0]["views"]] == ["map:cell", "series:time"]
    series = {one["name"]: [view["kind"] for view in one["views"]] for one in contents(finished / "series.nc")}
    assert series == {"energy": ["series"], "column_mean": ["profile", "series"]}


def test_a_map_of_latitudes_and_longitudes(finished):
    header, values = draw(finished / "globe.nc", "ta", "map:lat:lon", {"time": 2, "height": 3})
    assert values == pytest.approx(ta(3)[3], rel=1e-6)
    assert header["axes"][0]["values"] == LAT.tolist() and header["axes"][1]["values"] == LON.tolist()
    assert header["smallest"] == pytest.approx(ta(3)[3].min()) and header["largest"] == pytest.approx(ta(3)[3].max())
    assert header["mean"] == pytest.approx(ta(3)[3].mean())
    assert [one["text"] for one in header["at"]] == ["2026-01-01 00:00:30", "6400 m"]


def test_the_newest_record_and_the_first_level_are_drawn_first(finished):
    header, values = draw(finished / "globe.nc", "ta", "map:lat:lon")
    assert [one["index"] for one in header["at"]] == [STEPS - 1, 0]
    assert values == pytest.approx(ta(STEPS)[0], rel=1e-6)


def test_sections_profiles_and_series(finished):
    path = finished / "globe.nc"
    assert draw(path, "ta", "section:height:lat", {"lon": 7, "time": 0})[1] == pytest.approx(ta(1)[:, :, 7], rel=1e-6)
    assert draw(path, "ta", "section:height:lon", {"lat": 7, "time": 0})[1] == pytest.approx(ta(1)[:, 7], rel=1e-6)
    assert draw(path, "ta", "profile:height", {"lat": 5, "time": 1})[1] == pytest.approx(ta(2)[:, 5, 0], rel=1e-6)
    header, values = draw(path, "ta", "series:time", {"height": 2, "lat": 9})
    assert values == pytest.approx([ta(step)[2, 9, 0] for step in range(1, STEPS + 1)], rel=1e-6)
    assert header["axes"][0]["values"] == [10.0 * step for step in range(1, STEPS + 1)]


@pytest.mark.parametrize(("name", "variable", "size"), [("pix.zarr", "hp", 8.0), ("mesh.nc", "me", 8.0)])
def test_a_map_of_cells_has_at_each_pixel_the_value_near_it(finished, name, variable, size):
    """The value of a cell is the sine of its latitude, so that of a pixel is wrong by less than a cell's extent."""
    view = contents(finished / name)[0]["views"][0]["id"]
    header, values = draw(finished / name, variable, view)
    lat = np.array(header["axes"][0]["values"])
    expected = STEPS + np.sin(np.radians(lat))[:, None]
    inside = np.isfinite(values)
    assert np.abs(values - expected)[inside].max() < np.radians(size)
    assert np.abs(values - expected)[inside].mean() < np.radians(size) / 3
    if name == "pix.zarr":
        assert inside.all() and header["mean"] == pytest.approx(STEPS), "equal areas"
    else:
        lon = np.array(header["axes"][1]["values"])
        within = (np.abs(lat) < 40.0)[:, None] & (np.abs(lon) < 60.0)
        assert inside[within].all() and np.abs(lat).max() < 50.0


def test_ring_order_and_healpy_agree(tmp_path):
    healpy = pytest.importorskip("healpy")
    values = np.arange(12 * 16.0)
    for order, nest in (("ring", False), ("nested", True)):
        mapping = xr.DataArray(
            0, attrs={"grid_mapping_name": "healpix", "refinement_level": 2, "indexing_scheme": order}
        )
        cells = xr.DataArray(values[None], dims=("time", "cell"), attrs={"grid_mapping": "crs"})
        path = tmp_path / f"{order}.nc"
        xr.Dataset({"v": cells, "crs": mapping}).to_netcdf(path, unlimited_dims=["time"])
        header, drawn = draw(path, "v", "map:cell")
        lat, lon = (np.array(axis["values"]) for axis in header["axes"])
        wanted = healpy.ang2pix(4, *np.meshgrid(lon, lat), lonlat=True, nest=nest)
        assert (drawn == wanted).mean() > 0.999, "but for pixels on an edge"


def test_the_difference_of_two_runs(finished, shifted):
    for name, variable, view in (
        ("globe.nc", "ta", "map:lat:lon"),
        ("globe.nc", "ta", "series:time"),
        ("pix.zarr", "hp", "map:cell"),
        ("series.nc", "energy", "series:time"),
    ):
        header, values = draw(finished / name, variable, view, other=shifted / name)
        assert values == pytest.approx(np.full(values.shape, -0.25), abs=1e-6), (name, view)
        assert header["mean"] == pytest.approx(-0.25)


def test_another_run_is_compared_at_the_same_time(finished, tmp_path):
    with xr.open_dataset(finished / "globe.nc", decode_times=False) as whole:
        whole.isel(time=slice(4, None)).to_netcdf(tmp_path / "late.nc", unlimited_dims=["time"])
        other = whole.isel(time=slice(4, None), lat=slice(3, None))
        other.to_netcdf(tmp_path / "smaller.nc", unlimited_dims=["time"])
    late = tmp_path / "late.nc"
    assert draw(finished / "globe.nc", "ta", "map:lat:lon", {"time": 5}, late)[1] == pytest.approx(0.0, abs=1e-6)
    assert draw(finished / "globe.nc", "ta", "series:time", {}, late)[0]["shape"] == [STEPS - 4]
    with pytest.raises(PictureError, match="the other run has no record that ends at time = 20"):
        draw(finished / "globe.nc", "ta", "map:lat:lon", {"time": 1}, late)
    with pytest.raises(PictureError, match="on different grids"):
        draw(finished / "globe.nc", "ta", "map:lat:lon", {"time": 5}, tmp_path / "smaller.nc")


def test_missing_packed_and_infinite_values(tmp_path):
    values = np.arange(12.0).reshape(1, 3, 4)
    values[0, 1, 1], values[0, 2, 2] = np.nan, np.inf
    data = xr.DataArray(values, dims=("time", "y", "x"), name="v")
    packed = {"v": {"dtype": "i2", "scale_factor": 0.5, "add_offset": 1.0, "_FillValue": -1}}
    data.where(np.isfinite(values)).to_dataset().to_netcdf(tmp_path / "a.nc", encoding=packed, unlimited_dims=["time"])
    header, drawn = draw(tmp_path / "a.nc", "v", "map:y:x")
    assert header["missing"] == 2 and (header["smallest"], header["largest"]) == (0.0, 11.0)
    assert np.array_equal(drawn[~np.isnan(drawn)], values[0][np.isfinite(values[0])])
    xr.full_like(data, np.nan).to_dataset().to_netcdf(tmp_path / "b.nc", unlimited_dims=["time"])
    header, drawn = draw(tmp_path / "b.nc", "v", "map:y:x")
    assert header["smallest"] is None and header["missing"] == 12


def test_large_fields_are_thinned_out(tmp_path):
    values = np.arange(1100.0)[:, None] * 3000 + np.arange(2100.0)
    data = xr.DataArray(values[None], dims=("time", "y", "x"), name="v")
    data.to_dataset().to_netcdf(tmp_path / "a.nc", unlimited_dims=["time"])
    header, drawn = draw(tmp_path / "a.nc", "v", "map:y:x")
    assert header["every"] == [3, 3] and drawn.shape == (367, 700)
    assert drawn[-1, -1] == values[-1, -1], "the last one is among them"


def test_what_is_not_there(finished):
    path = finished / "globe.nc"
    for variable, view, at, text in (
        ("nothing", "map:lat:lon", {}, "there is no variable 'nothing' in it"),
        ("ta", "map:lon:lat", {}, r"has no view 'map:lon:lat' \(known: map:lat:lon, "),
        ("ta", "map:lat:lon", {"height": 4}, "height has 4 entries; number 4 is not there"),
        ("ta", "map:lat:lon", {"time": -9}, "time has 8 entries"),
    ):
        with pytest.raises(PictureError, match=text):
            draw(path, variable, view, at)


def test_a_file_without_records_and_one_that_is_none(tmp_path):
    xr.Dataset({"v": (("time", "x"), np.zeros((0, 3)))}).to_netcdf(tmp_path / "a.nc", unlimited_dims=["time"])
    assert contents(tmp_path / "a.nc")[0]["dims"][0]["size"] == 0
    with pytest.raises(PictureError, match="has no values yet: time is empty"):
        draw(tmp_path / "a.nc", "v", "series:time")
    (tmp_path / "b.nc").write_text("not a NetCDF file")
    with pytest.raises(PictureError, match="cannot be read"):
        contents(tmp_path / "b.nc")


def test_reading_changes_nothing(finished, tmp_path):
    """Also where the file may not be written, and its time of access counts as nothing."""
    copy = shutil.copy(finished / "globe.nc", tmp_path / "a.nc")
    before = copy.read_bytes(), copy.stat().st_mtime_ns
    copy.chmod(0o400)
    draw(copy, "ta", "map:lat:lon")
    assert (copy.read_bytes(), copy.stat().st_mtime_ns) == before
    assert list(tmp_path.iterdir()) == [copy]


def test_a_run_that_goes_on(tmp_path):
    """Each committed record is drawn as soon as it is there, and the run is not disturbed."""
    folder = tmp_path / "run"
    run = begin_run(folder, pause="-", steps=6)
    for step in range(1, 7):
        until((folder / "tailrace_report").exists, "the report directory")
        (folder / f"go.{step}").touch()
        if step % 2 == 0:
            times = until(lambda step=step: _times(folder / "globe.nc", step), f"step {step}")
            assert times == [10.0 * one for one in range(1, step + 1)]
            assert draw(folder / "globe.nc", "ta", "map:lat:lon")[1] == pytest.approx(ta(step)[0], rel=1e-6)
    finish(run, folder)


def _times(path, least):
    """None until there are as many records. A written record is complete."""
    if not path.exists():
        return None
    try:
        times = draw(path, "ta", "series:time")[0]["axes"][0]["values"]
    except PictureError as error:
        assert "no values yet" in str(error)
        return None
    return times if len(times) >= least else None


def die(path) -> None:
    os.abort()


def hang(path) -> None:
    import time

    time.sleep(600)


def test_a_reader_that_dies_or_hangs_is_replaced(finished):
    async def run() -> None:
        reader = Reader(patience=30.0)
        try:
            with pytest.raises(PictureError, match="the file is damaged: the process that read it was ended"):
                await reader.do(die, finished / "globe.nc")
            assert (await reader.do(contents, finished / "globe.nc"))[0]["name"] == "ta"
            reader.patience = 0.5
            with pytest.raises(PictureError, match=r"took longer than 0.5 s and was given up"):
                await reader.do(hang, None)
            reader.patience = 30.0
            assert (await reader.do(contents, finished / "globe.nc"))[0]["name"] == "ta"
        finally:
            reader.close()

    asyncio.run(run())


def test_too_many_pictures_at_a_time_are_turned_away(finished):
    async def run() -> None:
        reader = Reader()
        try:
            asked = [reader.do(contents, finished / "globe.nc") for _ in range(MOST_WAITING + 3)]
            answers = await asyncio.gather(*asked, return_exceptions=True)
            assert sum(isinstance(one, Busy) for one in answers) == 3
            assert sum(isinstance(one, list) for one in answers) == MOST_WAITING
        finally:
            reader.close()

    asyncio.run(run())


def test_x_is_to_the_right_in_whatever_order_the_dims_are(tmp_path):
    path = tmp_path / "a.nc"
    values = np.arange(5.0 * 3 * 4).reshape(5, 3, 4)
    axes = {name: (name, np.arange(float(n)), {"axis": name.upper()}) for name, n in (("x", 5), ("y", 3), ("z", 4))}
    xr.Dataset({"v": (("x", "y", "z"), values)}, axes).to_netcdf(path)
    assert [view["id"] for view in contents(path)[0]["views"]] == ["map:y:x", "section:z:x", "section:z:y", "profile:z"]
    _, drawn = draw(path, "v", "map:y:x", {"z": 2})
    np.testing.assert_array_equal(drawn, values[:, :, 2].T)
