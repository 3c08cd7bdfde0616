"""A file for each month, independent of commits and chunks; compared with calendars of cftime and means by NumPy."""

import signal
from itertools import pairwise

import cftime
import h5py
import numpy as np
import pytest
from support.harness import attached, block_grid, field, model, servers
from support.reading import bounds_of, every_bit, read, time_of
from support.values import History, put_values, reduce_window, varying_times

DAY = 86400.0
START = (2001, 11, 17, 7, 30)
SHAPE = (3, 7, 11)
TIMES = varying_times(90, seed=8, shortest=0.6 * DAY, longest=1.9 * DAY)  # some 110 days; steps span several windows


def run(job, calendar, serving, path, ranks=3, times=TIMES, **options):
    file = {"write_every": "5 d", "compression": "zlib", "new_file_every": "1 month", **options}
    file["variables"] = [
        {"field": "w", "operation": "mean", "every": "1 d", "chunk": [7, 2, 7, 5]},
        {"field": "w", "name": "w_largest", "operation": "max", "every": "1 d", "chunk": [3, 3, 7, 11]},
    ]
    config = {"model_time": {"calendar": calendar, "start": "2001-11-17T07:30:00"}, "output": {path: file}}
    config |= {"fields": {"state": {"every": "1 step", "names": ["w"]}}}
    scenario = {"grids": [block_grid("g")], "fields": [field("w", "g")], "options": {"member": 7}, "times": times}
    return job(model(ranks, **scenario), serving, config=config)


