"""Our rows against YAC and CDO, which get the grids in another way."""

import os
import subprocess
import sys

import netCDF4
import numpy as np
import pytest
from support.weights import harmonic, icosahedron, lat_lon_of, needs_cdo, needs_yac
from tailrace.weights.checks import rows_of_file
from tailrace.weights.foreign import read_weights
from tailrace.weights.grids import Cells, Healpix, LatLon
from tailrace.weights.methods import make_rows, with_cdo, with_yac

# A program of its own: YAC's rows of a regular grid to triangles and back, and what YAC makes of a field with them.
BY_YAC = """
import sys
import numpy as np
from yac import core

values = np.load(sys.argv[1])
cell, corner = core.yac_location.YAC_LOC_CELL, core.yac_location.YAC_LOC_CORNER
boxes = core.BasicGrid.reg_2d_new("boxes", values["lon_edges"], values["lat_edges"], cyclic=[True, False])
faces = values["faces"]
nodes = values["node_lon"], values["node_lat"]
triangles = core.BasicGrid.unstruct_new("triangles", np.full(len(faces), 3), *nodes, faces.ravel())
triangles.set_global_index(corner, np.arange(len(nodes[0])))
fields = {}
for name, grid in (("boxes", boxes), ("triangles", triangles)):
    grid.set_global_index(cell, np.arange(grid.get_data_size(cell)))
    fields[name] = core.InterpField(grid.add_coordinates(cell, values[name + "_lon"], values[name + "_lat"]))
made = {}
for method in ("conservative", "bilinear", "average"):
    for source, target in (("boxes", "triangles"), ("triangles", "boxes")):
        stack = core.InterpolationStack()
        if method == "conservative":
            stack.add_conservative(1, False, True, "YAC_INTERP_CONSERV_DESTAREA")
        else:
            stack.add_average("YAC_INTERP_AVG_" + {"bilinear": "BARY", "average": "ARITHMETIC"}[method], False)
        weights = core.compute_weights(stack, fields[source], fields[target])
        weights.write_to_file(f"{sys.argv[2]}/{method}-{source}.nc")
        made[f"{method}-{source}"] = weights.get_interpolation(collection_size=1)(values[source].copy())[0]
np.savez(f"{sys.argv[2]}/fields.npz", **made)
"""


@pytest.fixture(scope="module")
def grids():
    nodes, faces = icosahedron(3)
    node_lat, node_lon = lat_lon_of(nodes)
    lat, lon = lat_lon_of(nodes[faces].sum(axis=1))
    triangles = Cells((len(faces),), lat, lon, node_lat[faces], node_lon[faces], name="triangles")
    boxes = LatLon(np.linspace(-87.5, 87.5, 36), np.arange(50) * 7.2 + 3.6)
    return {"boxes": boxes, "triangles": triangles, "faces": faces, "node_lat": node_lat, "node_lon": node_lon}


@pytest.fixture(scope="module")
def by_yac(grids, tmp_path_factory):
    """A folder with YAC's own weight files, and its results."""
    folder = tmp_path_factory.mktemp("yac")
    values = {
        "faces": grids["faces"],
        "lon_edges": np.radians(np.arange(50) * 7.2),
        "lat_edges": np.radians(np.linspace(-90, 90, 37)),
    }
    values |= {name: np.radians(grids[name]) for name in ("node_lat", "node_lon")}
    for name in ("boxes", "triangles"):
        lat, lon = grids[name].centres()
        values |= {f"{name}_lat": np.radians(lat), f"{name}_lon": np.radians(lon), name: harmonic(lat, lon)}
    np.savez(folder / "values.npz", **values)
    (folder / "by_yac.py").write_text(BY_YAC)
    subprocess.run([sys.executable, folder / "by_yac.py", folder / "values.npz", folder], check=True, timeout=300)
    return folder


@needs_yac
@pytest.mark.parametrize("source", ["boxes", "triangles"])
@pytest.mark.parametrize("method", ["conservative", "bilinear", "average"])
def test_rows_are_those_of_yac(grids, by_yac, method, source):
    target = "triangles" if source == "boxes" else "boxes"
    file = read_weights(by_yac / f"{method}-{source}.nc")
    assert file.layout == "YAC"
    theirs = rows_of_file(file, grids[source], grids[target])
    if source == "boxes" and method == "bilinear":  # ours, of boxes, is between four centres and not three
        ours = with_yac.rows(grids[source], grids[target], method, 0, grids[target].cells)[0]
    else:
        ours = make_rows(grids[source], grids[target], method, 0, grids[target].cells).rows
    assert (ours.start == theirs.start).all() and (ours.source == theirs.source).all()
    assert np.abs(ours.weight - theirs.weight).max() < 1e-13
    result = np.load(by_yac / "fields.npz")[f"{method}-{source}"]
    assert np.abs(ours.apply_to(harmonic(*grids[source].centres())) - result).max() < 1e-13


