"""Fixtures of the whole-job tests."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from support import harness

# The files that take longest run first, so that no worker has one of them left at the end.
LONG = [
    "tools/test_check_threads.py",
    "analytics/test_user_operators.py",
    "analytics/test_unhappy.py",
    "analytics/test_failing_operators.py",
    "analytics/test_monc_style.py",
    "output/test_memory.py",
    "readers/test_readers.py",
    "docs/test_blocks.py",
    "checkpoint/test_refusals.py",
    "bubble/test_output.py",
    "readers/test_while_committed.py",
    "faults/test_going_on.py",
    "faults/test_signals.py",
    "faults/test_far_servers.py",
    "faults/test_kill.py",
]


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    place = {here / name: at for at, name in enumerate(LONG)}
    items.sort(key=lambda item: place.get(item.path, len(LONG)))


@pytest.fixture
def job(tmp_path):
    """Runs whole MPI jobs, each in its own folder within the test's temporary folder."""
    if not harness.PLAYER.exists():
        pytest.fail(f"{harness.PLAYER} is not built: run ./quickstart build")
    return harness.Job(tmp_path)
