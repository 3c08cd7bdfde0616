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


class PatientStream(SstStream):
    """ADIOS2 waits for a step while no other thread of Python gets a turn: so it waits often and briefly."""

    wait_for = 0.02
    rest = 0.02


def records_of_stream(name: str) -> Iterator[xr.Dataset]:
    """`name`: of the stream, or of its contact file. Refusal ("absent") while there is none."""
    path = Path(name) if name.endswith(".sst") else Path(f"{name}.sst")  # ADIOS2 makes that of any name
    if not path.exists():
        raise Refusal("No such stream: it has no contact file", "absent")
    return AdiosSteps(PatientStream(path, None, Job(path.with_suffix(""))), Selection(None, {}), "first", 1).steps()
