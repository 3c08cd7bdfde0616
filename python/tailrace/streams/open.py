"""From the words of a caller to the steps of a source."""

import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import xarray as xr

from .adios import AdiosSteps
from .adios_source import BpDataset, SstStream
from .errors import StreamError
from .following import Following
from .job import Job
from .selection import Selection
from .series import Series, Single
from .snapshots import NetcdfFile, ZarrStore

ENGINES = ("netcdf", "zarr", "bp", "sst")


def stream(
    source: str | os.PathLike,
    *,
    fields: Sequence[str] | None = None,
    region: Mapping[str, object] | None = None,
    every: int = 1,
    start: str | int = "first",
    timeout: float | None = None,
    engine: str | None = None,
    report: str | os.PathLike | None = None,
) -> Iterator[xr.Dataset]:
    """The steps of a source as xarray Datasets, each exactly once and in order, with coordinates and attributes.

    A step holds what was recorded for one end of a time or window: one record along each growing dimension that has one
    there. Values are read, and decoded as xarray.open_dataset does.

    source: a NetCDF file (`*.nc`), a Zarr store, an ADIOS2 BP file (`*.bp`), or a running job's stream over SST
        (`*.sst`, the name of its contact file; with `engine="sst"` also the name without the ending). It need not exist
        yet. A pattern of the shell (`day_*.nc`) means all NetCDF files or Zarr stores of a series, one after the other,
        also those that are yet to come.
    fields: names of variables; by default all. Their coordinates come with them.
    region: dimension -> slice, value or list: of coordinate values (a value: the nearest) where the dimension has a
        coordinate, otherwise of positions.
    every: only every n-th step.
    start: "first", "last" (the newest step there is, then those that follow), or how many steps to leave out.
        Both count the steps that have a record of one of `fields`: a reader that has got n continues with start=n.
    timeout: seconds to wait for the next step, or for the source to appear; then StreamTimeout. By default it waits as
        long as somebody writes.
    engine: netcdf, zarr, bp or sst, where the name does not tell.
    report: the report directory of the job, by which its end is known; by default `tailrace_report` beside the source
        or above it, where that speaks of the source.

    The loop ends when the job has ended. Raises JobEnded, after all whole records, where it ended early; StreamError
    for what is not in the source. A reader never holds the job back.
    """
    if isinstance(fields, str):
        raise TypeError(f"fields is a list of names, but got the text {fields!r}; expected [{fields!r}]")
    if not isinstance(every, int) or every < 1:
        raise ValueError(f"every is a whole number from 1, but got {every!r}")
    if not (start in ("first", "last") or (isinstance(start, int) and start >= 0)):
        raise ValueError(f"start is 'first', 'last' or a number of steps, but got {start!r}")
    if engine is not None and engine not in ENGINES:
        raise ValueError(f"engine is one of {', '.join(ENGINES)}, but got {engine!r}")
    path = Path(source)
    selection = Selection(fields, dict(region or {}))
    engine = engine or engine_of(path)
    is_series = glob.has_magic(str(path)) and not path.exists()
    if is_series and engine in ("bp", "sst"):
        raise StreamError(f"{path}: a series is of NetCDF files or Zarr stores; expected the name of one source")
    if engine == "sst" and path.suffix != ".sst":
        path = path.with_name(f"{path.name}.sst")  # ADIOS2 makes that of any name
    written = path.with_suffix("") if engine == "sst" else path  # as the job calls it
    job = Job(written, Path(report) if report is not None else None)
    if engine in ("bp", "sst"):
        source_at = SstStream if engine == "sst" else BpDataset
        return AdiosSteps(source_at(path, timeout, job), selection, start, every).steps()
    file_at = ZarrStore if engine == "zarr" else NetcdfFile
    source = Series(path, file_at) if is_series else Single(file_at(path))
    return Following(source, job, selection, start, every, timeout).steps()


def engine_of(path: Path) -> str:
    endings = {".nc": "netcdf", ".nc4": "netcdf", ".zarr": "zarr", ".bp": "bp", ".sst": "sst"}
    if path.suffix in endings:
        return endings[path.suffix]
    if (path / "zarr.json").exists():
        return "zarr"
    if path.is_file():
        return "netcdf"
    raise StreamError(
        f"{path}: the name does not tell what it is; expected an ending of {', '.join(endings)}, or `engine=`"
    )
