"""Files from one format to another with the same bits: `tailrace convert SOURCE TARGET`.

Values and attributes are copied as they are stored, chunk by chunk; packed numbers stay packed, times stay numbers. The
target is made beside its place and takes its name when it is whole. Processes read, and, for Zarr, write in parallel.
"""

import contextlib
import difflib
import importlib
import multiprocessing
import os
import shutil
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import numpy as np

from tailrace._convert_types import (
    Contents,
    ConversionError,
    FailedConversion,
    Reader,
    Region,
    Variable,
    Writer,
    pieces,
)

__all__ = ["ConversionError", "convert"]

WORTH_PROCESSES = 32 << 20  # bytes; below, starting them takes longer than the work
WAITING = 2  # pieces for each process that are on their way
ENDINGS = {".nc": "netcdf", ".nc4": "netcdf", ".zarr": "zarr"}
PACKAGES = {"netcdf": ("netCDF4",), "zarr": ("zarr",), "bp": ("adios2",)}
MAGIC = ((b"\x89HDF", "netcdf"), (b"CDF", "netcdf"))


def convert(source: Path, target: Path, jobs: int | None = None, force: bool = False) -> Contents:
    """Copies `source` (NetCDF, Zarr v2 or v3, or ADIOS2's BP) to `target` (*.nc or *.zarr), and tells what it held.

    `jobs`: processes; by default as many as cores, and one for small files. `force`: an existing target is replaced.
    Each process holds a piece of some 16 MiB, or a chunk where this is larger, and two pieces wait for each of them.
    Raises ConversionError; the target is then as it was before.
    """
    source, target = Path(source), Path(target)
    source_format, target_format = format_of_source(source), format_of_target(target)
    for needed in (source_format, target_format):
        _import_packages(needed)
    if source.resolve() == target.resolve():
        raise ConversionError(f"{target}: is the source itself; expected another target")
    if os.path.lexists(target) and not force:
        raise ConversionError(f"{target}: exists; expected another target, or --force to replace it")
    if not target.parent.is_dir():
        raise ConversionError(f"{target}: there is no directory {target.parent}")
    aside = target.parent / f".{target.name}.{os.getpid()}.new"
    try:
        contents = _convert(source, source_format, aside, target_format, jobs)
        _take_place(aside, target)
        return contents
    except ConversionError as error:
        raise type(error)(f"{source}: {error}") from error
    except BrokenProcessPool:
        raise FailedConversion(
            f"{source}: a process of the conversion was ended; fewer --jobs need less memory"
        ) from None
    except (OSError, RuntimeError, ValueError, KeyError) as error:
        raise FailedConversion(f"{source}: cannot be converted to {target}: {error}") from error
    finally:
        _remove(aside)


def format_of_source(path: Path) -> str:
    if not path.exists():
        raise ConversionError(f"{path}: no such file or directory.{_hint(path.name, _names_beside(path))}")
    if path.is_dir():
        names = {entry.name for entry in path.iterdir()}
        if names & {"zarr.json", ".zgroup"}:
            return "zarr"
        if names & {"md.idx", "md.0"}:
            return "bp"
        raise ConversionError(f"{path}: is a directory, but no Zarr group (zarr.json, .zgroup) and no BP file (md.idx)")
    start = path.open("rb").read(8)
    for magic, name in MAGIC:
        if start.startswith(magic):
            return name
    raise ConversionError(f"{path}: is no NetCDF file; expected NetCDF, a Zarr group or a BP directory")


def format_of_target(path: Path) -> str:
    if name := ENDINGS.get(path.suffix):
        return name
    if path.suffix == ".bp":
        raise ConversionError(f"{path}: BP is read, but not written; expected a target that ends in .nc or .zarr")
    hint = _hint(path.suffix, list(ENDINGS))
    raise ConversionError(f"{path}: the ending says what is made; expected .nc, .nc4 or .zarr.{hint}")


def _names_beside(path: Path) -> list[str]:
    return [entry.name for entry in path.parent.iterdir()] if path.parent.is_dir() else []


