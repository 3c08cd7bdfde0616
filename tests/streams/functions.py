"""Functions that the actions of the tests call."""

import ctypes
import os
import pickle
import time
from pathlib import Path

HELD = []


def keep(ds):
    """Each step as a file, by its time."""
    number = len(list(Path("kept").glob("*.pickle")))
    Path(f"kept/{number:04}.pickle").write_bytes(pickle.dumps(ds))


def keep_slowly(ds):
    time.sleep(0.2)
    keep(ds)


def fails(ds):
    if int(ds.w[0, 0, 0, 0]) % 2 == 0:
        raise ValueError(f"no even number, but {int(ds.w[0, 0, 0, 0])}")


def hangs(ds):
    time.sleep(1000)


def crashes(ds):
    ctypes.string_at(0)


def leaves(ds):
    os._exit(3)


def leaks(ds):
    HELD.append(bytearray(os.urandom(1 << 20)) * 300)
    time.sleep(0.5)
