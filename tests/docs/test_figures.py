"""The figures: drawn ones are the output of their scripts, their numbers follow the rule that they show, and all are
small, well-formed, and shown on some page."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import xarray as xr
from support.harness import TREE, mpi_environment

FIGURES = sorted((TREE / "docs" / "figures").glob("*.svg"))


def test_the_drawn_figures_are_current():
    command = [sys.executable, str(TREE / "tools" / "make_figures"), "--check"]
    done = subprocess.run(command, env=mpi_environment(), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_means_in_the_figure_of_windows_are_right():
    """By the integral of a step function, instead of overlaps."""
    ends, values = np.array([4.0, 12.0, 13.0, 35.0]), np.array([1.0, 2.0, 3.0, 4.0])
    seconds = np.arange(0.0, 35.0) + 0.5  # all steps and windows begin and end at whole seconds
    held = values[np.searchsorted(ends, seconds)]
    means = [held[begin : begin + 10].mean() for begin in range(0, 35, 10)]
    text = (TREE / "docs" / "figures" / "windows.svg").read_text()
    shown = re.findall(r'<text class="mid bold" x="[\d.]+" y="208">([\d.]+)<', text)
    assert [float(word) for word in shown] == pytest.approx(means)


def test_the_figures_of_a_run_can_be_drawn_again(tmp_path, monkeypatch):
    """From a made-up run: the one that the figures show takes minutes."""
    monkeypatch.syspath_prepend(str(TREE / "docs" / "figures"))
    monkeypatch.syspath_prepend(str(TREE / "tests" / "report"))
    import density_current
    import made_up
    import report

    x, z = np.arange(50.0, 19200.0, 400.0), np.arange(50.0, 4800.0, 400.0)
    cold = -12 * np.exp(-(((x[:, None] - 5000) / 3000) ** 2) - (z / 2000) ** 2)
    theta = 300 + cold * np.linspace(0.5, 1, 4)[:, None, None]
    data = xr.Dataset(
        {"theta": (("time", "x", "y", "z"), theta[:, :, None, :])},
        {"time": [60.0, 300.0, 600.0, 900.0], "x": x, "z": z},
    )
    data.to_netcdf(tmp_path / "snapshots.nc")
    made_up.write(made_up.report(), tmp_path / "report.json")
    for svg, words in (
        (density_current.draw(tmp_path / "snapshots.nc"), ["900 s", "x (km)", "deviation of"]),
        (report.draw(tmp_path), ["Cost for the model", "high-water mark"]),
    ):
        ElementTree.fromstring(svg)
        assert [word for word in words if word not in svg] == []


def test_an_outline_is_shortened_within_the_tolerance(monkeypatch):
    monkeypatch.syspath_prepend(str(TREE / "docs" / "figures"))
    from density_current import needed

    angle = np.linspace(0, np.pi, 400)
    arc = 100 * np.column_stack([np.cos(angle), np.sin(angle)])
    kept = arc[needed(arc, 0.12)]
    assert len(kept) < 60
    middles = (kept[1:] + kept[:-1]) / 2
    assert np.all(np.abs(np.hypot(*middles.T) - 100) < 0.13)


@pytest.mark.parametrize("figure", FIGURES, ids=lambda path: path.stem)
def test_a_figure_is_small_and_whole_in_itself(figure):
    text = figure.read_text(encoding="utf-8")
    assert len(text) < 80_000
    root = ElementTree.fromstring(text)
    assert root.attrib["viewBox"]
    assert "prefers-color-scheme" in text and "<text" in text
    needed = re.findall(r'(?:href|src)="([^"]*)"|url\(([^)]*)\)', text)
    assert all(one.startswith("#") for pair in needed for one in pair if one), "nothing is loaded from elsewhere"


@pytest.mark.parametrize("figure", FIGURES, ids=lambda path: path.stem)
def test_a_figure_is_shown(figure):
    pages = [TREE / "README.md", *(TREE / "docs").rglob("*.md"), *(TREE / "examples").rglob("*.md")]
    assert any(re.search(rf"!\[[^\]]+\]\([^)]*figures/{figure.name}\)", page.read_text()) for page in pages)
