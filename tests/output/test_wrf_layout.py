"""Files in the layout of WRF: equal to those of netCDF-C in every part, and read by the programs of WRF's users."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import h5py
import netCDF4
import numpy as np
import pytest
import xarray as xr
import yaml
from support import wrf_files
from support.harness import Running, block_grid, field, model, mpi_environment, servers, tailrace
from support.values import put_values

STEPS = 8  # of half an hour: four records
RECORDS = [2, 4, 6, 8]
MODEL = Path(wrf_files.__file__)


def play(folder: Path, config: dict, ranks=2, steps=STEPS, initial=0, mode="dedicated", text=wrf_files.TEXT) -> Path:
    """Runs the model to its end; returns the folder."""
    folder.mkdir(exist_ok=True)
    serving = {"mode": mode, "report_directory": "report"} | ({"count": 1} if mode == "dedicated" else {})
    (folder / "tailrace.yaml").write_text(yaml.safe_dump({"tailrace": 1, "servers": serving} | config))
    if text:
        (folder / "model.yaml").write_text(text)
    count = ranks + (mode == "dedicated")
    command = ["mpirun", "-n", str(count), sys.executable, str(MODEL), str(steps), str(initial)]
    with Running(command, folder, mpi_environment()) as running:
        result = running.wait(120)
    assert result.status == 0, result.output
    return folder


@pytest.fixture(scope="module")
def reference(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("reference") / "wrfout_d01.nc"
    wrf_files.write_reference(path, RECORDS)
    return path


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    """The file of the model's own configuration, and a CF file of the same data that the user adds."""
    beside = {"beside.nc": {"variables": [{"fields": "*", "every": "1 h"}]}}
    return play(tmp_path_factory.mktemp("job"), {"output": beside}) / "wrfout_d01.nc"


def parts(path: Path) -> dict:
    """Dimensions, and for each variable its dims, type, values and attributes with their types."""
    with netCDF4.Dataset(path) as data:
        data.set_auto_maskandscale(False)
        data.set_auto_chartostring(False)
        found = {"dims": {name: (len(dim), dim.isunlimited()) for name, dim in data.dimensions.items()}}
        for name, variable in data.variables.items():
            found[name] = (variable.dimensions, variable.dtype, variable[:].tobytes())
    with h5py.File(path) as data:
        for name in ("/", *(name for name in found if name != "dims")):
            for key in data[name].attrs:
                if key in ("CLASS", "NAME", "DIMENSION_LIST", "REFERENCE_LIST") or key.startswith("_N"):
                    continue  # of netCDF-C itself
                kind = data[name].attrs.get_id(key)
                raw = np.empty(kind.shape, kind.dtype)
                kind.read(raw)
                found[f"{name}:{key}"] = (kind.dtype, raw.size, raw.tobytes())
    return found


def assert_same(path: Path, other: Path) -> None:
    ours, theirs = parts(path), parts(other)
    assert ours.keys() == theirs.keys()
    for key, value in theirs.items():
        assert ours[key] == value, key


def test_a_file_is_that_of_netcdf_c(written, reference):
    assert_same(written, reference)


def test_ncdump_shows_the_same_text(written, reference):
    shown = [
        subprocess.run(["ncdump", path], capture_output=True, text=True, check=True) for path in (written, reference)
    ]
    assert shown[0].stdout == shown[1].stdout
    assert "_FillValue" not in shown[0].stdout and 'MemoryOrder = "XY "' in shown[0].stdout


@pytest.mark.parametrize(("ranks", "mode"), [(1, "inline"), (3, "attached")])
def test_any_ranks_and_modes_give_the_same_file(tmp_path, reference, ranks, mode):
    assert_same(play(tmp_path, {}, ranks, mode=mode) / "wrfout_d01.nc", reference)


def test_each_frame_has_chunks_of_its_own(written):
    with netCDF4.Dataset(written) as data:
        assert {data[name].chunking()[0] for name in ("U", "QVAPOR", "P_HYD", "TSLB")} == {1}


# In a process of its own: pyproj, which xwrf imports, may not find its database once another library of the process has
# another PROJ.
BY_XWRF = """
import sys, numpy as np, xarray as xr, xwrf
with xr.open_dataset(sys.argv[1], engine="netcdf4") as data:
    made = data.xwrf.postprocess()
    assert {"XLAT", "XLONG"} <= set(made.coords) and made.QVAPOR.dims == ("Time", "z", "y", "x")
    np.savez(sys.argv[2], dates=made.Time.values, T2=made.T2.values)
"""


@pytest.mark.skipif(importlib.util.find_spec("xwrf") is None, reason="xwrf is not installed")
def test_xarray_and_xwrf_find_times_and_places(written, tmp_path):
    subprocess.run([sys.executable, "-c", BY_XWRF, written, tmp_path / "found.npz"], check=True)
    found = np.load(tmp_path / "found.npz")
    dates = np.datetime64("2000-01-24T12:00") + np.array(RECORDS) * np.timedelta64(30, "m")
    np.testing.assert_array_equal(found["dates"], dates)
    np.testing.assert_array_equal(found["T2"], [wrf_files.values("T2", step) for step in RECORDS])


