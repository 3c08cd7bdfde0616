"""A field of this component in YAC, with its clock and its array."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .couples import Exchange
from .dates import milliseconds_of
from .grids import OwnGrid
from .metadata import OWN, attributes_of
from .places import place_of
from .waiting import Patience, say


def declare_field(
    io: Any, name: str, words: dict[str, Any], own: dict[str, str], more: dict[str, Any], told: str | None
) -> None:
    """Declares a field of a program that the user cannot change. `words`: arguments that hold in any case; `own` and
    `more`: units and names, and other attributes, as that program has them. `told`: what these are called where they
    cannot be taken as a whole, in the process that says so."""
    from tailrace import Error

    always = words.pop("attributes", {})
    try:
        io.field(name, attributes=always | more, **words, **own)
    except Error as error:
        if told:
            say("warning", f"of {told} only {', '.join(own) or 'nothing'} is taken: {error}")
        io.field(name, attributes=always, **words, **own)


class ExchangedField:
    """`time`: of its next exchange in milliseconds, after `advance`; None when there is none in this run."""

    def __init__(self, exchange: Exchange, grid: OwnGrid, component: Any, points: Any):
        import yac

        self.exchange, self.grid, self.name = exchange, grid, exchange.name.field
        self._field = yac.Field.create(
            self.name, component, points, exchange.collection, str(exchange.step), yac.TimeUnit.MILLISECOND
        )
        self._values = np.empty((exchange.collection, grid.count))
        self.time: int | None = None
        self._over = False

    def declare(self, io: Any, grid: str, tells: bool) -> None:
        """To a session that knows the grid by that name. `tells`: whether this process says what is left out."""
        if not self.exchange.receives:
            io.input(self.name, grid=grid)
            return
        attributes = attributes_of(self.exchange.metadata)
        own = {name: str(attributes.pop(name)) for name in OWN if name in attributes}
        source = self.exchange.couples[0].source
        comment = {"comment": f"from the component {source.component} by YAC"}
        words = {"grid": grid, "fill_value": self.exchange.fill_value, "attributes": comment}
        declare_field(io, self.name, words, own, attributes, f"the metadata of {source}" if tells else None)

    def advance(self, calendar: str, end: int) -> None:
        """To the next exchange. YAC counts the steps of a field, so those without an exchange are passed one by one."""
        import yac

        while not self._over:
            self.time = milliseconds_of(self._field.datetime, calendar)
            if self.time > end:
                break
            if self._field.action != yac.Action.NONE:
                return
            self._field.update()
        self.time, self._over = None, True

    def receive(self, patience: Patience, coupling: Path) -> np.ndarray:
        """The values in the shape of Tailrace's array, valid until the next call. Cells without a value have the fill
        value: YAC leaves them as they are."""
        self._values.fill(self.exchange.fill_value)
        date = self._field.datetime
        self._field.get(self._values, asyn=True)
        patience.wait(self._is_done, lambda waited: self._lacks(waited, date, coupling))
        return self._values.reshape(self.grid.local_shape(self.exchange.collection))

    def give(self, values: np.ndarray, patience: Patience, coupling: Path) -> None:
        self.settle(patience, coupling)  # or YAC would wait in put
        self._values[...] = values.reshape(self._values.shape)
        self._field.put(self._values)

    def settle(self, patience: Patience, coupling: Path) -> None:
        """Waits until the values of the exchange before are taken."""
        patience.wait(self._is_done, lambda waited: self._is_left(waited, coupling))

    def _is_done(self) -> bool:
        return bool(self._field.test())

    def _lacks(self, waited: str, date: str, coupling: Path) -> str:
        source = self.exchange.couples[0].source
        return (
            f"{place_of(coupling, self.name)}: {self.exchange.name} has waited {waited} for {source} of {date}: the "
            f"component {source.component} is slow, has ended, or does not put this field for that time"
        )

    def _is_left(self, waited: str, coupling: Path) -> str:
        targets = [couple.target for couple in self.exchange.couples]
        components = ", ".join(dict.fromkeys(target.component for target in targets))
        return (
            f"{place_of(coupling, self.name)}: {self.exchange.name} has waited {waited} until "
            f"{', '.join(map(str, targets))} got the values before {self._field.datetime}: the component {components} "
            "is slow, has ended, or does not get this field at each coupling"
        )
