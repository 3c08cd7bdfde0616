"""From the command line into YAC, and out of it after a failure: what all components of Tailrace share."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol

from .errors import INSTALL, MissingPackage
from .waiting import say

# Seconds that the first process has to report what all of them found, and to end the job: Open MPI's mpirun may hang
# when a second process calls MPI_Abort while it ends the job.
LEAD = 10.0
GRACE = 20.0  # seconds for the files to be ended after a failure
STATUS_OF = {"configuration": 2, "usage": 2}  # as the command line has them; 1 for all else


class Running(Protocol):
    is_first: bool

    def run(self) -> None: ...
    def end_files(self) -> None: ...


def run_within_yac(option: str, make: Callable[[], Running]) -> None:
    """Makes the component of the command with this option and runs it. Collective over all processes of the command.
    After a failure it ends the job, since the other components wait within YAC: the first process says why."""
    world = _imported("mpi4py.MPI", option).COMM_WORLD  # first: it asks for MPI_THREAD_MULTIPLE, which servers need
    component = None
    try:
        _imported("yac", option)
        component = make()
        component.run()
    except Exception as error:
        if component is not None:
            component.end_files()
            time.sleep(0.0 if component.is_first else LEAD)
        else:  # before YAC said which is the first: the order in the job
            time.sleep(world.rank * min(1.0, LEAD / world.size))
        say("error", str(error) or type(error).__name__)
        world.Abort(STATUS_OF.get(getattr(error, "code", ""), 1))


def _imported(module: str, option: str) -> Any:
    try:
        return import_module(module)
    except ImportError as error:
        raise MissingPackage(
            f"{option} needs the Python package {module.partition('.')[0]}, which cannot be imported ({error}); "
            f"{INSTALL}, with the Open MPI for which the package of YAC is built"
        ) from error


def end_sessions(sessions: list[Any]) -> None:
    """Ends their files with all that is complete, if the other processes do the same in time."""
    ending = threading.Thread(target=lambda: [_finish(io) for io in sessions], daemon=True)
    ending.start()
    ending.join(GRACE)


def _finish(io: Any) -> None:
    # The failure that led here is the one to report; what goes wrong with a file the servers say themselves.
    with contextlib.suppress(Exception):
        io.finish()
