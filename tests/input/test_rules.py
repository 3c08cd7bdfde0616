"""Every rule of time, calendar and vertical rule in whole jobs, against NumPy and cftime, and the same bits in all.

The usual run covers each pair of ranks, servers, ways and calendars of the model; TAILRACE_TEST_FAULTS=1 gives every
vertical rule to every rule of time in every pair of calendars, in some minutes.
"""

import itertools
import os
from pathlib import Path

import numpy as np
import pytest
from support.harness import Job, attached, inline, servers
from support.reading_inputs import got
from support.rule_axes import CALENDARS, START, axes
from support.rule_cases import SHAPES, VERTICALS, Case
from support.rule_reference import Clock, Rule, placed
from support.rule_series import Series, with_all_rules

RANKS, SERVERS = (1, 2, 3, 4, 5, 6), (1, 2, 3)
WAYS = {
    "shm": lambda count: servers(count, transport="shm"),
    "mpi": lambda count: servers(count, transport="mpi"),
    "attached": lambda count: attached(transport="shm"),
    "attached by mpi": lambda count: attached(transport="mpi"),
    "inline": lambda count: inline(),
}


def pairwise() -> list[tuple]:
    """A greedy choice of runs of the product that covers every pair of values."""
    product = list(itertools.product(RANKS, SERVERS, WAYS, CALENDARS))

    def pairs(run: tuple) -> set:
        return set(itertools.combinations(enumerate(run), 2))

    missing = set().union(*map(pairs, product))
    chosen = []
    while missing:
        chosen.append(max(product, key=lambda run: len(pairs(run) & missing)))
        missing -= pairs(chosen[-1])
    return chosen


def values_of(job: Job, series: Series, ranks: int, serving, config: dict, delays: str = "") -> dict:
    environment = {"TAILRACE_RANDOM_DELAYS": delays} if delays else {}
    result = job(series.model(ranks), serving, config=config, environment=environment).finished()
    return {case.name: got(result.folder, case.name, SHAPES[case.grid]) for case in series.cases}


def written(series: Series, folder: Path) -> dict:
    """Its configuration, with files in the folder."""
    series.write(folder)
    return series.configuration(folder)


def check(series: Series, values: dict[str, np.ndarray]) -> None:
    for case in series.cases:
        expected = series.expected(case)
        if case.is_copied:
            np.testing.assert_array_equal(values[case.name], expected, err_msg=case.told)
        else:
            np.testing.assert_allclose(values[case.name], expected, rtol=1e-12, atol=1e-12, err_msg=case.told)


class Reference:
    """By calendar: the fields, their files, and the values of one rank that does everything itself."""

    def __init__(self, job: Job):
        self.job = job
        self.known: dict[str, tuple[Series, dict, dict]] = {}

    def of(self, calendar: str) -> tuple[Series, dict, dict]:
        if calendar not in self.known:
            series = with_all_rules(calendar)
            config = written(series, self.job.root / calendar)
            self.known[calendar] = series, config, values_of(self.job, series, 1, inline(), config)
        return self.known[calendar]


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    return Reference(Job(tmp_path_factory.mktemp("reference")))


def assert_same_bits(series: Series, values: dict, expected: dict) -> None:
    for case in series.cases:
        assert values[case.name].tobytes() == expected[case.name].tobytes(), case.told


@pytest.mark.parametrize("calendar", CALENDARS)
def test_values_are_those_of_the_definitions(reference, calendar):
    series, _, values = reference.of(calendar)
    check(series, values)


@pytest.mark.parametrize(("ranks", "count", "way", "calendar"), pairwise())
def test_same_bits(job, reference, ranks, count, way, calendar):
    series, config, expected = reference.of(calendar)
    delays = f"{ranks * 100 + count}:500" if ranks % 2 else ""
    assert_same_bits(series, values_of(job, series, ranks, WAYS[way](count), config, delays), expected)


