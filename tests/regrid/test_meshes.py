"""Fields of an icosahedral mesh and of a curvilinear grid whose poles are elsewhere, whose places no rank knows as a
whole, on HEALPix and on boxes: integrals, constants, and values near the function that they sample."""

import subprocess
import sys

import numpy as np
import pytest
import tailrace
from support.harness import TREE, find_errors, mpi_environment
from support.reading import differences, every_bit, read
from support.regridding import areas_of, weights_of
from support.weights import harmonic, icosahedron, lat_lon_of, needs_yac, rotated_lat_lon

pytestmark = needs_yac
MODEL = """
import sys
import numpy as np
import tailrace
from mpi4py import MPI
from support.weights import harmonic, icosahedron, lat_lon_of, rotated_lat_lon

io = tailrace.Session.start(MPI.COMM_WORLD, "run.yaml", component="m")
if not io.is_server():
    comm = io.model_comm()
    rank, ranks = comm.rank, comm.size
    nodes, faces = icosahedron(3)
    node_lat, node_lon = lat_lon_of(nodes)
    lat, lon = lat_lon_of(nodes[faces].sum(axis=1))
    # Scattered cells; the first rank has half as many as the others.
    cells = np.flatnonzero((np.arange(len(faces)) * 7) % (2 * ranks - 1) // 2 == (ranks - 1 - rank))
    own = np.unique(faces[cells])
    io.grid("ico", dims=["cell"], shape=[len(faces)], indexed_dim="cell", indices=cells)
    io.mesh("ico", node_lon[own], node_lat[own], faces[cells],
            node_indices=own, global_nodes=len(nodes))
    io.field("v", grid="ico")
    io.field("one", grid="ico", dtype="float32")
    rows, columns = 24, 50
    (rlat, rlon), (blat, blon) = rotated_lat_lon(rows, columns)
    first, behind = rank * rows // ranks, (rank + 1) * rows // ranks
    part = slice(first * columns, behind * columns)
    io.grid("rot", dims=["y", "x"], shape=[rows, columns], offset=[first, 0], count=[behind - first, columns])
    shape = (behind - first, columns)
    for name, values, bounds, units in (
        ("lat", rlat, blat, "degrees_north"), ("lon", rlon, blon, "degrees_east")
    ):
        io.coordinate("rot", name, values[part].reshape(shape), dims=["y", "x"], units=units,
                      bounds=bounds[part].reshape(*shape, 4))
    io.field("r", grid="rot")
    io.ready()
    for step in (1, 2, 3):
        io.step(step, float(step))
        io.put("v", step * harmonic(lat, lon)[cells])
        io.put("one", np.full(len(cells), 273.15, "float32"))
        io.put("r", step * harmonic(rlat, rlon)[part].reshape(shape))
    io.finish()
"""
VARIABLES = (
    "[{field: v, time: mean, every: 3 s}, {field: one, time: max, every: 3 s}, {field: r, time: sum, every: 3 s}]"
)
CONFIG = f"""
tailrace: 1
servers: {{mode: SERVERS}}
fields: {{state: {{every: 1 step, names: [v, one, r]}}}}
regrid: {{cache: CACHE}}
output:
  healpix.nc: {{regrid: {{to: {{healpix: {{level: 3}}}}, method: conservative}}, variables: {VARIABLES}}}
  boxes.nc: {{regrid: {{to: {{latlon: 10 deg}}, method: conservative}}, variables: {VARIABLES}}}
  bilinear.nc: {{regrid: {{to: {{healpix: {{level: 2}}}}, method: bilinear}}, variables: {VARIABLES}}}
"""


def play(folder, ranks: int, servers: str, cache: str = ".tailrace/weights"):
    folder.mkdir(exist_ok=True)
    (folder / "run.yaml").write_text(CONFIG.replace("SERVERS", servers).replace("CACHE", cache))
    (folder / "model.py").write_text(MODEL)
    command = ["mpirun", "-n", str(ranks), sys.executable, "model.py"]
    environment = mpi_environment(PYTHONPATH=str(TREE / "tests"))
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, (find_errors(done.stdout), done.stdout, done.stderr)
    return folder


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    return play(tmp_path_factory.mktemp("meshes"), 5, "dedicated, count: 2")


