"""Files of weights and grids with damaged bytes: an error that names the file, or right rows; never a crash."""

import os
import shutil

import numpy as np
import pytest
from support.weights import run_maker
from tailrace.weights.checks import rows_of_file
from tailrace.weights.errors import WeightsError
from tailrace.weights.foreign import read_weights
from tailrace.weights.grid_files import read_grid
from tailrace.weights.summary import summarise
from weights.test_formats import SOURCE, TARGET, write_esmf, write_scrip, write_yac
from weights.test_grid_files import mesh, write

FILES = 200 if os.environ.get("TAILRACE_TEST_FAULTS") else 20


def write_ours(path):
    source = {"kind": "latlon", "lat": SOURCE.lat.tolist(), "lon": SOURCE.lon.tolist(), "lat_first": True}
    target = {"kind": "latlon", "lat": TARGET.lat.tolist(), "lon": TARGET.lon.tolist(), "lat_first": True}
    assert run_maker(path.parent, do="make", method="conservative", out=str(path), source=source, target=target) == ""


def use_weights(path):
    weights = read_weights(path)
    for source, target in ((None, None), (SOURCE, TARGET)):
        rows = rows_of_file(weights, source, target)
        assert (rows.source >= 0).all() and rows.start[-1] == rows.links and np.isfinite(rows.weight).all()
        summarise(weights, rows)


def use_grid(path):
    grid = read_grid(path)
    for cell in (0, grid.cells - 1):
        assert np.isfinite(grid.centres(cell, 1)).all()
    assert grid.corners(0, 1) is None or np.isfinite(grid.areas()).all()


KINDS = {
    "SCRIP": (lambda path: write_scrip(path), use_weights),
    "SCRIP in NetCDF-4": (lambda path: write_scrip(path, kind="NETCDF4"), use_weights),
    "ESMF": (lambda path: write_esmf(path), use_weights),
    "YAC": (lambda path: write_yac(path), use_weights),
    "ours": (write_ours, use_weights),
    "mesh": (lambda path: write(path, *mesh()), use_grid),
    "mesh in NetCDF-3": (lambda path: write(path, *mesh(), "NETCDF3_CLASSIC"), use_grid),
}


def damage(path, random):
    content = bytearray(path.read_bytes())
    # The first bytes describe the rest, so most damage is done there.
    end = len(content) if random.random() < 0.5 else min(len(content), 4096)
    match random.integers(4):
        case 0:
            for at in random.integers(0, end, random.integers(1, 9)):
                content[at] = random.integers(256)
        case 1:
            content[int(random.integers(end)) ^ 1] ^= 1 << random.integers(8)
        case 2:
            begin = int(random.integers(end))
            length = int(random.integers(1, 65))
            content[begin : begin + length] = bytes(len(content[begin : begin + length]))
        case 3:
            del content[int(random.integers(len(content))) :]
    path.write_bytes(content)


@pytest.mark.parametrize("kind", KINDS)
def test_damaged_bytes(tmp_path, kind):
    make, use = KINDS[kind]
    make(tmp_path / "right.nc")
    use(tmp_path / "right.nc")
    random = np.random.default_rng(list(KINDS).index(kind))
    refused = 0
    for k in range(1 + FILES // len(KINDS)):
        path = tmp_path / f"damaged-{k}.nc"
        shutil.copy(tmp_path / "right.nc", path)
        damage(path, random)
        try:
            use(path)
        except WeightsError as error:
            assert str(path) in str(error) and "\n" not in str(error).rstrip()
            refused += 1
        path.unlink()
    assert refused > 0
