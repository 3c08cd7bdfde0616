"""Streams of ADIOS2 (SST): readers connect, disconnect and misbehave without an effect on the model."""

import base64
import signal
import socket
import stat

import numpy as np
import pytest
from support.sst import (
    SHAPE,
    STEPS,
    TIMES,
    check_file,
    contact,
    counts,
    lines,
    listening,
    reader,
    standing_still,
    start,
    wait_for_first_steps,
    wait_for_reader,
)
from support.values import put_values

pytest.importorskip("adios2", reason="ADIOS2 is not installed")


def assert_steps(found: list[dict], *, all_of_them: bool = False) -> None:
    """Each step once, in order, with its values, coordinates and attributes."""
    assert found, "nothing was read"
    places = [TIMES.index(line["time"][0]) for line in found]
    assert places == sorted(set(places))
    if all_of_them:
        assert places == list(range(places[0], STEPS))
    for line, place in zip(found, places, strict=True):
        values = np.frombuffer(bytes.fromhex(line["w"])).reshape(line["shape"])
        np.testing.assert_array_equal(values[0], put_values(0, SHAPE, TIMES[place], place + 1))
        assert line["z"] == [10.0, 30.0, 50.0]
        assert line["dims"] == "time z y x"
        assert line["title"] == "a stream"


def test_a_reader_gets_each_step_and_the_contact_file_is_private(job):
    with start(job, late=True, when_full="block") as running:
        path = contact(running)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        with standing_still(running):
            process = reader(running)
            wait_for_reader(running, process)
        wait_for_first_steps(running, process)
        running.wait(60).finished()
        assert process.wait(30) == 0, process.lines_in.read_text()[-2000:]
    assert_steps(lines(process), all_of_them=True)


@pytest.mark.parametrize("when_full", ["discard", "block"])
def test_no_reader_is_needed(job, when_full):
    """Servers that wait for readers do not wait for one that never connects."""
    with start(job, pace=0.0, when_full=when_full, queue=2) as running:
        running.wait(30).finished()
    check_file(running)
    told = counts(running)
    assert told["handed_over"] == told["lost"] == told["restarts"] == 0
    assert when_full == "discard" or told["unread"] == STEPS


def test_readers_come_and_go_and_a_slow_one_makes_gaps(job):
    with start(job, pace=0.03, queue=2) as running:
        with standing_still(running):
            slow, fast, killed = reader(running, pause=0.3), reader(running), reader(running)
            for process in (slow, fast, killed):
                wait_for_reader(running, process)
        wait_for_first_steps(running, slow, fast)
        killed.kill()
        again = reader(running)
        running.wait(90).finished()
        for process in (slow, fast, again):
            process.wait(60)
        killed.wait()
    for process in (slow, fast):
        assert_steps(lines(process))
    assert len(lines(slow)) < STEPS


def test_a_stopped_reader_delays_nothing(job):
    with start(job, pace=0.01, queue=2) as running:
        with standing_still(running):
            process = reader(running)
            wait_for_reader(running, process)
        wait_for_first_steps(running, process)
        process.send_signal(signal.SIGSTOP)
        try:
            running.wait(60).finished()
        finally:
            process.kill()
            process.wait()


def test_other_addresses_than_the_loopback_reach_nothing(job):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
        except OSError:
            pytest.skip("this machine has no address but the loopback")
        address = probe.getsockname()[0]
    with start(job, pace=0.02) as running:
        told = base64.b64decode(contact(running).read_text().splitlines()[-1].partition(":")[2])
        ports = [port for port in listening(running) if port.to_bytes(4, "little") in told]
        assert ports, "the contact file has no port of the job"
        for port in ports:
            with pytest.raises(OSError):
                socket.create_connection((address, port), timeout=0.5).close()
        running.wait(60).finished()
