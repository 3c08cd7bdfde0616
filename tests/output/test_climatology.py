"""Records of each month, season or hour of the day over a whole run, compared with NumPy and xarray, and checked by the
CF checkers."""

from datetime import timedelta
from itertools import pairwise

import cftime
import numpy as np
import pytest
import xarray as xr
from support.checkers import complaints
from support.harness import attached, block_grid, field, inline, model, servers
from support.reading import every_bit, read
from support.values import History, reduce_window, varying_times

DAY, HOUR = 86400.0, 3600.0
START = (2001, 11, 17, 7, 30)
SHAPE = (3, 7, 11)
KINDS = {"mean": "mean", "min": "minimum", "max": "maximum", "sum": "sum"}


def run(job, calendar, times, each, serving=None, ranks=3, missing=False):
    variables = [{"field": "w", "operation": kind, "name": kind, "each": each} for kind in KINDS]
    variables.append({"field": "total", "operation": "mean", "each": each})
    config = {"model_time": {"calendar": calendar, "start": "2001-11-17T07:30:00"}}
    config["output"] = {"each.nc": {"write_every": "3 d", "compression": "zlib", "variables": variables}}
    config["diagnostics"] = {"total": {"is": "sum(w, z, y, x)"}}
    config["fields"] = {"state": {"every": "1 step", "names": ["w"]}}
    more = {"fill_value": -999.0} if missing else {}
    scenario = {"grids": [block_grid("g")], "fields": [field("w", "g", units="K", **more)], "times": times}
    return job(model(ranks, **scenario), serving or servers(2), config=config).finished().path("each.nc")


def pieces(calendar, history, turn_of, edges):
    """turn -> the windows that the run touched, as (begin, end)."""
    turns = {}
    for a, b in pairwise(edges):
        window = (max(a, 0.0), min(b, history.times[-1]))
        if window[0] < window[1]:
            turns.setdefault(turn_of(0.5 * (a + b)), []).append(window)
    return turns


def check(data, history, turns):
    chronological = sorted(turns.values())
    bounds = data[data.time.attrs["climatology"]].values
    np.testing.assert_allclose(bounds, [(w[0][0], w[-1][1]) for w in chronological], rtol=0, atol=1e-3)
    np.testing.assert_allclose(data.time.values, [np.mean(w[0]) for w in chronological], rtol=0, atol=1e-3)
    for kind in KINDS:
        for record, windows in enumerate(chronological):
            parts = [history.overlaps(window) for window in windows]
            joined = [np.concatenate(arrays) for arrays in zip(*parts, strict=True)]
            np.testing.assert_allclose(data[kind].values[record], reduce_window(kind, *joined), rtol=1e-12)
    totals = data["mean"].sum(("z", "y", "x"))
    np.testing.assert_allclose(data.total.values, totals, rtol=1e-12)


@pytest.mark.parametrize("each", ["month", "season"])
@pytest.mark.parametrize("calendar", ["360_day", "standard"])
def test_months_and_seasons_of_two_years(job, calendar, each):
    times = varying_times(500, seed=5, shortest=0.4 * DAY, longest=2.6 * DAY)  # some 750 days
    data = read(run(job, calendar, times, each))
    history = History.of(0, SHAPE, times)
    start = cftime.datetime(*START, calendar=calendar)
    firsts = [m for m in range(8, 39) if each == "month" or m % 3 == 2]
    edges = [
        (cftime.datetime(2001 + m // 12, m % 12 + 1, 1, calendar=calendar) - start).total_seconds() for m in firsts
    ]

    def turn_of(time):
        month = (start + timedelta(seconds=time)).month
        return month if each == "month" else month % 12 // 3

    check(data, history, pieces(calendar, history, turn_of, edges))
    assert data.sizes["time"] == (12 if each == "month" else 4)
    assert data["mean"].attrs["cell_methods"] == "time: mean within years time: mean over years"
    assert data["max"].attrs["cell_methods"] == "time: maximum within years time: maximum over years"


def test_hours_of_the_day(job):
    times = varying_times(400, seed=6, shortest=0.1 * HOUR, longest=1.4 * HOUR)  # some 12 days; steps span windows
    path = run(job, "noleap", times, "hour of day")
    data, history = read(path), History.of(0, SHAPE, times)
    edges = [HOUR * (i - 0.5) for i in range(24 * 14)]  # the run begins at half past
    check(data, history, pieces("noleap", history, lambda time: int((time + 7.5 * HOUR) // HOUR) % 24, edges))
    assert data["sum"].attrs["cell_methods"] == "time: sum within days time: sum over days"
    assert complaints(path) == []
    decoded = xr.open_dataset(path)
    assert [time.hour for time in decoded.time.values] == [*range(7, 24), *range(7)]


def test_a_short_run_has_only_its_months(job):
    times = varying_times(40, seed=7, shortest=0.5 * DAY, longest=1.5 * DAY)
    data = xr.open_dataset(run(job, "standard", times, "month"))
    assert [str(time)[:7] for time in data.time.values] == ["2001-11", "2001-12"]


def test_the_bits_do_not_depend_on_ranks_and_servers(job):
    times = varying_times(90, seed=8, shortest=0.4 * DAY, longest=2.6 * DAY)
    layouts = ((1, servers(1)), (4, servers(3)), (3, attached()), (2, inline()))
    first, *others = [run(job, "360_day", times, "month", serving, ranks, True) for ranks, serving in layouts]
    for other in others:
        assert every_bit(other) == every_bit(first)


CASES = {
    "a slip": ({"each": "mnth"}, "output.a.nc.variables[0].each", 'Did you mean "month"?'),
    "with every": ({"each": "month", "every": "1 d"}, "every: cannot be given beside `each`", "only one"),
    "a snapshot": (
        {"each": "month", "operation": "snapshot"},
        "variables[0].each: expected `operation: mean`",
        "snapshot",
    ),
    "whole samples": (
        {"each": "month", "edges": "samples"},
        "variables[0].each: samples are divided",
        "`edges: exact`",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_is_refused(job, case):
    entry, *words = CASES[case]
    variable = {"field": "w", "operation": "mean", **entry}
    config = {"model_time": {"calendar": "noleap"}, "fields": {"state": {"every": "1 step", "names": ["w"]}}}
    config["output"] = {"a.nc": {"write_every": "1 d", "variables": [variable]}}
    scenario = {"grids": [block_grid("g")], "fields": [field("w", "g")], "times": [1.0, 2.0]}
    job(model(1, **scenario), inline(), config=config).failed_with("tailrace.yaml:", *words)


@pytest.mark.parametrize(
    ("file", "words"),
    [
        ({"new_file_every": "1 month"}, "expected a file without `new_file_every`"),
        ({"if_exists": "append"}, "expected a file without `if_exists: append`"),
    ],
)
def test_files_that_end_before_the_run(job, file, words):
    variables = [{"field": "w", "operation": "mean", "each": "month"}]
    config = {"model_time": {"calendar": "noleap"}, "fields": {"state": {"every": "1 step", "names": ["w"]}}}
    config["output"] = {"a.nc": {"write_every": "1 d", "variables": variables, **file}}
    scenario = {"grids": [block_grid("g")], "fields": [field("w", "g")], "times": [1.0, 2.0]}
    job(model(1, **scenario), inline(), config=config).failed_with("output.a.nc.variables[0].each", words)
    del config["model_time"]
    config["output"]["a.nc"] = {"write_every": "1 d", "variables": variables}
    job(model(1, **scenario), inline(), config=config).failed_with("output.a.nc.variables[0].each", "calendar")
