"""tools/sum_results: the last line of ./quickstart test."""

import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).resolve().parent.parent.parent / "tools" / "sum_results"

CTEST = """<?xml version="1.0"?><testsuite>
<testcase name="a" status="run"/><testcase name="b" status="fail"><failure message=""/></testcase>
<testcase name="c" status="notrun"><skipped message="SKIP"/></testcase></testsuite>"""
PYTEST = """<?xml version="1.0"?><testsuites><testsuite><testcase name="d"/>
<testcase name="e"><error message=""/></testcase><testcase name="f"><skipped/></testcase></testsuite></testsuites>"""


def total(*arguments):
    done = subprocess.run([sys.executable, TOOL, *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def test_two_runners_are_added_up(tmp_path):
    (tmp_path / "c.xml").write_text(CTEST)
    (tmp_path / "p.xml").write_text(PYTEST)
    assert total(f"ctest={tmp_path}/c.xml", f"pytest={tmp_path}/p.xml")[:2] == (1, "2 passed, 2 failed, 2 skipped\n")


def test_all_passed(tmp_path):
    (tmp_path / "p.xml").write_text('<testsuite><testcase name="d"/></testsuite>')
    assert total(f"pytest={tmp_path}/p.xml")[:2] == (0, "1 passed, 0 failed, 0 skipped\n")


def test_a_runner_that_crashed_counts_as_failed(tmp_path):
    (tmp_path / "p.xml").write_text('<testsuite><testcase name="d"/>')  # cut off
    status, output, error = total(f"pytest={tmp_path}/p.xml", f"ctest={tmp_path}/missing.xml")
    assert (status, output) == (1, "0 passed, 2 failed, 0 skipped\n")
    assert "pytest did not come to its end" in error
    assert "ctest did not come to its end" in error


def test_nothing_run_is_not_a_success(tmp_path):
    (tmp_path / "p.xml").write_text("<testsuite/>")
    assert total(f"pytest={tmp_path}/p.xml")[0] == 1
