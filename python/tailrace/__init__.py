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
"""

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

__all__ = [
    "Checkpoint",
    "Checkpoints",
    "Error",
    "Inspection",
    "Session",
    "check",
    "hdf5_lock",
    "hdf5_unlock",
    "inspect",
    "reference",
    "report_directory",
    "schema",
    "serve",
    "version",
]
