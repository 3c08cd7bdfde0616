"""Opens NetCDF files of others, so that whatever is wrong with one becomes an error that names it."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from ..sources.classic_length import check_length
from ..sources.refusal import Refusal
from .errors import WeightsError, need
from .sphere import Floats

T = TypeVar("T")
SPARE = 2 << 30  # bytes that reading may take beside a multiple of the file's length
TIMES = 64
SECONDS, BYTES_A_SECOND = 5, 10_000_000  # of computing: some damage leads a library round in a circle


@contextlib.contextmanager
def opened(path: Path) -> Iterator[Any]:
    """A netCDF4.Dataset whose missing values are not masked."""
    netcdf = need("netCDF4", f"reading {path}")
    if not path.is_file():
        raise WeightsError(f"{path}: is no file")
    try:
        check_length(str(path))
        with netcdf.Dataset(path) as file:
            file.set_auto_mask(False)
            yield file
    except Refusal as error:
        raise WeightsError(f"{path}: {error}") from None
    except WeightsError as error:
        text = str(error)
        raise (error if str(path) in text else type(error)(f"{path}: {text}")) from None
    except MemoryError:
        raise WeightsError(f"{path}: there is not enough memory for what it says that it has") from None
    except Exception as error:  # of the libraries; a damaged file meets many of their corners
        raise WeightsError(f"{path}: cannot be read: {type(error).__name__}: {error}") from None


def safely(path: Path, read: Callable[[Path], T]) -> T:
    """`read(path)`, after a child has tried it: a damaged file can end a process that reads it through HDF5."""
    child = os.fork()
    if child == 0:
        _try(path, read)
    try:
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    except BaseException:  # a signal
        with contextlib.suppress(ProcessLookupError, ChildProcessError):
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        raise
    if status == -signal.SIGXCPU:
        raise WeightsError(f"{path}: is damaged: the library that reads it does not come to an end")
    if status < 0:
        name = signal.Signals(-status).name
        raise WeightsError(f"{path}: is damaged: the library that reads it was ended by {name}")
    if status == 2:
        raise WeightsError(f"{path}: is damaged: there is not enough memory for what it says that it has")
    return read(path)


def _try(path: Path, read: Callable[[Path], Any]) -> None:
    status = 0
    with contextlib.suppress(ValueError):  # in another thread than the first one
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        with contextlib.suppress(OSError, ValueError):
            length = path.stat().st_size
            seconds = SECONDS + length // BYTES_A_SECOND
            resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
            here = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
            most = here + SPARE + TIMES * length
            resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)  # what libraries print about the file comes again in the parent
        os.dup2(null, 2)
        read(path)
    except WeightsError as error:
        status = 2 if "not enough memory" in str(error) else 0
    except MemoryError:
        status = 2
    finally:
        os._exit(status)


def values_of(file: Any, name: str, dims: int | None = None) -> np.ndarray:
    """A variable as numbers; `dims`: how many dimensions it must have."""
    if name not in file.variables:
        raise WeightsError(f"there is no variable {name}")
    variable = file.variables[name]
    if not isinstance(variable.dtype, np.dtype) or variable.dtype.kind not in "iuf":
        raise WeightsError(f"variable {name} has no numbers")
    if dims is not None and variable.ndim != dims:
        raise WeightsError(f"variable {name} has {variable.ndim} dimensions; expected {dims}")
    values = np.asarray(variable[...])
    fill = variable.getncattr("_FillValue") if "_FillValue" in variable.ncattrs() else None
    if values.dtype.kind == "f":
        values = values.astype(np.float64)
        if fill is not None:
            values[values == np.float64(fill)] = np.nan
    return values


def degrees_of(file: Any, name: str, dims: int | None = None) -> Floats:
    """Coordinates in degrees, whatever their units."""
    values = values_of(file, name, dims).astype(np.float64)
    return np.degrees(values) if text_of(file.variables[name], "units").lower().startswith("rad") else values


def text_of(thing: Any, attribute: str) -> str:
    """An attribute of a file or a variable; "" if there is none."""
    if attribute not in thing.ncattrs():
        return ""
    value = thing.getncattr(attribute)
    return value if isinstance(value, str) else str(value)
