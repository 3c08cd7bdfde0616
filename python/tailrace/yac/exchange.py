"""A field of this component in YAC, with its clock and its array."""

from __future__ import annotations

from typing import Any

import numpy as np

from .dates import milliseconds_of
from .grids import OwnGrid
from .places import place_of
from .plan import Exchange
from .waiting import Patience


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

    def receive(self, patience: Patience, coupling: Any) -> np.ndarray:
        """The values in the shape of Tailrace's array, valid until the next call. Cells without a value have the fill
        value: YAC leaves them as they are."""
        self._values.fill(self.exchange.fill_value)
        date = self._field.datetime
        self._field.get(self._values, asyn=True)
        patience.wait(lambda: bool(self._field.test()), lambda: self._awaits("put", date, coupling))
        return self._values.reshape(self.grid.local_shape(self.exchange.collection))

    def give(self, values: np.ndarray, patience: Patience, coupling: Any) -> None:
        date = self._field.datetime
        # YAC would wait in put for those that have not taken the values before.
        patience.wait(lambda: bool(self._field.test()), lambda: self._awaits("got", date, coupling))
        self._values[...] = values.reshape(self._values.shape)
        self._field.put(self._values)

    def settle(self, patience: Patience, coupling: Any) -> None:
        """Waits until the values of the last exchange are taken."""
        patience.wait(lambda: bool(self._field.test()), lambda: self._awaits("got", "the end", coupling))

    def _awaits(self, verb: str, date: str, coupling: Any) -> str:
        place = place_of(coupling, self.name)
        others = [couple.source if self.exchange.receives else couple.target for couple in self.exchange.couples]
        if verb == "put":
            return (
                f"{place}: {others[0]} has not been put for {date}: {self.exchange.name} waits. Has the component "
                f"{others[0].component} ended, does it put this field at this time, and has it the same period? It waits"
            )
        return (
            f"{place}: {', '.join(map(str, others))} has not been got before {date}: {self.exchange.name} waits. Has the "
            f"component {others[0].component} ended, and does it get this field at this time? It waits"
        )
