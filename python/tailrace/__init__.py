"""Hand a model's fields to servers that average and write them while the model continues.

    with tailrace.Session.start(MPI.COMM_WORLD, "tailrace.yaml", component="toy") as io:
        if io.is_server():
            sys.exit()
        io.grid("plane", dims=["y", "x"], shape=[ny, nx], offset=[y0, 0], count=[nyl, nx])
        h = io.field("h", grid="plane", units="m")
        io.ready()
        for step in range(1, steps + 1):
            io.step(step, t)
            if io.wants(h):
                io.put(h, height[1:-1, :])

Dimensions and indices: slowest first, counted from 0. All failures are raised as tailrace.Error.

`stream` reads the output of a job step by step, during the run or later. It needs no compiled part of Tailrace:

    for step in tailrace.stream("toy.nc", fields=["h"]):
        print(step.h.mean())
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ._core import (
        Checkpoint,
        Checkpoints,
        Error,
        Inspection,
        Session,
        check,
        hdf5_lock,
        hdf5_unlock,
        inspect,
        reference,
        report_directory,
        schema,
        serve,
        version,
    )
    from .in_situ.declaring import sink
    from .sources.declaring import input_source
    from .streams import stream

__all__ = [
    "Checkpoint",
    "Checkpoints",
    "Error",
    "Inspection",
    "Session",
    "check",
    "hdf5_lock",
    "hdf5_unlock",
    "input_source",
    "inspect",
    "reference",
    "report_directory",
    "schema",
    "serve",
    "sink",
    "stream",
    "version",
]


def _make_python_known() -> None:
    """Processes that servers in this one start (makers of weights, readers, actions) run its Python, also where the
    environment was not activated, as in many batch scripts."""
    import os
    import sys

    if sys.prefix != sys.base_prefix:
        os.environ.setdefault("VIRTUAL_ENV", sys.prefix)


def __getattr__(name: str):
    """Loads what is asked for: streams, sinks and sources of input do without the compiled module and MPI."""
    if name == "stream":
        from .streams import stream as found
    elif name == "input_source":
        from .sources.declaring import input_source as found
    elif name == "sink":
        from .in_situ.declaring import sink as found
    elif name in __all__:
        _make_python_known()
        from . import _core

        found = getattr(_core, name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
