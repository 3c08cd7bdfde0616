"""The page of igcm: its blocks run in their order, with the programs of the build."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import matplotlib.image
import numpy as np
from grids import IGCM
from support.harness import TREE, mpi_environment

PAGE = TREE / "igcm" / "README.md"
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_page_leads_to_a_picture(tmp_path):
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "igcm").symlink_to(IGCM)
    (tmp_path / "igcm").symlink_to(TREE / "igcm")
    environment = mpi_environment(PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    ran = 0
    for language, words, text in FENCE.findall(PAGE.read_text(encoding="utf-8")):
        if name := re.search(r"file=(\S+)", words):
            (tmp_path / name[1]).write_text(text)
        if language == "python":
            ast.parse(text)
        elif "run" in words.split():
            command = ["bash", "-euo", "pipefail", "-c", text]
            done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
            assert done.returncode == 0, f"{text}{done.stdout}{done.stderr}"
            ran += 1
    assert ran == 3
    assert (tmp_path / "wave.gif").stat().st_size > 100_000
    assert np.ptp(matplotlib.image.imread(tmp_path / "wave.png")[..., :3]) > 0.9
    picture = matplotlib.image.imread(tmp_path / "harmonic.png")[..., :3]
    red, _, blue = np.moveaxis(picture, -1, 0)
    warm, cold = np.mean(red - blue > 0.3), np.mean(blue - red > 0.3)
    assert warm > 0.03
    assert abs(warm - cold) < 0.3 * warm, "a harmonic has as much of each sign"


def test_links_lead_somewhere():
    links = re.findall(r"\]\(([^)#]+)\)", PAGE.read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if "://" not in link and not (PAGE.parent / link).exists()] == []
