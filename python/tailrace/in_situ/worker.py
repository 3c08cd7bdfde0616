"""python -m tailrace.in_situ.worker SCRIPT FUNCTION FD: loads the script and calls its function with each step,
or, if it is a sink, once with all of them."""

import ctypes
import importlib
import importlib.util
import os
import signal
import socket
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

import xarray

from tailrace.streams.selection import hint

from .feed import DONE, Feed, read_step

# Bytes; together less than the supervisor takes for one message.
MOST_WORDS = 2000
MOST_TRACEBACK = 40000
PR_SET_PDEATHSIG = 1


def end_with_supervisor() -> None:
    """Ends this process with its supervisor: the function may hang, and the supervisor may be killed."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if str(os.getppid()) != os.environ.get("TAILRACE_SUPERVISOR"):
        os._exit(1)


def outlive_signals() -> None:
    """Ignores the signals that a launcher sends to all processes of the job, so that the step is finished. Child
    processes of the function react to signals, so that the function can end them: other programs by themselves, a
    fork through the handlers that are restored in it."""
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    for number in usual:
        signal.signal(number, lambda *_: None)

    block = partial(signal.pthread_sigmask, signal.SIG_BLOCK, usual)
    unblock = partial(signal.pthread_sigmask, signal.SIG_UNBLOCK, usual)

    def heed() -> None:
        for number, handler in usual.items():
            signal.signal(number, handler)
        unblock()

    # A signal that comes as soon as there is a fork waits until it can be heeded.
    os.register_at_fork(before=block, after_in_parent=unblock, after_in_child=heed)


def prepare() -> None:
    """Imports the readers before the first step, whose time limit would otherwise include it."""
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
    for record in read_step(descriptor):
        function(record)


def head(text: str, most: int) -> bytes:
    encoded = text.encode(errors="backslashreplace")
    return encoded if len(encoded) <= most else encoded[:most] + b" ..."


def ends(text: str, most: int) -> bytes:
    """Without its middle: a traceback begins with where, and ends with what."""
    encoded = text.encode(errors="backslashreplace")
    return encoded if len(encoded) <= most else encoded[: most // 2] + b"\n...\n" + encoded[-most // 2 :]


def words_of(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".replace("\n", " ")


def place_of(error: BaseException, script: Path) -> str:
    """The last line of the script that was reached, which raised it or called what raised it."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(script)]
    return f" (at {script}:{lines[-1]})" if lines else ""


def answer_to(error: Exception, script: Path, name: str) -> bytes:
    what = head(f"{name} raised {words_of(error)}", MOST_WORDS)
    place = head(place_of(error, script), MOST_WORDS)
    return b"raised\n" + what + place + b"\n" + ends(traceback.format_exc(), MOST_TRACEBACK)


def serve_function(feed: Feed, function: Callable, script: Path, name: str) -> None:
    """Calls it with each step."""
    while feed.wait():
        answer = DONE
        try:
            call(function, feed.descriptor)
        except Exception as error:
            answer = answer_to(error, script, name)
        feed.settle(answer)


def serve_sink(feed: Feed, function: Callable, script: Path, name: str) -> None:
    """Calls it with all steps. If it raises or returns before the run is over, the next step begins another call."""
    while feed.wait():
        try:
            function(feed.records())
            if feed.descriptor is not None:
                feed.settle(DONE)
        except Exception as error:
            feed.settle(answer_to(error, script, name))
    feed.settle(b"ended\n")


def serve(supervisor: socket.socket, script: Path, name: str) -> None:
    try:
        prepare()
        function = load(script, name)
    except BaseException as error:
        supervisor.send(b"unloadable\n" + head(f"{script} cannot be loaded: {words_of(error)}", MOST_WORDS))
        return
    is_sink = getattr(function, "is_sink", False)
    supervisor.send(b"loaded\nsink" if is_sink else b"loaded\n")
    (serve_sink if is_sink else serve_function)(Feed(supervisor), function, script, name)


def main() -> None:
    end_with_supervisor()
    script, name, descriptor = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    outlive_signals()
    with suppress(BrokenPipeError, ConnectionResetError):  # nobody asks any more
        serve(socket.socket(fileno=descriptor), script, name)


if __name__ == "__main__":
    main()
