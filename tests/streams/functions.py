"""Functions that the actions of the tests call."""

import ctypes
import importlib.util
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

from tailrace import sink

HELD = []
if Path("loads").exists():
    with Path("loads").open("a") as loads:
        loads.write("once\n")


def keep(ds):
    """Stores each step as a file, by its time."""
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


def keep_interpreter(ds):
    compiled = importlib.util.find_spec("tailrace._core")
    Path("interpreter").write_text(f"{sys.prefix}\n{compiled}\n{float(ds.w[0, 0, 0, 0])}")


def starts(ds):
    """One process in its group, one in a separate session, and one in a separate session without a parent."""
    here = subprocess.Popen(["sleep", "1000"])
    away = subprocess.Popen(["sleep", "1000"], start_new_session=True)
    orphan = subprocess.run(
        ["sh", "-c", "setsid sleep 1000 >/dev/null 2>&1 & echo $!"], capture_output=True, check=True
    )
    Path("started.new").write_text(f"{here.pid} {away.pid} {int(orphan.stdout)}")
    Path("started.new").rename("started")


def starts_and_hangs(ds):
    starts(ds)
    time.sleep(1000)


def starts_and_leaves(ds):
    starts(ds)
    os._exit(3)


def starts_what_holds(ds):
    subprocess.run([sys.executable, "-c", "import time; held = bytearray(b'x') * (300 << 20); time.sleep(1000)"])


def ends_what_it_starts(ds):
    program = subprocess.Popen(["sleep", "1000"])
    fork = multiprocessing.get_context("fork").Process(target=time.sleep, args=(1000,))
    fork.start()
    for each in (program, fork):
        each.terminate()
    program.wait(10)
    fork.join(10)
    assert (program.returncode, fork.exitcode) == (-signal.SIGTERM, -signal.SIGTERM)


def _wait(number):
    time.sleep(0.2)
    return number


def has_a_pool(ds):
    """The processes of the pool share its memory."""
    held = bytearray(os.urandom(1 << 20)) * 200
    with multiprocessing.get_context("fork").Pool(4) as pool:
        assert pool.map(_wait, range(8), chunksize=1) == [*range(8)]
    del held


def tells_much(ds):
    raise ValueError("ä" * 300_000 + "\udcff")


@sink
def gathers(records):
    with Path("gathered").open("a") as file:
        file.write("open\n")
        for record in records:
            file.write(f"{float(record.w.sum())}\n")
        file.write("closed\n")


@sink
def fails_at_second(records):
    with Path("gathered").open("a") as file:
        for number, record in enumerate(records, start=1):
            if number == 2:
                raise ValueError("the second one")
            file.write(f"{record.time.dt.strftime('%FT%T').item()}\n")


@sink
def takes_two(records):
    with Path("gathered").open("a") as file:
        file.write(f"{len([next(records), next(records)])}\n")


@sink
def fails_at_its_end(records):
    count = len(list(records))
    raise ValueError(f"{count} records are too many")


@sink
def hangs_at_its_end(records):
    for _ in records:
        pass
    time.sleep(1000)


@sink
def hangs_in_its_loop(records):
    for _ in records:
        time.sleep(1000)


@sink
def leaves_at_its_end(records):
    for _ in records:
        pass
    os._exit(3)
