"""Files that come late, change, vanish or end while a job reads them; slow files; and processes that are killed or
stopped meanwhile. Models and their servers share the machine in several ways.

The usual run has each case in some of these ways, and 10 damaged files; TAILRACE_TEST_FAULTS=1 has all, and 200.
"""

import os
import random
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from support.forced import (
    ALL,
    PARTICIPANTS,
    TIMES,
    configuration,
    expect_error,
    expect_records,
    forced,
    readers,
    signal_readers,
    start,
    write,
)
from support.harness import SURVIVORS_LIVE, needs_survivors_of_signals, try_kill, works_in
from support.kills import make_readable
from support.reading import commits, read
from support.reading_inputs import got
from support.survivors import pid_of, said
from support.values import put_values

from .test_damaged_files import damage

LONG = bool(os.environ.get("TAILRACE_TEST_FAULTS"))
SECONDS = 5.0
SHAPE = (5, 7)


def each_way(*usual: str):
    return pytest.mark.parametrize("way", PARTICIPANTS if LONG else usual)


KILLED = "the process that reads ended by signal 9 (Killed); the file may be damaged"
WAITS = {"kind": "wait", "rank": 0, "step": 3}


def expect_output(folder: Path, at_least: int) -> None:
    """All records of the output are whole, and those of the last commit are among them."""
    make_readable(folder / "w.nc")
    data = read(folder / "w.nc")
    count = data.sizes["time"]
    committed = commits(folder).get("w.nc", {}).get("time", 0)
    assert count >= max(at_least, committed), f"{count} of {at_least} records; {committed} were committed"
    for record in range(count):
        np.testing.assert_array_equal(data.w.values[record], put_values(0, SHAPE, TIMES[record], record + 1))


@each_way("mpi", "inline")
def test_a_file_that_comes_late_is_awaited(job, way):
    with start(job, way, job.root / way, configuration(wait_for="40 s")) as running:
        running.wait_for("it is awaited")
        write(running.folder / "forcing.nc")
        result = running.wait().finished()
    expect_records(result.folder, ALL)


@each_way("shm", "attached")
def test_a_file_that_never_comes_is_an_error_of_ready(job, way):
    ranks, serving = PARTICIPANTS[way]
    result = job(forced(ranks), serving, config=configuration(wait_for="0.3 s"), folder=job.root / way)
    result.failed_with("tailrace.yaml:19:12  input.forcing.files: there is no file forcing.nc")


PATTERNS = {"shm": "part_{time:%Y%m%d_%H}.nc", "mpi": "part_*.nc", "attached": "part_2000????_{time:%H}.nc"}


@each_way("shm", "inline")
def test_later_files_come_while_the_model_runs(job, way):
    """A template or a glob matches them. Each is written when the model cannot go on without it."""
    folder = job.root / way
    write(folder / "part_20000101_00.nc", 10)
    config = configuration(files=PATTERNS.get(way, "part_*.nc"), wait_for="40 s")
    with start(job, way, folder, config, report_steps=True) as running:
        running.wait_for("STEP 9\n")
        write(folder / "part_20000101_10.nc", 1, 10)
        running.wait_for("STEP 10\n")
        write(folder / "part_20000101_11.nc", 9, 11)
        write(folder / "part_20000101_20.nc", 20, 20)
        result = running.wait().finished()
    expect_records(folder, ALL)
    expect_output(folder, len(TIMES))
    assert "was never received" not in result.output


@each_way("mpi", "inline")
def test_a_later_file_does_not_come(job, way):
    for on_trouble in ("stop", "hold"):
        folder = job.root / f"{way}_{on_trouble}"
        write(folder / "part_20000101_00.nc", 10)
        config = configuration(files="part_*.nc", wait_for="0.3 s", on_trouble=on_trouble)
        ranks, serving = PARTICIPANTS[way]
        result = job(forced(ranks), serving, config=config, folder=folder)
        message = "no file with a later record has come within 0.3 s (`wait_for`)"
        if on_trouble == "stop":
            expect_error(result, 'NOTHING at step 10: input "sst" (tailrace.yaml:', "), variable sst: ", ENDS, message)
            continue
        assert f"{message}; the last record that has come is used (`on_trouble: hold`)" in result.finished().output
        expect_records(folder, [min(record, 9) for record in ALL])
        expect_output(folder, len(TIMES))


