"""The times of records in all calendars, and the rules of time that go with them."""

import itertools

import numpy as np

from support.rule_reference import Axis, Date, Rule

CALENDARS = ("standard", "noleap", "all_leap", "360_day", "julian")
START: Date = (1999, 12, 20, 0)


def random_dates(seed: int, count: int, first=(1999, 11), months=17) -> list[Date]:
    """In order; all calendars have the days."""
    random = np.random.default_rng(seed)
    found = set()
    while len(found) < count:
        month = first[1] - 1 + int(random.integers(months))
        found.add((first[0] + month // 12, month % 12 + 1, int(random.integers(1, 29)), 3 * int(random.integers(8))))
    return sorted(found)


def special_dates(calendar: str) -> list[Date]:
    """The days are in some calendars only."""
    dates = [(2000, 1, 31, 6)] if calendar != "360_day" else [(2000, 2, 30, 12), (2000, 7, 30, 0)]
    return dates if calendar == "noleap" else [*dates, (2000, 2, 29, 3)]


def months_from(year: int, month: int) -> list[Date]:
    return [(year + (month - 1 + n) // 12, (month - 1 + n) % 12 + 1, 1, 0) for n in range(13)]


def pairs(edges: list[Date]) -> tuple[tuple[Date, Date], ...]:
    return tuple(itertools.pairwise(edges))


def bounded(bounds, **more) -> Axis:
    return Axis(tuple(begin for begin, _ in bounds), tuple(bounds), **more)


STEP_DATES = random_dates(1, 7, (2000, 1), 13)


def axes(calendar: str) -> dict[str, Axis]:
    edges = [(1999, 11, 1, 0), *random_dates(3, 10), (2001, 5, 1, 0)]
    days = [(1990, 6, 10, hour) for hour in (0, 2, 3, 7, 12, 15, 18, 21)]
    middle_of_months = [(year, month, 16, 12) for year, month, *_ in months_from(1987, 7)[:12]]
    leap = [] if calendar == "noleap" else [(1988, 2, 29, 0)]
    climate = tuple(
        ((1961, begin[1], 1, 0), (1990 + (begin[1] == 12), begin[1] % 12 + 1, 1, 0))
        for begin in months_from(1961, 1)[:12]
    )
    decade = [(1990, 6, 3, 0), (1990, 6, 4, 6), (1990, 6, 7, 18), (1990, 6, 8, 0), (1990, 6, 11, 21)]
    points = [(1999, 11, 2, 3), *random_dates(2, 13), *STEP_DATES[:2], *special_dates(calendar), (2001, 4, 27, 0)]
    return {
        "steps": Axis(tuple(STEP_DATES)),
        "points": Axis(tuple(sorted(set(points)))),
        "short": Axis(tuple(random_dates(4, 6, (2000, 4), 6))),
        "intervals": bounded(pairs(edges)),
        "short intervals": bounded(pairs(random_dates(5, 6, (2000, 4), 6))),
        "gaps": bounded(pairs(edges)[::2]),
        "months": Axis(tuple(sorted(middle_of_months + leap))),
        "means of months": bounded(pairs(months_from(1987, 7))),
        "climatology": bounded(climate, is_climatology=True),
        "hours": Axis(tuple(days)),
        "means of hours": bounded(pairs([*days, (1990, 6, 11, 0)])),
        "decade": Axis(tuple(decade)),
        "one": Axis(((1985, 3, 1, 0),)),
        "without": Axis(((1985, 3, 1, 0),)),
    }


def rules() -> list[tuple[str, Rule]]:
    steps = ("previous", "next", "nearest")
    found = [("steps", "exact"), ("intervals", "exact"), ("intervals", "linear"), ("intervals", "mean_preserving")]
    cases = [(axis, Rule(rule)) for axis, rule in found]
    cases += [(axis, Rule(rule)) for axis in ("points", "gaps") for rule in (*steps, "linear")]
    cases += [("short", Rule(rule, before="hold", after="hold")) for rule in (*steps, "linear")]
    cases += [("short", Rule("linear", before="extrapolate", after="hold"))]
    for rule in ("linear", "mean_preserving"):
        cases += [("short intervals", Rule(rule, before=one, after=one)) for one in ("hold", "extrapolate")]
        cases += [("intervals", Rule(rule, offset=36 * 3600.0))]
        cases += [("means of months", Rule(rule, cycle="year")), ("means of hours", Rule(rule, cycle="1"))]
    cases += [("points", Rule("linear", offset=-12 * 3600.0)), ("points", Rule("nearest", offset=-86400.0))]
    cases += [("climatology", Rule("linear", cycle="year", offset=36 * 3600.0))]
    cases += [("months", Rule("nearest", cycle="year", offset=-86400.0))]
    cases += [("hours", Rule("linear", cycle="1", offset=3600.0))]
    cases += [("one", Rule("linear", before="hold", after="hold"))]
    cases += [("months", Rule(rule, cycle="year")) for rule in (*steps, "linear")]
    cases += [("climatology", Rule(rule, cycle="year")) for rule in ("exact", "nearest", "linear", "mean_preserving")]
    cases += [("hours", Rule(rule, cycle="1")) for rule in (*steps, "linear")]
    cases += [("means of hours", Rule("exact", cycle="1")), ("means of months", Rule("previous", cycle="year"))]
    cases += [("decade", Rule(rule, cycle="10")) for rule in ("nearest", "linear")]
    return [*cases, ("one", Rule("none")), ("without", Rule("none"))]


RULES = rules()
ENTRIES = ("observed", "means", "cycles")  # files, of which each has an owner among the servers


def entry_of(axis: str) -> str:
    return (
        ENTRIES[0]
        if axis in ("steps", "points", "short")
        else ENTRIES[1 + ("intervals" not in axis and axis != "gaps")]
    )
