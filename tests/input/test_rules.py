"""Every rule of time, calendar and vertical rule in whole jobs, against NumPy and cftime, and the same bits in all.

The usual run covers each pair of ranks, servers, ways and calendars of the model; TAILRACE_TEST_FAULTS=1 gives every
vertical rule to every rule of time in every pair of calendars.
"""

import itertools
import os

import numpy as np
import pytest
from support.harness import Job, attached, inline, servers
from support.reading_inputs import got
from support.rule_cases import CALENDARS, SHAPES, VERTICALS, Series

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


def values_of(job: Job, series: Series, ranks: int, serving, name: str, delays: str = "") -> dict[str, np.ndarray]:
    environment = {"TAILRACE_RANDOM_DELAYS": delays} if delays else {}
    folder = job.root / name
    series.write(folder)
    job(series.model(ranks), serving, config=series.configuration(), folder=folder, environment=environment).finished()
    return {case.name: got(folder, case.name, SHAPES[case.grid]) for case in series.cases}


def check(series: Series, values: dict[str, np.ndarray]) -> None:
    for case in series.cases:
        expected = series.expected(case)
        if case.is_copied:
            np.testing.assert_array_equal(values[case.name], expected, err_msg=case.told)
        else:
            np.testing.assert_allclose(values[case.name], expected, rtol=1e-12, atol=1e-12, err_msg=case.told)


class Reference:
    """By calendar, the values of one rank that does everything itself; they are those of the definitions."""

    def __init__(self, job: Job):
        self.job = job
        self.known: dict[str, tuple[Series, dict]] = {}

    def of(self, calendar: str) -> tuple[Series, dict]:
        if calendar not in self.known:
            series = Series(calendar)
            values = values_of(self.job, series, 1, inline(), calendar)
            check(series, values)
            self.known[calendar] = series, values
        return self.known[calendar]


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    return Reference(Job(tmp_path_factory.mktemp("reference")))


def assert_same_bits(series: Series, values: dict, expected: dict) -> None:
    for case in series.cases:
        assert values[case.name].tobytes() == expected[case.name].tobytes(), case.told


@pytest.mark.parametrize("calendar", CALENDARS)
def test_values_are_those_of_the_definitions(reference, calendar):
    reference.of(calendar)


@pytest.mark.parametrize(("ranks", "count", "way", "calendar"), pairwise())
def test_same_bits(job, reference, ranks, count, way, calendar):
    series, expected = reference.of(calendar)
    delays = f"{ranks * 100 + count}:500" if ranks % 2 else ""
    assert_same_bits(series, values_of(job, series, ranks, WAYS[way](count), "job", delays), expected)


@pytest.mark.skipif("TAILRACE_TEST_FAULTS" not in os.environ, reason="every vertical rule for all takes minutes")
@pytest.mark.parametrize("calendar", CALENDARS)
@pytest.mark.parametrize("shift", range(len(VERTICALS)))
def test_every_vertical_rule(job, calendar, shift):
    series = Series(calendar, VERTICALS, shift)
    number = len(CALENDARS) * shift + CALENDARS.index(calendar)
    ways = list(WAYS.values())
    serving = ways[number % len(ways)](1 + number % 3)
    check(series, values_of(job, series, 1 + shift % 6, serving, "job"))
