"""`tailrace weights make`, `show` and `check`."""

import subprocess

import netCDF4
import numpy as np
import pytest
from support.harness import tailrace
from support.weights import needs_cdo, needs_yac
from tailrace.weights.errors import WrongWords
from tailrace.weights.foreign import read_weights
from tailrace.weights.targets import spec_of
from weights.test_formats import write_scrip
from weights.test_grid_files import mesh, write

NORTH, EAST = {"units": "degrees_north"}, {"units": "degrees_east"}


@pytest.fixture
def source(tmp_path):
    lat, lon = np.linspace(-80, 80, 9), np.arange(13) * 360 / 13
    variables = {"lat": (("lat",), lat, dict(NORTH)), "lon": (("lon",), lon, dict(EAST))}
    return write(tmp_path / "source.nc", {"lat": 9, "lon": 13}, variables)


def run(folder, *arguments, status=0):
    done = tailrace("weights", *arguments, cwd=folder)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stderr
    return done.stdout if status == 0 else done.stderr


def test_make_show_check(tmp_path, source):
    made = run(tmp_path, "make", "source.nc", "latlon: 12 deg", "-o", "w.nc", "--jobs", "2")
    shown = run(tmp_path, "show", "w.nc", "--picture", "picture.png")
    assert made == shown
    lines = {line[:14].strip(): line[14:].strip() for line in shown.splitlines()}
    assert lines["file"].startswith("w.nc (Tailrace), made by Tailrace")
    assert lines["method"] == "Conservative remapping, normalization destarea"
    assert lines["source"] == "9 x 13 = 117 cells" and lines["target"] == "15 x 30 = 450 cells"
    assert lines["sums of rows"] == "1 to 1" and lines["coverage"] == "100 % of the area of the target"
    change = float(lines["conservation"].split(" changes by ")[1].split()[0])
    assert abs(change) < 1e-14
    assert 0.001 < float(lines["test function"].split()[3].rstrip(",")) < 0.3
    assert (tmp_path / "picture.png").read_bytes().startswith(b"\x89PNG")
    right = run(tmp_path, "check", "w.nc", "--source", "source.nc", "--target", "{latlon: 12 deg}")
    assert right.startswith("w.nc: Tailrace, 450 rows with ") and right.endswith(" links are right\n")
    other = run(tmp_path, "check", "w.nc", "--target", "latlon: 6 deg", status=1)
    assert other.startswith("tailrace: error: w.nc: are weights of another target grid: 450 cells; expected 1800")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["picture.png", "source.nc", "w.nc"]


def test_what_is_there_stays(tmp_path, source):
    (tmp_path / "w.nc").write_text("mine")
    arguments = ["make", "source.nc", "latlon: 30 deg", "-m", "nearest", "-o", "w.nc"]
    assert "w.nc: exists; expected another file, or --force to replace it" in run(tmp_path, *arguments, status=1)
    assert (tmp_path / "w.nc").read_text() == "mine"
    run(tmp_path, *arguments, "--force")
    assert read_weights(tmp_path / "w.nc").target.shape == (6, 12)


def test_weights_of_others_are_converted(tmp_path, source):
    write_scrip(tmp_path / "scrip.nc")
    dims = {"lat": 4, "lon": 6}
    grid = {
        "lat": (("lat",), np.array([-67.5, -22.5, 22.5, 67.5]), dict(NORTH)),
        "lon": (("lon",), np.arange(6) * 60.0, dict(EAST)),
    }
    write(tmp_path / "g.nc", dims, grid)
    target = "latlon: {lat: [-60, 0, 60], lon: [3, 75, 147, 219, 291]}"
    shown = run(tmp_path, "make", "g.nc", target, "-m", "scrip.nc", "-o", "w.nc")
    assert "(Tailrace), made by SCRIP" in shown and "3 x 5 = 15 cells" in shown
    ours, theirs = read_weights(tmp_path / "w.nc"), read_weights(tmp_path / "scrip.nc")
    assert (ours.weight == theirs.weight).all() and (ours.source_cell == theirs.source_cell).all()
    assert run(tmp_path, "check", "scrip.nc").endswith("are right (not compared with a grid: source and target)\n")
    text = run(tmp_path, "make", "source.nc", target, "-m", "scrip.nc", "-o", "no.nc", status=1)
    assert "scrip.nc: are weights of another source grid: 24 cells; expected 117 (grid of source.nc)" in text


