"""Code with MPI: the bits of the serial code on parts of meshes, for all numbers of ranks and threads and layouts."""

import ctypes
import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from grids import IGCM, made
from stencilc import names, output, target
from stencilc.parts import Part
from stencilc.runtime import Grid, Library
from stencils import DSL, KERNELS, analysis_of, compile_library, file_of_kernels, stencilc
from support.harness import mpi_environment

LIBRARY = IGCM / "model" / "libigcm_halo.so"
LONG = bool(os.environ.get("TAILRACE_TEST_FAULTS"))
# Ranks, and the numbers of threads that each job tries.
JOBS = [(n, "1,2,3,4") for n in range(1, 9)] if LONG else [(1, "3"), (3, "1,2"), (8, "1")]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """All kernels for the serial target, and with MPI in two layouts."""
    where = tmp_path_factory.mktemp("mpi")
    made(where, "R2B1")
    (where / "R2B1.nc").rename(where / "triangles.nc")
    (where / "columns.yaml").write_text("code: mpi\nouter_loop: point\nlayout:\n" + "".join(
        f"  {location}: {{fastest: level}}\n" for location in ("cell", "edge", "vertex")))  # fmt: skip
    targets = {"serial": "serial", "mpi": "mpi", "columns": str(where / "columns.yaml")}
    for source, path in KERNELS.items():
        for name, given in targets.items():
            output.write(where / f"{source}_{name}", output.files(analysis_of(source), target.load(given)))
            compile_library(where / f"{source}_{name}", file_of_kernels(path, given))
    return where


@pytest.mark.parametrize(("ranks", "threads"), JOBS)
def test_bits_of_all_kernels(folder, ranks, threads):
    paths = os.pathsep.join([*sys.path, str(DSL)])
    command = ["mpirun", "-n", str(ranks), sys.executable, str(DSL / "tests/mpi_kernels.py"), str(folder), str(LIBRARY)]
    environment = mpi_environment(PYTHONPATH=paths, OMP_WAIT_POLICY="passive")
    done = subprocess.run(
        [*command, threads, "mpi", "columns"], env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    # Eight kernels of ICON on one grid, four of DYNAMICO with two switches and seven of NICAM on two grids.
    runs = (8 + 4 * 2 * 2 + 7 * 2) * 2 * len(threads.split(","))
    assert f"{runs} runs, differing: []" in done.stdout, done.stdout


HEAD = """mesh triangles;
field cell full T "K";
field edge full flux "K m-1";
field edge distance "m";
field cell.edge full weight;
field cell full out, out2;
parameter int on;
"""


def explained(tmp_path, body):
    (tmp_path / "s.gg.c").write_text(HEAD + f"kernel step {{\n{body}}}\n")
    done = stencilc("explain", "s.gg.c", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    return next(line.strip() for line in done.stdout.splitlines() if "with MPI" in line)


GRADIENT = "foreach e in edges, k in levels flux[e, k] = (T[e.cell[0], k] - T[e.cell[1], k]) / distance[e];\n"
DIVERGENCE = "foreach c in cells, k in levels out[c, k] = sum(e in c.edge: flux[e, k] * distance[e]);\n"
CHANGE = "foreach c in cells, k in levels T[c, k] += 1;\n"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # distance is geometry: nothing writes it.
        (GRADIENT + "exchange flux;\n" + DIVERGENCE, "T exchanged for line 9; flux exchanged for line 11"),
        # The halo is good until the next write.
        (GRADIENT + GRADIENT + CHANGE + "exchange T;\n" + GRADIENT, "T exchanged for line 9; T exchanged for line 13"),
        # One message for both.
        (GRADIENT + "foreach c in cells, k in levels out[c, k] = sum(n in c.neighbour: out2[n, k]);\n",
         "T, out2 exchanged for line 9"),
        # The exchange of a statement that no loop waits for.
        ("exchange T;\n" + GRADIENT + "exchange T;\n", "T exchanged for line 10"),
        (GRADIENT + CHANGE + "exchange T;\n" + CHANGE + "exchange T, flux;\n",
         "T exchanged for line 9; T exchanged for line 11; T, flux exchanged for line 13"),
        # After a branch that may have written it, or may not have exchanged it.
        (GRADIENT + "if (on == 1)\n" + CHANGE + "exchange T;\n" + GRADIENT,
         "T exchanged for line 9; T exchanged for line 13"),
        ("if (on == 1)\n" + GRADIENT + GRADIENT, "T exchanged for line 10; T exchanged for line 11"),
        (CHANGE, "no exchange"),
    ],
)  # fmt: skip
def test_exchanges_come_from_the_accesses(tmp_path, body, expected):
    assert explained(tmp_path, body) == f"with MPI: {expected}"


