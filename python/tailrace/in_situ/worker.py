"""python -m tailrace.in_situ.worker SCRIPT FUNCTION FD: loads the script and calls its function with each step."""

import ctypes
import importlib
import importlib.util
import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import xarray

from tailrace.streams.records import Position
from tailrace.streams.selection import Selection, hint
from tailrace.streams.snapshots import open_image

MOST_TOLD = 30000  # characters of a traceback
PR_SET_PDEATHSIG = 1


def end_with_supervisor() -> None:
    """The function may hang for ever; whoever would end it may be killed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if str(os.getppid()) != os.environ.get("TAILRACE_SUPERVISOR"):
        os._exit(1)


def prepare() -> None:
    """What the first step would else wait for, within its own time."""
    for reader in ("netCDF4", "h5netcdf"):
        if importlib.util.find_spec(reader):
            importlib.import_module(reader)
            break
    xarray.backends.list_engines()


def load(script: Path, name: str) -> Callable:
    sys.path.insert(0, str(script.parent))
    spec = importlib.util.spec_from_file_location(script.stem, script)
    if spec is None or spec.loader is None:
        raise ImportError(f"{script} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[script.stem] = module
    spec.loader.exec_module(module)
    function = getattr(module, name, None)
    if not callable(function):
        known = [one for one, value in vars(module).items() if callable(value) and not one.startswith("_")]
        raise AttributeError(f"{script} has no function {name!r}.{hint(name, known)}")
    return function


def call(function: Callable, descriptor: int) -> None:
    with open_image(descriptor) as records:
        read = [records.read(step, Selection(), "step") for step in records.steps(Position())]
    for step in read:
        function(step)


def words_of(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".replace("\n", " ")


def main() -> None:
    end_with_supervisor()
    script, name, descriptor = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    supervisor = socket.socket(fileno=descriptor)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    try:
        prepare()
        function = load(script, name)
    except BaseException as error:
        supervisor.send(f"unloadable\n{script} cannot be loaded: {words_of(error)}".encode()[:MOST_TOLD])
        return
    supervisor.send(b"loaded\n")
    while True:
        message, descriptors, _, _ = socket.recv_fds(supervisor, 100, 1)
        if not message:
            return
        try:
            call(function, descriptors[0])
            answer = "done\n"
        except Exception as error:
            answer = f"raised\n{name} raised {words_of(error)}\n{traceback.format_exc()[-MOST_TOLD:]}"
        finally:
            os.close(descriptors[0])
        sys.stdout.flush()
        supervisor.send(answer.encode())


if __name__ == "__main__":
    main()
