"""Spectra of kinetic energy: winds of one degree, those of a Rossby-Haurwitz wave, and what is refused."""

import csv
import shutil
import subprocess
import sys
from pathlib import Path

import netCDF4
import numpy as np
import pytest
from support.harness import TREE
from test_model import run

OUTPUT = {
    "winds.nc": {
        "variables": [
            {"field": name, "operation": "snapshot", "every": "1 step"} for name in ("zonal_wind", "meridional_wind")
        ]
    }
}
RADIUS = 6.37122e6  # of Williamson


@pytest.fixture(scope="module", params=["hexagons", "triangles"])
def winds(request, tmp_path_factory) -> Path:
    """A Rossby-Haurwitz wave after one and two steps."""
    folder = tmp_path_factory.mktemp(request.param)
    settings = {"case": "williamson6", "level": 3, "time_step": 300.0, "days": 2 / 288, "mesh": request.param}
    run(folder, 1, settings, OUTPUT)
    return folder / "winds.nc"


def spectrum(*arguments: object, status: int = 0) -> str:
    command = [sys.executable, TREE / "igcm/model/spectrum.py", *arguments]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=60)
    assert (done.returncode != 0) == status, done.stderr
    return done.stderr


def table(path: Path) -> np.ndarray:
    """(record, degree, part); degree 0 has no energy."""
    with path.open(newline="") as file:
        rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
    records, highest = len({row["seconds"] for row in rows}), int(max(row["degree"] for row in rows))
    found = np.zeros((records, highest + 1, 2))
    for k, row in enumerate(rows):
        found[k // highest, int(row["degree"])] = row["rotational"], row["divergent"]
    return found


def mean_over_sphere(function) -> float:
    """The mean of a function of the sine of the latitude, by Gauss."""
    x, weights = np.polynomial.legendre.leggauss(40)
    return float(weights @ function(x)) / 2


def test_the_degrees_of_a_rossby_haurwitz_wave(winds, tmp_path):
    """Its stream function is -a^2 w sin(lat) + a^2 w cos(lat)^4 sin(lat) cos(4 lon): of degrees 1 and 5."""
    spectrum(winds, tmp_path / "wave.csv")
    found = table(tmp_path / "wave.csv")
    w = 7.848e-6
    # The mean of (grad f)^2 / 2 is n (n + 1) / 2 times that of f^2 for f of degree n on the unit sphere.
    expected = np.zeros(found.shape[1])
    expected[1] = (RADIUS * w) ** 2 * mean_over_sphere(lambda x: x**2)
    expected[5] = (RADIUS * w) ** 2 * 15 * mean_over_sphere(lambda x: (1 - x**2) ** 4 * x**2 / 2)
    for record in found:
        assert np.abs(record[:, 0] - expected).max() < 0.02 * expected[5]
        assert record[:, 1].sum() < 1e-3 * expected[5]


def test_winds_of_one_degree(winds, tmp_path):
    """Stream function sin(lat) cos(lat)^7 cos(7 lon), of degree 8; then potential cos(lat)^12 cos(12 lon), of degree
    12, both on the unit sphere."""
    path = tmp_path / "made.nc"
    shutil.copy(winds, path)
    with netCDF4.Dataset(path, "a") as data:
        lon, lat = (np.radians(data[f"cell_{name}"][:]) for name in ("lon", "lat"))
        s, c = np.sin(lat), np.cos(lat)
        data["zonal_wind"][0] = -(c**8 - 7 * s**2 * c**6) * np.cos(7 * lon)
        data["meridional_wind"][0] = -7 * s * c**6 * np.sin(7 * lon)
        data["zonal_wind"][1] = -12 * c**11 * np.sin(12 * lon)
        data["meridional_wind"][1] = -12 * s * c**11 * np.cos(12 * lon)
    spectrum(path, tmp_path / "made.csv", 20)
    found = table(tmp_path / "made.csv")
    assert found.shape == (2, 21, 2)
    for record, degree, part, square in (
        (0, 8, 0, mean_over_sphere(lambda x: x**2 * (1 - x**2) ** 7 / 2)),
        (1, 12, 1, mean_over_sphere(lambda x: (1 - x**2) ** 12 / 2)),
    ):
        expected = degree * (degree + 1) / 2 * square
        assert found[record, degree, part] == pytest.approx(expected, rel=3e-3)
        assert found[record].sum() == pytest.approx(expected, rel=5e-3)


def test_a_picture(winds, tmp_path):
    spectrum(winds, tmp_path / "picture.png")
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")


def test_mistakes(winds, tmp_path):
    result = tmp_path / "picture.png"
    for arguments, told in (
        ((winds, tmp_path / "picture.gif"), "expected a name that ends with .png or .csv"),
        ((winds, tmp_path / "none" / "picture.png"), "picture.png: the folder is missing"),
        ((tmp_path / "none.nc", result), "spectrum.py: " + str(tmp_path / "none.nc") + ": there is no such file"),
        ((winds, result, 0), "spectrum.py: 0: expected a degree from 1 to "),
        ((winds, result, 72), "spectrum.py: 72: expected a degree from 1 to "),
        ((winds, result, "five"), "spectrum.py: five: expected a degree from 1 to "),
    ):
        assert told in spectrum(*arguments, status=1)
    depth = {"depth.nc": {"variables": [{"field": "h", "operation": "snapshot", "every": "1 step"}]}}
    run(tmp_path, 1, {"level": 1, "time_step": 900.0, "days": 1 / 96}, depth)
    told = spectrum(tmp_path / "depth.nc", result, status=1)
    assert "depth.nc: no field zonal_wind; there are: " in told
    gaps = tmp_path / "gaps.nc"
    shutil.copy(winds, gaps)
    with netCDF4.Dataset(gaps, "a") as data:
        data["meridional_wind"][-1, 3] = np.ma.masked
    assert "gaps.nc: meridional_wind has missing values; a" in spectrum(gaps, result, status=1)
    with netCDF4.Dataset(tmp_path / "empty.nc", "w") as data:
        data.createDimension("time", None)
        data.createDimension("cell", 12)
        data.createVariable("zonal_wind", "f8", ("time", "cell")).location = "face"
    assert "empty.nc: zonal_wind has no records; expected" in spectrum(tmp_path / "empty.nc", result, status=1)
    assert not result.exists()
