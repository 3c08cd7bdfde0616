"""The fields that this component exchanges, from the couples that YAC knows."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .dates import told
from .definitions import Couple, Definitions, FieldName
from .errors import Findings
from .places import place_of
from .request import Request


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


def near(name: str, known: Iterable[str]) -> str:
    known = sorted(set(known))
    found = difflib.get_close_matches(name, known, 1)
    hint = f"did you mean {found[0]}? " if found else ""
    return f" ({hint}known: {', '.join(known[:20]) or 'none'})"


class Couples:
    """The couples of this component. Mistakes are added to `findings`."""

    def __init__(self, request: Request, coupling: Path, known: Definitions, findings: Findings):
        self.request, self.coupling, self.known, self.findings = request, coupling, known, findings
        self.refused: set[str] = set()  # own fields of couples that are problems themselves

    def exchanges(self) -> list[Exchange]:
        received, given = self._own_couples()
        return [*self._received(received), *self._given(given)]

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
            self.findings.problems.append(f"{self._place(own.field)}: {couple} {why}")
            self.refused.add(own.field)
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
        if not couple.period or (own == couple.target and not self.known.fields[other].step):
            return (
                "has a coupling period, or a time step of its source, in months or years; Tailrace takes couplings "
                "every so many days, hours, minutes or seconds"
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
                self.findings.problems.append(
                    f"{self._place(couple.target.field)}: {couple} has the coupling period {told(couple.period)}, "
                    f"which is no multiple of the time step {told(source.step)} of {couple.source}"
                )
                continue
            lag = couple.target_lag * source.step
            if couple.source_lag != couple.target_lag:
                self.findings.warnings.append(
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
                self.findings.problems.append(
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
