"""Files that grow over jobs of unequal length, compared with NumPy; mismatches are reported before any write."""

from itertools import pairwise

import cftime
import numpy as np
import pytest
from support.checkers import complaints
from support.harness import attached, block_grid, field, inline, model, servers
from support.reading import bounds_of, every_bit, read, time_of
from support.values import History, put_values, reduce_window, varying_times

DAY = 86400.0
START = (2001, 11, 17, 7, 30)
SHAPE = (3, 7, 11)
TIMES = varying_times(90, seed=8, shortest=0.6 * DAY, longest=1.9 * DAY)  # some 110 days; steps span several windows
CUTS = (0, 23, 61, 90)  # the jobs' first and last steps
PARTS = tuple(pairwise(CUTS))
DAILY = {"write_every": "5 d", "compression": "zlib", "if_exists": "append"}
DAILY["variables"] = [
    {"field": "w", "operation": "mean", "every": "1 d", "chunk": [7, 2, 7, 5]},
    {
        "field": "w",
        "name": "high",
        "operation": "max",
        "every": "1 d",
        "chunk": [16, 3, 7, 11],
        "compression": "none",
    },
]
MONTHLY = {"write_every": "1 d", "if_exists": "append"}
MONTHLY["variables"] = [{"field": "w", "operation": "mean", "every": "1 month"}]
SNAPSHOTS = {"write_every": "3 d", "if_exists": "append"}
SNAPSHOTS["variables"] = [{"field": "w", "every": "2 d", "chunk": [5, 3, 7, 11]}, {"field": "orog", "every": "once"}]
FILES = {"day.nc": DAILY, "month.nc": MONTHLY, "snap.nc": SNAPSHOTS}


def run(job, output, part, folder=None, ranks=3, serving=None, start="2001-11-17T07:30:00", **scenario):
    """The job for a part of all steps; it counts its steps from 1."""
    first, last = part
    config = {"model_time": {"calendar": "360_day", "start": start}, "output": output}
    config["fields"] = {
        "state": {"every": "1 step", "names": ["w"]},
        "fixed": {"every": "once", "optional": True, "names": ["orog"]},
    }
    scenario |= {"grids": [block_grid("g")], "fields": [field("w", "g"), field("orog", "g")]}
    scenario |= {"times": TIMES[first:last], "initial_time": TIMES[first - 1] if first else 0.0}
    return job(model(ranks, **scenario), serving or servers(2), config=config, folder=folder)


def run_all(job, output, ranks=(3, 3, 3), serving=(None, None, None)):
    results = []
    for part, count, servers_of_it in zip(pairwise(CUTS), ranks, serving, strict=True):
        folder = results[-1].folder if results else None
        results.append(run(job, output, part, folder, count, servers_of_it).finished())
    return results


def history(part) -> History:
    first, last = part
    return History.of(0, SHAPE, TIMES[first:last], begin=TIMES[first - 1] if first else 0.0)


def expected_windows(edges, parts=PARTS):
    """The windows that ended within each job, and the incomplete one at the end of the last job."""
    for part in parts:
        past = history(part)
        begin, end = past.begin, past.times[-1]
        for a, b in pairwise(edges):
            window = (max(a, begin), min(b, end))
            if window[0] < window[1] and (b <= end or part == parts[-1]):
                yield window, past


def seconds(year, month, day):
    date = cftime.datetime(year, month, day, calendar="360_day")
    return (date - cftime.datetime(*START, calendar="360_day")).total_seconds()


