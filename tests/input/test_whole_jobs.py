"""The values that models get of files, in whole jobs, against xarray's interpolation of the same files."""

import os
import signal
from pathlib import Path

import netCDF4
import numpy as np
import pytest
import xarray as xr
from support.harness import SURVIVORS_LIVE, attached, block_grid, field, inline, model, servers
from support.reading_inputs import got
from support.values import put_values

SHAPE = (3, 7, 11)
START = np.datetime64("2000-01-01T00:00:00", "ns")
HOURS = np.array([0.0, 3.0, 4.0, 10.0, 18.0, 30.0])
INITIAL = 1800.0
TIMES = [3600.0, 10800.0, 12500.0, 13000.0, 50000.0, 93600.0]  # within the file, in steps of any length


def grid(split=("y", "x")) -> dict:
    return block_grid("air", SHAPE, split)


def surface(split=("y", "x")) -> dict:
    return block_grid("sea", SHAPE[1:], split, dims=("y", "x"))


def forcing() -> xr.Dataset:
    random = np.random.default_rng(34)
    y, x = 50.0 * np.arange(SHAPE[1]), 50.0 * np.arange(SHAPE[2])
    time = START + (HOURS * 3.6e12).astype("timedelta64[ns]")
    ice = random.uniform(0, 1, (len(HOURS), SHAPE[1], SHAPE[2]))
    ice[:, 2, 3] = np.nan
    return xr.Dataset(
        {
            "tos": (("time", "y", "x"), random.uniform(270, 300, ice.shape), {"units": "K"}),
            "siconc": (("time", "y", "x"), ice, {"units": "1"}),
            "ua": (("time", "z", "y", "x"), random.normal(size=(len(HOURS), *SHAPE)), {"units": "m s-1"}),
            "co2": (("time",), random.uniform(280, 420, len(HOURS)), {"units": "1e-6"}),
            "phis": (("y", "x"), random.uniform(0, 20000, ice.shape[1:]).astype("f4"), {"units": "m2 s-2"}),
            "index": (("time", "y", "x"), random.integers(-1000, 1000, ice.shape).astype("i4"), {"units": "1"}),
        },
        {
            "time": time,
            "z": ("z", 10.0 + 20.0 * np.arange(SHAPE[0]), {"units": "m", "standard_name": "height"}),
            "y": ("y", y, {"units": "m"}),
            "x": ("x", x, {"units": "m"}),
        },
    )


def write(folder: Path, dataset: xr.Dataset, name="forcing.nc") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    dataset.to_netcdf(folder / name, encoding={"time": {"units": "hours since 2000-01-01", "dtype": "f8"}})


FIELDS = {
    "sst": {"variable": "tos", "time": "linear"},
    "sic": {"variable": "siconc", "time": "previous", "missing": 0, "narrow": True},
    "u": {"variable": "ua", "time": "linear"},
    "co2": {"time": "linear"},
    "orog": {"variable": "phis", "time": "none", "scale": 0.10197, "units": "m"},
    "index": {"time": "nearest"},
}
INPUTS = [
    {"name": "sst", "grid": "sea", "units": "degC"},
    {"name": "sic", "grid": "sea", "type": "float32"},
    {"name": "u", "grid": "air", "units": "m s-1", "how": "strided"},
    {"name": "co2", "units": "1e-6"},
    {"name": "orog", "grid": "sea", "units": "m", "every": 2},
    {"name": "index", "grid": "sea", "type": "int32"},
]


def configuration(fields=FIELDS, **entry) -> dict:
    return {
        "model_time": {"calendar": "standard", "start": "2000-01-01"},
        "fields": {"state": {"names": ["w"], "every": "1 step"}},
        "output": {"w.nc": {"variables": [{"field": "w", "time": "snapshot", "every": "1 step"}]}},
        "input": {"forcing": {"files": "forcing.nc", "fields": fields} | entry},
    }


def forced(ranks: int, inputs=INPUTS, times=TIMES, **more):
    keys = {"grids": [grid(), surface()], "fields": [field("w", "air")], "initial_time": INITIAL} | more
    return model(ranks, inputs=inputs, times=times, **keys)


def at(times) -> xr.DataArray:
    return xr.DataArray(START + (np.array(times) * 1e9).astype("timedelta64[ns]"), dims="time")


