"""Input fields by their rule of time, calendar, vertical rule and grid, with their records and levels."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from support.rule_reference import Axis, Rule
from support.values import put_values

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
