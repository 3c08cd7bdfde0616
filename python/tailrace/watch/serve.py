"""`tailrace watch`: serves the page on this machine until ^C, or keeps a file of metrics up to date."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from . import metrics
from .numbers import NoRun, Run, report_directory
from .places import Places

INSTALL = "pip install 'tailrace[watch]'"
LOOPBACK = "127.0.0.1"
BACKLOG = 128  # connections that wait to be accepted


class WatchError(Exception):
    """The page or the file of metrics cannot be made; the text is complete."""

    code = "usage"


def serve_page(
    directory: Path,
    *,
    port: int = 0,
    until: float | None = None,
    compare: Path | None = None,
    more: Iterable[Path] = (),
    say: Callable[[str], None] = print,
) -> None:
    """Blocks until SIGINT or SIGTERM. `port` 0: a free one. `more`: directories whose files may be drawn, too."""
    try:
        import uvicorn
        from uvicorn.protocols.http.h11_impl import H11Protocol

        from .app import Watched, Watcher
    except ImportError as error:
        raise WatchError(
            f"the page needs starlette and uvicorn: {INSTALL} ({error}); `tailrace top` needs neither"
        ) from None
    from .guard import bounded

    places = [one for one in (directory, compare) if one is not None]
    more = list(more)
    runs = []
    for place in places:
        report = report_directory(place)
        runs.append(Watched(Run(report, until), Places.of(report, more)))
        runs[-1].look()
    with _bound(port) as listening:
        number = listening.getsockname()[1]

        async def run() -> None:
            watcher = Watcher(runs)
            configuration = uvicorn.Config(
                watcher.app(),
                http=bounded(H11Protocol),
                ws="none",
                loop="asyncio",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                backlog=BACKLOG,
                timeout_keep_alive=5,
                timeout_graceful_shutdown=2,
            )
            server = uvicorn.Server(configuration)
            # uvicorn would raise the signal again when it has ended, and the process would end by it.
            server.capture_signals = contextlib.nullcontext  # type: ignore[method-assign]
            loop = asyncio.get_running_loop()

            def end() -> None:
                watcher.ending.set()
                server.should_exit = True

            for one in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(one, end)
            looking = asyncio.create_task(watcher.keep_looking())
            say(f"tailrace: watching {runs[0].run.directory}: http://{LOOPBACK}:{number}/#token={watcher.token}")
            say(
                f"tailrace: from another machine: ssh -L {number}:{LOOPBACK}:{number} THIS_MACHINE, then the same "
                "address; ^C ends"
            )
            try:
                await server.serve(sockets=[listening])
            finally:
                end()
                await looking
                watcher.reader.close()

        asyncio.run(run())


def _bound(port: int) -> socket.socket:
    listening = socket.socket()
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((LOOPBACK, port))
        listening.listen(BACKLOG)  # before the address is shown
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or error
        raise WatchError(f"--port {port}: {reason}; expected a free port, or none for any free one") from None
    return listening


def keep_metrics(
    directory: Path,
    path: Path,
    *,
    until: float | None,
    every: float,
    once: bool,
    say: Callable[[str], None] = print,
) -> None:
    """Rewrites `path` until the run has ended, or SIGINT or SIGTERM comes. `every`: seconds.

    Without `once` it may be started before the run.
    """
    _check_metrics(path)
    stop = threading.Event()
    if not once:
        for one in (signal.SIGINT, signal.SIGTERM):
            signal.signal(one, lambda *_: stop.set())
    run = _begun(directory, until, every, stop, say) if not once else Run(report_directory(directory), until)
    while run is not None:
        begin = time.monotonic()
        numbers = run.look()
        if numbers is not None and run.snapshot is not None:
            try:
                metrics.write(metrics.text_of(metrics.families_of(numbers, run.snapshot)), path)
            except OSError as error:
                raise WatchError(f"--metrics {path}: cannot be written: {error.strerror}") from None
        elif once:
            raise NoRun(f"{run.directory}: no server has written its status yet")
        if once or (numbers is not None and numbers.has_ended) or stop.wait(begin + every - time.monotonic()):
            return


def _check_metrics(path: Path) -> None:
    """A slip in the name must not cost a file of the user, or a device."""
    if path.is_dir() or not path.parent.is_dir():
        raise WatchError(f"--metrics {path}: expected a file in a directory that is there")
    try:
        is_ours = not path.exists() or (path.is_file() and metrics.is_ours(path))
    except OSError as error:
        raise WatchError(f"--metrics {path}: cannot be read: {error.strerror}") from None
    if not is_ours:
        raise WatchError(
            f"--metrics {path}: is there, and not made by `tailrace watch`, so it is not replaced; expected a new name"
        )


def _begun(
    directory: Path, until: float | None, every: float, stop: threading.Event, say: Callable[[str], None]
) -> Run | None:
    """Waits for a run in `directory`. None once `stop` is set."""
    is_said = False
    while True:
        try:
            return Run(report_directory(directory), until)
        except NoRun as error:
            if not is_said:
                say(f"tailrace: {error}; waiting for one")
            is_said = True
        if stop.wait(every):
            return None
