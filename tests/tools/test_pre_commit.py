"""The hooks of .pre-commit-config.yaml: they accept this tree, and refuse what they are for."""

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parent.parent.parent
CONFIG = TREE / ".pre-commit-config.yaml"


def pre_commit(tree: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess:
    path = os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]])
    environment = os.environ | {"PATH": path, "PRE_COMMIT_COLOR": "never"} | variables
    command = [sys.executable, "-m", "pre_commit", *arguments, "--config", CONFIG]
    return subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True)


@pytest.fixture
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "home"))


@pytest.mark.skipif(not (TREE / ".git").exists(), reason="pre-commit asks git for the files")
def test_this_tree(home):
    done = pre_commit(TREE, "run", "--all-files", "--show-diff-on-failure")
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-8000:]


@pytest.mark.parametrize(
    ("name", "text", "hook"),
    [
        ("a.cpp", "int  f( ) { return 1 ;}\n", "clang-format"),
        ("a.py", "import os\n", "ruff"),
        ("a.py", "x = {  'a':1 }\n", "ruff-format"),
        ("a.sh", "#!/bin/sh\necho $1\n", "shellcheck"),
        ("a.yaml", "a: 1", "end-of-file-fixer"),
        ("a.cmake", "set(a 1) \n", "trailing-whitespace"),
        ("a.txt", "x" * 125_000 + "\n", "check-added-large-files"),
        ("a.f90", "! " + "x" * 131 + "\n", "fortran"),
        ("a.f90", "\tend\n", "fortran"),
    ],
)
def test_a_hook_refuses(tmp_path, home, name, text, hook):
    tree = tmp_path / "tree"
    tree.mkdir()
    for words in (["init", "-q"], ["config", "user.name", "nobody"], ["config", "user.email", "nobody@nowhere"]):
        subprocess.run(["git", *words], cwd=tree, check=True)
    (tree / name).write_text("#!/bin/sh\n" if name == "a.sh" else "")
    subprocess.run(["git", "add", "--all"], cwd=tree, check=True)
    good = pre_commit(tree, "run", hook, "--all-files")
    assert good.returncode == 0, good.stdout + good.stderr
    (tree / name).write_text(text)
    bad = pre_commit(tree, "run", hook, "--all-files")
    assert bad.returncode == 1, bad.stdout + bad.stderr
    assert "Failed" in bad.stdout


def test_the_message_of_a_commit_is_checked(tmp_path, home):
    (tmp_path / "message").write_text("The words of a stopped rank\n")
    done = pre_commit(TREE, "run", "--hook-stage", "commit-msg", "--commit-msg-filename", str(tmp_path / "message"))
    assert done.returncode == 1
    assert 'begins with "The"' in done.stdout
