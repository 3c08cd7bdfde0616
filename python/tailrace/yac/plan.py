"""The times of exchanges, and what the configuration asks of them: pure functions of it and of YAC's definitions.

All mistakes are found here, before YAC looks at the couples, since it ends all processes of the job at its first one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from .couples import Couples, Exchange, near
from .dates import DAY, MS, SAME, milliseconds_of, told
from .definitions import Definitions
from .errors import CouplingError, Findings
from .places import place_of
from .request import Asked, Request

STANDARD_BEGINS = "1582-10-15"  # where standard and proleptic_gregorian become one


@dataclass(frozen=True)
class Plan:
    exchanges: list[Exchange]
    base: int  # milliseconds of a step of Tailrace
    epoch: int  # milliseconds at which model time is 0
    begin: int  # of the run: where model time begins in this job
    warnings: list[str]

    def step_of(self, time: int) -> int:
        return (time - self.epoch) // self.base

    def seconds_of(self, time: int) -> float:
        return (time - self.epoch) / MS


def make_plan(request: Request, coupling: Path, known: Definitions) -> Plan:
    """Raises CouplingError with all mistakes."""
    return _Planner(request, coupling, known).plan()


class _Planner:
    def __init__(self, request: Request, coupling: Path, known: Definitions):
        self.request, self.coupling, self.known = request, coupling, known
        self.findings = Findings()

    def plan(self) -> Plan:
        couples = Couples(self.request, self.coupling, self.known, self.findings)
        exchanges = couples.exchanges()
        self._check_names(exchanges, couples.refused)
        self._check_levels(exchanges)
        self.findings.stop_at_problems()
        if not exchanges:
            me = self.request.component
            raise CouplingError(
                f"{self.coupling}: no couple has the component {me} as source or target; expected some with its grids "
                f"{', '.join(self.request.grids)}"
            )
        base = math.gcd(*(exchange.period for exchange in exchanges))
        begin = min(self.known.start, *(exchange.first for exchange in exchanges))
        epoch = self._epoch(begin, base)
        self._check_periods(exchanges, base, epoch)
        self.findings.stop_at_problems()
        return Plan(exchanges, base, epoch, begin, self.findings.warnings)

    def _place(self, field: str) -> str:
        return place_of(self.coupling, field)

    def _check_names(self, exchanges: list[Exchange], refused: set[str]) -> None:
        received = {exchange.name.field: exchange for exchange in exchanges if exchange.receives}
        given = {exchange.name.field: exchange for exchange in exchanges if not exchange.receives}
        if len(received) + len(given) < len(exchanges):
            names = [exchange.name.field for exchange in exchanges]
            twice = sorted({name for name in names if names.count(name) > 1})
            self.findings.problems.append(
                f"{self._place(twice[0])}: the field {twice[0]} is coupled on two grids of {self.request.component}; "
                "expected another name on each"
            )
        for name in sorted(set(received) & set(given)):
            self._refuse_both_roles(name, received[name], given[name])
        me = self.request.component
        for name, exchange in received.items():
            if name not in self.request.asked:
                self.findings.problems.append(
                    f"{self._place(name)}: {exchange.told()} has no field under `fields` of {self.request.path}"
                    f"{near(name, self.request.asked)}"
                )
        for name, asked in self.request.asked.items():
            if name not in {*received, *refused} and not name.startswith("input.") and not asked.optional:
                self.findings.problems.append(
                    f"{asked.place}  fields: the field {name}: no couple of {self.coupling} has the target "
                    f"{me}.GRID.{name}{near(name, received)}"
                )
        for name, exchange in given.items():
            if name not in self.request.inputs:
                self.findings.problems.append(
                    f"{self._place(name)}: {exchange.told()} needs the field {name}, which no entry of `input` of "
                    f"{self.request.path} has{near(name, self.request.inputs)}"
                )
        for name, place in self.request.inputs.items():
            if name not in {*given, *refused} and f"input.{name}" not in self.request.asked:
                self.findings.problems.append(
                    f"{place}  input: the field {name}: no couple of {self.coupling} has the source {me}.GRID.{name}"
                    f"{near(name, given)}"
                )
        for name, words in self.request.fields.items():
            if name not in {*received, *given, *refused}:
                self.findings.problems.append(
                    f"{words['place']}  yac.fields: {me} exchanges no field {name}{near(name, [*received, *given])}"
                )

    def _refuse_both_roles(self, name: str, received: Exchange, given: Exchange) -> None:
        asked, provided = self.request.asked.get(name), self.request.inputs.get(name)
        output = f"written ({asked.place}  fields)" if asked else "written"
        source = f"read ({provided}  input)" if provided else "read"
        self.findings.problems.append(
            f"{self._place(name)}: {received.told()} makes {name} a field that is {output}, and "
            f"{given.told()} one that is {source}; expected another name of one of the two, in both configurations"
        )

    def _check_levels(self, exchanges: list[Exchange]) -> None:
        known = {exchange.levels for exchange in exchanges if exchange.collection > 1}
        for dim, entry in self.request.levels.items():
            if dim not in known:
                self.findings.problems.append(
                    f"{entry['place']}  yac.levels: no coupled field has levels along {dim}{near(dim, known)}"
                )

    def _epoch(self, begin: int, base: int) -> int:
        calendar, start = (self.request.given.get(f"model_time.{key}") for key in ("calendar", "start"))
        if calendar and not self._is_same_calendar(calendar["value"]):
            self.findings.problems.append(
                f"{calendar['place']}  model_time.calendar: {calendar['value']}, but the components of the coupled run "
                f"have the calendar {self.known.calendar} ({self.coupling}, or a component)"
            )
            return begin
        if start is None:
            if self.request.checkpoints:
                self.findings.problems.append(
                    f"{self.request.path}: checkpoints need `model_time` with `calendar: {self.known.calendar}` and "
                    f"the `start` of the first job (this one starts at {self.known.start_date}): the date of YAC "
                    "changes from job to job"
                )
            return begin
        epoch = milliseconds_of(start["value"], self.known.calendar)
        if epoch > begin:
            self.findings.problems.append(
                f"{start['place']}  model_time.start: {start['value']} is after the start of the coupled run, "
                f"{self.known.start_date} ({self.coupling})"
            )
        elif (begin - epoch) % base:
            self.findings.problems.append(
                f"{start['place']}  model_time.start: from {start['value']} to the start of the coupled run, "
                f"{self.known.start_date} ({self.coupling}), is no multiple of the coupling period {told(base)}"
            )
        return epoch

    def _is_same_calendar(self, calendar: str) -> bool:
        """`standard` is YAC's calendar from 1582 on."""
        if calendar in ("standard", "gregorian"):
            first = milliseconds_of(STANDARD_BEGINS, "proleptic_gregorian")
            return self.known.calendar == "proleptic_gregorian" and self.known.start >= first
        return SAME.get(calendar, calendar) == self.known.calendar

    def _check_periods(self, exchanges: list[Exchange], base: int, epoch: int) -> None:
        received = {exchange.name.field: exchange for exchange in exchanges if exchange.receives}
        one_period = len({exchange.period for exchange in exchanges}) == 1
        for name, exchange in received.items():
            asked = self.request.asked[name]
            every = _milliseconds(asked, base)
            what = f"{exchange.told()} has values every {told(exchange.period)} ({self._place(name)})"
            if every is not None and every % exchange.period:
                self.findings.problems.append(
                    f"{asked.every_place}  fields: {name} is asked for every {asked.every}"
                    f"{f' of {told(base)}' if asked.steps else ''}, but {what}: records would be missed; expected "
                    f"`every: {told(exchange.period)}` or a multiple"
                )
            elif asked.months and DAY % exchange.period:
                self.findings.problems.append(
                    f"{asked.every_place}  fields: {name} is asked for every {asked.every}, but {what}, which does not "
                    "divide a day"
                )
            elif not one_period or every != exchange.period:
                self._check_phase(exchange, asked, epoch)
        for variable in self.request.variables:
            if variable.name in received:
                self._check_window(variable, received[variable.name], base)

    def _check_phase(self, exchange: Exchange, asked: Asked, epoch: int) -> None:
        """Lengths count from the midnight before model time 0, steps from there: couplings must be among these."""
        origin = epoch if asked.steps else epoch - epoch % DAY
        if (exchange.first - origin) % exchange.period:
            self.findings.problems.append(
                f"{asked.every_place}  fields: {exchange.name.field} is asked for every {asked.every}, counted from "
                f"{'the start of model time' if asked.steps else 'midnight'}, but {exchange.told()} has its values "
                f"every {told(exchange.period)} from another time on, {self.known.start_date}; expected a `start_date` "
                "that is a multiple of the coupling period"
            )

    def _check_window(self, variable: Asked, exchange: Exchange, base: int) -> None:
        every = _milliseconds(variable, base)
        if every is None or every % exchange.period == 0:
            return
        what = (
            f"{variable.place}  output: {variable.name} every {variable.every}, but {exchange.told()} has values every "
            f"{told(exchange.period)} ({self._place(variable.name)})"
        )
        if every < exchange.period:
            self.findings.problems.append(f"{what}: expected that period, or a multiple")
        else:
            self.findings.warnings.append(f"{what}: windows do not end with a value, which counts in two of them")


def _milliseconds(asked: Asked, base: int) -> int | None:
    """None: never, or months, which a period that divides a day fits."""
    if asked.steps is not None:
        return asked.steps * base
    return None if asked.seconds is None else round(asked.seconds * MS)
