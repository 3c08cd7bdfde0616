"""The page of igcm: its blocks run in their order, with the programs of the build, and others read their files."""

import ast
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import matplotlib.image
import netCDF4
import numpy as np
import pytest
from grids import IGCM
from support.checkers import BIN, cdo_warnings, cfchecks, quick_complaints, ugrid_errors
from support.harness import TREE, mpi_environment

PAGE = TREE / "igcm" / "README.md"
FENCE = re.compile(r"^```(\w+)([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
MESHES = ("wave.nc", "wave_means.nc")
WRITTEN = (*MESHES, "wave_healpix.nc", "wave_latlon.nc", "wave_integrals.nc")
HEXAGONS, TRIANGLES = 2562, 5120  # of R2B3


@pytest.fixture(scope="module")
def page(tmp_path_factory) -> Path:
    """The folder in which the page has run."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "build").mkdir()
    (folder / "build" / "igcm").symlink_to(IGCM)
    (folder / "igcm").symlink_to(TREE / "igcm")
    environment = mpi_environment(PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    ran = 0
    for language, words, text in FENCE.findall(PAGE.read_text(encoding="utf-8")):
        if name := re.search(r"file=(\S+)", words):
            (folder / name[1]).write_text(text)
        if language == "python":
            ast.parse(text)
        elif "run" in words.split():
            command = ["bash", "-euo", "pipefail", "-c", text]
            done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
            assert done.returncode == 0, f"{text}{done.stdout}{done.stderr}"
            ran += 1
    assert ran == 3
    return folder


def test_it_leads_to_pictures(page):
    assert (page / "wave.gif").stat().st_size > 100_000
    for name in ("wave.png", "wave_spectrum.png"):
        assert np.ptp(matplotlib.image.imread(page / name)[..., :3]) > 0.9
    picture = matplotlib.image.imread(page / "harmonic.png")[..., :3]
    red, _, blue = np.moveaxis(picture, -1, 0)
    warm, cold = np.mean(red - blue > 0.3), np.mean(blue - red > 0.3)
    assert warm > 0.03
    assert abs(warm - cold) < 0.3 * warm, "a harmonic has as much of each sign"


def test_integrals(page):
    """The volume stays; of a Rossby-Haurwitz wave most of the kinetic energy does, too."""
    with netCDF4.Dataset(page / "wave_integrals.nc") as data:
        for name, change in (("mass", 1e-14), ("kinetic_energy", 0.05)):
            assert data[name].shape == (12,)
            assert np.ptp(data[name][:]) < change * data[name][0]


def test_checkers_find_nothing_in_its_files(page):
    if not (BIN / "ugrid-checker").exists():
        pytest.skip("ugrid-checker is not installed")
    paths = [page / name for name in WRITTEN]
    assert cfchecks(*paths) + quick_complaints(*paths) == []
    assert [told for name in MESHES for told in ugrid_errors(page / name)] == []


@pytest.mark.skipif(not shutil.which("cdo"), reason="cdo is not installed")
def test_cdo_reads_its_files(page):
    assert cdo_warnings(*(page / name for name in WRITTEN)) == []

    def ask(*words: object) -> str:
        done = subprocess.run(["cdo", "-s", *map(str, words)], capture_output=True, text=True, check=True, timeout=60)
        return done.stdout

    mesh = ask("griddes", "-selname,surface", page / "wave.nc")
    assert "gridtype  = unstructured" in mesh
    assert f"gridsize  = {HEXAGONS}" in mesh
    rows = ask("griddes", "-selname,surface", page / "wave_latlon.nc")
    assert "gridtype  = lonlat" in rows and "xsize     = 72" in rows and "ysize     = 36" in rows
    for name in ("wave.nc", "wave_healpix.nc", "wave_latlon.nc"):
        with netCDF4.Dataset(page / name) as data:
            own = data["surface"][-1].ravel()
        theirs = np.array(ask("outputf,%.17g,1", "-selname,surface", "-seltimestep,-1", page / name).split(), float)
        assert np.array_equal(theirs, own)


@pytest.mark.skipif(not importlib.util.find_spec("uxarray"), reason="uxarray is not installed")
def test_uxarray_opens_its_files(page):
    import uxarray

    for name, field in (("wave.nc", "surface"), ("wave_means.nc", "surface_mean")):
        with uxarray.open_dataset(page / name, page / name) as data:
            assert (data.uxgrid.n_face, data.uxgrid.n_node) == (HEXAGONS, TRIANGLES)
            assert float(data.uxgrid.face_areas.sum()) == pytest.approx(4 * np.pi, rel=1e-3)
            with netCDF4.Dataset(page / name) as own:
                assert np.array_equal(data[field].values, own[field][:])
            assert "n_face" in data[field].dims


@pytest.mark.skipif(
    not (importlib.util.find_spec("uxarray") and importlib.util.find_spec("healpix")),
    reason="uxarray or healpix is not installed",
)
def test_uxarray_opens_its_copy_on_healpix(page):
    import uxarray

    data = uxarray.UxDataset.from_healpix(page / "wave_healpix.nc")
    with netCDF4.Dataset(page / "wave_healpix.nc") as own:
        assert data.uxgrid.n_face == 12 * 4**4
        assert np.array_equal(data["surface"].values, own["surface"][:])


def test_links_lead_somewhere():
    links = re.findall(r"\]\(([^)#]+)\)", PAGE.read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if "://" not in link and not (PAGE.parent / link).exists()] == []
