"""kill -9 of everything at any moment: what was reported committed is there."""

import random
import time

import pytest
from support.harness import Job, model, servers
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
    assert committed > 0, "no run was killed after a commit; the test says nothing"