def test_xarray_alone_reads_every_value(written):
    with xr.open_dataset(written, engine="netcdf4") as data:
        assert data.U.attrs["stagger"] == "X" and "XLONG_U" in data.U.encoding["coordinates"]
        np.testing.assert_array_equal(data.XTIME.values.astype("datetime64[m]")[0], np.datetime64("2000-01-24T13:00"))
        np.testing.assert_array_equal(data.V.values, [wrf_files.values("V", step) for step in RECORDS])


def test_cdo_reads_the_values(written):
    command = ["cdo", "-s", "outputf,%.9g,1", "-fldsum", "-selname,T2", str(written)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    sums = [wrf_files.values("T2", step).astype("float64").sum() for step in RECORDS]
    np.testing.assert_allclose([float(one) for one in told], sums, rtol=1e-6)


def test_the_cf_file_beside_has_the_coordinates_that_are_in_it(written):
    with netCDF4.Dataset(written.with_name("beside.nc")) as data:
        assert data["T2"].coordinates == "XLONG XLAT XTIME"
        assert data["U"].coordinates == "XTIME"  # XLONG_U is no field of this model
        assert data["XLAT"].dimensions == ("time", "south_north", "west_east")
        assert data.Conventions.startswith("CF-") and wrf_files.GLOBALS["TITLE"] == data.TITLE
        assert data.CEN_LAT.dtype == np.float32 and data["T2"].cell_methods == "time: point"


def test_the_user_has_the_last_word(tmp_path):
    """Options of the user's file replace those of the model's text one by one, and lists as a whole."""
    own = {"compression": "zlib", "attributes": {"TITLE": "mine"}}
    own["defaults"] = {"every": "1 h", "operation": "mean"}
    own["variables"] = [{"fields": "*"}, {"field": "T2", "operation": "max"}]
    folder = play(tmp_path, {"output": {"wrfout_d01.nc": own}})
    with netCDF4.Dataset(folder / "wrfout_d01.nc") as data:
        data.set_auto_mask(False)
        for name, operation in (("QVAPOR", np.mean), ("T2", np.max)):
            pairs = [[wrf_files.values(name, step) for step in (last - 1, last)] for last in RECORDS]
            np.testing.assert_allclose(data[name][:], operation(pairs, axis=1), rtol=1e-6)
        assert data.TITLE == "mine" and data["QVAPOR"].filters()["zlib"] and data["T2"].units == "K"
        assert dates(folder / "wrfout_d01.nc") == [wrf_files.date(step) for step in RECORDS]


def test_a_key_without_a_value_leaves_out_what_the_model_gives(tmp_path):
    mine = {"variables": [{"field": "T2", "every": "1 h"}]}
    folder = play(tmp_path, {"output": {"wrfout_d01.nc": None, "mine.nc": mine}})
    assert not (folder / "wrfout_d01.nc").exists() and (folder / "mine.nc").exists()


def test_check_knows_the_text_of_the_model(written):
    told = tailrace("check", "tailrace.yaml", "--declared", "report/declared.wrf.json", cwd=written.parent)
    assert told.returncode == 0, told.stderr
    assert "wrfout_d01.nc" in told.stdout and "QVAPOR" in told.stdout


# The files of any model: how they grow and continue, and what is refused.
HOUR = 3600.0
START = {"start": "2000-02-28 23:00:00", "calendar": "standard"}
SHAPE = (3, 7, 11)
TIMES = [float(900 * step) for step in range(1, 25)]


def grow(job, part, folder=None, **more):
    first, last = part
    entry = {"layout": "wrf", "if_exists": "append", "variables": [{"field": "w", "every": "1 h"}]} | more
    config = {"model_time": START, "fields": {"a": {"names": ["w"]}}, "output": {"out.nc": entry}}
    times = {"times": TIMES[first:last], "initial_time": TIMES[first - 1] if first else 0.0}
    return job(
        model(2, grids=[block_grid("g")], fields=[field("w", "g")], **times), servers(1), config=config, folder=folder
    )


def dates(path: Path) -> list[str]:
    with netCDF4.Dataset(path) as data:
        return [b"".join(date).decode() for date in data["Times"][:]]


HOURS = [f"2000-02-29_0{hour}:00:00" for hour in range(6)]


def test_a_file_grows_over_jobs(job):
    folder = grow(job, (0, 12)).folder
    assert dates(folder / "out.nc") == HOURS[:3]
    ended = grow(job, (12, 24), folder)
    assert ended.status == 0, ended.output
    assert dates(folder / "out.nc") == HOURS
    with netCDF4.Dataset(folder / "out.nc") as data:
        # The second job counts its steps from 1.
        assert (data["w"][5] == put_values(0, SHAPE, TIMES[23], 12)).all()
        assert (data["w"][2] == put_values(0, SHAPE, TIMES[11], 12)).all()


def test_a_job_that_begins_earlier_removes_later_records(job):
    folder = grow(job, (0, 24)).folder
    ended = grow(job, (8, 16), folder)
    assert ended.status == 0, ended.output
    assert dates(folder / "out.nc") == HOURS[:4] and "removing 4 records of Time" in ended.output


def test_a_record_that_nobody_put_has_the_default_of_netcdf(job):
    """Readers know it, though the file states no fill value."""
    config = {"model_time": START, "fields": {"a": {"names": ["w"], "optional": True}}}
    config["output"] = {"out.nc": {"layout": "wrf", "variables": [{"field": "w", "every": "1 h"}]}}
    scene = model(1, grids=[block_grid("g")], fields=[field("w", "g", missing_steps=[8])], times=TIMES[:12])
    path = job(scene, servers(1), config=config).path("out.nc")
    with netCDF4.Dataset(path) as data:
        assert data["w"][1].mask.all() and not np.ma.getmaskarray(data["w"][2]).any()


def test_a_file_without_records_is_continued(job):
    folder = grow(job, (0, 2)).folder
    ended = grow(job, (2, 12), folder)
    assert ended.status == 0, ended.output
    assert dates(folder / "out.nc") == HOURS[:3]


def test_a_cf_file_is_not_continued(job):
    folder = grow(job, (0, 12), layout="cf").folder
    grow(job, (12, 24), folder).failed_with("out.nc", 'it has no time axis "Time"')


def test_inspect_and_repair(job):
    path = grow(job, (0, 12)).path("out.nc")
    whole = path.read_bytes()
    assert "complete; records: Time 3" in tailrace("inspect", "out.nc", cwd=path.parent).stdout
    path.write_bytes(whole + b"interrupted")
    told = tailrace("inspect", "--repair", "out.nc", cwd=path.parent)
    assert told.returncode == 0 and "11 bytes of an interrupted commit were removed" in told.stdout
    assert path.read_bytes() == whole


def test_a_restart_continues_the_file(job):
    entry = {"layout": "wrf", "variables": [{"field": "w", "operation": "max", "every": "1 h"}]}
    config = {"model_time": START, "fields": {"a": {"names": ["w"]}}, "output": {"out.nc": entry}}
    config["checkpoint"] = {"every": "5 h", "fields": ["w"]}
    play = {"grids": [block_grid("g")], "fields": [field("w", "g")], "checkpoints": True, "got": ["w"]}
    folder = job(model(2, times=TIMES[:22], **play), servers(1), config=config).folder
    ended = job(model(2, times=TIMES, **play), servers(1), config=config, folder=folder)
    assert ended.status == 0 and "RESTARTED" in ended.output, ended.output
    assert dates(folder / "out.nc") == HOURS
    with netCDF4.Dataset(folder / "out.nc") as data:
        last = np.max([put_values(0, SHAPE, TIMES[step], step + 1) for step in range(20, 24)], axis=0)
        assert (data["w"][5] == last).all()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"format": "zarr"}, 'format "zarr" has no texts that grow'),
        ({"time_stamp": "middle"}, "a record has the time at which its window ends"),
        ({"time_attributes": {"long_name": "t"}}, "has no coordinate of time"),
        ({"also_coordinates": ["z"]}, "has no coordinates of grids"),
        (
            {"variables": [{"field": "w", "every": "1 h"}, {"field": "w", "name": "v", "every": "2 h"}]},
            "instants every 2 h",
        ),
        ({"variables": [{"field": "w", "every": "1 h", "axis": "t"}]}, "has one dimension of time, `Time`"),
        (
            {"layout": "cf", "variables": [{"field": "w", "every": "1 h", "attributes": {"coordinates": "z"}}]},
            "written auto",
        ),
        ({"variables": [{"field": "w", "name": "Times", "every": "1 h"}]}, '"Times" is the name of a coordinate'),
    ],
)
def test_what_the_layout_has_no_place_for_is_refused(job, more, words):
    grow(job, (0, 4), if_exists="replace", **more).failed_with("tailrace.yaml:", words)


def test_a_run_without_dates_is_refused(job):
    config = {"fields": {"a": {"names": ["w"]}}}
    config["output"] = {"out.nc": {"layout": "wrf", "variables": [{"field": "w", "every": "1 h"}]}}
    scene = model(1, grids=[block_grid("g")], fields=[field("w", "g")], times=TIMES[:2])
    job(scene, servers(1), config=config).failed_with("`Times` has dates, and the run has none")


def test_one_name_has_one_extent(job):
    grids = [block_grid("g"), block_grid("h", shape=(4, 7, 11))]
    config = {"model_time": START, "fields": {"a": {"names": ["w", "v"]}}}
    config["output"] = {"out.nc": {"layout": "wrf", "variables": [{"fields": "*", "every": "1 h"}]}}
    scene = model(1, grids=grids, fields=[field("w", "g"), field("v", "h")], times=TIMES[:2])
    job(scene, servers(1), config=config).failed_with('the dimension "z" of "v" has 4 cells, and that of "w" has 3')
