"""Work of the first process of this component alone, whose failure all of them must know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from tailrace.yac.errors import CouplingError

T = TypeVar("T")


def in_first(comm: Any, work: Callable[[], T]) -> T:
    """Collective. `work` is done in the first process; all get what it returns. If it fails, all raise CouplingError,
    so that they end their files together: the end of a file is collective."""
    found, problem = None, None
    if comm.rank == 0:
        try:
            found = work()
        except CouplingError as error:
            problem = error
        except Exception as error:  # of whatever kind: the others wait for it
            problem = CouplingError(str(error) or type(error).__name__)
    found, problem = comm.bcast((found, problem))
    if problem is not None:
        raise problem
    return found
