"""`tailrace top`: once as plain text, and in a terminal until q, a signal or the end of the run."""

import contextlib
import os
import pty
import re
import signal
import subprocess
import sys
import termios

import made_up
import pytest
from runs import ENVIRONMENT, until
from status_pages import commit, server

COMMAND = [sys.executable, "-m", "tailrace.cli", "top"]


def top(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run(
        [*COMMAND, *arguments], env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.fixture
def folder(tmp_path):
    page = server(components=[{"name": "bubble", "step": 120, "time": 43.25, "steps_per_second": 12.34}])
    page["components"][0]["model_seconds_per_second"] = 4.0
    page |= {"pending_bytes": 1 << 20, "memory_bytes": 4 << 20, "warnings": {"count": 1, "last": ["the disk is slow"]}}
    made_up.write(page, tmp_path / "status.json")
    files = [commit(f"file{number}.nc", 10.0 * number) for number in range(1, 31)]
    (tmp_path / "commits.jsonl").write_text("\n".join([*files, ""]))
    return tmp_path


def test_once(folder):
    done = top(str(folder), "--once", "--until", "1 h")
    assert done.returncode == 0 and "\x1b" not in done.stdout, done.stderr
    words = " ".join(done.stdout.split())
    for text in ("bubble 120 43.25 s 12.3 4 days in 14 min 49 s", "1.0 MiB of 4.0 MiB", "Server 0: the disk is slow"):
        assert text in words, text
    assert "file1.nc 1 10 s" in words and "file30.nc 1 300 s" in words, "all files"
    assert max(map(len, done.stdout.splitlines())) <= 80


def test_without_a_terminal_it_prints_once(folder):
    assert "bubble" in top(str(folder)).stdout


def test_nothing_to_show(tmp_path):
    done = top(str(tmp_path), "--once")
    assert done.returncode == 2 and "no run has reported here" in done.stderr
    (tmp_path / ".session").touch()
    assert "no server has written its status yet" in top(str(tmp_path), "--once").stderr


def in_terminal(folder, act) -> tuple[int, str]:
    """The exit status and all output of a `top` in a terminal; `act(process, terminal)` ends it."""
    terminal, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    environment = ENVIRONMENT | {"TERM": "xterm", "LINES": "24", "COLUMNS": "80"}
    process = subprocess.Popen(
        [*COMMAND, str(folder)], env=environment, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    text = b""
    os.set_blocking(terminal, False)

    def read() -> bytes:
        nonlocal text
        with contextlib.suppress(OSError):  # nothing new, or the end
            text += os.read(terminal, 1 << 16)
        return text

    try:
        until(lambda: b"bubble" in read(), "the first picture")
        act(process, terminal)
        until(lambda: [read(), process.poll() is not None][1], "its end")
        read()
        assert termios.tcgetattr(theirs) == before, "the terminal is as it was"
    finally:
        process.kill()
        process.wait()
        os.close(terminal)
        os.close(theirs)
    return process.returncode, text.decode()


@pytest.mark.parametrize(
    "act",
    [
        lambda process, terminal: os.write(terminal, b"q"),
        lambda process, terminal: process.send_signal(signal.SIGINT),
        lambda process, terminal: process.send_signal(signal.SIGTERM),
        lambda process, terminal: process.send_signal(signal.SIGHUP),
    ],
    ids=["q", "SIGINT", "SIGTERM", "SIGHUP"],
)
def test_it_ends_cleanly(folder, act):
    status, text = in_terminal(folder, act)
    assert status == 0 and "Traceback" not in text
    assert text.count("\x1b[?1049h") == text.count("\x1b[?1049l") == 1, "the other screen is left again"
    shown = text.partition("\x1b[?1049l")[0]
    assert re.search(r"and \d\d more", shown) and "q ends" in shown, "what does not fit in 24 lines is counted"


def test_it_ends_with_the_run(folder):
    def end(process, terminal):
        made_up.write(server(state="complete"), folder / "status.json")

    status, text = in_terminal(folder, end)
    assert status == 0 and "complete" in text.rpartition("\x1b[?1049l")[2], "the last state stays"
