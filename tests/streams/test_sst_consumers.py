"""tailrace.stream on a running job over SST: each step once, in order, and gaps are counted on both sides.

TAILRACE_TEST_STREAM_KILLS=20: number of kills of a consumer (default 2).
"""

import os
import pickle
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import xarray as xr
from support.sst import STEPS, check_file, counts, go_slowly_until, standing_still, start, wait_for_reader, worker

pytest.importorskip("adios2", reason="ADIOS2 is not installed")

KILLS = int(os.environ.get("TAILRACE_TEST_STREAM_KILLS", "2"))


@pytest.fixture
def folder(tmp_path) -> Path:
    """The folder of the job. Consumers may wait for it."""
    return tmp_path / "run"


def consume(folder: Path, name: str, pause: float = 0.0) -> subprocess.Popen:
    into = folder.parent / name
    into.mkdir(exist_ok=True)
    command = [sys.executable, Path(__file__).with_name("consumer.py"), folder / "out.sst", into, "first", pause]
    consumer = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    consumer.folder = into
    return consumer


def end_of(consumer: subprocess.Popen) -> None:
    out, _ = consumer.communicate(timeout=60)
    assert out.splitlines()[-1:] == ["END"], out


def how_many(consumer) -> int:
    return len(list(consumer.folder.glob("*.pickle")))


def wait_for_steps(running, consumer, more_than: int) -> None:
    end = time.monotonic() + 60
    while how_many(consumer) <= more_than and running.alive():
        assert time.monotonic() < end and consumer.poll() is None
        time.sleep(0.01)


def check(consumer) -> list[xr.Dataset]:
    """Each step once, in order, and equal to that in the file of the same job."""
    steps = [pickle.loads(path.read_bytes()) for path in sorted(consumer.folder.glob("*.pickle"))]
    numbers = [step.encoding["step"] for step in steps]
    assert numbers == sorted(set(numbers)), numbers
    with xr.open_dataset(consumer.folder.parent / "run" / "beside.nc", engine="netcdf4") as whole:
        for number, step in zip(numbers, steps, strict=True):
            xr.testing.assert_identical(step, whole.isel(time=[number]))
    return steps


def assert_gaps_are_told(steps: list[xr.Dataset]) -> None:
    """For one reader: the missed steps are the gaps in the numbers of its steps."""
    for step, count in zip(steps, range(1, len(steps) + 1), strict=True):
        assert step.encoding["missed"] == step.encoding["step"] - steps[0].encoding["step"] + 1 - count


def test_each_step_once_in_order_as_in_the_file(job, folder):
    consumer = consume(folder, "got")
    with start(job, pace=0.01, folder=folder, late=True, when_full="block") as running:
        with standing_still(running):
            wait_for_reader(running)
        running.wait(90).finished()
        end_of(consumer)
    check_file(running)
    steps = check(consumer)
    assert [step.encoding["step"] for step in steps] == list(range(STEPS))
    assert_gaps_are_told(steps)
    assert counts(running) == {"handed_over": STEPS, "unread": 0, "discarded": 0, "lost": 0, "restarts": 0}


def test_small_records_are_sent_at_once(job, folder):
    """Without `write_every` they came in bursts of a minute, which `step.encoding["step"]` counted."""
    consumer = consume(folder, "got")
    with start(job, pace=0.05, folder=folder, late=True, write_every=False, when_full="block") as running:
        with standing_still(running):
            wait_for_reader(running)
        wait_for_steps(running, consumer, 5)
        assert running.alive(), "the records came when the run had ended"
        running.wait(90).finished()
        end_of(consumer)
    assert [step.encoding["step"] for step in check(consumer)] == list(range(STEPS))


def test_gaps_for_a_slow_consumer_are_counted_on_both_sides(job, folder):
    quick = consume(folder, "quick")
    with start(job, pace=0.02, folder=folder, late=True, queue=4) as running:
        with standing_still(running):
            wait_for_reader(running, quick)
            slow = consume(folder, "slow", pause=0.2)
            wait_for_reader(running, slow)
        go_slowly_until(running, lambda: how_many(slow) > 0)
        running.wait(120).finished()
        end_of(quick)
        slow.wait(60)  # steps that it could not read in time are dropped
    check_file(running)
    steps = check(quick)
    assert_gaps_are_told(steps)
    told = counts(running)
    assert told["discarded"] > 0 and told["unread"] == told["lost"] == told["restarts"] == 0
    assert steps[0].encoding["step"] == 0
    assert len(steps) == told["handed_over"]
    assert_gaps_are_told(check(slow))


def test_a_killed_consumer_that_reconnects_knows_its_gaps(job, folder):
    dice = random.Random(KILLS)
    first = [0]
    consumer = consume(folder, "got")
    with start(job, pace=0.04, folder=folder, late=True) as running:
        with standing_still(running):
            wait_for_reader(running)
        for _ in range(KILLS):
            wait_for_steps(running, consumer, first[-1])
            time.sleep(dice.uniform(0.0, 2.0 / KILLS))
            consumer.kill()
            consumer.wait()
            time.sleep(dice.uniform(0.0, 2.0 / KILLS))
            with standing_still(running):
                first.append(how_many(consumer))
                consumer = consume(folder, "got")
                wait_for_reader(running)
        running.wait(90).finished()
        end_of(consumer)
    check_file(running)
    steps = check(consumer)
    for begin, end in zip(first, [*first[1:], len(steps)], strict=True):
        assert begin < end
        assert_gaps_are_told(steps[begin:end])
    told = counts(running)
    # In addition to the counts of the report, each death and each connection loses a few steps in flight.
    counted, gaps = told["unread"] + told["discarded"] + told["lost"], STEPS - len(steps)
    assert 0 < counted <= gaps <= counted + 8 * (KILLS + 1)


def test_a_consumer_continues_when_the_stream_is_restarted(job, folder):
    consumer = consume(folder, "got")
    with start(job, pace=0.02, folder=folder, late=True) as running:
        with standing_still(running):
            wait_for_reader(running)
        wait_for_steps(running, consumer, 5)
        os.kill(worker(running), signal.SIGKILL)
        before = how_many(consumer)
        time.sleep(0.5)  # during which steps are lost
        with standing_still(running):
            wait_for_reader(running)
        result = running.wait(90).finished()
        end_of(consumer)
    check_file(running)
    assert result.output.count("out: the process of the stream ended by signal 9 (Killed); it is begun anew") == 1
    steps = check(consumer)
    assert_gaps_are_told(steps)
    told = counts(running)
    assert told["restarts"] == 1
    assert steps[-1].encoding["missed"] > 0 and len(steps) > before + 1
    assert told["lost"] + told["discarded"] + told["unread"] <= STEPS - len(steps)
