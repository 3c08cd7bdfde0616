"""The values of an input at a time, computed from the definitions with NumPy and cftime alone.

A rule becomes a matrix of weights (time, record): the value is their product with the records.
"""

from dataclasses import dataclass
from datetime import timedelta

import cftime
import numpy as np

Date = tuple[int, int, int, int]  # year, month, day, hour


@dataclass(frozen=True)
class Axis:
    """The times of records by their dates in the file's calendar; `bounds` are the beginnings and ends."""

    dates: tuple[Date, ...]
    bounds: tuple[tuple[Date, Date], ...] = ()
    is_climatology: bool = False


@dataclass(frozen=True)
class Rule:
    rule: str
    cycle: str = ""  # year, or a number of days as text
    before: str = "refuse"
    after: str = "refuse"
    offset: float = 0.0  # seconds


@dataclass
class Placed:
    record: int
    begin: float
    end: float

    @property
    def middle(self) -> float:
        return (self.begin + self.end) / 2


class Clock:
    """Seconds since the start of the model, in its calendar."""

    def __init__(self, calendar: str, start: Date):
        self.calendar = calendar
        self.start = cftime.datetime(*start, calendar=calendar)

    def date(self, date: Date) -> cftime.datetime | None:
        """None where the calendar lacks the day."""
        try:
            return cftime.datetime(*date, calendar=self.calendar)
        except ValueError:
            return None

    def seconds(self, date: Date) -> float | None:
        found = self.date(date)
        return None if found is None else self.since_start(found)

    def since_start(self, date: cftime.datetime) -> float:
        return round((date - self.start).total_seconds(), 6)

    def shifted(self, date: Date, offset: float) -> cftime.datetime | None:
        found = self.date(date)
        return None if found is None else found + timedelta(seconds=offset)

    def in_year(self, date: cftime.datetime, year: int) -> float | None:
        """The seconds of the same day and time in that year, if it has the day."""
        try:
            return self.since_start(date.replace(year=year))
        except ValueError:
            return None


def placed(axis: Axis, rule: Rule, clock: Clock, until: float) -> list[Placed]:
    """All records from the beginning of the run to `until`, and some around; those of a cycle come again."""
    pairs = axis.bounds or tuple((date, date) for date in axis.dates)
    if rule.cycle == "year":
        years = range(clock.start.year - 2, clock.start.year + int(until / 86400 / 360) + 4)
        found = [one for year in years for one in placed_in_year(pairs, year, clock, rule.offset)]
    else:
        found = []
        for record, (first, last) in enumerate(pairs):
            begin, end = clock.seconds(first), clock.seconds(last)
            if begin is not None and end is not None:
                found.append(Placed(record, begin + rule.offset, end + rule.offset))
        found.sort(key=lambda one: one.middle)
        if rule.cycle:
            length = 86400.0 * float(rule.cycle)
            first = int(np.floor(-found[0].begin / length)) - 2
            numbers = range(first, first + int(until / length) + 6)
            found = [Placed(one.record, one.begin + n * length, one.end + n * length) for n in numbers for one in found]
    return sorted(found, key=lambda one: one.middle)


def placed_in_year(pairs, year: int, clock: Clock, offset: float) -> list[Placed]:
    """Dates keep their month, day and time; an interval that would end before it begins ends in the next year."""
    found = []
    for record, (first, last) in enumerate(pairs):
        dates = clock.shifted(first, offset), clock.shifted(last, offset)
        begin, end = (date and clock.in_year(date, year) for date in dates)
        if first != last and begin is not None and end is not None and end <= begin:
            end = clock.in_year(dates[1], year + 1)
        if begin is not None and end is not None:
            found.append(Placed(record, begin, end))
    return found


def time_weights(axis: Axis, rule: Rule, clock: Clock, times: list[float]) -> np.ndarray:
    weights = np.zeros((len(times), len(axis.dates)))
    if rule.rule == "none":
        return np.ones((len(times), 1))
    all_placed = placed(axis, rule, clock, max(times))
    for step, time in enumerate(times):
        near = all_placed
        if rule.cycle and rule.cycle != "year":  # thousands, of which a few count
            near = [one for one in all_placed if abs(one.middle - time) < 3 * 86400.0 * float(rule.cycle)]
        for number, weight in enumerate(weights_at(near, rule, time)):
            weights[step, near[number].record] += weight
    return weights


def weights_at(records: list[Placed], rule: Rule, time: float) -> np.ndarray:
    """For each placed record at one time."""
    own = np.eye(len(records))
    first, last = records[0], records[-1]
    if rule.rule != "exact" and (time < first.begin or time > last.end):
        policy, edge, inner = (rule.before, 0, 1) if time < first.begin else (rule.after, -1, -2)
        assert policy != "refuse", "the case expects an error"
        if policy == "hold":
            return own[edge]
        slope = (own[inner] - own[edge]) / (records[inner].middle - records[edge].middle)
        return own[edge] + slope * (time - records[edge].middle)
    if rule.rule == "linear":
        middles = [one.middle for one in records]
        return np.array([np.interp(time, middles, column) for column in own])
    if rule.rule == "mean_preserving":
        return mean_preserving(records, time)
    return own[step_record(records, rule.rule, time)]


def step_record(records: list[Placed], rule: str, time: float) -> int:
    for number, one in enumerate(records):
        if one.begin <= time < one.end or one.begin == time:
            return number
    if time == records[-1].end:
        return len(records) - 1
    assert rule != "exact", f"no record at {time}"
    earlier = [number for number, one in enumerate(records) if one.end <= time]
    later = [number for number, one in enumerate(records) if one.begin > time]
    if rule == "previous" or (rule == "nearest" and not later):
        return earlier[-1]
    if rule == "next" or not earlier:
        return later[0]
    return earlier[-1] if time - records[earlier[-1]].end <= records[later[0]].begin - time else later[0]


def mean_preserving(records: list[Placed], time: float) -> np.ndarray:
    """Where intervals meet the line between their means; the middle keeps the mean of the two straight pieces."""
    own = np.eye(len(records))
    number = max(n for n, one in enumerate(records) if one.begin <= time)
    one = records[number]

    def meeting(other: int) -> np.ndarray:
        if not 0 <= other < len(records):
            return own[number]
        length, next_length = one.end - one.begin, records[other].end - records[other].begin
        return (next_length * own[number] + length * own[other]) / (length + next_length)

    left, right = meeting(number - 1), meeting(number + 1)
    line = np.array([left, 2 * own[number] - (left + right) / 2, right])
    return np.array([np.interp(time, [one.begin, one.middle, one.end], column) for column in line.T])


def to_levels(values, levels, wanted, logarithmic: bool, beyond: str) -> np.ndarray:
    """Columns along the first dim: values at `levels`, which ascend or descend, become values at the wanted ones."""
    if levels[0].flat[0] > levels[-1].flat[0]:
        values, levels = values[::-1], levels[::-1]
    at, to = (np.log(levels), np.log(wanted)) if logarithmic else (levels, wanted)
    result = np.full(np.broadcast_shapes(to.shape, (1, *values.shape[1:])), np.nan)
    for k in range(len(levels) - 1):
        line = values[k] + (values[k + 1] - values[k]) / (at[k + 1] - at[k]) * (to - at[k])
        below, above = k == 0 and beyond == "linear", k == len(levels) - 2 and beyond == "linear"
        inside = ((wanted >= levels[k]) | below) & ((wanted <= levels[k + 1]) | above)
        result = np.where(inside, line, result)
    if beyond == "hold":
        result = np.where(wanted < levels[0], values[0], np.where(wanted > levels[-1], values[-1], result))
    return result
