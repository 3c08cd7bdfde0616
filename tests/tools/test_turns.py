"""Jobs that are run alternately on the cores, for benchmarks."""

import time
from pathlib import Path

from support import benchmarks

turns = benchmarks.module("turns")
JOB = ["python3", "-c", "import time\nprint('begun', flush=True)\ntime.sleep(0.3)\nprint('ended at', time.monotonic())"]


def job(folder: Path) -> turns.Turn:
    folder.mkdir()
    return turns.Turn(JOB, 1, folder, begun="begun", ended="ended")


def test_a_job_that_was_stopped_before_its_last_line_was_read_ends(tmp_path: Path) -> None:
    with job(tmp_path / "a") as turn:
        turn.run(0.0)
        assert not turn.over()
        assert turn.finish().of("ended")


def test_pauses_of_a_job_are_recorded(tmp_path: Path) -> None:
    with job(tmp_path / "a") as one, job(tmp_path / "b") as other:
        begin = time.monotonic()
        turns.take_turns([one, other])
        end = time.monotonic()
        for turn in (one, other):
            assert turn.finish().of("ended")
            assert turn.standstills
            assert 0 < turn.stood_still(begin, end) < end - begin
            assert not turn.ran_through(begin, end)
            assert turn.stood_still(end, end + 1) == 0
            assert turn.ran_through(end + 1, end + 2)