def areas_of_triangles() -> np.ndarray:
    """All together 1; by van Oosterom and Strackee (1983)."""
    nodes, faces = icosahedron(3)
    a, b, c = (nodes[faces[:, i]] / np.linalg.norm(nodes[faces[:, i]], axis=1)[:, None] for i in range(3))
    volume = np.sum(a * np.cross(b, c), axis=1)
    sums = 1 + np.sum(a * b, axis=1) + np.sum(b * c, axis=1) + np.sum(c * a, axis=1)
    return 2 * np.arctan2(volume, sums) / (4 * np.pi)


def sources() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """The values of step 1 and the areas of the cells."""
    nodes, faces = icosahedron(3)
    (lat, lon), _ = rotated_lat_lon(24, 50)
    mesh = harmonic(*lat_lon_of(nodes[faces].sum(axis=1))), areas_of_triangles()
    return {"v": mesh, "r": (harmonic(lat, lon), areas_of(24, 50))}


def test_check_knows_the_grids_of_a_report(done):
    """Meshes and bounds that the ranks hold in parts, of which the declarations have no values."""
    (declared,) = done.glob("**/declared.m.json")
    text = tailrace.check(str(done / "run.yaml"), {}, str(declared))
    for grid in ("ico", "rot"):
        assert f'grid "{grid}" to healpix level 3 nested, conservative' in text


FACTORS = {"v": 2.0, "r": 6.0}  # of the mean and the sum of the steps
AREAS = {"healpix.nc": np.full(768, 1 / 768), "boxes.nc": areas_of(18, 36)}


@pytest.mark.parametrize("variable", ["v", "r"])
@pytest.mark.parametrize("file", ["healpix.nc", "boxes.nc"])
def test_integrals_are_kept(done, file, variable):
    values, areas = sources()[variable]
    got = read(done / file)[variable].values.ravel()
    # Edges of boxes are parallels, which YAC cuts as such; those of HEALPix are great circles.
    assert (got * AREAS[file]).sum() == pytest.approx(FACTORS[variable] * (values * areas).sum(), rel=1e-3)
    weights = weights_of(done, "conservative", len(values), len(got))
    covered = np.bincount(weights.source, weights.weight * AREAS[file][weights.target], len(values))
    assert (got * AREAS[file]).sum() == pytest.approx(FACTORS[variable] * (values * covered).sum(), rel=1e-12)


@pytest.mark.parametrize("file", ["healpix.nc", "boxes.nc", "bilinear.nc"])
def test_a_constant_stays_constant(done, file):
    assert set(np.unique(read(done / file)["one"].values)) == {np.float32(273.15)}


@pytest.mark.parametrize("variable", ["v", "r"])
@pytest.mark.parametrize(("file", "most"), [("healpix.nc", 0.15), ("bilinear.nc", 0.05)])
def test_values_are_near_the_function(done, file, most, variable):
    healpy = pytest.importorskip("healpy")
    got = read(done / file)[variable].values.ravel()
    level = round(np.log2(len(got) / 12) / 2)
    lon, lat = healpy.pix2ang(2**level, np.arange(len(got)), nest=True, lonlat=True)
    assert np.abs(got / FACTORS[variable] - harmonic(lat, lon)).max() < most


@pytest.mark.parametrize(("ranks", "servers"), [(1, "inline"), (3, "attached")])
def test_same_bits(done, tmp_path, ranks, servers):
    folder = play(tmp_path / "job", ranks, servers, str(done / ".tailrace/weights"))
    for file in ("healpix.nc", "boxes.nc", "bilinear.nc"):
        assert differences(every_bit(folder / file), every_bit(done / file)) == []
