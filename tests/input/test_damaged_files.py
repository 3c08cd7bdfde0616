"""Damaged files: each request is answered or ends the process, within its patience, and other files go on.

The usual run has some files of each kind; TAILRACE_TEST_FAULTS=1 has 200 for each process.
"""

import os
import random
import shutil
import time
from pathlib import Path

import numpy as np
import pytest
from support.reader_cases import NEW, WRITERS, Case, Var, cases
from support.reader_client import ReaderClient, ReaderGone, ReaderRefused

from .conftest import COMMANDS

LONG = bool(os.environ.get("TAILRACE_TEST_FAULTS"))
PATIENCE = 10.0
SEED = 34
# The formats, and how many damaged files of each: in the long form, and in the usual run.
KINDS = {"netCDF4 classic": (50, 8), "netCDF4 CDF-5": (50, 8), "netCDF4": (80, 12), "zarr 3": (20, 4)}
CUT, FLIPPED, ABSURD = range(3)


def contents() -> Case:
    found = cases()
    return Case(found["types"].variables | found["coordinates"].variables | found["attributes"].variables, NEW)


def damaged(good: bytes, dice: random.Random, how: int) -> bytes:
    """Cut off, with flipped bits, or with an absurd number; the header has the most of it."""
    bad = bytearray(good)
    if how == CUT:
        return bytes(bad[: dice.randrange(len(bad))])
    for _ in range(dice.choice([1, 3, 30])):
        at = dice.randrange(min(len(bad), 4000 if dice.random() < 0.7 else len(bad)))
        if how == FLIPPED:
            bad[at] ^= 1 << dice.randrange(8)
        else:
            bad[at : at + 8] = dice.choice([b"\xff" * 8, b"\x7f" + b"\xff" * 7])[: len(bad) - at]
    return bytes(bad)


def damage(good: Path, bad: Path, dice: random.Random) -> int:
    """A damaged copy of a file, or of a store with one damaged file of it."""
    how = dice.randrange(3)
    if good.is_file():
        bad.write_bytes(damaged(good.read_bytes(), dice, how))
        return how
    shutil.copytree(good, bad)
    victim = dice.choice(sorted(path for path in bad.rglob("*") if path.is_file() and path.stat().st_size))
    victim.write_bytes(damaged(victim.read_bytes(), dice, how))
    return how


class Reader:
    """Starts a process anew after one that ended, as a server does."""

    def __init__(self, command: list[str], good: Path, case: Case) -> None:
        self.command, self.good, self.case = command, good, case
        self.client: ReaderClient | None = None
        self.told = {"values": 0, "refused": 0, "gone": 0}

    def start(self) -> ReaderClient:
        if self.client is None:
            self.client = ReaderClient(self.command, PATIENCE)
        return self.client

    def read_all(self, path: Path) -> dict[str, np.ndarray]:
        client = self.start()
        file = client.open(path)
        try:
            return {
                name: client.read(file, name)
                for name, one in client.variables[file].items()
                if name in self.case.variables and np.prod(one["shape"], dtype=float) < 1e6
            }
        finally:
            client.close(file)

    def meet(self, path: Path) -> dict[str, np.ndarray] | None:
        begin = time.monotonic()
        try:
            got = self.read_all(path)
            self.told["values"] += 1
            return got
        except ReaderRefused as refused:
            assert str(refused), path
            self.told["refused"] += 1
        except (ReaderGone, TimeoutError, ConnectionError):
            self.told["gone"] += 1
            self.end()
        assert time.monotonic() - begin < 2 * PATIENCE + 10
        return None

    def goes_on(self) -> None:
        got = self.read_all(self.good)
        for name, one in self.case.variables.items():
            assert got[name].tobytes() == one.values.astype(got[name].dtype).tobytes(), name

    def end(self) -> None:
        if self.client is not None:
            self.client.__exit__()
        self.client = None


def same_bits(got: np.ndarray, one: Var) -> bool:
    return got.tobytes() == one.values.astype(got.dtype).tobytes()


@pytest.mark.long_form
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("process", "kind"),
    [(process, kind) for process in COMMANDS for kind in KINDS if process == "python" or WRITERS[kind].for_netcdf_c],
)
def test_damaged_files_end_the_process_at_worst(tmp_path, process, kind):
    case, dice = contents(), random.Random(f"{SEED} {kind}")
    good = WRITERS[kind].write(tmp_path, case)
    reader = Reader(COMMANDS[process], good, case)
    for number in range(KINDS[kind][0 if LONG else 1]):
        bad = tmp_path / f"{number}{good.suffix}"
        how = damage(good, bad, dice)
        got = reader.meet(bad)
        if how == CUT and got is not None and good.is_file():
            assert all(same_bits(values, case.variables[name]) for name, values in got.items()), f"{bad}: zeros"
        if number % 5 == 0 or got is None:
            reader.goes_on()
    reader.end()
    print(process, kind, reader.told)
    assert reader.told["refused"] > 0