@each_way("attached")
def test_a_later_file_is_not_whole_at_first(job, way):
    folder = job.root / way
    write(folder / "part_20000101_00.nc", 10)
    later = folder / "part_20000101_10.nc"
    config = configuration(files="part_*.nc", wait_for="40 s")
    with start(job, way, folder, config, report_steps=True) as running:
        running.wait_for("STEP 9\n")
        later.write_bytes(b"not yet")
        running.wait_for("input.forcing.files: part_20000101_10.nc: cannot open it")
        write(later, 30, 10)
        running.wait().finished()
    expect_records(folder, ALL)


ENDS = "a value is needed at 2000-01-01T10:00:00, but the last record ends at 2000-01-01T09:00:00"
CHANGED = ["forcing.nc: variable sst, record ", "(counted from 0): "]
DAMAGES = {
    "truncated": lambda path: os.truncate(path, 5000),
    "removed": lambda path: path.unlink(),
    "replaced": lambda path: write(path, 3),
}


ALL_DAMAGES = [(way, damage) for way in PARTICIPANTS for damage in DAMAGES]
SOME_DAMAGES = [("shm", "truncated"), ("mpi", "removed"), ("attached", "replaced"), ("inline", "truncated")]


@pytest.mark.parametrize(("way", "damage"), ALL_DAMAGES if LONG else SOME_DAMAGES)
def test_a_file_that_is_damaged_while_it_is_read(job, way, damage):
    """`stop` names file, variable and record; `hold` goes on with the last record that was read."""
    for on_trouble in ("stop", "hold"):
        folder = job.root / f"{way}_{damage}_{on_trouble}"
        write(folder / "forcing.nc")
        config = configuration(on_trouble=on_trouble)
        with start(job, way, folder, config, fault=WAITS, report_steps=True) as running:
            running.wait_for("STEP 2")  # some records ahead may have been read; how many makes no difference
            DAMAGES[damage](folder / "forcing.nc")
            (folder / "go").touch()
            result = running.wait()
        if on_trouble == "stop":
            expect_error(result, 'input "sst" (tailrace.yaml:', *CHANGED)
            continue
        result.finished()
        assert "; the last record that has come is used (`on_trouble: hold`)" in result.output
        last = int(got(folder, "sst", SHAPE)[-1, 0, 0]) // 100
        assert 2 <= last < len(TIMES), "the last record from before the damage"
        expect_records(folder, [min(record, last) for record in ALL])
        expect_output(folder, len(TIMES))


@each_way("shm", "inline")
def test_a_file_that_ends_before_the_model(job, way):
    ranks, serving = PARTICIPANTS[way]
    for on_trouble in ("stop", "hold"):
        folder = job.root / f"{way}_{on_trouble}"
        write(folder / "forcing.nc", 10)
        result = job(forced(ranks), serving, config=configuration(on_trouble=on_trouble), folder=folder)
        assert "was never received" not in result.output
        if on_trouble == "stop":
            expect_error(result, 'NOTHING at step 10: input "sst" (tailrace.yaml:', "), variable sst: ", ENDS)
            continue
        result.finished()
        expect_records(folder, [min(record, 9) for record in ALL])
        expect_output(folder, len(TIMES))


def two_entries(second: dict) -> tuple[dict, list[dict]]:
    """`sst` at each step, and `ice` of another entry from step 20 on."""
    config = configuration()
    config["input"]["slow"] = {"fields": {"ice": {"time": "previous"}}, "on_trouble": "stop"} | second
    sst = {"name": "sst", "grid": "sea", "units": "K"}
    return config, [sst, {"name": "ice", "grid": "sea", "units": "K", "from_step": 20}]