def write_cdo_grid(path, grid):
    """A description by CDO's own words, from the first centre and the step."""
    lines = [("gridtype", "lonlat")]
    for axis, values in (("x", grid.lon), ("y", grid.lat)):
        first, step = float(values[0]), float(values[1] - values[0])
        lines += [(f"{axis}size", len(values)), (f"{axis}first", first), (f"{axis}inc", step)]
    path.write_text("".join(f"{name} = {value}\n" for name, value in lines))
    return path


def cdo(*arguments, folder, normalization="destarea"):
    environment = dict(os.environ, CDO_REMAP_NORM=normalization, REMAP_EXTRAPOLATE="off")
    done = subprocess.run(
        ["cdo", "-s", "-b", "F64", *map(str, arguments)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr


@needs_cdo
@pytest.mark.parametrize("normalization", ["destarea", "fracarea"])
@pytest.mark.parametrize("kind", ["nc", "nc2", "nc4"])
def test_lat_lon_rows_are_those_of_cdo(tmp_path, kind, normalization):
    """A regional target that reaches beyond a regional source: fractions below 1."""
    source = LatLon(np.arange(20) * 2.0 + 21, np.arange(30) * 2.5 - 9.75)
    target = LatLon(np.arange(17) * 3.0 + 11.5, np.arange(23) * 4.0 - 20)
    grids = [write_cdo_grid(tmp_path / name, grid) for name, grid in (("source", source), ("target", target))]
    cdo(
        "-f",
        kind,
        f"gencon,{grids[1]}",
        f"-const,1,{grids[0]}",
        "weights.nc",
        folder=tmp_path,
        normalization=normalization,
    )
    file = read_weights(tmp_path / "weights.nc")
    assert file.layout == "CDO" and file.normalization == normalization
    theirs = rows_of_file(file, source, target)
    ours = make_rows(source, target, "conservative", 0, target.cells).rows
    assert (ours.start == theirs.start).all() and (ours.source == theirs.source).all()
    sums, filled = ours.sums(), np.diff(ours.start) > 0
    assert not filled.all() and sums[filled].min() < 0.6
    if normalization == "fracarea":  # CDO 2.1 keeps no fraction: dst_grid_frac is 1
        assert np.abs(ours.weight / sums[ours.targets()] - theirs.weight).max() < 1e-13
        return
    assert np.abs(ours.weight - theirs.weight).max() < 1e-13
    with netCDF4.Dataset(tmp_path / "weights.nc") as weights:
        assert np.abs(weights["dst_grid_frac"][:] - sums).max() < 1e-13
        for side, grid, used in (("src", source, np.unique(ours.source)), ("dst", target, filled)):
            areas = weights[f"{side}_grid_area"][:]
            assert np.abs(areas[used] / grid.areas()[used] - 1).max() < 1e-12  # 0 of a cell without links


@needs_cdo
def test_bilinear_and_nearest_are_those_of_cdo(tmp_path):
    source = LatLon(np.linspace(-87.5, 87.5, 36), np.arange(50) * 7.2)
    target = LatLon(np.arange(31) * 5.0 - 75.3, np.arange(61) * 5.9 + 0.4)
    grids = [write_cdo_grid(tmp_path / name, grid) for name, grid in (("source", source), ("target", target))]
    for operator, method in (("genbil", "bilinear"), ("gennn", "nearest")):
        cdo(f"{operator},{grids[1]}", f"-const,1,{grids[0]}", f"{method}.nc", folder=tmp_path)
        theirs = rows_of_file(read_weights(tmp_path / f"{method}.nc"), source, target)
        ours = make_rows(source, target, method, 0, target.cells).rows
        values = np.random.default_rng(1).normal(size=source.cells)
        assert np.abs(ours.apply_to(values) - theirs.apply_to(values)).max() < 1e-13
        assert (ours.source == theirs.source).all() or method == "bilinear"  # CDO keeps weights of 0


@needs_cdo
@needs_yac
def test_cdo_instead_of_yac(grids, monkeypatch):
    """Triangles and HEALPix: CDO and YAC agree, so one can stand in for the other."""
    for source, target in ((grids["triangles"], grids["boxes"]), (grids["boxes"], Healpix(3, "nested"))):
        yac = make_rows(source, target, "conservative", 0, target.cells)
        with monkeypatch.context() as patch:
            patch.setattr(with_yac, "is_there", lambda: False)
            cdo = make_rows(source, target, "conservative", 7, 300)
        assert yac.made_by.startswith("YAC 3") and cdo.made_by.startswith("CDO ")
        part = yac.rows.part(7, 300)
        assert (part.start == cdo.rows.start).all() and (part.source == cdo.rows.source).all()
        assert np.abs(part.weight - cdo.rows.weight).max() < 1e-12


def test_neither_yac_nor_cdo(grids, monkeypatch):
    monkeypatch.setattr(with_yac, "is_there", lambda: False)
    monkeypatch.setattr(with_cdo.shutil, "which", lambda name: None)
    with pytest.raises(
        Exception, match=r"method average from triangles .* yac is not installed: pip install 'tailrace\[regrid\]'"
    ):
        make_rows(grids["triangles"], grids["boxes"], "average", 0, 10)
