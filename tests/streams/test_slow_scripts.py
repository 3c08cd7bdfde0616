"""The keeper of an action's queue, with a worker that takes long to load: a light one, which imports almost nothing."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

WORKER = """
import array, os, socket, sys, time
with open("tries", "a") as tries:
    tries.write("x")
keeper = socket.socket(fileno=int(sys.argv[-1]))
while os.path.getsize("tries") < int(sys.argv[1]) and not os.path.exists("open"):
    time.sleep(0.01)
keeper.send(b"loaded\\n")
while True:
    message, ancillary, _, _ = keeper.recvmsg(100, socket.CMSG_SPACE(4))
    if not message:
        break
    os.close(array.array("i", ancillary[0][2])[0])
    keeper.send(b"done\\n")
"""
KEEPER = """
import sys
from pathlib import Path
from tailrace.in_situ.supervisor import Supervisor
from tailrace.in_situ.tally import Tally
worker = [sys.executable, "-S", "-E", "worker.py", sys.argv[2]]
Supervisor(int(sys.argv[1]), worker, 60.0, float(sys.argv[3]), 1 << 30, Tally("slow", "draw", Path("."))).run()
"""
STEPS = 6


class Keeper:
    """The process of an action, and the server's end of its socket."""

    def __init__(self, folder: Path, tries: int, start_within: str):
        (folder / "worker.py").write_text(WORKER)
        (folder / "keeper.py").write_text(KEEPER)
        self.folder = folder
        self.socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(60)
        with theirs:
            command = [sys.executable, "keeper.py", str(theirs.fileno()), str(tries), start_within]
            self.process = subprocess.Popen(
                command, cwd=folder, pass_fds=[theirs.fileno()], stderr=subprocess.PIPE, text=True
            )

    def send_steps(self) -> None:
        for _ in range(STEPS):
            step = os.memfd_create("step")
            socket.send_fds(self.socket, [b"step 0"], [step])
            os.close(step)

    def end(self) -> tuple[dict, str]:
        """Its report and its log, when it has answered each step."""
        assert [self.socket.recv(100) for _ in range(STEPS)] == [b"done"] * STEPS
        self.socket.send(b"end 0")
        _, log = self.process.communicate(timeout=60)
        self.socket.close()
        return json.loads((self.folder / "in_situ.slow.json").read_text()), log


def test_it_is_tried_again_and_loses_no_step(tmp_path):
    """An action whose script was not loaded in 60 s was given up for good."""
    keeper = Keeper(tmp_path, tries=3, start_within="2")
    keeper.send_steps()
    report, log = keeper.end()
    assert (report["done"], report["not_tried"], report["outcome"]) == (STEPS, 0, "complete")
    assert report["failed"]["loading"] == 2
    assert log.count("its script was not loaded within 2 s (`start_within`); its process was ended") == 2


def test_it_is_given_up_after_three_tries(tmp_path):
    keeper = Keeper(tmp_path, tries=1000, start_within="0.3")
    keeper.send_steps()
    report, log = keeper.end()
    assert (report["done"], report["not_tried"], report["failed"]["loading"]) == (0, STEPS, 3)
    assert report["outcome"].startswith("given up: 3 processes failed one after the other, the last one so: its script")
    assert "it gets no further steps, and the run goes on" in log


@pytest.mark.parametrize("ends_before", [False, True])
def test_without_a_limit_it_is_waited_for(tmp_path, ends_before):
    """Also when the run has ended meanwhile."""
    keeper = Keeper(tmp_path, tries=1000, start_within="inf")
    keeper.send_steps()
    if ends_before:
        keeper.socket.send(b"end 0")
    while not (tmp_path / "tries").exists():
        assert keeper.process.poll() is None
    (tmp_path / "open").touch()
    if ends_before:
        assert [keeper.socket.recv(100) for _ in range(STEPS)] == [b"done"] * STEPS
        keeper.process.communicate(timeout=60)
        report = json.loads((tmp_path / "in_situ.slow.json").read_text())
    else:
        report, _ = keeper.end()
    assert (report["done"], report["failed"]["loading"], report["outcome"]) == (STEPS, 0, "complete")
