"""A run on a grid with holes goes on with other ranks and blocks: the files are those of an uninterrupted run."""

import sys

import pytest
import yaml
from support.harness import Running, mpi_environment
from support.reading import differences, every_bit

MODEL = """
import sys
import numpy as np
import tailrace
from mpi4py import MPI
LAYOUTS = {
    "A": [[(0, 4, 3, 7)], [(3, 0, 3, 5)]],
    "B": [[(3, 0, 1, 5), (0, 4, 2, 7)], [(4, 0, 2, 2), (2, 4, 1, 7)], [(4, 2, 2, 3)]],
    "C": [[(0, 3, 3, 8), (3, 0, 3, 5)]],  # a column of what was land
}
layout, last = LAYOUTS[sys.argv[1]], int(sys.argv[2])
def field(step):
    return np.sin(np.arange(66).reshape(6, 11) * (0.1 + step))
with tailrace.Session.start(MPI.COMM_WORLD, "tailrace.yaml") as io:
    if io.is_server():
        sys.exit(0)
    blocks = layout[io.model_comm().rank]
    cells = [np.s_[y : y + rows, x : x + columns] for y, x, rows, columns in blocks]
    def own(values):
        return np.concatenate([np.ascontiguousarray(values[part]).ravel() for part in cells])
    io.grid("sea", dims=["y", "x"], shape=[6, 11], offset=blocks[0][:2], count=blocks[0][2:])
    for block in blocks[1:]:
        io.add_block("sea", offset=block[:2], count=block[2:])
    io.field("sst", grid="sea")
    begin = io.restarting()
    io.ready()
    if begin is not None:
        got = np.asarray(io.get("sst")).ravel()
        lost = got != own(field(begin[0]))
        told = f"GOT {begin[0]} {int(lost.sum())} {sorted(set(got[lost].tolist()))}"
        sys.stdout.write(told + "\\n")  # in one piece, since the ranks share it
    for step in range(begin[0] + 1 if begin else 1, last + 1):
        io.step(step, float(step))
        if io.wants("sst"):
            io.put("sst", own(field(step)))
        if io.checkpoint_due():
            io.checkpoint()
"""
CONFIG = {
    "tailrace": 1,
    "servers": {"mode": "attached"},
    "fields": {"state": {"every": "1 step", "names": ["sst"]}},
    "grids": {"sea": {"holes": "missing"}},
    "diagnostics": {"total": {"is": "sum(sst)"}, "rows": {"is": "mean(sst, x)"}},
    "output": {
        "out.nc": {
            "compression": "zlib",
            "variables": [
                {"field": "sst", "every": "3 s"},
                {"field": "sst", "name": "sst_mean", "operation": "mean", "every": "3 s"},
                {"field": "total", "operation": "mean", "every": "3 s"},
                {"field": "rows", "operation": "max", "every": "3 s"},
            ],
        }
    },
    "checkpoint": {"every": "4 steps", "fields": ["sst"]},
}


def run(folder, layout: str, ranks: int, last: int, **servers):
    folder.mkdir(exist_ok=True)
    (folder / "model.py").write_text(MODEL)
    (folder / "tailrace.yaml").write_text(yaml.safe_dump(CONFIG | {"servers": servers or {"mode": "attached"}}))
    processes = ranks + servers.get("count", 0)
    command = ["mpirun", "-n", str(processes), sys.executable, "model.py", layout, str(last)]
    with Running(command, folder, mpi_environment()) as running:
        return running.wait().finished()


@pytest.mark.parametrize("servers", [{}, {"mode": "dedicated", "count": 2}], ids=["attached", "dedicated"])
def test_a_restart_with_other_blocks(tmp_path, servers):
    run(tmp_path / "whole", "A", 2, 10)
    run(tmp_path / "pieces", "A", 2, 5)
    result = run(tmp_path / "pieces", "B", 3, 10, **servers)
    assert result.output.count("GOT 4 0 []") == 3, result.output
    assert differences(every_bit(tmp_path / "whole" / "out.nc"), every_bit(tmp_path / "pieces" / "out.nc")) == []


def test_cells_that_were_holes_get_the_fill_value(tmp_path):
    run(tmp_path, "A", 2, 5)
    result = run(tmp_path, "C", 1, 6)
    assert "GOT 4 3 [9.969209968386869e+36]" in result.output, result.output