def months_of(calendar: str) -> list[tuple[str, float, float]]:
    """Name, begin and end of the months of the run, in seconds of model time."""
    dates = [cftime.datetime(2001 + m // 12, m % 12 + 1, 1, calendar=calendar) for m in range(10, 16)]
    edges = [(date - cftime.datetime(*START, calendar=calendar)).total_seconds() for date in dates]
    names = [date.strftime("%Y%m") for date in dates]
    return [(name, a, b) for name, (a, b) in zip(names, pairwise(edges), strict=False) if a < TIMES[-1] and b > 0.0]


@pytest.mark.parametrize("calendar", ["360_day", "standard"])
def test_each_month_has_its_windows(job, calendar):
    folder = run(job, calendar, servers(2), "out_{member}_{start:%Y%m}.nc").finished().folder
    months = months_of(calendar)
    assert [path.name for path in sorted(folder.glob("*.nc"))] == [f"out_7_{name}.nc" for name, _, _ in months]
    history = History.of(0, SHAPE, TIMES)
    for name, begin, end in months:
        data = read(folder / f"out_7_{name}.nc")
        midnights = begin + DAY * np.arange(1 + round((end - begin) / DAY))
        windows = [(max(a, 0.0), min(b, TIMES[-1])) for a, b in pairwise(midnights) if b > 0.0 and a < TIMES[-1]]
        np.testing.assert_allclose(bounds_of(data, data.w), windows, rtol=0, atol=1e-3)
        np.testing.assert_allclose(time_of(data.w), np.mean(windows, axis=1), rtol=0, atol=1e-3)
        for variable, kind in ("w", "mean"), ("w_largest", "max"):
            expected = np.array([reduce_window(kind, *history.overlaps(window)) for window in windows])
            np.testing.assert_allclose(data[variable].values, expected, rtol=1e-12)
        with h5py.File(folder / f"out_7_{name}.nc") as file:
            assert file["w"].chunks == (7, 2, 7, 5) and file["w_largest"].chunks == (3, 3, 7, 11)


def test_the_bits_do_not_depend_on_ranks_and_servers(job):
    folders = [
        run(job, "noleap", serving, "{start:%Y}/{start}_{end}.nc", ranks).finished().folder
        for ranks, serving in ((1, servers(1)), (4, servers(3)), (3, attached()))
    ]
    names = [str(path.relative_to(folders[0])) for path in sorted(folders[0].rglob("*.nc"))]
    assert names[1:3] == ["2001/20011201_20011231.nc", "2002/20020101_20020131.nc"]
    for folder in folders[1:]:
        assert [str(path.relative_to(folder)) for path in sorted(folder.rglob("*.nc"))] == names
        for name in names:
            assert every_bit(folder / name) == every_bit(folders[0] / name), name


def test_a_repeated_name_replaces_no_file_of_the_run(job):
    times = [43200.0 * (i + 1) for i in range(66)]  # the days of more than a month
    result = run(job, "noleap", servers(1), "{start:%d%H}.nc", times=times, new_file_every="1 h")
    result.failed_with("1806.nc: this run has written a file of this name already; expected a name with more of")
    assert read(result.path("1806.nc")).time.values[0] < 2 * DAY


def test_snapshots_and_a_name_without_limits(job):
    """Files by steps; the last one is not full, but its name has the limits of a full one."""
    variables = [{"field": "w", "every": "2 steps", "chunk": [3, 3, 7, 11]}]
    file = {"write_every": "4 steps", "new_file_every": "10 steps", "variables": variables}
    config = {"fields": {"state": {"every": "1 step", "names": ["w"]}}, "output": {"out.nc": file}}
    times = varying_times(27, seed=3)
    folder = job(model(2, grids=[block_grid("g")], fields=[field("w", "g")], times=times), servers(2), config=config)
    folder = folder.finished().folder
    for first in (0, 10, 20):
        data = read(folder / f"out_{first}-{first + 10}.nc")
        steps = [step for step in range(first + 2, first + 11, 2) if step <= len(times)]
        np.testing.assert_array_equal(data.time.values, [times[step - 1] for step in steps])
        expected = [put_values(0, SHAPE, times[step - 1], step) for step in steps]
        np.testing.assert_array_equal(data.w.values, expected)
    assert len(list(folder.glob("*.nc"))) == 3


def test_a_signal_ends_the_file_that_is_open(job):
    variables = [{"field": "w", "every": "1 step", "chunk": [8, 3, 7, 11]}]
    file = {"write_every": "never", "new_file_every": "30 steps", "variables": variables}
    config = {"fields": {"state": {"every": "1 step", "names": ["w"]}}, "output": {"out_{start}.nc": file}}
    times = varying_times(4000, seed=6)
    scenario = {"pace": 0.004, "report_steps": True, "in_step": True, "times": times}
    player = model(2, grids=[block_grid("g")], fields=[field("w", "g")], **scenario)
    patient = {"OMPI_MCA_odls_base_sigkill_timeout": "5"}
    with job.start(player, servers(2), config=config, environment=patient) as running:
        running.wait_for("STEP 50\n")
        running.process.send_signal(signal.SIGTERM)
        running.wait()
    paths = [running.folder / f"out_{begin}.nc" for begin in range(0, 4000, 30)]
    parts = [read(path) for path in paths if path.exists()]
    there = np.concatenate([part.time.values for part in parts])
    assert len(there) >= 48
    np.testing.assert_array_equal(there, times[: len(there)])
    expected = [put_values(0, SHAPE, time, i + 1) for i, time in enumerate(there)]
    np.testing.assert_array_equal(np.concatenate([part.w.values for part in parts]), expected)


def test_a_month_that_ends_is_readable_while_the_next_one_is_written(job):
    scenario = {"pace": 0.02, "report_steps": True}
    variables = [{"field": "w", "every": "1 step", "chunk": [8, 3, 7, 11]}]
    file = {"write_every": "3 steps", "new_file_every": "20 steps", "variables": variables}
    config = {"fields": {"state": {"every": "1 step", "names": ["w"]}}, "output": {"out_{start}.nc": file}}
    times = varying_times(500, seed=4)
    player = model(2, grids=[block_grid("g")], fields=[field("w", "g")], times=times, **scenario)
    with job.start(player, servers(1), config=config) as running:
        running.wait_for("STEP 100")  # a server is some steps behind
        running.kill()
    for begin in (0, 20):
        data = read(running.folder / f"out_{begin}.nc")
        expected = [put_values(0, SHAPE, times[i], i + 1) for i in range(begin, begin + 20)]
        np.testing.assert_array_equal(data.w.values, expected)
