"""Days, months and seasons of a calendar, in a run that starts at an odd hour, compared with windows from cftime."""

from itertools import pairwise

import cftime
import numpy as np
import pytest
from support.harness import block_grid, field, model, servers
from support.reading import bounds_of, read, time_of
from support.values import History, reduce_window, varying_times

START = (2001, 11, 17, 7, 30)
DAY = 86400.0
TIMES = varying_times(330, seed=8, shortest=0.6 * DAY, longest=1.9 * DAY)  # some 410 days
SHAPE = (3, 7, 11)


def configuration(calendar: str, output: dict) -> dict:
    return {
        "model_time": {"calendar": calendar, "start": "2001-11-17T07:30:00"},
        "fields": {"state": {"every": "1 step", "names": ["w"]}},
        "defaults": {"write_every": "60 d", "operation": "mean"},
        "output": output,
    }


def run(job, calendar: str, output: dict):
    player = model(3, grids=[block_grid("g")], fields=[field("w", "g")], times=TIMES)
    return job(player, servers(2), config=configuration(calendar, output)).finished()


def seconds(calendar: str, *date: int) -> float:
    return (cftime.datetime(*date, calendar=calendar) - cftime.datetime(*START, calendar=calendar)).total_seconds()


def windows_between(edges: list[float], begin: float = 0.0, end: float = TIMES[-1]) -> list[tuple[float, float]]:
    """The windows between ascending edges, cut at the begin and end of the run."""
    return [(max(a, begin), min(b, end)) for a, b in pairwise(edges) if b > begin and a < end]


def days(calendar: str) -> list[float]:
    return [seconds(calendar, 2001, 11, 17) + DAY * day for day in range(430)]


def months(calendar: str, every: int, first: int) -> list[float]:
    """The begins of every `every` months, of which January + `first` is one."""
    numbers = range(2001 * 12 - every + first, 2004 * 12 + first, every)
    return [seconds(calendar, number // 12, number % 12 + 1, 1) for number in numbers]


def assert_means(data, windows: list[tuple[float, float]]) -> None:
    history = History.of(0, SHAPE, TIMES)
    expected = np.array([reduce_window("mean", *history.overlaps(window)) for window in windows])
    np.testing.assert_allclose(bounds_of(data, data.w), windows, rtol=0, atol=1e-3)
    np.testing.assert_allclose(time_of(data.w), [0.5 * (a + b) for a, b in windows], rtol=0, atol=1e-3)
    np.testing.assert_allclose(data.w.values, expected, rtol=1e-12)


@pytest.mark.parametrize("calendar", ["360_day", "noleap", "standard"])
def test_windows_are_those_of_the_calendar(job, calendar):
    output = {
        "day.nc": {"variables": [{"field": "w", "every": "1 d"}]},
        "month.nc": {"variables": [{"field": "w", "every": "1 month"}]},
        "season.nc": {"variables": [{"field": "w", "every": "3 months", "offset": "-1 month"}]},
    }
    result = run(job, calendar, output)
    assert_means(read(result.path("day.nc")), windows_between(days(calendar)))
    month = read(result.path("month.nc"))
    assert_means(month, windows_between(months(calendar, 1, 0)))
    season = read(result.path("season.nc"))
    assert_means(season, windows_between(months(calendar, 3, -1)))

    # A reader that uses only `time` finds each mean in its own month.
    dated = cftime.num2date(time_of(month.w), f"seconds since {cftime.datetime(*START)}", calendar=calendar)
    assert [date.month for date in dated] == [11, 12, *range(1, 13), 1][: len(dated)]
    assert "offset by -1 month" in season.time.attrs["comment"]


def test_a_file_may_hold_a_part_of_the_run(job):
    output = {
        "part.nc": {
            "from": "2002-02-03",
            "until": "2002-04-11T12:00",
            "variables": [{"field": "w", "every": "1 month"}],
        },
        "instants.nc": {
            "from": "2002-12-01",
            "variables": [{"field": "w", "operation": "snapshot", "every": "3 d", "offset": "1 d"}],
        },
    }
    result = run(job, "standard", output)
    begin, end = seconds("standard", 2002, 2, 3), seconds("standard", 2002, 4, 11, 12)
    assert_means(read(result.path("part.nc")), windows_between(months("standard", 1, 0), begin, end))

    points = [seconds("standard", 2001, 11, 17) + DAY * (1 + 3 * k) for k in range(-1, 140)]
    firsts = dict.fromkeys(next(time for time in TIMES if time >= point) for point in points if point <= TIMES[-1])
    taken = [time for time in firsts if time >= seconds("standard", 2002, 12, 1)]
    data = read(result.path("instants.nc"))
    np.testing.assert_allclose(time_of(data.w), taken, rtol=0, atol=1e-3)
    history = History.of(0, SHAPE, TIMES)
    np.testing.assert_array_equal(data.w.values, np.array([history.values[TIMES.index(time)] for time in taken]))
