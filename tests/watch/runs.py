"""Runs of a small model that are watched, and `tailrace watch` as a user starts it."""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path

from support.harness import mpi_environment

MODEL = Path(__file__).parent / "globe.py"
CONFIGURATION = """
tailrace: 1
servers: {mode: attached, memory: 64 MiB}
model_time: {calendar: standard, start: 2026-01-01}
fields: {all: {every: 1 step, names: [ta, hp, me, column_mean, energy]}}
defaults: {write_every: 20 s}
output:
  globe.nc: {variables: [{field: ta, operation: snapshot, every: 10 s}]}
  pix.zarr: {format: zarr, variables: [{field: hp, operation: snapshot, every: 10 s}]}
  mesh.nc: {variables: [{field: me, operation: snapshot, every: 10 s}]}
  series.nc: {variables: [{group: scalars, operation: snapshot, every: 10 s}]}
groups: {scalars: [energy, column_mean]}
"""
ENVIRONMENT = mpi_environment(PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
STEPS = 8


def begin_run(folder: Path, pause: str = "0", shift: str = "0", steps: int = STEPS) -> subprocess.Popen:
    folder.mkdir(exist_ok=True)
    (folder / "run.yaml").write_text(CONFIGURATION)
    command = ["mpirun", "-n", "1", sys.executable, str(MODEL), "run.yaml", str(steps), pause, shift]
    with (folder / "log").open("w") as log:
        return subprocess.Popen(
            command, cwd=folder, env=ENVIRONMENT, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )


def finish(run: subprocess.Popen, folder: Path) -> Path:
    assert run.wait(120) == 0, (folder / "log").read_text()
    return folder


def until(condition, what: str, seconds: float = 60.0):
    """Its first true value."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, f"waited {seconds} s for {what}"
        time.sleep(0.02)
    return found


@dataclass
class Page:
    process: subprocess.Popen
    address: str
    port: int
    token: str

    def get(self, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
        """With the token, unless Authorization is given."""
        return self.ask("GET", path, {"Authorization": f"Bearer {self.token}"} | headers)

    def ask(self, method: str, path: str, headers: dict[str, str]) -> tuple[int, dict[str, str], bytes]:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, headers=headers)
            answer = connection.getresponse()
            return answer.status, {key.lower(): value for key, value in answer.getheaders()}, answer.read()
        finally:
            connection.close()


@contextmanager
def watching(folder: Path, *arguments: str):
    command = [sys.executable, "-m", "tailrace.cli", "watch", str(folder), *arguments]
    process = subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        line = process.stdout.readline()
        assert "#token=" in line, line + process.communicate(timeout=20)[0]
        address = line.split()[-1]
        port, token = address.removeprefix("http://127.0.0.1:").split("/#token=")
        yield Page(process, address, int(port), token)
        process.send_signal(signal.SIGTERM)
        rest = process.communicate(timeout=30)[0]
        assert process.returncode == 0 and "Traceback" not in rest, rest
    finally:
        process.kill()
        process.wait()