MIDNIGHTS = seconds(2001, 11, 17) + DAY * np.arange(150)
MONTHS = [seconds(2001 + m // 12, m % 12 + 1, 1) for m in range(10, 17)]


def check_windows(data, variable, kind, edges, parts=PARTS):
    expected = list(expected_windows(edges, parts))
    windows = [window for window, _ in expected]
    np.testing.assert_allclose(bounds_of(data, data[variable]), windows, rtol=0, atol=1e-3)
    np.testing.assert_allclose(time_of(data[variable]), np.mean(windows, axis=1), rtol=0, atol=1e-3)
    values = np.array([reduce_window(kind, *past.overlaps(window)) for window, past in expected])
    np.testing.assert_allclose(data[variable].values, values, rtol=1e-12)


def test_three_jobs_of_unequal_length(job):
    results = run_all(job, FILES)
    folder = results[0].folder
    daily = read(folder / "day.nc")
    check_windows(daily, "w", "mean", MIDNIGHTS)
    check_windows(daily, "high", "max", MIDNIGHTS)
    check_windows(read(folder / "month.nc"), "w", "mean", MONTHS)
    for result in results[1:]:
        assert "day.nc (if_exists: append): removing the last record of time, from " in result.output
        assert "because the previous run ended inside its window" in result.output
    snapshots = read(folder / "snap.nc")
    assert snapshots.orog.dims == ("z", "y", "x")
    step_of = {TIMES[first + i]: i + 1 for first, last in pairwise(CUTS) for i in range(last - first)}
    times = snapshots.time.values
    assert np.all(np.diff(times) > 0) and len(times) > 40 and times[0] < 3 * DAY and times[-1] > 100 * DAY
    np.testing.assert_array_equal(snapshots.w.values, [put_values(0, SHAPE, t, step_of[t]) for t in times])
    assert complaints(*(folder / name for name in FILES)) == []


def test_the_bits_do_not_depend_on_ranks_and_servers(job):
    one = run_all(job, FILES, (1, 1, 1), (servers(1),) * 3)[0].folder
    other = run_all(job, FILES, (4, 2, 5), (servers(3), attached(), inline()))[0].folder
    for name in FILES:
        assert every_bit(one / name) == every_bit(other / name), name


def test_a_job_that_was_killed_and_repeated(job):
    """The second job begins before the end of the first one, whose files were not closed."""
    scenario = {"pace": 0.01, "report_steps": True}
    config = {"model_time": {"calendar": "360_day", "start": "2001-11-17T07:30:00"}, "output": {"day.nc": DAILY}}
    config["fields"] = {"state": {"every": "1 step", "names": ["w"]}}
    scenario |= {"grids": [block_grid("g")], "fields": [field("w", "g")], "times": TIMES}
    with job.start(model(2, **scenario), servers(2), config=config) as running:
        running.wait_for("STEP 85\n")
        running.kill()
    before = read(running.folder / "day.nc")
    assert before.time.values[-1] > TIMES[30]
    again = run(job, {"day.nc": DAILY}, (23, 90), running.folder).finished()
    assert (
        "day.nc (if_exists: append): removing " in again.output
        and " records of time, beginning with the one from " in again.output
    )
    data = read(running.folder / "day.nc")
    check_windows(data, "w", "mean", MIDNIGHTS, ((0, 23), (23, 90)))
    check_windows(data, "high", "max", MIDNIGHTS, ((0, 23), (23, 90)))
    assert [path.name for path in running.folder.glob(".*.new")] == []


def test_the_first_file_of_a_series_is_continued(job):
    file = {**DAILY, "new_file_every": "1 month"}
    results = run_all(job, {"day_{start:%Y%m}.nc": file})
    paths = sorted(results[0].folder.glob("*.nc"))
    assert [path.name for path in paths] == [
        f"day_{name}.nc" for name in ("200111", "200112", "200201", "200202", "200203")
    ]
    expected = list(expected_windows(MIDNIGHTS))
    for path, (begin, end) in zip(paths, pairwise(MONTHS), strict=False):
        data = read(path)
        mine = [(window, past) for window, past in expected if begin <= window[0] < end]
        np.testing.assert_allclose(bounds_of(data, data.w), [window for window, _ in mine], rtol=0, atol=1e-3)
        values = np.array([reduce_window("mean", *past.overlaps(window)) for window, past in mine])
        np.testing.assert_allclose(data.w.values, values, rtol=1e-12)


def test_an_instant_at_the_seam_is_written_once(job):
    """Each job also puts its state at its initial time."""
    variables = [{"field": "w", "every": "10 s"}]
    output = {"a.nc": {"write_every": "20 s", "if_exists": "append", "variables": variables}}
    config = {"output": output, "fields": {"state": {"every": "1 step", "names": ["w"]}}}
    folder = None
    for begin in (0.0, 40.0, 70.0):
        times = [begin + 5.0 * i for i in range(9 if begin == 0.0 else 7)]
        player = model(2, grids=[block_grid("g")], fields=[field("w", "g")], times=times, initial_time=begin)
        folder = job(player, servers(1), config=config, folder=folder).finished().folder
    np.testing.assert_array_equal(read(folder / "a.nc").time.values, 10.0 * np.arange(11))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"compression": "zstd"}, "has another compression than in this run, zstd"),
        ({"variables": DAILY["variables"][:1]}, 'its variable "high" is not among those of this run'),
        (
            {"variables": [*DAILY["variables"], {"field": "w", "operation": "min", "name": "low", "every": "1 month"}]},
            'if_exists: the file day.nc cannot be continued: it has no time axis "time_1d". (known: time)',
        ),
    ],
)
def test_another_configuration_does_not_fit(job, change, words):
    folder = run(job, {"day.nc": DAILY}, (0, 23)).finished().folder
    before = (folder / "day.nc").read_bytes()
    run(job, {"day.nc": {**DAILY, **change}}, (23, 61), folder).failed_with(words)
    assert (folder / "day.nc").read_bytes() == before


def test_another_start_does_not_fit(job):
    folder = run(job, {"day.nc": DAILY}, (0, 23)).finished().folder
    again = run(job, {"day.nc": DAILY}, (23, 61), folder, start="2001-11-18")
    again.failed_with(
        'output.day.nc.if_exists: the file day.nc cannot be continued: its time counts "seconds since 2001-11-17',
        "tailrace.yaml:",
        "expected the same `model_time.start` and `calendar` for all jobs, with the `initial_time` of each",
    )


def test_files_of_others_are_left_alone(job):
    folder = run(job, {"day.nc": DAILY}, (0, 23)).finished().folder
    foreign = read(folder / "day.nc")
    (folder / "day.nc").unlink()
    foreign.to_netcdf(folder / "day.nc")
    again = run(job, {"day.nc": DAILY}, (23, 61), folder)
    again.failed_with("was not written by Tailrace", "output.day.nc.if_exists")
    (folder / "day.nc").write_text("no file of netCDF")
    run(job, {"day.nc": DAILY}, (23, 61), folder).failed_with("day.nc: is not a NetCDF-4 (HDF5) file")
    skipping = run(job, {"day.nc": {**DAILY, "on_error": "skip"}, "snap.nc": SNAPSHOTS}, (23, 61), folder)
    assert "the file is skipped (on_error: skip)" in skipping.finished().output
    assert read(folder / "snap.nc").sizes["time"] > 10