def test_values_at_neighbours_that_are_written_are_not_sent(tmp_path):
    body = """foreach c in cells, k in levels weight[c, 0, k] = 1;
given weight;
foreach c in cells, k in levels out[c, k] = sum(n in c.neighbour: weight[n, 0, k]);
"""
    assert explained(tmp_path, body).startswith('with MPI: refused, line 11: "weight" is written, and read at a')
    done = stencilc("-t", "mpi", "-o", "made", "s.gg.c", cwd=tmp_path)
    assert done.returncode == 1 and '\ns.gg.c:11:67: error: "weight" is written, and read at a' in done.stderr
    assert not (tmp_path / "made").exists()


def ring(cells, rank, ranks, steps=1):
    c = np.arange(cells)
    whole = Grid(
        "triangles",
        1,
        {"cell": cells, "edge": 0, "vertex": 0},
        {"cell.neighbour": [(c + 1) % cells, (c - 1) % cells, c]},
    )
    owners = {"cell": c * ranks // cells, "edge": c[:0], "vertex": c[:0]}
    return Part(whole, owners, rank, steps)


def test_parts_of_a_ring():
    part = ring(12, 1, 3)
    assert part.numbers["cell"].tolist() == [4, 5, 6, 7, 3, 8] and part.own["cell"] == 4
    assert part.owners["cell"].tolist() == [1, 1, 1, 1, 0, 2]
    assert part.grid.ranges["cell.interior"].tolist() == [[1, 3], [0, 1], [3, 4]], "the inner points come first"
    assert part.grid.handle.cell_interior.inner == 1
    assert part.grid.tables["cell.neighbour"][:2, :4].tolist() == [[1, 2, 3, 5], [4, 0, 1, 2]]
    assert ring(12, 1, 3, steps=2).grid.handle.cell_interior.inner == 0
    empty = ring(2, 2, 3)
    assert len(empty.numbers["cell"]) == empty.grid.handle.cell_interior.count == 0
    with pytest.raises(ValueError, match=r"owners of cell: shape \(3,\); expected \(12,\)"):
        Part(ring(12, 0, 1).grid, {"cell": np.zeros(3), "edge": np.zeros(0), "vertex": np.zeros(0)}, 0, 1)


def test_names_of_methods_are_those_of_the_class():
    kernels = Library.__new__(Library)
    attributes = {name for name in dir(Library) if not name.startswith("_")} | set(Library.__init__.__code__.co_names)
    kernels.functions = {}
    assert {name for name in names.METHODS if not hasattr(Library, name)} <= attributes
    assert {name for name in dir(Library) if not name.startswith("_")} <= names.METHODS


def test_halos_are_given_back(tmp_path):
    """By a second `connect`, and with the grid whose handle has them."""
    (tmp_path / "halo.c").write_text("""
int alive = 0;
void *igcm_halo_make(void) { ++alive; return &alive; }
void igcm_halo_free(void *halo) { if (halo == &alive) --alive; }
void igcm_halo_begin(void) {}
void igcm_halo_end(void) {}
""")
    subprocess.run(["gcc", "-shared", "-fPIC", "halo.c", "-o", "libhalo.so"], cwd=tmp_path, check=True)
    alive = ctypes.c_int.in_dll(ctypes.CDLL(str(tmp_path / "libhalo.so")), "alive")
    comm, part = SimpleNamespace(py2f=lambda: 0), ring(12, 0, 1)
    for _ in range(2):
        part.connect(comm, tmp_path / "libhalo.so")
        assert alive.value == 1
    grid = part.grid
    del part
    assert alive.value == 1, "the grid still needs it"
    del grid
    assert alive.value == 0


def test_points_that_their_owner_does_not_have(tmp_path):
    """All ranks report it, and none waits."""
    program = f"""
import numpy as np
from mpi4py import MPI
from stencilc.parts import Part
from test_mpi import ring
part = ring(12, MPI.COMM_WORLD.rank, 3)
if MPI.COMM_WORLD.rank == 0:
    part.numbers["cell"][-1] = 77
try:
    part.connect(MPI.COMM_WORLD, {str(LIBRARY)!r})
except RuntimeError as reason:
    print(f"{{MPI.COMM_WORLD.rank}}: {{reason}}", flush=True)
"""
    environment = mpi_environment(PYTHONPATH=os.pathsep.join([*sys.path, str(DSL)]))
    command = ["mpirun", "-n", "3", sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert f"{LIBRARY}: rank 0 expects cell 77 from rank 2, which does not own it" in done.stdout
    assert done.stdout.count("points do not fit on another rank") == 2
