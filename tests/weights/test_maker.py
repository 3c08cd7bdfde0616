"""`python -m tailrace.weights.maker`: the requests of servers."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from support.harness import mpi_environment
from support.weights import lat_lon_of, needs_cdo, needs_yac, rotated_lat_lon, run_maker, xyz_of

METHODS = ("conservative", "bilinear", "nearest", "average", "largest_area")
BOXES = {
    "kind": "latlon",
    "lat": list(np.linspace(-85, 85, 18)),
    "lon": list(np.arange(31) * 360 / 31),
    "lat_bounds": None,
    "lon_bounds": None,
    "shape": [18, 31],
    "lat_first": True,
}
HEALPIX = {"kind": "healpix", "level": 3, "order": "nested"}


def contents(path):
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        attributes = {name: file.getncattr(name) for name in file.ncattrs()}
        return attributes, {name: (one.dimensions, one[...].tobytes()) for name, one in file.variables.items()}


def rows(path):
    with netCDF4.Dataset(path) as file:
        file.set_auto_mask(False)
        names = ("row_start", "src_address", "dst_address", "remap_matrix")
        start, source, target, weight = (file[name][...] for name in names)
    assert (np.diff(target) >= 0).all() and (start == np.searchsorted(target, np.arange(1, len(start) + 1))).all()
    assert (np.diff(source)[np.diff(target) == 0] > 0).all()
    return start, source - 1, weight[:, 0]


def make(folder, source, target=HEALPIX, method="conservative", out="no.nc", part=(0, 1), **more):
    """The text of the error of a request; "" for success."""
    request = {"method": method, "source": source, "target": target, "slice": part, "out": str(folder / out), **more}
    return run_maker(folder, do="make", **request)


def in_parts(folder, tilt=40.0, corners=True):
    """A curvilinear grid as three ranks have it: columns 0 to 6, 7 to 13 and the rest."""
    (lat, lon), (lat_corners, lon_corners) = rotated_lat_lon(12, 22, tilt)
    number = np.arange(12 * 22)
    parts = []
    for k, chosen in enumerate((number % 22 < 7, (number % 22 >= 7) & (number % 22 < 14), number % 22 >= 14)):
        part = folder / f"part-{k}"
        part.mkdir()
        number[chosen].astype(np.int64).tofile(part / "id.i64")
        for name, values in (("lat", lat), ("lon", lon), ("lat_corners", lat_corners), ("lon_corners", lon_corners)):
            if corners or "corners" not in name:
                values[chosen].astype(np.float64).tofile(part / f"{name}.f64")
        parts.append(str(part))
    return {"kind": "cells", "cells": 264, "corners": 4 if corners else 0, "shape": [12, 22], "parts": parts}


CASES = {
    "boxes": (BOXES, {"kind": "gaussian", "number": 8}, "conservative"),
    "families": ({"kind": "healpix", "level": 4, "order": "ring"}, HEALPIX, "largest_area"),
    "nearest": (BOXES, HEALPIX, "nearest"),
    "bilinear": (BOXES, HEALPIX, "bilinear"),
    "YAC": (BOXES, HEALPIX, "conservative"),
}


@pytest.mark.parametrize("case", CASES)
def test_slices_joined_are_the_whole(tmp_path, case):
    """Bit for bit, as servers of any number must make the same file."""
    if case == "YAC":
        pytest.importorskip("yac")
    source, target, method = CASES[case]
    assert make(tmp_path, source, target, method, "whole.nc", in_process=True) == ""
    slices = [str(tmp_path / f"slice-{k}.nc") for k in range(3)]
    for k in range(3):
        assert make(tmp_path, source, target, method, f"slice-{k}.nc", part=(k, 3)) == ""
    assert run_maker(tmp_path, do="join", slices=slices, out=str(tmp_path / "joined.nc")) == ""
    whole, joined = contents(tmp_path / "whole.nc"), contents(tmp_path / "joined.nc")
    assert whole == joined
    attributes = whole[0]
    assert attributes["tailrace_digest"] == "0123" and attributes["tailrace_method"] == method
    assert attributes["tailrace_made_by"].startswith("YAC 3" if case == "YAC" else "Tailrace")
    assert attributes["conventions"] == attributes["Conventions"] == "SCRIP"
    assert attributes["normalization"] == "destarea"
    start, _, weight = rows(tmp_path / "whole.nc")
    assert np.abs(np.add.reduceat(weight, start[:-1]) - 1).max() < 1e-12
    assert sorted(path.name for path in tmp_path.iterdir() if path.suffix == ".nc") == [
        "joined.nc", "slice-0.nc", "slice-1.nc", "slice-2.nc", "whole.nc",
    ]  # fmt: skip


def test_more_slices_than_rows(tmp_path):
    target = {"kind": "latlon", "lat": [-60.0, 60.0], "lon": [0.0, 120.0, 240.0], "lat_first": True}
    slices = [str(tmp_path / f"{k}.nc") for k in range(3)]
    for k in range(3):
        assert make(tmp_path, BOXES, target, "nearest", f"{k}.nc", part=(k, 3)) == ""
    assert run_maker(tmp_path, do="join", slices=slices, out=str(tmp_path / "all.nc")) == ""
    assert rows(tmp_path / "all.nc")[0].tolist() == list(range(7))
    text = run_maker(tmp_path, do="join", slices=slices[2:], out=str(tmp_path / "all.nc"))
    assert text == f"{slices[2]}: begins at target cell 3; expected 0: a slice is missing or twice"
    text = run_maker(tmp_path, do="join", slices=slices[:2], out=str(tmp_path / "all.nc"))
    assert text == f"{slices[1]}: ends before target cell 3; expected 6: a slice is missing"


@needs_yac
def test_geometry_in_parts(tmp_path):
    """The rows do not depend on the ranks that a model has."""
    source = in_parts(tmp_path)
    for method in ("conservative", "largest_area"):
        assert make(tmp_path, source, method=method, out=f"{method}.nc") == ""
    start, _, weight = rows(tmp_path / "conservative.nc")
    assert np.abs(np.add.reduceat(weight, start[:-1]) - 1).max() < 1e-12
    for a, b in zip(rows(tmp_path / "conservative.nc"), rows(tmp_path / "largest_area.nc"), strict=True):
        assert (a == b).all()
    with netCDF4.Dataset(tmp_path / "conservative.nc") as file:
        assert file["src_grid_dims"][:].tolist() == [22, 12]  # the fastest first
        assert np.abs(file["src_grid_frac"][:] - 1).max() < 1e-9
    # Without corners, neighbours are found by centres; a conservative method is refused.
    (tmp_path / "bare").mkdir()
    bare = in_parts(tmp_path / "bare", corners=False)
    assert make(tmp_path, bare, method="bilinear", out="bare.nc") == ""
    text = make(tmp_path, bare, out="none.nc")
    assert text == "source has no bounds (corners of its cells), which method conservative needs"
    assert not (tmp_path / "none.nc").exists()


def test_a_grid_of_lon_by_lat(tmp_path):
    """Cells count along latitude first where it is the faster dim."""
    turned = {**BOXES, "shape": [31, 18], "lat_first": False}
    for name, source in (("usual", BOXES), ("turned", turned)):
        assert make(tmp_path, source, {"kind": "gaussian", "number": 4}, out=f"{name}.nc") == ""
    values = np.random.default_rng(1).normal(size=(18, 31))
    sums = []
    for name, field in (("usual", values), ("turned", values.T)):
        start, cell, weight = rows(tmp_path / f"{name}.nc")
        sums.append(np.add.reduceat(weight * field.ravel()[cell], start[:-1]))
    assert np.abs(sums[0] - sums[1]).max() < 1e-13


@needs_yac
def test_a_rank_of_a_job_makes_weights(tmp_path):
    """The child of a rank inherits what the launcher left in its environment. YAC's MPI must not take it for a rank."""
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from mpi4py import MPI\n"
        "from pathlib import Path\n"
        "from weights.test_maker import BOXES, make\n"
        "folder = Path(sys.argv[2]) / str(MPI.COMM_WORLD.rank)\n"
        "folder.mkdir()\n"
        "assert make(folder, BOXES, out='rank.nc', in_process=True) == ''\n"
        "MPI.COMM_WORLD.barrier()\n"
    )
    tests = str(Path(__file__).resolve().parent.parent)
    command = ["mpirun", "-n", "2", sys.executable, "-c", code, tests, str(tmp_path)]
    done = subprocess.run(command, env=mpi_environment(), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    a, b = (rows(tmp_path / str(rank) / "rank.nc") for rank in range(2))
    assert all((x == y).all() for x, y in zip(a, b, strict=True))


@needs_cdo
def test_weights_of_others(tmp_path):
    """A file of CDO, for all of it and for a slice; then for a grid that it is not of."""
    grid = "gridtype = lonlat\nxsize = 31\nysize = 18\nxfirst = 0\nxinc = {}\nyfirst = -85\nyinc = 10\n"
    (tmp_path / "grid").write_text(grid.format(360 / 31))
    command = ["cdo", "-s", "genbil,r12x6", f"-const,1,{tmp_path / 'grid'}", str(tmp_path / "cdo.nc")]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    target = lat_lon(list(np.linspace(-75, 75, 6)), list(np.arange(12) * 30.0))
    file = str(tmp_path / "cdo.nc")
    for k, n in ((0, 1), (1, 2)):
        assert make(tmp_path, BOXES, target, "file", f"{n}.nc", part=(k, n), weights=file) == ""
    attributes, _ = contents(tmp_path / "1.nc")
    assert attributes["tailrace_method"] == "file" and attributes["map_method"] == "Bilinear remapping"
    assert attributes["tailrace_made_by"].startswith("CDO ")
    start, source, weight = rows(tmp_path / "1.nc")
    with netCDF4.Dataset(tmp_path / "2.nc") as half:
        assert (half["src_address"][:] - 1 == source[start[36] :]).all()
        assert (half["remap_matrix"][:, 0] == weight[start[36] :]).all()
    another = f"{file}: are weights of another target grid: "
    text = make(tmp_path, BOXES, HEALPIX, "file", weights=file)
    assert text == another + "72 cells; expected 768 (healpix level 3 nested)"
    moved = {**target, "lon": [value + 1 for value in target["lon"]]}
    text = make(tmp_path, BOXES, moved, "file", weights=file)
    assert text.startswith(another + "cell 0 (0, 0) at latitude -75, longitude 1 has its centre at latitude -75, ")
    assert text.endswith("longitude 0 in the file, and 71 more differ")


def lat_lon(lat, lon, lat_bounds=None):
    return {"kind": "latlon", "lat": lat, "lon": lon, "lat_bounds": lat_bounds, "lon_bounds": None, "lat_first": True}


NO_NUMBER = float("nan")
BAD = {
    "latitude": (lat_lon([-60.0, NO_NUMBER, 60.0], [0.0, 180.0]), "nearest", "latitude 1 is not a number"),
    "not monotonic": (lat_lon([0.0, 9.0], [0.0, 180.0, 90.0]), "nearest", "longitude is not monotonic at 1: 180, 90"),
    "bounds that overlap": (
        lat_lon([-60.0, 0.0, 60.0], [0.0, 120.0, 240.0], [-90, -20, -30, 30, 30, 90]),
        "conservative",
        "the cells at latitude -60 and 0 overlap (bounds -90 to -20 and -30 to 30)",
    ),
    "no extent": (
        lat_lon([0.0, 60.0], [0.0, 180.0], [-90, 30, 60, 60]),
        "conservative",
        "the cells at latitude 60 have no extent (bounds 60 and 60)",
    ),
    "method": (BOXES, "cubic", "method 'cubic' is unknown (known: " + ", ".join(METHODS) + ")"),
    "kind": ({"kind": "cube"}, "nearest", "source: there is no kind 'cube' of grids"),
    "level": ({"kind": "healpix", "level": 20, "order": "ring"}, "nearest", "level 20 is out of range (0 to 14)"),
}


@pytest.mark.parametrize("name", BAD)
def test_refused(tmp_path, name):
    source, method, expected = BAD[name]
    assert make(tmp_path, source, method=method).endswith(expected)
    assert not list(tmp_path.glob("*.nc"))


def with_cell(folder, cell, **changes):
    """The parts of a grid with other numbers for one cell: name -> values."""
    source = in_parts(folder)
    for part in source["parts"]:
        number = np.fromfile(f"{part}/id.i64", np.int64)
        if cell in number:
            at = int(np.flatnonzero(number == cell)[0])
            for name, change in changes.items():
                values = np.fromfile(f"{part}/{name}.f64").reshape(len(number), -1)
                values[at] = change(values[at])
                values.tofile(f"{part}/{name}.f64")
    return source


def both(change):
    return {"lat_corners": change, "lon_corners": change}


BAD_CELLS = {
    "NaN corner": ({"lat_corners": lambda old: [np.nan, *old[1:]]}, "the coordinates of its corner are not numbers"),
    "infinite centre": ({"lat": lambda old: np.inf}, "the coordinates of its centre are not numbers"),
    "radians": ({"lat": lambda old: 91.0}, "latitude 91 of its centre is beyond a pole; are coordinates in degrees?"),
    "degenerate": (both(lambda old: old[[0, 0, 1, 1]]), "is degenerate: fewer than 3 distinct corners"),
    "crossing": (both(lambda old: old[[0, 2, 1, 3]]), "is concave, or its edges cross"),
    "concave": (both(lambda old: [*old[:3], 0.9 * old[1] + 0.1 * old[3]]), "is concave, or its edges cross"),
}


@needs_yac
@pytest.mark.parametrize(("changes", "expected"), BAD_CELLS.values(), ids=BAD_CELLS)
def test_bad_cells_are_named(tmp_path, changes, expected):
    text = make(tmp_path, with_cell(tmp_path, 100, **changes))
    assert "source: cell 100" in text and text.endswith(expected)


@needs_yac
def test_cells_that_overlap_are_named(tmp_path):
    """Cell 100 takes the place of its neighbour; then it is only larger than it should be."""
    (lat, lon), (lat_corners, lon_corners) = rotated_lat_lon(12, 22)
    own = {"lat": lat, "lon": lon, "lat_corners": lat_corners, "lon_corners": lon_corners}
    changes = {name: lambda old, values=values: values[101] for name, values in own.items()}
    text = make(tmp_path, with_cell(tmp_path, 100, **changes)).replace(" at latitude", "|")
    assert text.startswith("source: cells overlap: cell 100 (4, 12)|") and " and cell 101 (4, 13)|" in text
    assert text.endswith(" lie on the same side of an edge")
    centre = xyz_of(lat[100], lon[100])
    larger = lat_lon_of(centre + 1.5 * (xyz_of(lat_corners[100], lon_corners[100]) - centre))
    changes = {"lat_corners": lambda old: larger[0], "lon_corners": lambda old: larger[1]}
    (tmp_path / "larger").mkdir()
    text = make(tmp_path, with_cell(tmp_path / "larger", 100, **changes))
    assert text.startswith("source: cells overlap, for example cell ") and "cell 100 (4, 12)" in text
    assert " times cell " in text and text.endswith("of healpix level 3 nested")


def test_a_request_that_is_none(tmp_path):
    assert run_maker(tmp_path, in_process=True, do="shake") == "there is no request 'shake' (known: make, join)"
    command = [sys.executable, "-P", "-m", "tailrace.weights.maker", str(tmp_path / "none.json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "none.json" in done.stderr and "Traceback" not in done.stderr


def test_a_server_that_is_the_first_process_of_a_container(tmp_path):
    """Its number is 1, which elsewhere becomes that of the parent when the real one ends."""
    code = "import os, runpy; os.getppid = lambda: 1; runpy.run_module('tailrace.weights.maker', run_name='__main__')"
    request = {"do": "make", "source": BOXES, "target": HEALPIX, "method": "nearest", "slice": [0, 1], "digest": "0123"}
    for parent, status in ((1, 0), (os.getpid(), -signal.SIGKILL)):
        own = {"parent": parent, "out": str(tmp_path / f"{status}.nc"), "error": str(tmp_path / "error.txt")}
        (tmp_path / "request.json").write_text(json.dumps(request | own))
        done = subprocess.run([sys.executable, "-c", code, str(tmp_path / "request.json")], timeout=60)
        assert (done.returncode, Path(own["out"]).exists()) == (status, status == 0)
    assert not (tmp_path / "error.txt").exists()


def test_a_file_that_cannot_be_written(tmp_path):
    text = make(tmp_path, BOXES, method="nearest", out="none/w.nc")
    assert text.startswith(f"{tmp_path / 'none' / 'w.nc'}: cannot be written: ")
    (tmp_path / "w.nc").mkdir()
    assert make(tmp_path, BOXES, method="nearest", out="w.nc").startswith(f"{tmp_path / 'w.nc'}: cannot be written: ")
    assert list(tmp_path.glob(".w.nc*")) == []