# (A server in mode inline reads in the calls of the model.)
@pytest.mark.parametrize("way", ["shm", "mpi", "attached"] if LONG else ["shm", "attached"])
def test_a_slow_file_does_not_hold_up_another_entry(job, way):
    folder = job.root / way
    write(folder / "forcing.nc")
    write(folder / "slow.nc", name="ice")
    config, inputs = two_entries({"files": "slow.nc"})
    with start(job, way, folder, config, inputs=inputs, fault=WAITS, report_steps=True) as running:
        running.wait_for("STEP 2\n")
        assert signal_readers(folder, signal.SIGSTOP, "slow.nc") == 1
        (folder / "go").touch()
        running.wait_for("STEP 19\n")
        assert signal_readers(folder, signal.SIGCONT, "slow.nc") == 1
        running.wait().finished()
    expect_records(folder, ALL)
    expect_records(folder, ALL[20:], "ice")


SLOW_SOURCE = """
import pathlib, time
import numpy as np
import xarray as xr
from tailrace import input_source

@input_source
def made(file):
    for hour in range(40):
        if hour == 5:
            while not pathlib.Path("release").exists():
                time.sleep(0.01)
        ice = 100.0 * hour + np.arange(35.0).reshape(1, 5, 7)
        yield xr.Dataset({"ice": (("time", "y", "x"), ice, {"units": "K"})},
                         {"time": ("time", [float(hour)], {"units": "hours since 2000-01-01"}),
                          "y": ("y", 50.0 * np.arange(5), {"units": "m"}),
                          "x": ("x", 50.0 * np.arange(7), {"units": "m"})})
"""


@each_way("shm", "inline")
def test_a_slow_function_does_not_hold_up_another_entry(job, way):
    """Its records come one after the other while the model runs."""
    folder = job.root / way
    write(folder / "forcing.nc")
    (folder / "slow.py").write_text(SLOW_SOURCE)
    config, inputs = two_entries({"source": {"python": "slow.py:made"}})
    with start(job, way, folder, config, inputs=inputs, report_steps=True) as running:
        running.wait_for("STEP 19\n")
        (folder / "release").touch()
        running.wait().finished()
    expect_records(folder, ALL)
    expect_records(folder, ALL[20:], "ice")


@pytest.mark.parametrize("way", ["shm", "mpi", "attached"] if LONG else ["mpi"])
def test_a_process_that_reads_is_killed_once(job, way):
    """In the middle of a read: it is stopped before the model asks for more."""
    folder = job.root / way
    write(folder / "forcing.nc")
    with start(job, way, folder, configuration(), fault=WAITS, report_steps=True) as running:
        running.wait_for("STEP 2\n")
        assert signal_readers(folder, signal.SIGSTOP, "forcing.nc") == 1
        (folder / "go").touch()
        running.wait_for("STEP 3\n")
        assert signal_readers(folder, signal.SIGKILL, "forcing.nc") == 1
        result = running.wait().finished()
    assert "it is read again in a new process" in result.output
    expect_records(folder, ALL)


DEADLY_SOURCE = """
import os, signal
import numpy as np
import xarray as xr
from xarray.backends import BackendArray
from xarray.core import indexing
from tailrace import input_source

class Deadly(BackendArray):
    shape, dtype = (40, 5, 7), np.dtype("f8")

    def __getitem__(self, key):
        return indexing.explicit_indexing_adapter(key, self.shape, indexing.IndexingSupport.BASIC, self.read)

    def read(self, key):
        hours = np.arange(40.0)[key[0]]
        if np.max(hours) >= 5:
            os.kill(os.getpid(), signal.SIGKILL)
        whole = 100.0 * np.arange(40.0).reshape(40, 1, 1) + np.arange(35.0).reshape(5, 7)
        return whole[key]

@input_source
def made(file):
    sst = xr.Variable(("time", "y", "x"), indexing.LazilyIndexedArray(Deadly()), {"units": "K"})
    return xr.Dataset({"sst": sst},
                      {"time": ("time", np.arange(40.0), {"units": "hours since 2000-01-01"}),
                       "y": ("y", 50.0 * np.arange(5), {"units": "m"}),
                       "x": ("x", 50.0 * np.arange(7), {"units": "m"})})
"""


