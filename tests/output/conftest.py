"""The files of all jobs of this folder are checked against CF."""

import pytest
from support import harness


@pytest.fixture(autouse=True, scope="module")
def files_are_checked_against_cf():
    harness.CHECKS_FILES = True
    yield
    harness.CHECKS_FILES = False
