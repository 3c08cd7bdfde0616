"""The steps that come from the supervisor to the process of the function."""

import os
import socket
import sys
from collections.abc import Iterator

import xarray

from tailrace.streams.records import Position
from tailrace.streams.selection import Selection
from tailrace.streams.snapshots import open_image

DONE = b"done\n"


def read_step(descriptor: int) -> list[xarray.Dataset]:
    """The records of a step, decoded; of most steps there is one."""
    with open_image(descriptor) as records:
        return [records.read(step, Selection(), "step") for step in records.steps(Position())]


class Feed:
    """One step at a time: the next one is sent when this one is settled."""

    def __init__(self, supervisor: socket.socket):
        self.supervisor = supervisor
        self.descriptor: int | None = None  # of the step that is not settled yet

    def wait(self) -> bool:
        """Waits for the next step; false when there will be none."""
        message, descriptors, _, _ = socket.recv_fds(self.supervisor, 100, 1)
        if not message:
            return False
        self.descriptor = descriptors[0]
        return True

    def settle(self, answer: bytes) -> None:
        if self.descriptor is not None:
            os.close(self.descriptor)
            self.descriptor = None
        sys.stdout.flush()
        self.supervisor.send(answer)

    def records(self) -> Iterator[xarray.Dataset]:
        """Those of this step and of all that follow. A step is done when its next one is asked for."""
        assert self.descriptor is not None
        while True:
            yield from read_step(self.descriptor)
            self.settle(DONE)
            if not self.wait():
                return
