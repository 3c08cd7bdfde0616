"""The files of make_grid: what checkers and readers say, what is refused, and reading back."""

import importlib.util
import shutil
import signal
import subprocess
import time

import netCDF4
import numpy as np
import pytest
from grids import PROGRAMS, Grid, made, run
from support.checkers import BIN, cfchecks, quick_complaints

MESHES = ("triangles", "hexagons")


@pytest.fixture(scope="module", params=MESHES)
def path(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("file") / f"{request.param}.nc"
    run("make_grid", "R2B2", path, "--mesh", request.param)
    return path


def test_it_is_read_back(path):
    assert "all arrays are as they are made" in run("make_grid", "--check", path)


def test_a_changed_bit_is_found(path, tmp_path):
    copy = tmp_path / "changed.nc"
    shutil.copy(path, copy)
    with netCDF4.Dataset(copy, "a") as data:
        data["dual_area"][17] = np.nextafter(data["dual_area"][17], 0)
    assert run("make_grid", "--check", copy, status=1) == "dual_area differs in the range from vertex 0\n"


def test_checkers_find_nothing(path):
    if not (BIN / "ugrid-checker").exists():
        pytest.skip("ugrid-checker is not installed")
    done = subprocess.run([BIN / "ugrid-checker", path], capture_output=True, text=True)
    assert "No problems found" in done.stdout, done.stdout
    assert cfchecks(path) == []
    told = quick_complaints(path)
    assert [one for one in told if "_connectivity is not a valid cf_role value" not in one] == []  # UGRID's roles


@pytest.mark.skipif(not shutil.which("cdo"), reason="cdo is not installed")
def test_cdo_reads_it(path):
    area = "cell_area" if path.stem == "triangles" else "dual_area"
    done = subprocess.run(["cdo", "griddes", f"-selname,{area}", path], capture_output=True, text=True)
    assert "Warning" not in done.stderr
    assert "gridtype  = unstructured" in done.stdout
    corners, faces = (3, 1280) if area == "cell_area" else (6, 642)
    assert f"gridsize  = {faces}" in done.stdout
    assert f"nvertex   = {corners}" in done.stdout
    # CDO's own areas from the corners, on a sphere of its own radius.
    own = subprocess.run(["cdo", "-s", "outputf,%.10g,1", "-gridweights", f"-selname,{area}", path],
                         capture_output=True, text=True, check=True)  # fmt: skip
    weights = np.array(own.stdout.split(), dtype=float)
    areas = getattr(Grid(path), area)
    assert np.allclose(weights, areas / areas.sum(), rtol=1e-7)


@pytest.mark.skipif(not importlib.util.find_spec("uxarray"), reason="uxarray is not installed")
def test_uxarray_opens_it(path):
    import uxarray

    grid = uxarray.open_grid(path)
    faces = (1280, 642) if path.stem == "triangles" else (642, 1280)
    assert (grid.n_face, grid.n_node) == faces
    area = Grid(path).cell_area if path.stem == "triangles" else Grid(path).dual_area
    assert np.allclose(grid.face_areas, area / 6.37122e6**2, rtol=1e-3)


def test_only_the_mesh(tmp_path):
    path = tmp_path / "mesh.nc"
    run("make_grid", "R2B1", path, "--contents", "mesh")
    with netCDF4.Dataset(path) as data:
        assert "kite_area" not in data.variables
        assert data["cell_area"][:].sum() == pytest.approx(4 * np.pi * 6.37122e6**2)
    text = run("make_grid", "--check", path, status=2)
    assert text.startswith(f"make_grid: {path}: variable orientation_of_normal: ")


def test_a_file_is_not_replaced(path):
    before = path.read_bytes()
    text = run("make_grid", "R2B1", path, status=2)
    assert text == f"make_grid: {path}: exists already; it is not replaced\n"
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("2B4", "a.nc"), "'2B4': expected the name of a grid, RnBk with whole numbers, such as R2B4"),
        (("R2B", "a.nc"), "'R2B': expected the name of a grid, RnBk with whole numbers, such as R2B4"),
        (("R2B1",), "'R2B1': expected the name of a file behind it"),
        (("R2B1", ""), "'R2B1': expected the name of a file behind it"),
        (("R2B1", "--mesh", "hexagons"), "'R2B1': expected the name of a file behind it"),
        (("R2B1", "a.nc", "--mesh"), "--mesh: expected a value behind it"),
        (("R2B1", "a.nc", "--iterations", "1.5"), "--iterations: expected a whole number, not '1.5'"),
        (("--check",), "--check: expected one file, not 0"),
        (("R0B2", "a.nc"), "root: expected at least 1, not 0"),
        (("R9B12", "a.nc"), "R9B12: its edges are more than 32 bits can count"),
        (("R2B1", "a.nc", "--relax", "sprung"), "--relax: 'sprung' is unknown (known: centroidal, none, spring)"),
        (("R2B1", "a.nc", "--radios", "1"), "'--radios' is unknown (known: --mesh, --relax, "),
        (("R2B1", "a.nc", "--radius", "-1"), "radius: expected a positive length in m"),
        (("R2B1", "a.nc", "--radius", "inf"), "radius: expected a positive length in m"),
        (
            ("R2B1", "/no/such/folder/a.nc"),
            "/no/such/folder/a.nc: cannot be created: the folder /no/such/folder is ",
        ),
        (("--check", "/no/such/file.nc"), "/no/such/file.nc: cannot be opened: "),
    ],
)
def test_what_is_refused(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run("make_grid", *arguments, status=2).startswith(f"make_grid: {message}")
    assert list(tmp_path.iterdir()) == []


def test_a_temporary_file_of_others_stays(tmp_path):
    part = tmp_path / "a.nc.part"
    part.write_text("precious")
    told = run("make_grid", "R2B1", tmp_path / "a.nc", status=2)
    assert told == f"make_grid: {part}: exists already; it is not replaced\n"
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("a.nc.part", "precious")]


def test_nothing_is_left_where_a_file_cannot_grow(tmp_path):
    path = tmp_path / "a.nc"
    limit = f"ulimit -f 64; trap '' XFSZ; exec {PROGRAMS['make_grid']} R2B4 {path}"
    done = subprocess.run(["bash", "-c", limit], capture_output=True, text=True, timeout=120)
    assert done.returncode == 2 and f"make_grid: {path}.part: " in done.stderr, done
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_nothing_is_left_after_a_signal(tmp_path, number):
    command = [PROGRAMS["make_grid"], "R2B7", tmp_path / "a.nc", "--contents", "mesh"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while not list(tmp_path.iterdir()):
            assert process.poll() is None
            time.sleep(0.001)
        process.send_signal(number)
        assert process.wait(timeout=60) == -number
    assert list(tmp_path.iterdir()) == []


def test_the_radius_scales_lengths_and_areas(tmp_path):
    one, two = (made(tmp_path, "R2B1", "--radius", radius) for radius in (1.0, 2.0))
    assert np.array_equal(2 * one.edge_length, two.edge_length)
    assert np.array_equal(4 * one.dual_area, two.dual_area)
    assert np.array_equal(one.edge_point, two.edge_point)