WORDS = {
    "latlon: 2.5 deg": {"kind": "latlon"},
    "{healpix: {level: 3, order: ring}}": {"kind": "healpix", "level": 3, "order": "ring"},
    "healpix: {level: 3}": {"kind": "healpix", "level": 3, "order": "nested"},
    "gaussian: F80": {"kind": "gaussian", "number": 80},
    "latlon: {lat: [-10, 1e1], lon: [0, 5.5]}": {"kind": "latlon", "lat": [-10.0, 10.0], "lon": [0.0, 5.5]},
}
WRONG = """
latlon|latlon: 7 deg|latlon: 1 km|latlon: {lat: [1, x], lon: [2]}|gaussian: 80|healpix: {level: x}|none.nc|[1]|a: b: c|
healpix: {level: 3, order: ring|healpix: {level: 3}}|healpix: {level: 3, nside: 8}|healpix: {level: 3, order}|
file: none.nc
"""


def test_words_of_targets():
    for words, expected in WORDS.items():
        spec = spec_of(words)
        assert {key: spec[key] for key in expected} == expected, words
    even = spec_of("latlon: 45 deg")
    assert even["lat"] == [-67.5, -22.5, 22.5, 67.5] and even["lon"] == [22.5 + 45 * i for i in range(8)]
    rows = [-90 + (i + 0.5) * 180 / 97 for i in range(97)]
    assert spec_of(f"latlon: {{lat: {rows}, lon: [0, 5]}}")["lat"] == rows, "longer than the name of a file may be"
    for words in ("x" * 300, *WRONG.replace("\n", "").split("|")):
        with pytest.raises(WrongWords, match="TARGET "):
            spec_of(words)


def test_wrong_command_lines(tmp_path, source):
    arguments = ["make", "source.nc", "healpix: {level: 2}", "-o", "w.nc", "-m"]
    assert "--method cubic: expected conservative, bilinear, " in run(tmp_path, *arguments, "cubic", status=2)
    assert "Did you mean 'bilinear'?" in run(tmp_path, *arguments, "bilinaer", status=2)
    assert "expected conservative, bilinear, " in run(tmp_path, *arguments, "x" * 300, status=2)
    text = run(tmp_path, "make", "source.nc", "nofile.nc", "-m", "nearest", "-o", "w.nc", status=2)
    assert "TARGET 'nofile.nc': " in text and "; there is no such file" in text
    text = run(tmp_path, "make", "source.nc", "helpix: {level: 2}", "-m", "nearest", "-o", "w.nc", status=2)
    assert "Did you mean 'healpix'?" in text
    assert "there is no directory" in run(tmp_path, *arguments[:4], "no/w.nc", "-m", "nearest", status=1)
    assert "has no weights" in run(tmp_path, "check", "source.nc", "--target", "latlon: 9 deg", status=1)
    assert "source.nc: has no weights of SCRIP" in run(tmp_path, "show", "source.nc", status=1)
    assert not (tmp_path / "w.nc").exists()


@needs_yac
def test_check_of_a_grid(tmp_path, source):
    assert run(tmp_path, "check", "source.nc") == "source.nc: 117 cells are right\n"
    dims, variables = mesh(square=False)
    write(tmp_path / "mesh.nc", dims, variables)
    assert run(tmp_path, "check", "mesh.nc") == "mesh.nc: 80 cells are right\n"
    variables["faces"][1][7] = variables["faces"][1][3]
    write(
        tmp_path / "twice.nc",
        dims,
        mesh(square=False)[1] | {"faces": (*variables["faces"][:2], {"_FillValue": np.int32(-1)})},
    )
    text = run(tmp_path, "check", "twice.nc", status=1)
    assert "grid of twice.nc: cells overlap: cell 3 at " in text and " and cell 7 at " in text


@needs_cdo
def test_files_of_cdo_are_shown(tmp_path):
    subprocess.run(["cdo", "-s", "gencon,r10x5", "-const,1,r24x12", "cdo.nc"], cwd=tmp_path, check=True, timeout=60)
    shown = run(tmp_path, "show", "cdo.nc")
    assert "cdo.nc (CDO), made by CDO 2" in shown and "12 x 24 = 288 cells" in shown and "5 x 10 = 50 cells" in shown
    with netCDF4.Dataset(tmp_path / "cdo.nc", "a") as file:
        file["src_grid_center_lat"][3] = np.nan
    grid = tmp_path / "r24x12.nc"
    subprocess.run(["cdo", "-s", "-f", "nc", "const,1,r24x12", str(grid)], check=True, timeout=60)
    text = run(tmp_path, "check", "cdo.nc", "--source", "r24x12.nc", status=1)
    assert "cdo.nc: are weights of another source grid: cell 3 (0, 3) at " in text
