"""Jobs whose output is a stream of ADIOS2 (SST), their readers, and their processes."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import xarray as xr

from support.harness import block_grid, field, model, servers, works_in
from support.values import put_values, varying_times

READER = Path(__file__).with_name("sst_reader.py")
SHAPE = (3, 7, 11)
STEPS = 200
TIMES = varying_times(STEPS, seed=13)


def configuration(**options) -> dict:
    """A stream, and a file with the same contents."""
    what = {
        "write_every": "1 step",
        "time_stamp": "end",
        "attributes": {"title": "a stream"},
        "variables": [{"field": "w", "time": "snapshot", "every": "1 step"}],
    }
    return {
        "model_time": {"calendar": "standard", "start": "2026-01-01"},
        "fields": {"state": {"every": "1 step", "names": ["w"]}},
        "output": {
            "out": {"format": "adios2", "adios2": {"engine": "sst", **options}, **what},
            "beside.nc": what,
        },
    }


def start(job, pace=0.02, folder: Path | None = None, late: bool = False, write_every: bool = True, **options):
    """`late`: the first step waits until the file `go` exists. `write_every`: whether it is given."""
    player = model(2, grids=[block_grid(shape=SHAPE)], fields=[field("w", "les")], times=TIMES, pace=pace)
    player.scenario["report_steps"] = True
    if late:
        player.scenario["fault"] = {"kind": "wait", "rank": 0, "step": 1}
    config = configuration(**options)
    if not write_every:
        del config["output"]["out"]["write_every"]
    return job.start(player, servers(1), config=config, folder=folder)


def check_file(running) -> None:
    """Checks that the file with the same contents is complete."""
    with xr.open_dataset(running.folder / "beside.nc") as file:
        assert file.sizes["time"] == STEPS
        for number in range(STEPS):
            expected = put_values(0, SHAPE, TIMES[number], number + 1)
            np.testing.assert_array_equal(file.w[number], expected)


def contact(running) -> Path:
    path = running.folder / "out.sst"
    end = time.monotonic() + 30
    while not path.exists():
        assert running.alive() and time.monotonic() < end, running.log.read_text(errors="replace")
        time.sleep(0.01)
    return path


def reader(running, pause=0.0, most=100000, name="out") -> subprocess.Popen:
    command = [sys.executable, str(READER), str(running.folder / name), str(pause), str(most)]
    output = (running.folder / f"reader.{time.monotonic_ns()}").open("w+")
    process = subprocess.Popen(command, cwd=running.folder, stdout=output, stderr=subprocess.STDOUT)
    process.lines_in = Path(output.name)
    return process


def lines(process) -> list[dict]:
    text = process.lines_in.read_text(errors="replace").splitlines()
    return [json.loads(line) for line in text if line.startswith("{") and line.endswith("}")]


def processes(running) -> list[int]:
    """The processes of the stream: its supervisor, and the one with ADIOS2."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (path / "comm").read_text() == "tailrace_sst\n" and works_in(int(path.name), running.folder):
                found.append(int(path.name))
    return sorted(found)


def worker(running) -> int:
    """The process with ADIOS2, whose parent is the supervisor."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        with contextlib.suppress(OSError):
            pids = processes(running)
            for pid in pids:
                if int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1]) in pids:
                    return pid
        time.sleep(0.01)
    raise AssertionError("there is no process of the stream")


def sockets_of(pid: int) -> set[str]:
    """The inodes of the sockets of a process."""
    found = set()
    with contextlib.suppress(OSError):
        for entry in Path(f"/proc/{pid}/fd").iterdir():
            target = str(entry.readlink())
            if target.startswith("socket:["):
                found.add(target[8:-1])
    return found


def listening(running) -> set[int]:
    """TCP ports on which processes of the job listen, at all addresses. Without those of ranks for MPICH's launcher,
    which garbage would end."""
    inodes = set().union(*(sockets_of(pid) for pid in [*running.rank_pids(), *processes(running)]))
    inodes -= sockets_of(running.process.pid)
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return {
        int(row[1].split(":")[1], 16)
        for row in rows
        if row[3] == "0A" and row[9] in inodes and row[1].startswith("00000000")
    }


def is_connected(running, process: subprocess.Popen | None = None) -> bool:
    """Whether any process, or this one, is connected to a port of the stream."""
    ports = listening(running)
    own = process and sockets_of(process.pid)
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return any(
        row[3] == "01" and int(row[2].split(":")[1], 16) in ports and (own is None or row[9] in own) for row in rows
    )


@contextlib.contextmanager
def standing_still(running):
    """Stops the model, for instance until a consumer is connected."""
    contact(running)
    model = int((running.folder / "pid.0").read_text())
    os.kill(model, signal.SIGSTOP)
    try:
        yield
    finally:
        (running.folder / "go").touch()
        os.kill(model, signal.SIGCONT)


def wait_for_reader(running, process: subprocess.Popen | None = None) -> None:
    """Waits for any reader, or for this one."""
    end = time.monotonic() + 60
    while not is_connected(running, process):
        assert running.alive() and time.monotonic() < end
        assert process is None or process.poll() is None
        time.sleep(0.02)
    time.sleep(0.5)  # until it has sent its requests


def go_slowly_until(running, done: Callable[[], bool]) -> None:
    """Lets the model do only a few steps at a time, so that it does not end before."""
    end = time.monotonic() + 120
    while not done():
        assert running.alive() and time.monotonic() < end
        with standing_still(running):
            time.sleep(0.5)
        time.sleep(0.05)


def wait_for_first_steps(running, *readers: subprocess.Popen) -> None:
    """Waits until each has read a step."""
    go_slowly_until(running, lambda: all(lines(process) for process in readers))


def counts(running) -> dict[str, int]:
    """The report's counts of the stream's steps, which must add up to all steps."""
    report = json.loads((running.folder / "tailrace_report" / "report.json").read_text())
    found = next(file["stream"] for file in report["files"] if file["path"] == "out")
    assert sum(found[name] for name in ("handed_over", "unread", "discarded", "lost")) == STEPS
    return found
