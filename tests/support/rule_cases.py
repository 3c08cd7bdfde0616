"""Input fields with every rule of time, every calendar and every vertical rule, their files, and what a model must get.

One job has a field for each rule of time and calendar of a file; the vertical rules and grids are dealt to them, other
ones for each calendar of the model and each `shift`.
"""

import itertools
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import cftime
import netCDF4
import numpy as np

from support.harness import block_grid, field, indexed_grid, model, replicated_grid
from support.rule_reference import Axis, Clock, Date, Rule, time_weights, to_levels
from support.values import put_values

CALENDARS = ("standard", "noleap", "all_leap", "360_day", "julian")
START: Date = (1999, 12, 20, 0)
DAYS = 430
SHAPES = {"air": (4, 7, 11), "ico": (3, 43), "wide": (5, 13, 9), "sea": (6, 10), "column": (8,), "": ()}
DIMS = {"air": ("z", "y", "x"), "ico": ("level", "cell"), "wide": ("k", "j", "i"), "sea": ("v", "u"), "column": ("c",)}
DIMS[""] = ()
LAYERED = ("air", "ico", "wide")
PRESSURES = {"air": {"how": "strided"}, "ico": {"how": "acquire"}, "wide": {"type": "float32"}}  # fields of the model
LEVELS = np.array([3e5, 2e6, 8e6, 2.1e7, 5e7, 1e8])  # Pa: the player's values grow by 1 to 5 in a second
SIGMA = np.array([0.02, 0.1, 0.25, 0.5, 0.8, 1.0])


@dataclass(frozen=True)
class Vertical:
    order: str  # ascending, descending, hybrid, hybrid descending
    to: str  # levels: a coordinate of the vertical dim; cells: one of all dims; p: a field that is put at each step
    logarithmic: bool
    beyond: str


VERTICALS = [
    Vertical(order, to, logarithmic, beyond)
    for order in ("ascending", "descending", "hybrid", "hybrid descending")
    for to in ("levels", "cells", "p")
    for logarithmic in (False, True)
    for beyond in ("hold", "linear", "missing")
]
HAND_OUT = [one for vertical in VERTICALS for one in (None, vertical)]  # copies are worth as much as levels


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


@dataclass
class Case:
    """One field: its rules, and its records in the file."""

    number: int
    axis_name: str
    axis: Axis
    rule: Rule
    calendar: str  # of the file
    vertical: Vertical | None
    grid: str

    @property
    def name(self) -> str:
        return f"f{self.number}"

    @property
    def told(self) -> str:
        return f"{self.name}: {self.rule} of {self.axis_name} in {self.calendar}, {self.vertical} on {self.grid!r}"

    @property
    def has_time(self) -> bool:
        return self.axis_name != "without"

    @property
    def time_dim(self) -> str:
        return f"time_{self.calendar}_{self.axis_name.replace(' ', '_')}"

    @property
    def dims(self) -> tuple[str, ...]:
        """In the file."""
        own = (f"lev{self.number}", *DIMS[self.grid][1:]) if self.vertical else DIMS[self.grid]
        return (self.time_dim, *own) if self.has_time else own

    @cached_property
    def records(self) -> np.ndarray:
        shape = (len(LEVELS), *SHAPES[self.grid][1:]) if self.vertical else SHAPES[self.grid]
        values = np.random.default_rng(self.number).uniform(1, 2, (len(self.axis.dates), *shape))
        return values.astype("f4") if self.number % 3 == 1 else values

    @cached_property
    def surface(self) -> np.ndarray:
        """The pressure at the surface in hPa, so even that hybrid levels keep their order if extrapolated."""
        random = np.random.default_rng(1000 + self.number)
        return random.uniform(9.9e5, 1e6, (len(self.axis.dates), *SHAPES[self.grid][1:]))

    @property
    def is_copied(self) -> bool:
        is_held = self.rule.before == "hold" and self.rule.rule in ("previous", "next", "nearest")
        return not self.vertical and (is_held or self.rule.rule in ("exact", "previous", "next", "nearest", "none"))

    def request(self) -> dict:
        """As the configuration says it."""
        time = {"rule": self.rule.rule}
        if self.rule.cycle:
            time["cycle"] = {"1": "day", "10": "10 d"}.get(self.rule.cycle, self.rule.cycle)
        if self.rule.offset:
            time["offset"] = f"{self.rule.offset / 3600:+.0f} h"
        time |= {key: value for key in ("before", "after") if (value := getattr(self.rule, key)) != "refuse"}
        request = {"time": time if len(time) > 1 else time["rule"]}
        if self.vertical:
            request["vertical"] = {"to": f"{self.vertical.to}_{self.grid}"}
            request["vertical"] |= {"interpolate": "log" if self.vertical.logarithmic else "linear"}
            request["vertical"] |= {"extrapolate": self.vertical.beyond}
        if self.vertical and self.vertical.beyond == "missing":
            request["missing"] = "keep"
        return request

    def input(self) -> dict:
        # There are records for every other step; some others are got at a third of the steps.
        every = 2 if self.axis_name == "steps" else 3 if self.number % 4 == 3 else 1
        return {"name": self.name, "grid": self.grid, "units": "K", "from_step": 1, "every": every} | {
            "how": "strided" if self.number % 5 == 0 and self.grid in ("air", "ico", "sea") else "dense"
        }