def check(folder: Path, dataset: xr.Dataset, times=(INITIAL, *TIMES)) -> None:
    now = at(times)
    expected = {
        "sst": dataset.tos.interp(time=now) - 273.15,
        "sic": dataset.siconc.sel(time=now, method="pad").fillna(0).astype("f4"),
        "u": dataset.ua.interp(time=now),
        "index": dataset["index"].sel(time=now, method="nearest"),
    }
    for name, values in expected.items():
        np.testing.assert_allclose(got(folder, name, values.shape[1:]), values, rtol=1e-12, atol=1e-12, err_msg=name)
    np.testing.assert_allclose(got(folder, "co2", ())[:], dataset.co2.interp(time=now), rtol=1e-12)
    orog = got(folder, "orog", SHAPE[1:])
    assert len(orog) == 1 + len(times[1:]) // 2
    np.testing.assert_allclose(orog, np.broadcast_to(dataset.phis.astype("f8") * 0.10197, orog.shape), rtol=1e-12)


PARTICIPANTS = {
    "one": (1, servers(1)),
    "two servers": (3, servers(2)),
    "mpi": (3, servers(2, transport="mpi")),
    "attached": (3, attached()),
    "inline": (2, inline()),
}


@pytest.mark.parametrize("case", PARTICIPANTS)
def test_every_rank_gets_its_cells(job, case):
    ranks, serving = PARTICIPANTS[case]
    dataset = forcing()
    write(job.root / case, dataset)
    result = job(forced(ranks), serving, config=configuration(), folder=job.root / case).finished()
    check(result.folder, dataset)
    with netCDF4.Dataset(result.path("w.nc")) as output:
        assert output["w"].shape == (len(TIMES), *SHAPE)


def test_inputs_that_the_configuration_lacks(job):
    write(job.root / "here", forcing())
    fields = {"sst": FIELDS["sst"]}
    ice = {"name": "ice", "grid": "sea", "optional": True}
    result = job(
        forced(2, [INPUTS[0], ice]), servers(1), config=configuration(fields), folder=job.root / "here"
    ).finished()
    assert result.output.count("LACKS ice") == 1, result.output
    assert got(result.folder, "sst", SHAPE[1:]).shape == (1 + len(TIMES), *SHAPE[1:])

    for serving in (servers(1), attached(), inline()):
        refused = job(forced(2, [INPUTS[0], INPUTS[1]]), serving, config=configuration({"sst": {}, "sik": {}}))
        refused.failed_with(
            'input: the model needs the input "sic", and no entry of `input` provides it. Did you mean "sik"? '
            "(known: sik, sst)",
            code=2,
        )
    whole = configuration()
    whole["fields"]["state"]["names"] = ["w", "sst"]
    refused = job(forced(1), servers(1), config=whole)
    refused.failed_with('"sst" is an input of the model: it comes from files', code=2)


def levels() -> xr.Dataset:
    """On five levels in any order of magnitude that the player's field `p` has, in a step of 10 s."""
    random = np.random.default_rng(3)
    return xr.Dataset(
        {"ta": (("time", "plev", "y", "x"), random.normal(280, 20, (4, 5, *SHAPE[1:])), {"units": "K"})},
        {
            "time": START + (np.array([0, 15, 30, 60]) * 10**9).astype("timedelta64[ns]"),
            "plev": ("plev", [160.0, 90.0, 40.0, 12.5, 5.0], {"units": "Pa", "positive": "down", "axis": "Z"}),
            "y": ("y", 50.0 * np.arange(SHAPE[1]), {"units": "m"}),
            "x": ("x", 50.0 * np.arange(SHAPE[2]), {"units": "m"}),
        },
    )


@pytest.mark.parametrize("case", ["two servers", "inline"])
def test_levels_are_those_of_a_field_of_this_step(job, case):
    """No file wants the field; it is wanted for the input, and kept on its rank."""
    ranks, serving = PARTICIPANTS[case]
    dataset = levels()
    write(job.root / case, dataset)
    times = [7.0, 15.0, 21.5]
    fields = {"t": {"variable": "ta", "time": "linear", "vertical": {"to": "p", "interpolate": "linear"}}}
    inputs = [{"name": "t", "grid": "air", "units": "K", "from_step": 1}]
    scenario = forced(ranks, inputs, times, initial_time=0.0, fields=[field("w", "air"), field("p", "air", units="Pa")])
    result = job(scenario, serving, config=configuration(fields), folder=job.root / case).finished()
    values = got(result.folder, "t", SHAPE)
    column = dataset.ta.isel(plev=slice(None, None, -1))
    for step, time in enumerate(times, start=1):
        pressure = put_values(1, SHAPE, time, step)
        now = column.interp(time=at([time])).values[0]
        for y, x in np.ndindex(*SHAPE[1:]):
            expected = np.interp(pressure[:, y, x], column.plev.values, now[:, y, x])
            np.testing.assert_allclose(values[step - 1, :, y, x], expected, rtol=1e-12)


