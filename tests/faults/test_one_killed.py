"""kill -9 of one rank, or of all, at any moment from `start` to the end, with a launcher that ends no other process: no
logged commit is lost, and no survivor waits longer than 5 s.

The usual run has a few kills; TAILRACE_TEST_FAULTS=1 has 1,000."""

import os
import random
import re
import shutil
import time
from collections import Counter
from pathlib import Path

import pytest
from support.harness import SURVIVORS_LIVE, Job, Running, attached, inline, model, servers, try_kill, works_in
from support.kills import CONFIG, SCENARIO, TIMES, check_files
from support.survivors import pid_of

KILLS = int(os.environ.get("TAILRACE_TEST_KILLS", 1000 if "TAILRACE_TEST_FAULTS" in os.environ else 16))
IN_ONE_TEST = 4 if KILLS < 100 else 50
SECONDS = 5.0
MODELS, STEPS = 2, 150
SERVING = {"shm": servers(2), "mpi": servers(2, transport="mpi"), "attached": attached(), "inline": inline()}
PLAYER = model(MODELS, **(SCENARIO | {"times": TIMES[:STEPS], "pace": 0.003, "exchange_values": 0}))


def start(job: Job, mode: str, write_delay: int) -> Running:
    environment = {"PLAYER_LEAVES_AT_ONCE": "1", "TAILRACE_FILE_DELAY": str(write_delay)}
    return job.start(PLAYER, SERVING[mode], config=CONFIG, environment=environment, launcher=SURVIVORS_LIVE)


def wait_until_all_have_begun(running: Running, ranks: int) -> None:
    """All have come to `start`, where each leaves a note for its node until all have met. If one died before, only the
    launcher would miss it."""
    end = time.monotonic() + 60
    come: set[int] = set()
    while len(come) < ranks and "STEP" not in running.log.read_text(errors="replace"):
        assert time.monotonic() < end, running.log.read_text(errors="replace")
        notes = [re.match(r"tailrace-\d+-(\d+)-\d+-meets-", path.name) for path in Path("/dev/shm").iterdir()]
        come |= {int(note[1]) for note in notes if note} & set(running.rank_pids())
        time.sleep(0.005)
    time.sleep(0.05)  # past the split of communicators, the one call in `start` that is not polled


def phase_of(output: str) -> str:
    steps = [int(step) for step in re.findall(r"STEP (\d+)", output)]
    if not steps:
        return "start and ready"
    if "FINISHED" in output:
        return "after finish"
    return "finish" if max(steps) == STEPS else "steps"


def seconds_until_all_end(running: Running, pids: list[int]) -> float:
    begin = time.monotonic()
    while any(works_in(pid, running.folder) for pid in pids):
        seconds = time.monotonic() - begin
        assert seconds < SECONDS, f"a survivor waits:\n{running.log.read_text(errors='replace')}"
        time.sleep(0.01)
    return time.monotonic() - begin


def kill_once(job: Job, mode: str, dice: random.Random, tally: Counter) -> float:
    """The seconds until the last survivor had ended."""
    ranks = MODELS + SERVING[mode].ranks
    write_delay = dice.choice([0, 2000])
    victims = list(range(ranks)) if dice.random() < 0.2 else [dice.randrange(ranks)]
    with start(job, mode, write_delay) as running:
        wait_until_all_have_begun(running, ranks)
        early = dice.random() < 0.3  # otherwise few kills would be in `start` and `ready`
        time.sleep(dice.uniform(0.0, 0.1 if early else 0.8 if write_delay == 0 else 1.4))
        alive = [rank for rank in victims if works_in(pid_of(running, rank), running.folder)]
        phase = phase_of(running.log.read_text(errors="replace"))
        tally.update({"kills": 1, f"in {phase}": 1} if alive else {"too late": 1})
        for rank in alive:
            try_kill(pid_of(running, rank))
        seconds = seconds_until_all_end(running, running.rank_pids())
        output = running.log.read_text(errors="replace")
        assert "UNEXPECTED" not in output, output
    committed, repaired = check_files(running.folder)
    tally.update({f"over {mode}": 1, f"{write_delay} us a write": 1, "files": committed, "repaired": repaired})
    shutil.rmtree(running.folder)
    return seconds


@pytest.mark.parametrize("series", range(KILLS // IN_ONE_TEST))
def test_no_commit_is_lost_and_nobody_waits(tmp_path, series):
    dice = random.Random(1000 + series)
    job = Job(tmp_path)
    tally: Counter = Counter()
    longest = 0.0
    while tally["kills"] < IN_ONE_TEST:
        mode = list(SERVING)[tally["kills"] % len(SERVING)]
        longest = max(longest, kill_once(job, mode, dice, tally))
    print(f"KILLS {dict(tally)}, longest wait {longest:.2f} s")
