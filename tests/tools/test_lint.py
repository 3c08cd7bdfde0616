"""The sources have the form that tools/lint checks."""

import subprocess
import sys
from pathlib import Path

TREE = Path(__file__).resolve().parent.parent.parent


def test_lint():
    done = subprocess.run([sys.executable, TREE / "tools" / "lint"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-8000:]
