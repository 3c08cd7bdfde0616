"""The orders that PISM's output writer gives, and how they are read."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from enum import IntEnum
from typing import Any

from tailrace.yac.errors import CouplingError


class Action(IntEnum):
    """The numbers are PISM's."""

    OPEN_FILE = 1
    CLOSE_FILE = 2
    DEFINE_DIMENSION = 3
    SET_FILE_ATTRIBUTES = 4
    APPEND_HISTORY = 5
    DEFINE_YAC_GRID = 6
    DEFINE_YAC_FIELD = 7
    FINISH_YAC_INITIALIZATION = 8
    DEFINE_VARIABLE = 9
    SEND_VARIABLE = 10
    SEND_GRIDDED_VARIABLE = 11
    APPEND_TIME = 12
    FINISH = 13
    SYNC = 14


class Order(Mapping[str, Any]):
    """An order, with what it says by PISM's names."""

    def __init__(self, action: Action, info: dict[str, Any]):
        self.action, self._info = action, info

    def __getitem__(self, key: str) -> Any:
        if key not in self._info:
            raise CouplingError(
                f"the order {self.action.name} of PISM has no {key} (it has {', '.join(self._info) or 'nothing'}); "
                "expected those of PISM's output writer of August 2026"
            )
        return self._info[key]

    def __contains__(self, key: object) -> bool:
        return key in self._info

    def __iter__(self) -> Iterator[str]:
        return iter(self._info)

    def __len__(self) -> int:
        return len(self._info)


def parse(text: bytes) -> Order:
    """Raises CouplingError."""
    try:
        made = json.loads(text)
        number, info = made["action"], made["info"]
    except (ValueError, KeyError, TypeError):
        shown = text[:80].decode(errors="replace")
        raise CouplingError(
            f"PISM gave an order that is no JSON object with `action` and `info`: {shown!r} ({len(text)} bytes)"
        ) from None
    if number not in list(Action):
        raise CouplingError(
            f"PISM gave the order number {number!r}, which is unknown; expected {min(Action)} to {max(Action)}, the "
            "orders of its output writer of August 2026"
        )
    return Order(Action(number), info if isinstance(info, dict) else {})
