"""Programs that speak more than YAC to a component of a certain name, and would wait for its answers."""

from __future__ import annotations

from collections.abc import Iterable

from .errors import CouplingError
from .request import Request


def check_protocol(request: Request, components: Iterable[str]) -> None:
    """`components`: the names of all that take part in the job. Raises CouplingError."""
    if request.component == "pism_output" and "pism" in components:
        raise CouplingError(
            f"{request.place}  yac.component: to a component pism_output PISM sends orders beside YAC, which "
            "`tailrace serve --pism` takes, or its own pism_async_writer; expected one of them, or another name"
        )
