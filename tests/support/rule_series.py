"""All inputs of a job: its configuration, and what the model must get.

A job has a field for each rule of time and calendar of a file; the vertical rules and grids are dealt to them, other
ones for each calendar of the model and each `shift`.
"""

from pathlib import Path

import netCDF4
import numpy as np

from support.harness import block_grid, field, indexed_grid, model, replicated_grid
from support.rule_axes import CALENDARS, ENTRIES, RULES, START, STEP_DATES, axes, entry_of
from support.rule_cases import (
    DIMS,
    HAND_OUT,
    LAYERED,
    PRESSURES,
    SHAPES,
    Case,
    coordinate_levels,
    file_levels,
    targets,
)
from support.rule_files import write_case
from support.rule_reference import Clock, time_weights, to_levels

DAYS = 430


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