@pytest.mark.parametrize("before, after", [(servers(2), servers(1)), (inline(), attached())])
def test_a_restart_goes_on_with_the_same_values(job, before, after):
    """On other ranks, with the records of the time at which it goes on."""
    dataset = forcing()
    write(job.root / "job", dataset)
    config = configuration() | {"checkpoint": {"fields": ["w"], "every": "never", "directory": "state"}}
    whole = {"checkpoints": True, "got": ["w"], "requests": [3]}
    job(forced(2, times=TIMES[:3], **whole), before, config=config, folder=job.root / "job").finished()
    first = {one["name"]: got(job.root / "job", one["name"], shape_of(one)) for one in INPUTS}
    for path in (job.root / "job").glob("model.got.*"):
        path.unlink()
    result = job(forced(3, **whole), after, config=config, folder=job.root / "job").finished()
    assert "RESTARTED 3" in result.output
    fresh = job.root / "fresh"
    write(fresh, dataset)
    job(forced(1), servers(1), config=configuration(), folder=fresh).finished()
    for one in INPUTS:
        straight = got(fresh, one["name"], shape_of(one))
        again = got(job.root / "job", one["name"], shape_of(one))
        np.testing.assert_array_equal(np.concatenate([first[one["name"]], again]), straight)


def shape_of(one: dict) -> tuple[int, ...]:
    return {"sea": SHAPE[1:], "air": SHAPE, "": ()}[one.get("grid", "")]


@pytest.mark.parametrize("transport", ["shm", "mpi"])
@pytest.mark.parametrize("policy", ["stop", "continue"])
def test_a_lost_server_ends_the_input(job, transport, policy):
    """Even if the model is to go on without output: it cannot know its forcing any more."""
    write(job.root / "job", forcing())
    times = [float(1800 + 100 * step) for step in range(1, 900)]
    with job.start(
        forced(2, INPUTS[:1], times, pace=0.01, exchange_values=0),
        servers(2, transport=transport, on_server_loss=policy),
        config=configuration({"sst": FIELDS["sst"]}),
        folder=job.root / "job",
        environment={"TAILRACE_FAULT_AT": "2:running:throw:7", "PLAYER_LEAVES_AT_ONCE": "1"},
        launcher=SURVIVORS_LIVE,
    ) as running:
        result = running.wait()
    said = "".join(path.read_text() for path in sorted(result.folder.glob("said.*")))
    assert "FINISHED" not in said, said
    if policy == "continue":
        assert 'get of input "sst": nothing reads its files any more: ' in said, said
        assert "the model continues without output from" in said, said
    else:
        assert "a fault at running" in said, said


def test_components_have_inputs_of_their_own(job):
    """Fields of one name, from different files, on different grids, by the same servers; some ranks have no cells."""
    folder = job.root / "job"
    dataset = forcing()
    write(folder, dataset)
    other = (dataset * 2.0 + 1.0).isel(y=slice(0, 2))
    other.tos.attrs["units"] = "K"
    write(folder, other, "other.nc")
    fields = {"sst": FIELDS["sst"]}
    second = configuration(fields, files="other.nc") | {"output": {}}
    result = job(
        forced(3, INPUTS[:1], component="ocean", config=configuration(fields)),
        forced(
            5,
            [{"name": "sst", "grid": "coast", "units": "K"}],
            component="coast",
            config=second,
            grids=[grid(), block_grid("coast", (2, SHAPE[2]), ("y",), dims=("y", "x"))],
        ),
        servers(2),
        config={},
        folder=folder,
    ).finished()
    now = at([INITIAL, *TIMES])
    ocean = got(result.folder, "sst", SHAPE[1:], "ocean")
    np.testing.assert_allclose(ocean, dataset.tos.interp(time=now) - 273.15, rtol=1e-12, atol=1e-12)
    coast = got(result.folder, "sst", (2, SHAPE[2]), "coast")
    np.testing.assert_allclose(coast, other.tos.interp(time=now), rtol=1e-12)


@pytest.mark.parametrize("serving", [servers(2, signals="all"), attached(signals="all"), inline(signals="all")])
def test_a_model_that_is_to_stop_gets_its_inputs_until_it_does(job, serving):
    """SIGTERM to all ranks: the servers end their files early, while the model still takes some steps."""
    ranks = 3
    write(job.root / "job", forcing())
    times = [1800.0 + step for step in range(1, 3000)]
    with job.start(
        forced(ranks, times=times, pace=0.005, asks_stop=True, report_steps=True, in_step=True),
        serving,
        config=configuration(),
        folder=job.root / "job",
    ) as running:
        running.wait_for("STEP 20\n")
        for pid in running.rank_pids():
            os.kill(pid, signal.SIGTERM)
        result = running.wait()
    assert "STOPPING" in result.output, result.output
    assert result.output.count("FINISHED") == ranks, result.output
    assert not [message for _, message in result.errors if "get of" in message or "input" in message], result.output
