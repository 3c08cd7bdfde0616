"""Waiting for other components: warnings, and an end."""

import re
import signal
import subprocess
import sys

import pytest
from tailrace.yac.errors import PartnerError
from tailrace.yac.waiting import Patience

SET_UP = """
import sys, time
from tailrace.yac.waiting import Watcher
watcher = Watcher(*map(float, sys.argv[1:]))
watcher.phase("io waits for all; it has waited")
if sys.argv[2] == "0":
    watcher.end()
else:
    time.sleep(60)
"""


def test_a_wait_is_a_warning_and_then_an_error(capfd):
    with pytest.raises(PartnerError, match=r"ta has waited \d s\. The run ends here \(yac\.wait_for\)"):
        Patience(0.05, 0.2, True).wait(lambda: False, lambda waited: f"ta has waited {waited}")
    assert "tailrace: warning: ta has waited 0 s\n" in capfd.readouterr().err


def test_what_comes_is_no_message(capfd):
    looks = iter([False] * 500 + [True])
    Patience(30.0, 60.0, True).wait(lambda: next(looks), lambda waited: "late")
    assert capfd.readouterr().err == ""


def test_only_the_first_process_warns(capfd):
    with pytest.raises(PartnerError):
        Patience(0.05, 0.2, False).wait(lambda: False, lambda waited: f"ta has waited {waited}")
    assert capfd.readouterr().err == ""


def set_up(watchdog, limit):
    command = [sys.executable, "-c", SET_UP, watchdog, limit]
    return subprocess.run(command, capture_output=True, text=True, timeout=50)


def test_a_set_up_that_hangs_is_ended_by_the_process_beside_it():
    done = set_up("0.1", "0.5")
    assert done.returncode == -signal.SIGTERM
    warning, error = done.stderr.splitlines()
    assert re.fullmatch(r"tailrace: warning: io waits for all; it has waited for \d s", warning)
    ending = r"\. The run ends here \(yac\.wait_for\)"
    assert re.fullmatch(rf"tailrace: error: io waits for all; it has waited for \d s{ending}", error)


def test_a_set_up_that_ends_is_left_alone():
    done = set_up("30", "0")
    assert (done.returncode, done.stderr) == (0, "")
