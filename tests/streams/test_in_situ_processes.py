"""The processes of an action without a run: each test plays the server of one."""

import importlib.util
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from tailrace import sink
from tailrace.in_situ.worker import call
from tailrace.streams.errors import StreamError
from tailrace.streams.snapshots import open_image

FUNCTIONS = Path(__file__).with_name("functions.py")


@pytest.fixture
def step(tmp_path) -> Path:
    values = np.arange(30.0).reshape(1, 5, 6)
    step = xr.Dataset({"w": (("time", "y", "x"), values, {"units": "m s-1"}), "name": ("y", list("abcde"))})
    step = step.assign_coords(time=("time", [7.0], {"units": "seconds since 2026-01-01", "calendar": "standard"}))
    step.to_netcdf(tmp_path / "step.nc", unlimited_dims=["time"])
    return tmp_path / "step.nc"


def in_memory(content: bytes):
    image = os.fdopen(os.memfd_create("step"), "w+b")
    image.write(content)
    image.flush()
    return image


class Action:
    def __init__(self, folder: Path, function: str, timeout: float = 60.0, memory: int = 2 << 30):
        self.folder = folder
        shutil.copy(FUNCTIONS, folder)
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        options = {"socket": theirs.fileno(), "name": "test", "script": "functions.py", "function": function}
        options |= {"timeout": timeout, "start-within": 60.0, "memory": memory, "report": folder}
        command = [sys.executable, "-P", "-m", "tailrace.in_situ", *(f"--{key}={options[key]}" for key in options)]
        with theirs, (folder / "log").open("w") as log:
            self.process = subprocess.Popen(command, pass_fds=[theirs.fileno()], cwd=folder, stderr=log)

    def hand(self, step: Path) -> None:
        with in_memory(step.read_bytes()) as image:
            socket.send_fds(self.socket, [b"step 0"], [image.fileno()])

    def end(self) -> dict:
        self.socket.send(b"end 0")
        assert self.process.wait(timeout=60) == 0
        self.socket.close()
        return json.loads((self.folder / "in_situ.test.json").read_text())

    def log(self) -> str:
        return (self.folder / "log").read_text()


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def await_that(happens) -> None:
    end = time.monotonic() + 30
    while not happens():
        assert time.monotonic() < end
        time.sleep(0.01)


@pytest.mark.parametrize("reader", ["netCDF4", "h5netcdf"])
def test_a_step_is_read_with_what_the_interpreter_has(monkeypatch, step, reader):
    found = importlib.util.find_spec
    missing = {"netCDF4", "h5netcdf"} - {reader}
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None if name in missing else found(name, *a))
    given = []
    with in_memory(step.read_bytes()) as image:
        call(given.append, image.fileno())
    with xr.open_dataset(step) as whole:
        xr.testing.assert_identical(given[0], whole)
    assert len(given) == 1


def test_an_interpreter_without_a_reader_is_reported(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *a: None)
    with pytest.raises(StreamError, match="needs netCDF4 or h5netcdf: pip install"), open_image(-1):
        pass


def test_a_refused_step_is_reported_and_not_kept():
    descriptors = len([*Path("/proc/self/fd").iterdir()])
    with in_memory(b"no NetCDF" * 1000) as image, pytest.raises(OSError, match="NetCDF: "):
        call(print, image.fileno())
    assert "memfd:step" not in Path("/proc/self/maps").read_text()
    assert len([*Path("/proc/self/fd").iterdir()]) == descriptors


@pytest.mark.parametrize(
    ("function", "outcome"),
    [("starts", "done"), ("starts_and_hangs", "timeout"), ("starts_and_leaves", "crashed")],
)
def test_processes_of_a_function_end_with_it(tmp_path, step, function, outcome):
    action = Action(tmp_path, function, timeout=1.0)
    action.hand(step)
    report = action.end()
    assert {"done": report["done"], **report["failed"]}[outcome] == 1
    started = (tmp_path / "started").read_text().split()
    assert [process for process in started if is_alive(int(process))] == []


def test_processes_of_a_function_end_when_a_supervisor_is_killed(tmp_path, step):
    action = Action(tmp_path, "starts_and_hangs")
    action.hand(step)
    await_that((tmp_path / "started").exists)
    here, *away = (int(process) for process in (tmp_path / "started").read_text().split())
    action.process.send_signal(signal.SIGKILL)
    action.process.wait()
    await_that(lambda: not is_alive(here))
    for process in away:  # in separate sessions: no process is left that knows them
        os.kill(process, signal.SIGKILL)


def test_memory_of_processes_of_a_function_counts(tmp_path, step):
    action = Action(tmp_path, "starts_what_holds", timeout=20.0, memory=256 << 20)
    action.hand(step)
    assert action.end()["failed"] == {"loading": 0, "raised": 0, "timeout": 0, "crashed": 0, "memory": 1}
    assert "MiB; 256 MiB are allowed (`memory`)" in action.log()