def test_a_restart_gives_the_same_bits(job, reference):
    """The rest of the steps on other ranks, by other servers, from any place in each cycle."""
    series, config, expected = reference.of("julian")
    config = config | {"checkpoint": {"fields": ["p_wide"], "every": "never", "directory": "state"}}
    whole = {"checkpoints": True, "got": ["p_wide"], "requests": [7]}
    values = []
    for ranks, serving, times in ((4, servers(3), series.times[:7]), (5, attached(), series.times)):
        result = job(series.model(ranks, times=times, **whole), serving, config=config, folder=job.root / "job")
        result.finished()
        values.append({case.name: got(result.folder, case.name, SHAPES[case.grid]) for case in series.cases})
        for path in result.folder.glob("model.got.*"):
            path.unlink()
    assert "RESTARTED 7" in result.output
    assert_same_bits(
        series, {name: np.concatenate([first, values[1][name]]) for name, first in values[0].items()}, expected
    )


def test_means_are_kept(job):
    """The integral of what a model gets over each interval, by steps between which it is straight, is the record's."""
    clock = Clock("noleap", START)
    found = [("intervals", Rule("mean_preserving")), ("climatology", Rule("mean_preserving", cycle="year"))]
    found += [("means of months", Rule("mean_preserving", cycle="year"))]
    found += [("means of hours", Rule("mean_preserving", cycle="1"))]
    cases, intervals = [], {}
    for axis, rule in found:
        # Such numbers are got at each step.
        case = Case(4 * len(cases), axis, axes("360_day")[axis], rule, "360_day", None, "sea")
        cases.append(case)
        within = [one for one in placed(case.axis, rule, clock, 8e6) if one.begin > 0 and one.end < 3e7]
        intervals[case.name] = within[: len(case.axis.dates) - 2]
        assert len(intervals[case.name]) > 4
    parts = np.linspace(0, 1, 5)
    times = {
        one.begin + part * (one.end - one.begin) for list_ in intervals.values() for one in list_ for part in parts
    }
    series = Series("noleap", cases, sorted(times))
    values = values_of(job, series, 3, servers(2), written(series, job.root / "files"))
    check(series, values)
    for case in cases:
        for one in intervals[case.name]:
            steps = [series.times.index(one.begin + part * (one.end - one.begin)) for part in parts]
            got_then = values[case.name][steps]
            mean = (got_then[1:] + got_then[:-1]).mean(axis=0) / 2  # the parts have the same length
            np.testing.assert_allclose(mean, case.records[one.record], rtol=1e-12, err_msg=case.told)


REFUSED = {
    "before": (
        "short",
        Rule("linear"),
        1e6,
        "a value is needed at 2000-01-01T13:46:40",
        "but the first record begins at 2000-",
    ),
    "after": (
        "intervals",
        Rule("mean_preserving"),
        5e7,
        "a value is needed at ",
        "but the last record ends at 2001-05-01",
    ),
    "without a record": ("points", Rule("exact"), 9e6, "there is no record at ", "the next one is at "),
    "gaps": ("gaps", Rule("mean_preserving"), 1e6, "there is a gap between the intervals", "the means cannot be kept"),
}


@pytest.mark.parametrize("why", REFUSED)
def test_times_that_the_records_do_not_give(job, why):
    axis, rule, time, *said = REFUSED[why]
    case = Case(0, axis, axes("noleap")[axis], rule, "noleap", None, "air")
    series = Series("360_day", [case], [time])
    config = written(series, job.root / "files")
    job(series.model(2), servers(1), config=config).failed_with("f0", *said, code=3)


@pytest.mark.parametrize("calendar", CALENDARS)
@pytest.mark.parametrize("shift", range(len(VERTICALS)) if "TAILRACE_TEST_FAULTS" in os.environ else [])
def test_every_vertical_rule(job, calendar, shift):
    series = with_all_rules(calendar, VERTICALS, shift)
    number = len(CALENDARS) * shift + CALENDARS.index(calendar)
    serving = list(WAYS.values())[number % len(WAYS)](1 + number % 3)
    check(series, values_of(job, series, 1 + shift % 6, serving, written(series, job.root / "files")))