def coordinate_levels(count: int) -> np.ndarray:
    """In hPa, some below and some above those of the files."""
    return 1000.0 + 1.3e6 / (count - 1) * np.arange(count)


def targets(case: Case, time: float, step: int) -> np.ndarray:
    """The model's levels in Pa, of each cell."""
    shape = SHAPES[case.grid]
    if case.vertical.to == "p":
        put = put_values(LAYERED.index(case.grid), shape, time, step, PRESSURES[case.grid].get("type", "float64"))
        return put.astype("f8")
    if case.vertical.to == "cells":
        return 100.0 * coordinate_levels(int(np.prod(shape))).reshape(shape)
    return 100.0 * np.broadcast_to(coordinate_levels(shape[0]).reshape(-1, *[1] * (len(shape) - 1)), shape)


def grids() -> list[dict]:
    def levels(grid: str) -> list[dict]:
        found = []
        for name, dims, count in (("levels", DIMS[grid][:1], SHAPES[grid][0]), ("cells", DIMS[grid], None)):
            values = coordinate_levels(count or int(np.prod(SHAPES[grid])))
            found.append(
                {"name": f"{name}_{grid}", "dims": list(dims), "units": "hPa", "standard_name": "air_pressure"}
                | {"first": values[0], "spacing": values[1] - values[0], "part": name == "cells"}
            )
        return found

    def block(grid: str, split: tuple[str, ...], coordinates: list[dict], blocks=1) -> dict:
        return block_grid(grid, SHAPES[grid], split, coordinates, dims=DIMS[grid]) | {"blocks": blocks}

    return [
        block("air", ("y", "x"), levels("air")),
        indexed_grid("ico", SHAPES["ico"]) | {"coordinates": levels("ico")},
        block("wide", ("j",), levels("wide"), blocks=3),
        block("sea", ("u", "v"), []),
        replicated_grid("column", SHAPES["column"][0]) | {"dims": ["c"], "coordinates": []},
    ]


