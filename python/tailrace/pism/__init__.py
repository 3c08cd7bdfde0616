"""The files of PISM: `tailrace serve --pism CONFIG` in the place of PISM's own program `pism_async_writer`.

PISM (built with YAC, its sources of August 2026) leaves its snapshots and spatial diagnostics to a component
`pism_output` of its job, if there is one. It gives orders as JSON over an intercommunicator of the two components, and
sends values on grids by YAC. Each of its files becomes a session of its own, whose servers run in this process, because
PISM says what is in a file, and how it is called, only when it opens it.
"""

from .service import serve

__all__ = ["serve"]
