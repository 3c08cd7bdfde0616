"""Fixtures of the whole-job tests."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from support import harness


@pytest.fixture
def job(tmp_path):
    """Runs whole MPI jobs, each in its own folder below the test's temporary one."""
    if not harness.PLAYER.exists():
        pytest.fail(f"{harness.PLAYER} is not built: run ./quickstart build")
    return harness.Job(tmp_path)