def _hint(name: str, known: list[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def _import_packages(name: str) -> None:
    for package in PACKAGES[name]:
        try:
            importlib.import_module(package)
        except ImportError:
            kind = {"netcdf": "NetCDF files", "zarr": "Zarr stores", "bp": "BP files"}[name]
            raise ConversionError(f"the Python package {package} is needed for {kind}: pip install {package}") from None


def open_reader(name: str, path: Path) -> Reader:
    if name == "netcdf":
        from tailrace._convert_netcdf import NetcdfReader as Opened
    elif name == "zarr":
        from tailrace._convert_zarr import ZarrReader as Opened
    else:
        from tailrace._convert_bp import BpReader as Opened
    return Opened(path)


def open_writer(name: str, path: Path, contents: Contents | None = None) -> Writer:
    if name == "netcdf":
        from tailrace._convert_netcdf import NetcdfWriter

        return NetcdfWriter(path, contents)
    from tailrace._convert_zarr import ZarrWriter

    return ZarrWriter(path, contents)


def _convert(source: Path, source_format: str, aside: Path, target_format: str, jobs: int | None) -> Contents:
    with contextlib.closing(open_reader(source_format, source)) as reader:
        contents = reader.contents()
        _check_names(contents, target_format)
        work = [(one, region) for one in contents.variables for region in pieces(one)]
        jobs = min(jobs or _default_jobs(contents), max(len(work), 1))
        with contextlib.closing(open_writer(target_format, aside, contents)) as writer:
            if jobs == 1:
                for variable, region in work:
                    writer.write(variable.name, region, reader.read(variable.name, region))
                return contents
            worker = _Worker(source_format, source, target_format if writer.in_parallel else None, aside)
            for variable, region, values in _in_processes(worker, work, jobs):
                if values is not None:
                    writer.write(variable.name, region, values)
            return contents


def _check_names(contents: Contents, target_format: str) -> None:
    if target_format != "zarr":
        return
    for variable in contents.variables:
        if variable.name == "zarr.json" or variable.name.startswith("__") or not variable.name.strip("."):
            raise ConversionError(f"variable {variable.name!r} has a name that Zarr keeps for itself")


def _default_jobs(contents: Contents) -> int:
    return len(os.sched_getaffinity(0)) if contents.bytes() > WORTH_PROCESSES else 1


class _Worker:
    """What a process has open: the source, and a target into which it may write."""

    opened: "_Worker | None" = None  # of this process

    def __init__(self, source_format: str, source: Path, target_format: str | None, target: Path):
        self.places = (source_format, source, target_format, target)
        self.reader: Reader | None = None
        self.writer: Writer | None = None

    def begin(self) -> None:
        source_format, source, target_format, target = self.places
        self.reader = open_reader(source_format, source)
        self.writer = open_writer(target_format, target) if target_format else None
        _Worker.opened = self

    @staticmethod
    def copy(name: str, region: Region) -> np.ndarray | None:
        worker = _Worker.opened
        assert worker is not None and worker.reader is not None
        values = worker.reader.read(name, region)
        if worker.writer is None:
            return values
        worker.writer.write(name, region, values)
        return None


def _in_processes(
    worker: _Worker, work: list[tuple[Variable, Region]], jobs: int
) -> Iterator[tuple[Variable, Region, np.ndarray | None]]:
    """In the order of the work, with so many pieces on their way that no more memory is needed than said."""
    context = multiprocessing.get_context("spawn")  # libraries with threads of their own do not survive a fork
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=worker.begin) as pool:
        running: deque[tuple[Variable, Region, Future]] = deque()
        try:
            for variable, region in work:
                running.append((variable, region, pool.submit(_Worker.copy, variable.name, region)))
                if len(running) >= WAITING * jobs:
                    done, place, future = running.popleft()
                    yield done, place, future.result()
            while running:
                done, place, future = running.popleft()
                yield done, place, future.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _take_place(aside: Path, target: Path) -> None:
    """A directory cannot be replaced in one step: the old one goes out of the way first."""
    if target.is_dir() and not target.is_symlink():
        old = target.parent / f".{target.name}.{os.getpid()}.old"
        target.rename(old)
        aside.rename(target)
        _remove(old)
    elif aside.is_dir() and os.path.lexists(target):
        target.unlink()
        aside.rename(target)
    else:
        aside.replace(target)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
