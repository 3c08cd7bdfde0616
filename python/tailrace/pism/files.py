"""The files of PISM that are open, and what its orders do with them."""

from __future__ import annotations

import os
from typing import Any

from tailrace.yac.errors import CouplingError
from tailrace.yac.request import Request

from .file import PismFile
from .grid import GridPart
from .orders import Action, Order


class Files:
    """`comm`: of the processes of this component; `grids`: of the fields that PISM has defined, by name, which may come
    later."""

    def __init__(self, request: Request, comm: Any, grids: dict[str, GridPart]):
        self._request, self._comm, self._grids = request, comm, grids
        self._open: dict[str, PismFile] = {}

    def take(self, order: Order, partner: Any) -> None:
        """`partner`: gives the values that the order announces. Raises CouplingError and tailrace.Error."""
        name = order["file_name"]
        if order.action == Action.CLOSE_FILE:
            # PISM closes a file too before it opens it, so that a new one begins.
            if name in self._open:
                self._open.pop(name).close()
            return
        if order.action == Action.OPEN_FILE:
            raise CouplingError(
                f"PISM is to append to {name}, which `tailrace serve --pism` cannot do; expected a file for each run, "
                "without `output.spatial.append`"
            )
        file = self._file(name)
        match order.action:
            case Action.DEFINE_DIMENSION:
                file.define_dimension(order["name"], order["length"])
            case Action.DEFINE_VARIABLE:
                file.define_variable(order)
            case Action.SET_FILE_ATTRIBUTES:
                file.set_attributes(order["attributes"] or {})
            case Action.APPEND_HISTORY:
                file.append_history(order["history"])
            case Action.APPEND_TIME:
                file.append_time(order["time"])
            case Action.SEND_GRIDDED_VARIABLE:
                file.take(order["variable_name"], partner.field(order["variable_name"]))
            case Action.SEND_VARIABLE:
                _take_array(file, order, partner)

    def close(self) -> None:
        for file in self._open.values():
            file.close()
        self._open.clear()

    def sessions(self) -> list[Any]:
        return [file.session for file in self._open.values() if file.session is not None]

    def _file(self, name: str) -> PismFile:
        if name not in self._open:
            same = next((one for one in self._open if os.path.realpath(one) == os.path.realpath(name)), None)
            if same is not None:
                raise CouplingError(f"PISM opens {name}, which is open as {same}; expected two files, or one name")
            self._open[name] = PismFile(name, self._request, self._comm, self._grids)
        return self._open[name]


def _take_array(file: PismFile, order: Order, partner: Any) -> None:
    count = 1
    for extent in order["count"]:
        count *= extent
    values = partner.array(order["tag"], count, "text" in order)
    if isinstance(values, bytes):
        file.take_text(order["variable_name"], values)
    else:
        file.take(order["variable_name"], values, list(order["start"]))
