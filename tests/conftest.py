"""Fixtures of the whole-job tests, and how they are spread over the cores.

With -n auto, a file of tests runs on one worker (pyproject.toml). `./quickstart test` runs three selections one after
the other: `not alone`, `alone`, and `mpich` in MPICH's environment.
"""

import os
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

# The files that take longest (20 s and more on a quiet machine) run first, so that no worker has one of them left at
# the end.
LONG = [
    "tools/test_check_threads.py",
    "output/test_memory.py",
    "analytics/test_user_operators.py",
    "docs/test_blocks.py",
    "readers/test_while_committed.py",
    "analytics/test_unhappy.py",
    "analytics/test_failing_operators.py",
    "readers/test_readers.py",
    "analytics/test_monc_trace.py",
    "input/test_rules.py",
    "output/test_object_store.py",
    "streams/test_in_situ.py",
    "checkpoint/test_copies.py",
    "output/test_holes.py",
    "streams/test_hostile_peers.py",
    "checkpoint/test_chains.py",
    "analytics/test_monc_style.py",
    "checkpoint/test_memories.py",
    "checkpoint/test_refusals.py",
    "analytics/test_bits.py",
    "config/test_misuse.py",
    "output/test_adios2.py",
    "streams/test_sst_consumers.py",
    "convert/test_convert.py",
    "output/test_zarr.py",
    "streams/test_sst.py",
    "weights/test_outputs.py",
    "output/test_bits.py",
    "input/test_faults.py",
    "tools/test_new.py",
    "input/test_regridded_records.py",
    "input/test_whole_jobs.py",
    "../igcm/tests/test_readme.py",
    "../igcm/tests/test_model.py",
    "output/test_keep.py",
    "regrid/test_bits.py",
    "regrid/test_meshes.py",
    "bubble/test_output.py",
    "faults/test_signals.py",
    "faults/test_meeting.py",
    "faults/test_going_on.py",
    "faults/test_kill.py",
    "faults/test_far_servers.py",
    "faults/test_messages.py",
    "faults/test_survivors.py",
]
# Folders and files with a long form, which --faults asks for.
WITH_LONG_FORM = (
    "faults",
    "checkpoint",
    "output/test_adios2.py",
    "output/test_zarr.py",
    "input/test_faults.py",
    "streams/test_sst_consumers.py",
    "weights/test_damaged_files.py",
)


def pytest_addoption(parser):
    parser.addoption("--faults", action="store_true", help="only tests with kills and stops, in their long form")


def pytest_configure(config):
    if config.option.faults:
        os.environ |= {"TAILRACE_TEST_FAULTS": "1", "TAILRACE_TEST_STREAM_KILLS": "20"}
        config.option.markexpr = "long_form"
        config.option.reportchars = "P"


def pytest_xdist_auto_num_workers(config):
    """Two files for each core, since a job waits half of its time, for its launcher among others; one of those that
    look at times."""
    cores = len(os.sched_getaffinity(0))
    return 2 * cores if config.option.markexpr == "not alone" else cores


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    place = {(HERE / name).resolve(): at for at, name in enumerate(LONG)}
    items.sort(key=lambda item: place.get(item.path, len(LONG)))
    for item in items:
        if item.path.is_relative_to(HERE / "faults"):
            item.add_marker("alone")
        if any(item.path.is_relative_to(HERE / name) for name in WITH_LONG_FORM):
            item.add_marker("long_form")


@pytest.fixture
def job(tmp_path):
    """Runs whole MPI jobs, each in its own folder within the test's temporary folder."""
    from support import harness

    if not harness.PLAYER.exists():
        pytest.fail(f"{harness.PLAYER} is not built: run ./quickstart build")
    return harness.Job(tmp_path)