@each_way("mpi")
def test_each_process_that_reads_a_record_is_killed(job, way):
    """The second one is not replaced."""
    ranks, serving = PARTICIPANTS[way]
    folder = job.root / way
    write(folder / "forcing.nc")
    (folder / "deadly.py").write_text(DEADLY_SOURCE)
    config = configuration(source={"python": "deadly.py:made"}, lead=1)
    result = job(forced(ranks), serving, config=config, folder=folder)
    expect_error(result, "NOTHING at step 5: ", "forcing.nc: variable sst, record 5 (counted from 0): ", KILLED)
    assert f"record 5 (counted from 0): {KILLED}; it is read again in a new process" in result.output
    assert not readers(folder)


@each_way("shm", "inline")
def test_a_process_that_reads_is_stopped(job, way):
    """The server's patience with it ends; the process that takes its place is stopped too."""
    folder = job.root / way
    write(folder / "forcing.nc")
    ranks, serving = PARTICIPANTS[way]
    scenario = forced(ranks, fault=WAITS, report_steps=True)
    environment = {"TAILRACE_READER_PATIENCE": "0.5"}
    with job.start(scenario, serving, config=configuration(), folder=folder, environment=environment) as running:
        running.wait_for("STEP 2\n")
        signal_readers(folder, signal.SIGSTOP)
        (folder / "go").touch()
        result = running.wait().finished()
    assert "did not answer within 0.5 s; it is read again in a new process" in result.output
    expect_records(folder, ALL)
    assert not readers(folder)


@needs_survivors_of_signals
@pytest.mark.parametrize(
    ("way", "victim"),
    [(way, victim) for way in ("shm", "mpi") for victim in ("model", "server")]
    if LONG
    else [("shm", "model"), ("mpi", "server")],
)
def test_nobody_waits_for_a_rank_that_is_killed_while_it_reads(job, way, victim):
    """The others hear of it in time; what the output had until then is whole, and no process is left."""
    ranks, serving = PARTICIPANTS[way]
    folder = job.root / f"{way}_{victim}"
    write(folder / "forcing.nc")
    scenario = forced(ranks, pace=0.05, report_steps=True, exchange_values=0)
    environment = {"PLAYER_LEAVES_AT_ONCE": "1"}
    options = {"config": configuration(), "folder": folder, "launcher": SURVIVORS_LIVE, "environment": environment}
    with job.start(scenario, serving, **options) as running:
        running.wait_for("STEP 5\n")
        assert readers(folder), "a server reads"
        try_kill(pid_of(running, 0 if victim == "model" else ranks))
        begin = time.monotonic()
        while any(works_in(pid, folder) for pid in running.rank_pids()) or readers(folder):
            assert time.monotonic() - begin < SECONDS, running.log.read_text(errors="replace")
            time.sleep(0.01)
    told = said(folder)
    assert "UNEXPECTED" not in told
    assert "ERROR" in told, told
    assert commits(folder)["w.nc"]["time"] > 0
    expect_output(folder, 1)


def test_damaged_files_do_not_end_a_server(job):
    """The output is whole whatever is in a file of input. A job with a file that can be read goes on to its end."""
    dice = random.Random(34)
    good = job.root / "good.nc"
    write(good, 6, fletcher32=True)  # so that damaged values are found
    told = {"finished": 0, "refused by ready": 0, "refused by get": 0}
    for number in range(200 if LONG else 10):
        folder = job.root / f"damaged{number}"
        folder.mkdir()
        damage(good, folder / "forcing.nc", dice)
        way = list(PARTICIPANTS)[number % len(PARTICIPANTS)]
        ranks, serving = PARTICIPANTS[way]
        scenario = forced(ranks, times=TIMES[:4])
        environment = {"TAILRACE_READER_PATIENCE": "10"}
        result = job(scenario, serving, config=configuration(), folder=folder, environment=environment)
        assert "UNEXPECTED" not in result.output and "signal" not in result.output.replace("by signal", ""), (
            result.output
        )
        if result.status == 0:
            told["finished"] += 1
            expect_output(folder, 4)
        elif "NOTHING" in result.output:
            told["refused by get"] += 1
            expect_error(result, "forcing.nc")
        else:
            told["refused by ready"] += 1
            result.failed_with("forcing.nc")
        if result.status != 0 and (folder / "w.nc").exists():
            expect_output(folder, 0)
    print(told)
    assert all(told.values()) or not LONG, told
    assert told["finished"] < sum(told.values()), told
