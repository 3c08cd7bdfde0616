"""Pieces of a file copied by several processes."""

import multiprocessing
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path

import numpy as np

from tailrace.convert.contents import Reader, Region, Variable, Writer
from tailrace.convert.formats import open_reader, open_writer

WAITING = 2  # pieces for each process that are on their way


class Worker:
    """The files that a process has open: the source, and a target into which it may write."""

    opened: "Worker | None" = None  # of this process

    def __init__(self, source_format: str, source: Path, target_format: str | None, target: Path):
        self.places = (source_format, source, target_format, target)
        self.reader: Reader | None = None
        self.writer: Writer | None = None

    def begin(self) -> None:
        source_format, source, target_format, target = self.places
        self.reader = open_reader(source_format, source)
        self.writer = open_writer(target_format, target) if target_format else None
        Worker.opened = self

    @staticmethod
    def copy(name: str, region: Region) -> np.ndarray | None:
        worker = Worker.opened
        assert worker is not None and worker.reader is not None
        values = worker.reader.read(name, region)
        if worker.writer is None:
            return values
        worker.writer.write(name, region, values)
        return None


def in_processes(
    worker: Worker, work: list[tuple[Variable, Region]], jobs: int
) -> Iterator[tuple[Variable, Region, np.ndarray | None]]:
    """Yields the results in the order of the work. Limits the pieces under way by the given memory."""
    context = multiprocessing.get_context("spawn")  # libraries with threads of their own do not survive a fork
    with ProcessPoolExecutor(jobs, mp_context=context, initializer=worker.begin) as pool:
        running: deque[tuple[Variable, Region, Future]] = deque()
        try:
            for variable, region in work:
                running.append((variable, region, pool.submit(Worker.copy, variable.name, region)))
                if len(running) >= WAITING * jobs:
                    done, place, future = running.popleft()
                    yield done, place, future.result()
            while running:
                done, place, future = running.popleft()
                yield done, place, future.result()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
