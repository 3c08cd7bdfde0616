"""Keeps the queue of an action, and the process that calls its function within its time and memory."""

import os
import selectors
import signal
import socket
import time
from collections import deque
from contextlib import suppress

from .group import LOOK_EVERY, Worker, adopt_orphans
from .tally import Tally

STILL_LOADING_EVERY = 60.0  # seconds between two warnings that the script is not loaded yet
ENDING_SECONDS = 10.0  # for what the script does at its exit
CRASH_SECONDS = 0.2  # until a process whose socket is closed has ended
MOST_IN_A_ROW = 3  # processes that fail before the action is given up
WRITE_EVERY = 0.5  # seconds, the report
MESSAGE_BYTES = 65536


class Supervisor:
    def __init__(
        self, descriptor: int, command: list[str], timeout: float, start_within: float, memory: int, tally: Tally
    ):
        self.server = socket.socket(fileno=descriptor)
        self.command = command
        self.timeout = timeout
        self.start_within = start_within  # seconds until the script is loaded
        self.next_warning = STILL_LOADING_EVERY  # seconds after the start of the process
        self.memory = memory
        self.tally = tally
        self.queue: deque[int] = deque()  # descriptors of steps
        self.worker: Worker | None = None
        self.in_a_row = 0
        self.given_up = False
        self.heard_end = False
        self.is_heard = True
        self.written = 0.0

    def run(self) -> None:
        adopt_orphans()
        self._start()
        self._work()
        if self.worker and self.worker.is_sink:
            self.worker.begin_end()
            self._work()
        if self.worker:
            self.worker.end(min(self.timeout, ENDING_SECONDS) if self.worker.is_loaded else 0.0)
        if self.tally.outcome == "running":
            self.tally.outcome = "complete" if self.heard_end else "its server ended early"
        self.tally.write()

    def _work(self) -> None:
        while self.is_heard or self.queue or self._is_busy():
            self._wait()
            self._check_limits()
            self._next()
            if time.monotonic() - self.written > WRITE_EVERY:
                self.tally.write()
                self.written = time.monotonic()

    def _start(self) -> None:
        self.next_warning = STILL_LOADING_EVERY
        try:
            self.worker = Worker(self.command)
        except OSError as error:
            self._give_up(f"its process cannot be started: {error}")

    def _is_busy(self) -> bool:
        return self.worker is not None and self.worker.is_busy()

    def _wait(self) -> None:
        with selectors.DefaultSelector() as waiting:
            if self.is_heard:
                waiting.register(self.server, selectors.EVENT_READ, self._hear_server)
            if self.worker:
                waiting.register(self.worker.socket, selectors.EVENT_READ, self._hear_worker)
            for key, _ in waiting.select(LOOK_EVERY):
                key.data()

    def _hear_server(self) -> None:
        try:
            message, descriptors, _, _ = socket.recv_fds(self.server, MESSAGE_BYTES, 1)
        except OSError:
            message, descriptors = b"", []
        words = message.decode().split()
        if not words:
            self.is_heard = False
            return
        self.tally.discarded = int(words[1])
        if words[0] == "end":
            self.heard_end = True
            self.is_heard = False
        self.queue.extend(descriptors)

    def _hear_worker(self) -> None:
        worker = self.worker
        try:
            message = worker.socket.recv(MESSAGE_BYTES).decode(errors="replace")
        except OSError:
            message = ""
        word, _, rest = message.partition("\n")
        if word == "loaded":
            worker.is_loaded = True
            worker.is_sink = rest == "sink"
        elif word == "done":
            self.tally.succeeded(time.monotonic() - worker.since)
            self.in_a_row = 0
            self._finish_step()
        elif word == "raised":
            what, _, traceback = rest.partition("\n")
            self.tally.failed_by("raised", what, time.monotonic() - worker.since, traceback)
            self.in_a_row = 0
            self._finish_step()
        elif word == "ended":
            worker.is_ending = False
        elif word == "unloadable":
            self._give_up(rest)
        else:
            self._crashed()

    def _crashed(self) -> None:
        lasted = time.monotonic() - self.worker.since
        status = self.worker.process.poll()
        for _ in range(20):
            if status is not None:
                break
            time.sleep(0.01)
            status = self.worker.process.poll()
        how = f"signal {-status} ({signal.strsignal(-status)})" if status and status < 0 else f"status {status}"
        self._replace("crashed", f"its process ended with {how}", lasted)

    def _check_limits(self) -> None:
        worker = self.worker
        if worker is None:
            return
        lasted = time.monotonic() - worker.since
        held = worker.look(self.memory)
        if held > self.memory:
            self._replace(
                "memory",
                f"its process held {held >> 20} MiB; {self.memory >> 20} MiB are allowed (`memory`)",
                lasted,
            )
        elif worker.is_busy() and worker.is_loaded and lasted > self.timeout:
            what = "the end of the function" if worker.is_ending else "a step" if worker.is_sink else "a call"
            self._replace("timeout", f"{what} lasted longer than {self.timeout:g} s (`timeout`) and was ended", lasted)
        elif not worker.is_loaded and lasted > self.start_within:
            limit = f"{self.start_within:g} s (`start_within`)"
            self._replace("loading", f"its script was not loaded within {limit}; its process was ended", lasted)
        elif not worker.is_loaded and lasted > self.next_warning:
            self.next_warning += STILL_LOADING_EVERY
            self.tally.log(f"its script is not loaded after {lasted:.0f} s; steps wait for it (`start_within`)")

    def _replace(self, kind: str, what: str, lasted: float) -> None:
        had_step = self.worker.descriptor is not None
        self.tally.failed_by(kind, what, lasted if had_step else 0.0)
        self.worker.end(CRASH_SECONDS if kind == "crashed" else 0.0)
        self.worker = None
        if had_step:
            self._tell_done()
        self.in_a_row += 1
        if self.in_a_row >= MOST_IN_A_ROW:
            self._give_up(f"{self.in_a_row} processes failed one after the other, the last one so: {what}")
        elif self.is_heard or self.queue:
            self._start()

    def _finish_step(self) -> None:
        if self.worker.descriptor is None:  # a sink raised after its last step
            return
        os.close(self.worker.descriptor)
        self.worker.descriptor = None
        self._tell_done()

    def _tell_done(self) -> None:
        with suppress(OSError):
            self.server.send(b"done", socket.MSG_DONTWAIT)

    def _give_up(self, why: str) -> None:
        self.given_up = True
        self.tally.outcome = f"given up: {why}"
        self.tally.last_error = why
        self.tally.log(f"{why}; it gets no further steps, and the run goes on")
        if self.worker:
            had_step = self.worker.descriptor is not None
            self.worker.end()
            self.worker = None
            if had_step:
                self.tally.not_tried += 1
                self._tell_done()

    def _next(self) -> None:
        while self.given_up and self.queue:
            os.close(self.queue.popleft())
            self.tally.not_tried += 1
            self._tell_done()
        if self.queue and self.worker and self.worker.is_loaded and self.worker.descriptor is None:
            self.worker.call(self.queue.popleft())
