"""The page of igcm/dsl: its blocks run in their order, as a user would run them."""

import os
import re
import subprocess
import sys
from pathlib import Path

from grids import IGCM
from stencils import DSL, stencilc
from support.harness import TREE, mpi_environment

PAGE = DSL / "README.md"
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_here(folder, text):
    """With the command stencilc, as pip installs it."""
    command = folder / "bin" / "stencilc"
    if not command.exists():
        command.parent.mkdir()
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m stencilc "$@"\n')
        command.chmod(0o755)
    path = os.pathsep.join([str(command.parent), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = mpi_environment(PATH=path, PYTHONPATH=str(DSL))
    command = ["bash", "-euo", "pipefail", "-c", text]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{text}{done.stdout}{done.stderr}"
    assert done.stderr == "", f"{text}{done.stderr}"
    return done.stdout


def test_the_page_runs(tmp_path):
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "igcm").symlink_to(IGCM)
    printed, ran = "", 0
    for language, words, text in FENCE.findall(PAGE.read_text(encoding="utf-8")):
        if name := re.search(r"file=(\S+)", words):
            (tmp_path / name[1]).write_text(text)
        elif "run" in words.split():
            printed += run_here(tmp_path, text)
            ran += 1
        elif language == "text" and text.startswith("kernel step"):
            assert text in printed
    assert ran == 9


def test_a_message_of_the_page(tmp_path):
    page = PAGE.read_text(encoding="utf-8")
    message = re.search(r"^heat\.gg\.c:\d+:\d+: error: .*$", page, re.MULTILINE)[0]
    source = next(text for _, words, text in FENCE.findall(page) if "file=heat.gg.c" in words)
    (tmp_path / "heat.gg.c").write_text(source.replace("weight[c, e] * flux[e, k]", "weight[c, e] * flux[c, k]"))
    assert stencilc("check", "heat.gg.c", cwd=tmp_path).stderr.splitlines()[0] == message


def test_links_lead_somewhere():
    links = re.findall(r"\]\(([^)#]+)\)", PAGE.read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (DSL / link).exists()] == []
    assert (TREE / "igcm/dsl").samefile(DSL)
