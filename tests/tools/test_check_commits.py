"""tools/check_commits: the hook refuses subjects that are too long or no imperatives, and recent commits pass it."""

import subprocess
import sys
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parent.parent.parent
TOOL = TREE / "tools" / "check_commits"
BASE = "d4a3eab0e24b0725982eabb82f0e7ee2f939b4b7"  # the last commit before the rule


def check(*arguments) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, TOOL, *arguments], cwd=TREE, capture_output=True, text=True)


def hook(folder: Path, message: str) -> subprocess.CompletedProcess:
    (folder / "message").write_text(message)
    return check(folder / "message")


@pytest.mark.parametrize(
    "message",
    [
        "Report ranks stopped during start after 5 s\n",
        "Make a failed close retryable by closing a duplicate descriptor\n\nThe system keeps the first.\n",
        "Pass the credit on\n# Please enter the commit message\n",
        "Feed the tree\n",
        "Re-read the index\n",
        "Merge branch 'a-branch-with-a-name-so-long-that-the-subject-is-longer-than-others-may-be' into main\n",
        'Revert "What was said before"\n',
        "Use " + "x" * 68 + "\n",
    ],
)
def test_a_good_message_passes(tmp_path, message):
    done = hook(tmp_path, message)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


@pytest.mark.parametrize(
    ("message", "why"),
    [
        ("Use " + "x" * 69, "has 73 characters, more than 72"),
        ("A rank that is stopped is named after 5 s", 'begins with "A"'),
        ("The wheel", 'begins with "The"'),
        ("What a loss costs", 'begins with "What"'),
        ("Of a function: who calls it", 'begins with "Of"'),
        ("Streams count the steps", 'begins with "Streams"'),
        ("Added a test", 'begins with "Added"'),
        ("Fixes the build", 'begins with "Fixes"'),
        ("Removing dead code", 'begins with "Removing"'),
        ("Tests: a rank that waits", 'begins with "Tests:"'),
        ("bench hoard builds without a warning", 'begins with "bench"'),
        ("BP5 writes blocks", 'begins with "BP5"'),
        ("Add a test\nof the close", "second line is not empty"),
        ("# only a comment\n", "there is no subject"),
    ],
)
def test_a_bad_message_is_refused(tmp_path, message, why):
    done = hook(tmp_path, message)
    assert (done.returncode, done.stderr) == (1, "")
    assert why in done.stdout


def test_the_recent_commits():
    shallow = subprocess.run(
        ["git", "-C", TREE, "rev-parse", "--is-shallow-repository"], capture_output=True, text=True
    ).stdout.strip()
    if shallow != "false":
        pytest.skip("the history is not there")
    done = check("--since", BASE)
    assert done.returncode == 0, done.stdout + done.stderr