class Series:
    """The inputs of one job, for a model in one calendar, and the times of its steps."""

    def __init__(self, calendar: str, cases: list[Case], times: list[float]):
        self.calendar, self.cases, self.times = calendar, cases, times
        self.clock = Clock(calendar, START)

    def write(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        for entry in ENTRIES:
            with netCDF4.Dataset(folder / f"{entry}.nc", "w") as data:
                for case in self.cases:
                    if entry_of(case.axis_name) == entry:
                        write_case(data, case)

    def configuration(self, folder: Path) -> dict:
        """The folder has the files."""
        lead = {"observed": 2, "means": "40 d", "cycles": 1}
        entries = {}
        for case in self.cases:
            name = entry_of(case.axis_name)
            entry = entries.setdefault(name, {"files": str(folder / f"{name}.nc"), "lead": lead[name], "fields": {}})
            entry["fields"][case.name] = case.request()
        start = "{:04}-{:02}-{:02}".format(*START)
        return {"model_time": {"calendar": self.calendar, "start": start}, "input": entries}

    def model(self, ranks: int, **more):
        fields = [field(f"p_{grid}", grid, units="Pa", **how) for grid, how in PRESSURES.items()]
        inputs = [case.input() for case in self.cases]
        keys = {"grids": grids(), "fields": fields, "inputs": inputs, "times": self.times} | more
        return model(ranks, **keys)

    def expected(self, case: Case) -> np.ndarray:
        steps = [step for step in range(1, len(self.times) + 1) if step % case.input()["every"] == 0]
        weights = time_weights(case.axis, case.rule, self.clock, [self.times[step - 1] for step in steps])
        if case.is_copied:
            return case.records[np.argmax(weights, axis=1)].astype("f8")
        values = np.tensordot(weights, case.records.astype("f8"), 1)
        if not case.vertical:
            return values
        levels = np.tensordot(weights, file_levels(case), 1)
        wanted = np.stack([targets(case, self.times[step - 1], step) for step in steps])
        columns = [np.moveaxis(one, 1, 0) for one in (values, levels, wanted)]
        found = to_levels(*columns, case.vertical.logarithmic, case.vertical.beyond)
        return np.moveaxis(found, 0, 1)


def with_all_rules(calendar: str, hand_out=HAND_OUT, shift: int = 0) -> Series:
    """A field for each rule of time and calendar of a file, to which vertical rules and grids are dealt."""
    of_model = CALENDARS.index(calendar)
    cases: list[Case] = []
    for i, (axis, rule) in enumerate(RULES):
        for j, file in enumerate(CALENDARS):
            vertical = hand_out[(i + 7 * (5 * of_model + j) + shift) % len(hand_out)]
            choice = LAYERED if vertical else tuple(SHAPES)
            grid = choice[(len(cases) // 2 + of_model + shift) % len(choice)]
            cases.append(Case(len(cases), axis, axes(file)[axis], rule, file, vertical, grid))
    return Series(calendar, cases, step_times(Clock(calendar, START), seed=of_model))


def step_times(clock: Clock, seed: int) -> list[float]:
    """In order; the STEP_DATES are those of steps 2, 4, ..., with a random time or an odd date before each."""
    odd = [86400.0 * 11, clock.seconds((2000, 2, 29, 12))]  # 31 December
    odd += [float(one) for one in np.random.default_rng(seed).uniform(86400.0 * 4, 86400.0 * DAYS, 8)]
    times, before = [], 0.0
    for date in STEP_DATES:
        time = clock.seconds(date)
        between = [one for one in odd if one and before < one < time]
        times += [between[0] if between else before + 0.37 * (time - before), time]
        before = time
    return [*times, before + 5e5]


def coefficients(case: Case) -> tuple[np.ndarray, np.ndarray]:
    """ap in Pa and b: the levels of hybrid coordinates rise with sigma."""
    ap, b = 1.5e6 * SIGMA * (1 - SIGMA), SIGMA.copy()
    return (ap[::-1], b[::-1]) if "descending" in case.vertical.order else (ap, b)


def file_levels(case: Case) -> np.ndarray:
    """The pressure (record, level, ...) in Pa."""
    shape = (len(case.axis.dates), len(LEVELS), *SHAPES[case.grid][1:])
    tail = [1] * (len(shape) - 2)
    if "hybrid" not in case.vertical.order:
        levels = LEVELS[::-1] if case.vertical.order == "descending" else LEVELS
        return np.broadcast_to(levels.reshape(-1, *tail), shape)
    ap, b = (one.reshape(-1, *tail) for one in coefficients(case))
    surface = 100.0 * case.surface[:, np.newaxis]
    if case.grid == "wide":  # sigma, with the top at 1000 Pa
        return 1000.0 + b * (surface - 1000.0)
    return ap + b * surface


def write_case(data: netCDF4.Dataset, case: Case) -> None:
    if case.has_time and case.time_dim not in data.dimensions:
        write_axis(data, case)
    extents = dict(zip(case.dims, case.records.shape if case.has_time else case.records.shape[1:], strict=True))
    for dim, extent in extents.items():
        if dim not in data.dimensions:
            data.createDimension(dim, extent)
    variable = data.createVariable(case.name, case.records.dtype, case.dims)
    variable.units = "K"
    variable[...] = case.records if case.has_time else case.records[0]
    if case.vertical:
        write_levels(data, case)


def write_axis(data: netCDF4.Dataset, case: Case) -> None:
    axis, name = case.axis, case.time_dim
    units = f"{('hours', 'seconds', 'minutes')[CALENDARS.index(case.calendar) % 3]} since 1980-01-01"
    if case.axis_name == "gaps":
        units = "days since 1999-01-01 00:00:00"

    def numbers(dates) -> np.ndarray:
        known = [cftime.datetime(*date, calendar=case.calendar) for date in dates]
        return np.array(cftime.date2num(known, units, case.calendar), "f8")

    data.createDimension(name, len(axis.dates))
    time = data.createVariable(name, "f8", (name,))
    time.units, time.calendar = units, case.calendar
    time[:] = numbers(axis.dates)
    if axis.bounds:
        if "two" not in data.dimensions:
            data.createDimension("two", 2)
        time.setncattr("climatology" if axis.is_climatology else "bounds", f"{name}_bounds")
        bounds = data.createVariable(f"{name}_bounds", "f8", (name, "two"))
        bounds[:] = np.stack([numbers(one) for one in zip(*axis.bounds, strict=True)], axis=1)


def write_levels(data: netCDF4.Dataset, case: Case) -> None:
    n, name = case.number, f"lev{case.number}"
    levels = data.createVariable(name, "f8", (name,))
    if "hybrid" not in case.vertical.order:
        levels.setncatts({"units": "Pa", "standard_name": "air_pressure", "positive": "down"})
        levels[:] = file_levels(case)[(0, slice(None), *[0] * (len(SHAPES[case.grid]) - 1))]
        return
    ap, b = coefficients(case)
    levels[:] = b
    kind, terms = {
        "air": ("hybrid_sigma_pressure", f"ap: ap{n} b: b{n} ps: ps{n}"),
        "ico": ("hybrid_sigma_pressure", f"a: ap{n} b: b{n} p0: p0{n} ps: ps{n}"),
        "wide": ("sigma", f"sigma: {name} ptop: top{n} ps: ps{n}"),
    }[case.grid]
    levels.setncatts({"standard_name": f"atmosphere_{kind}_coordinate", "formula_terms": terms, "units": "1"})
    surface = data.createVariable(f"ps{n}", "f8", tuple(dim for dim in case.dims if dim != name))
    surface.units = "hPa"
    surface[...] = case.surface if case.has_time else case.surface[0]
    if case.grid == "wide":
        top = data.createVariable(f"top{n}", "f8", ())
        top.units, top[...] = "hPa", 10.0
        return
    data.createVariable(f"b{n}", "f8", (name,))[:] = b
    data.createVariable(f"ap{n}", "f8", (name,))[:] = ap if case.grid == "air" else ap / 1e5
    if case.grid == "air":
        data[f"ap{n}"].units = "Pa"
        return
    reference = data.createVariable(f"p0{n}", "f8", ())
    reference.units, reference[...] = "Pa", 1e5
