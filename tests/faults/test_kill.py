"""kill -9 of all processes at any moment: reported commits are in the files, and shared memory is released."""

import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from support.harness import Job, attached, inline, model, servers
from support.kills import CONFIG, SCENARIO, check_files

MOMENTS = 50
IN_ONE_TEST = 5


@pytest.mark.parametrize("series", range(MOMENTS // IN_ONE_TEST))
def test_every_committed_record_survives(tmp_path, series):
    moments = random.Random(series)
    job = Job(tmp_path)
    committed = 0
    for _ in range(IN_ONE_TEST):
        with job.start(model(2, **SCENARIO), servers(2), config=CONFIG) as running:
            running.wait_for("STEP 1\n")
            time.sleep(moments.uniform(0.0, 0.8))
            assert running.alive()
            running.kill()
        files, _ = check_files(running.folder)
        committed += files
    assert committed > 0, "no run was killed after a commit; the test is void"


LEAVES = """
import os
number, start = os.getpid(), open("/proc/self/stat").read().rsplit(")", 1)[1].split()[19]
name = f"/dev/shm/tailrace-{os.stat('/proc/self/ns/pid').st_ino}-{number}-{start}-0123456789abcdef"
with open(name, "wb") as segment:
    segment.write(bytes(4096))
print(name)
"""


@pytest.mark.parametrize("serving", [servers(1), attached(), inline()], ids=str)
def test_shared_memory_of_dead_processes_is_removed(tmp_path, serving):
    """Segments are identified by the name of a process that has ended. (Another job may have removed them first.)"""
    left = subprocess.run([sys.executable, "-c", LEAVES], capture_output=True, text=True, check=True).stdout.strip()
    Job(tmp_path)(model(2, **SCENARIO | {"times": SCENARIO["times"][:5]}), serving, config=CONFIG).finished()
    assert not Path(left).exists()
