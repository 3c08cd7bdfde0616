"""The stream of a running Tailrace job over SST: its records, from the one where the job is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import xarray as xr

from ..streams.adios import AdiosSteps
from ..streams.adios_source import SstStream
from ..streams.job import Job
from ..streams.selection import Selection
from .refusal import Refusal


class PolledStream(SstStream):
    """A wait of ADIOS2 lets no other thread of Python have a turn, and one of parts of a second ends the process at
    times, when a step comes just at its end (ADIOS2 2.12). So each look is without a wait."""

    wait_for = 0.0
    rest = 0.01


class RawSteps(AdiosSteps):
    """The numbers of the job, and not the moments that xarray makes of them, which are whole nanoseconds."""

    decodes = False


def records_of_stream(name: str) -> Iterator[xr.Dataset]:
    """`name`: of the stream, or of its contact file. Refusal ("absent") while there is none."""
    path = Path(name) if name.endswith(".sst") else Path(f"{name}.sst")  # ADIOS2 makes that of any name
    if not path.exists():
        raise Refusal("No such stream: it has no contact file", "absent")
    return RawSteps(PolledStream(path, None, Job(path.with_suffix(""))), Selection(None, {}), "first", 1).steps()