def test_memory_that_processes_share_counts_once(tmp_path, step):
    action = Action(tmp_path, "has_a_pool", timeout=20.0, memory=512 << 20)
    action.hand(step)
    report = action.end()
    assert (report["done"], report["last_error"]) == (1, "")


def test_a_function_can_end_its_processes(tmp_path, step):
    action = Action(tmp_path, "ends_what_it_starts", timeout=20.0)
    action.hand(step)
    report = action.end()
    assert (report["done"], report["last_error"]) == (1, "")


def test_an_error_of_any_length_is_reported(tmp_path, step):
    action = Action(tmp_path, "tells_much")
    action.hand(step)
    action.hand(step)
    report = action.end()
    assert report["failed"]["raised"] == 2 and report["failed"]["crashed"] == 0
    assert report["last_error"].startswith("tells_much raised ValueError: ää")
    assert 'functions.py", line' in action.log()


def gathered(folder: Path) -> list[str]:
    return (folder / "gathered").read_text().splitlines()


def test_a_sink_closes_what_it_opened(tmp_path, step):
    action = Action(tmp_path, "gathers")
    for _ in range(3):
        action.hand(step)
    report = action.end()
    assert (report["done"], report["failed"]["raised"], report["outcome"]) == (3, 0, "complete")
    assert gathered(tmp_path) == ["open", *[str(float(sum(range(30))))] * 3, "closed"]


def test_a_sink_without_steps_is_not_called(tmp_path):
    assert Action(tmp_path, "gathers").end()["outcome"] == "complete"
    assert not (tmp_path / "gathered").exists()


def test_a_sink_that_raises_is_called_anew(tmp_path, step):
    action = Action(tmp_path, "fails_at_second")
    for _ in range(5):
        action.hand(step)
    report = action.end()
    assert (report["done"], report["failed"]["raised"], report["outcome"]) == (3, 2, "complete")
    assert gathered(tmp_path) == ["2026-01-01T00:00:07"] * 3
    assert "fails_at_second raised ValueError: the second one (at " in action.log()


def test_a_sink_that_returns_is_called_anew(tmp_path, step):
    action = Action(tmp_path, "takes_two")
    for _ in range(4):
        action.hand(step)
    report = action.end()
    assert (report["done"], report["not_tried"], report["outcome"]) == (4, 0, "complete")
    assert gathered(tmp_path) == ["2", "2"]


@pytest.mark.parametrize(
    ("function", "kind", "told"),
    [
        ("fails_at_its_end", "raised", "fails_at_its_end raised ValueError: 2 records are too many"),
        ("hangs_at_its_end", "timeout", "the end of the function lasted longer than 1 s (`timeout`) and was ended"),
        ("leaves_at_its_end", "crashed", "its process ended with status 3"),
    ],
)
def test_a_sink_that_fails_at_its_end_is_reported(tmp_path, step, function, kind, told):
    action = Action(tmp_path, function, timeout=1.0 if kind == "timeout" else 60.0)
    action.hand(step)
    action.hand(step)
    report = action.end()
    assert (report["done"], report["failed"][kind]) == (2, 1)
    assert told in action.log() and report["last_error"].startswith(told)


def test_a_sink_that_hangs_in_its_loop_is_replaced(tmp_path, step):
    action = Action(tmp_path, "hangs_in_its_loop", timeout=1.0)
    action.hand(step)
    action.hand(step)
    report = action.end()
    assert (report["done"], report["failed"]["timeout"]) == (0, 2)
    assert "a step lasted longer than 1 s (`timeout`) and was ended" in action.log()


def test_a_sink_that_would_do_nothing_is_refused():
    def yields(records):
        yield from records

    async def waits(records):
        return records

    async def yields_later(records):
        yield records

    for function in (yields, waits, yields_later):
        told = f"the sink {function.__name__} has a `yield` or is `async`; expected a function with a loop"
        with pytest.raises(TypeError, match=told):
            sink(function)


def test_nothing_is_started_after_the_last_step(tmp_path, step):
    (tmp_path / "loads").touch()
    action = Action(tmp_path, "hangs", timeout=2.0)
    action.hand(step)
    assert action.end()["failed"]["timeout"] == 1
    assert (tmp_path / "loads").read_text() == "once\n"


def test_a_process_without_a_server_ends_quietly(tmp_path):
    own, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    own.close()
    command = [sys.executable, "-P", "-m", "tailrace.in_situ.worker", FUNCTIONS, "keep", str(theirs.fileno())]
    environment = os.environ | {"TAILRACE_SUPERVISOR": str(os.getpid())}
    with theirs:
        ended = subprocess.run(command, pass_fds=[theirs.fileno()], cwd=tmp_path, env=environment, capture_output=True)
    assert (ended.returncode, ended.stderr) == (0, b"")
