"""Streams of ADIOS2 (SST): readers come, go and misbehave, and the model does not notice."""

import base64
import json
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from support.harness import block_grid, field, model, servers
from support.values import put_values, varying_times

pytest.importorskip("adios2", reason="ADIOS2 is not installed")

READER = Path(__file__).parents[1] / "support" / "sst_reader.py"
SHAPE = (3, 7, 11)
STEPS = 200
TIMES = varying_times(STEPS, seed=13)


def configuration(**options) -> dict:
    return {
        "fields": {"state": {"every": "1 step", "names": ["w"]}},
        "output": {
            "out": {
                "format": "adios2",
                "adios2": {"engine": "sst", **options},
                "write_every": "1 step",
                "time_stamp": "end",
                "attributes": {"title": "a stream"},
                "variables": [{"field": "w", "time": "snapshot", "every": "1 step"}],
            }
        },
    }


def start(job, pace=0.02, steps=STEPS, **options):
    player = model(2, grids=[block_grid(shape=SHAPE)], fields=[field("w", "les")], times=TIMES[:steps], pace=pace)
    player.scenario["report_steps"] = True
    return job.start(player, servers(1), config=configuration(**options))


def contact(running) -> Path:
    path = running.folder / "out.sst"
    end = time.monotonic() + 30
    while not path.exists():
        assert running.alive() and time.monotonic() < end, running.log.read_text(errors="replace")
        time.sleep(0.01)
    return path


def reader(running, pause=0.0, most=100000) -> subprocess.Popen:
    command = [sys.executable, str(READER), str(running.folder / "out"), str(pause), str(most)]
    output = (running.folder / f"reader.{time.monotonic_ns()}").open("w+")
    process = subprocess.Popen(command, cwd=running.folder, stdout=output, stderr=subprocess.STDOUT)
    process.lines_in = Path(output.name)
    return process


def lines(process) -> list[dict]:
    text = process.lines_in.read_text(errors="replace").splitlines()
    return [json.loads(line) for line in text if line.startswith("{") and line.endswith("}")]


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


def listening(running) -> set[int]:
    """Ports of TCP on which processes of the job listen, of all addresses."""
    inodes = set()
    for pid in running.rank_pids():
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            target = str(entry.readlink())
            if target.startswith("socket:["):
                inodes.add(target[8:-1])
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return {
        int(row[1].split(":")[1], 16)
        for row in rows
        if row[3] == "0A" and row[9] in inodes and row[1].startswith("00000000")
    }


def test_a_reader_gets_each_step_and_the_contact_is_the_users_alone(job):
    with start(job, when_full="block") as running:
        path = contact(running)
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        process = reader(running)
        running.wait(60).finished()
        assert process.wait(30) == 0, process.lines_in.read_text()[-2000:]
    assert_steps(lines(process), all_of_them=True)


def test_nobody_has_to_read(job):
    with start(job, pace=0.0) as running:
        running.wait(30).finished()


def test_readers_come_and_go_and_a_slow_one_makes_gaps(job):
    with start(job, pace=0.03, queue=2) as running:
        contact(running)
        slow, fast, killed = reader(running, pause=0.3), reader(running), reader(running)
        time.sleep(2.0)
        killed.kill()
        again = reader(running)
        running.wait(90).finished()
        for process in (slow, fast, again):
            process.wait(60)
        killed.wait()
    for process in (slow, fast):
        assert_steps(lines(process))
    assert len(lines(slow)) < STEPS


def test_a_stopped_reader_holds_nothing_up(job):
    with start(job, pace=0.01, queue=2) as running:
        contact(running)
        process = reader(running)
        end = time.monotonic() + 20
        while not lines(process) and time.monotonic() < end:
            time.sleep(0.05)
        process.send_signal(signal.SIGSTOP)
        try:
            running.wait(60).finished()
        finally:
            process.kill()
            process.wait()


def test_connections_and_readers_that_vanish_leave_the_run_as_it_is(job):
    with start(job, pace=0.03) as running:
        contact(running)
        ports = listening(running)
        assert ports
        for _ in range(100):
            for port in ports:
                socket.create_connection(("127.0.0.1", port), timeout=5).close()
        vanishing = [reader(running, most=1) for _ in range(4)]
        time.sleep(1.0)
        for process in vanishing:
            process.kill()
            process.wait()
        last = reader(running)
        running.wait(90).finished()
        last.wait(30)
    assert_steps(lines(last))


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
        assert ports, "the contact file names no port of the job"
        for port in ports:
            with pytest.raises(OSError):
                socket.create_connection((address, port), timeout=0.5).close()
        running.wait(60).finished()
