"""Files from one format to another with the same bits: `tailrace convert SOURCE TARGET`.

Values and attributes are copied as they are stored, chunk by chunk; packed numbers stay packed, times stay numbers. The
target is made beside its place and takes its name when it is whole. Processes read, and, for Zarr, write in parallel.
"""

import contextlib
import os
import shutil
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from tailrace.convert.contents import Contents, ConversionError, FailedConversion, pieces
from tailrace.convert.formats import format_of_source, format_of_target, import_packages, open_reader, open_writer
from tailrace.convert.processes import Worker, in_processes
from tailrace.plugins import hint_for

__all__ = ["ConversionError", "convert"]

WORTH_PROCESSES = 32 << 20  # bytes; below, starting them takes longer than the work


def convert(source: Path, target: Path, jobs: int | None = None, force: bool = False) -> Contents:
    """Copies `source` (NetCDF, Zarr v2 or v3, or ADIOS2's BP) to `target` (*.nc or *.zarr), and tells what it held.

    `jobs`: processes; by default as many as cores, and one for small files. `force`: an existing target is replaced.
    Each process holds a piece of some 16 MiB, or a chunk where this is larger, and two pieces wait for each of them.
    Raises ConversionError; the target is then as it was before.
    """
    source, target = Path(source), Path(target)
    source_format, target_format = format_of_source(source), format_of_target(target)
    for needed in (source_format, target_format):
        import_packages(needed)
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
        raise FailedConversion(f"{source}: cannot be converted to {target}: {error}{hint_for(error)}") from error
    finally:
        _remove(aside)


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
            worker = Worker(source_format, source, target_format if writer.in_parallel else None, aside)
            for variable, region, values in in_processes(worker, work, jobs):
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
