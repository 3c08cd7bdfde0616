"""The fields that this component exchanges, and their times: pure functions of the request and YAC's definitions.

All mistakes are found here, before YAC looks at the couples, since it ends all processes of the job at its first one.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .dates import DAY, MS, SAME, milliseconds_of, told
from .definitions import Couple, Definitions, FieldName
from .errors import CouplingError
from .places import place_of
from .request import Asked, Request

STANDARD_BEGINS = "1582-10-15"  # where standard and proleptic_gregorian become one


@dataclass(frozen=True)
class Exchange:
    """A field of this component. `collection`, `step` (milliseconds) are those of its definition."""

    name: FieldName
    receives: bool
    couples: list[Couple]
    collection: int
    step: int
    period: int
    first: int  # the time of its first exchange, milliseconds
    metadata: str
    levels: str
    fill_value: float

    def told(self) -> str:
        return ", ".join(str(couple) for couple in self.couples)


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


def near(name: str, known: Iterable[str]) -> str:
    known = sorted(set(known))
    found = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean {found[0]}? " if found else ""
    return f" ({hint}known: {', '.join(known[:20]) or 'none'})"


def make_plan(request: Request, coupling: Path, known: Definitions) -> Plan:
    """Raises CouplingError with all mistakes."""
    return _Planner(request, coupling, known).plan()


class _Planner:
    def __init__(self, request: Request, coupling: Path, known: Definitions):
        self.request, self.coupling, self.known = request, coupling, known
        self.problems: list[str] = []
        self.warnings: list[str] = []
        self._refused: set[str] = set()  # own fields of couples that are problems themselves

    def plan(self) -> Plan:
        received, given = self._own_couples()
        exchanges = [*self._received(received), *self._given(given)]
        self._check_names(exchanges)
        self._stop_at_problems()
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
        self._stop_at_problems()
        return Plan(exchanges, base, epoch, begin, self.warnings)

    def _stop_at_problems(self) -> None:
        if self.problems:
            raise CouplingError("\n".join(dict.fromkeys(self.problems)))

    def _place(self, field: str) -> str:
        return place_of(self.coupling, field)

    # ---- which couples are ours

    def _own_couples(self) -> tuple[list[Couple], dict[FieldName, list[Couple]]]:
        received: list[Couple] = []
        given: dict[FieldName, list[Couple]] = {}
        for couple in self.known.couples:
            for own, other in ((couple.target, couple.source), (couple.source, couple.target)):
                if own.component != self.request.component:
                    continue
                if self._is_possible(couple, own, other):
                    if own == couple.target:
                        received.append(couple)
                    else:
                        given.setdefault(own, []).append(couple)
        return sorted(received, key=lambda each: each.target), dict(sorted(given.items()))

    def _is_possible(self, couple: Couple, own: FieldName, other: FieldName) -> bool:
        why = self._obstacle(couple, own, other)
        if why:
            self.problems.append(f"{self._place(own.field)}: {couple} {why}")
            self._refused.add(own.field)
        return not why

    def _obstacle(self, couple: Couple, own: FieldName, other: FieldName) -> str:
        if own.component == other.component:
            return f"couples {own.component} with itself"
        if own.grid not in self.request.grids:
            return (
                f"names the grid {own.grid}, which {self.request.place} (yac.grids) does not have"
                f"{near(own.grid, self.request.grids)}"
            )
        if couple.raw and own == couple.target:
            return "has `use_raw_exchange: true`; Tailrace takes interpolated values, so leave that out"
        if couple.selected and own == couple.source:
            return "has `collection_selection`; Tailrace gives as many members as the target defines, so leave that out"
        if other.component not in self.known.components or not self._fields_of(other.component):
            others = (name for name in self.known.components if self._fields_of(name))
            return (
                f"names the component {other.component}, which takes no part in this run or defines no fields"
                f"{near(other.component, others)}"
            )
        if other not in self.known.fields:
            return (
                f"names the field {other}, which the component {other.component} has not defined by its call of "
                f"sync_def or enddef{near(str(other), self._fields_of(other.component))}"
            )
        return ""

    def _fields_of(self, component: str) -> list[str]:
        return [str(name) for name in self.known.fields if name.component == component]

    # ---- what is exchanged

    def _received(self, couples: list[Couple]) -> list[Exchange]:
        made = []
        for couple in couples:
            source = self.known.fields[couple.source]
            if couple.period % source.step:
                self.problems.append(
                    f"{self._place(couple.target.field)}: {couple} has the coupling period {told(couple.period)}, "
                    f"which is no multiple of the time step {told(source.step)} of {couple.source}"
                )
                continue
            lag = couple.target_lag * source.step
            if couple.source_lag != couple.target_lag:
                self.warnings.append(
                    f"{self._place(couple.target.field)}: {couple} has src_lag {couple.source_lag} and tgt_lag "
                    f"{couple.target_lag}: the dates of records then differ from those of the source"
                )
            size = couple.selected or source.collection
            made.append(self._exchange(couple.target, True, [couple], size, source.step, lag, source.metadata))
        return made

    def _given(self, given: dict[FieldName, list[Couple]]) -> list[Exchange]:
        made = []
        for own, couples in given.items():
            sizes = {self.known.fields[couple.target].collection for couple in couples}
            if len(sizes) > 1:
                self.problems.append(
                    f"{self._place(own.field)}: the targets of {own} have collections of "
                    f"{' and '.join(map(str, sorted(sizes)))}; expected one size"
                )
                continue
            step = math.gcd(*(couple.period for couple in couples))
            lag = max(couple.source_lag for couple in couples) * step
            made.append(self._exchange(own, False, couples, sizes.pop(), step, lag, ""))
        return made

    def _exchange(
        self, own: FieldName, receives: bool, couples: list[Couple], size: int, step: int, lag: int, metadata: str
    ) -> Exchange:
        period = math.gcd(*(couple.period for couple in couples))
        at = self.known.start + lag
        first = self.known.start + -(-(at - self.known.start) // period) * period  # the first coupling from there on
        words = self.request.fields.get(own.field, {})
        levels = words.get("levels") or f"level_{size}"
        return Exchange(
            own,
            receives,
            couples,
            size,
            step,
            period,
            first,
            metadata,
            levels,
            float(words.get("fill_value", math.nan)),
        )

    # ---- against the configuration

    def _check_names(self, exchanges: list[Exchange]) -> None:
        received = {exchange.name.field: exchange for exchange in exchanges if exchange.receives}
        given = {exchange.name.field: exchange for exchange in exchanges if not exchange.receives}
        if len(received) + len(given) < len(exchanges):
            names = [exchange.name.field for exchange in exchanges]
            twice = sorted({name for name in names if names.count(name) > 1})
            self.problems.append(
                f"{self._place(twice[0])}: the field {twice[0]} is coupled on two grids of {self.request.component}; "
                "expected another name on each"
            )
        me = self.request.component
        for name, exchange in received.items():
            if name not in self.request.asked:
                self.problems.append(
                    f"{self._place(name)}: {exchange.told()} has no field under `fields` of {self.request.path}"
                    f"{near(name, self.request.asked)}"
                )
        for name, asked in self.request.asked.items():
            if name not in {*received, *self._refused} and not name.startswith("input.") and not asked.optional:
                self.problems.append(
                    f"{asked.place}  fields: the field {name}: no couple of {self.coupling} has the target "
                    f"{me}.GRID.{name}{near(name, received)}"
                )
        for name, exchange in given.items():
            if name not in self.request.inputs:
                self.problems.append(
                    f"{self._place(name)}: {exchange.told()} needs the field {name}, which no entry of `input` of "
                    f"{self.request.path} has{near(name, self.request.inputs)}"
                )
        for name, place in self.request.inputs.items():
            if name not in {*given, *self._refused} and f"input.{name}" not in self.request.asked:
                self.problems.append(
                    f"{place}  input: the field {name}: no couple of {self.coupling} has the source {me}.GRID.{name}"
                    f"{near(name, given)}"
                )
        for name, words in self.request.fields.items():
            if name not in {*received, *given, *self._refused}:
                self.problems.append(
                    f"{words['place']}  yac.fields: {me} exchanges no field {name}{near(name, [*received, *given])}"
                )

    def _epoch(self, begin: int, base: int) -> int:
        calendar, start = (self.request.given.get(f"model_time.{key}") for key in ("calendar", "start"))
        if calendar and not self._is_same_calendar(calendar["value"]):
            self.problems.append(
                f"{calendar['place']}  model_time.calendar: {calendar['value']}, but the components of the coupled run "
                f"have the calendar {self.known.calendar} ({self.coupling}, or a component)"
            )
            return begin
        if start is None:
            if self.request.checkpoints:
                self.problems.append(
                    f"{self.request.path}: checkpoints need `model_time` with `calendar: {self.known.calendar}` and "
                    f"the `start` of the first job (this one starts at {self.known.start_date}): the date of YAC "
                    "changes from job to job"
                )
            return begin
        epoch = milliseconds_of(start["value"], self.known.calendar)
        if epoch > begin:
            self.problems.append(
                f"{start['place']}  model_time.start: {start['value']} is after the start of the coupled run, "
                f"{self.known.start_date} ({self.coupling})"
            )
        elif (begin - epoch) % base:
            self.problems.append(
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
                self.problems.append(
                    f"{asked.every_place}  fields: {name} is asked for every {asked.every}"
                    f"{f' of {told(base)}' if asked.steps else ''}, but {what}: records would be missed; expected "
                    f"`every: {told(exchange.period)}` or a multiple"
                )
            elif asked.months and DAY % exchange.period:
                self.problems.append(
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
            self.problems.append(
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
            self.problems.append(f"{what}: expected that period, or a multiple")
        else:
            self.warnings.append(f"{what}: windows do not end with a value, which counts in two of them")


def _milliseconds(asked: Asked, base: int) -> int | None:
    """None: never, or months, which a period that divides a day fits."""
    if asked.steps is not None:
        return asked.steps * base
    return None if asked.seconds is None else round(asked.seconds * MS)
