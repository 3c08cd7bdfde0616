"""Reads pictures in a process of its own, which may crash or hang over a damaged file without harm to the page."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import signal
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from tailrace.weights.lifetime import end_with_parent

from .pictures import PictureError

MOST_WAITING = 8  # requests; further ones are turned away
PATIENCE = 60.0  # seconds for one of them


class Busy(Exception):
    """Too many pictures are asked for at the same time."""


class Reader:
    """Belongs to one event loop."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self.patience = patience
        self.waiting = 0
        self._pool: ProcessPoolExecutor | None = None

    async def do(self, function: Callable[[Any], Any], argument: Any) -> Any:
        """`function(argument)` in the process. Raises PictureError, and Busy."""
        if self.waiting >= MOST_WAITING:
            raise Busy
        self.waiting += 1
        try:
            if self._pool is None:
                # A fork of a process with threads may hang, so the reader starts anew.
                method = multiprocessing.get_context("spawn")
                self._pool = ProcessPoolExecutor(1, method, initializer=_begin, initargs=(os.getpid(),))
            pool = self._pool
            try:
                return await asyncio.wait_for(asyncio.shield(_future(pool, function, argument)), self.patience)
            except TimeoutError:
                self._end(pool)
                raise PictureError(f"reading took longer than {self.patience:g} s and was given up") from None
            except (BrokenProcessPool, RuntimeError):
                self._end(pool)
                raise PictureError("the file is damaged: the process that read it was ended") from None
        finally:
            self.waiting -= 1

    def close(self) -> None:
        if self._pool is not None:
            self._end(self._pool)

    def _end(self, pool: ProcessPoolExecutor) -> None:
        """Another request may have ended it, and begun another one."""
        if self._pool is pool:
            self._pool = None
        for process in list((pool._processes or {}).values()):  # the executor has no call that ends a running task
            with contextlib.suppress(ProcessLookupError, ValueError):
                process.kill()
        pool.shutdown(wait=False, cancel_futures=True)


def _begin(parent: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a ^C is for the server, which ends this process
    end_with_parent(parent)


def _future(pool: ProcessPoolExecutor, function: Callable[[Any], Any], argument: Any) -> asyncio.Future:
    future: Future = pool.submit(function, argument)
    return asyncio.wrap_future(future)
