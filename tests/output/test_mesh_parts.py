"""Nodes of a mesh that each rank declares for its own cells give the same file as all nodes on every rank."""

import netCDF4
import numpy as np
import pytest
import xarray as xr
from support.harness import Running, attached, field, indexed_grid, inline, model, mpi_environment, servers
from support.programs import build_program
from support.reading import differences, every_bit

CONFIG = {
    "fields": {"state": {"every": "1 step", "names": ["t"]}},
    "output": {"t.nc": {"variables": [{"field": "t", "time": "snapshot", "every": "1 step"}]}},
}
CELLS = 43
MANY_CELLS = 140_000  # the nodes take more than one chunk


def scenario(cells: int, in_parts: bool) -> dict:
    grid = indexed_grid(shape=(1, cells), mesh=True, mesh_in_parts=in_parts)
    return {"grids": [grid], "fields": [field("t", "ico", "float32")], "times": [1.0, 2.0]}


def bits(job, ranks, serving, cells, in_parts):
    result = job(model(ranks, **scenario(cells, in_parts)), serving, config=CONFIG).finished()
    return every_bit(result.path("t.nc"))


@pytest.mark.parametrize(
    ("ranks", "serving"),
    [(1, inline()), (3, inline()), (2, attached()), (5, servers(1)), (3, servers(2)), (4, servers(3, transport="mpi"))],
)
def test_same_bits_as_with_all_nodes(job, ranks, serving):
    whole = bits(job, 1, inline(), CELLS, in_parts=False)
    assert len(whole["mesh_node_x"][2]) == 8 * (CELLS + 2)
    assert differences(bits(job, ranks, serving, CELLS, in_parts=True), whole) == []


def test_ranks_without_cells_give_no_nodes(job):
    whole = bits(job, 1, inline(), 3, in_parts=False)
    assert differences(bits(job, 5, servers(2), 3, in_parts=True), whole) == []


def test_many_nodes_are_in_chunks_and_stock_readers_find_them(job):
    whole = bits(job, 2, servers(1), MANY_CELLS, in_parts=False)
    result = job(model(3, **scenario(MANY_CELLS, True)), servers(2), config=CONFIG).finished()
    assert differences(every_bit(result.path("t.nc")), whole) == []
    with netCDF4.Dataset(result.path("t.nc")) as data:
        assert data["mesh_node_x"].chunking() != "contiguous"
        assert np.array_equal(data["mesh_node_x"][:], 0.5 * np.arange(MANY_CELLS + 2))
    with xr.open_dataset(result.path("t.nc")) as data:
        mesh = data[data.t.mesh]
        x, y = (data[name] for name in mesh.node_coordinates.split())
        assert (x.units, y.units) == ("degrees_east", "degrees_north")
        assert np.array_equal(y, np.arange(MANY_CELLS + 2) % 2)
        corners = data[mesh.face_node_connectivity].values.astype(int)
        assert np.array_equal(x.values[corners[7]], [3.5, 4.0, 4.5])


# Three ranks with a strip of two quadrilaterals each; MISTAKE selects a mistake.
YAML = """
tailrace: 1
servers: {mode: inline}
fields: {state: {every: 1 step, names: [t]}}
output: {t.nc: {variables: [{field: t, time: snapshot, every: 1 step}]}}
"""
C = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <tailrace/tailrace.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  tailrace_error error = TAILRACE_NO_ERROR;
  tailrace_start_options options = {.component = "strip"};
  tailrace_session* io = tailrace_start(MPI_COMM_WORLD, "tailrace.yaml", &options, &error);
  int rank, mistake = atoi(getenv("MISTAKE"));
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  tailrace_grid_spec grid = {.name = "strip", .rank = 1, .dims = (const char*[]){"cell"}, .shape = (int64_t[]){6}};
  grid.indexed_dim = "cell";
  grid.indices = (int64_t[]){2 * rank, 2 * rank + 1};
  grid.index_count = 2;
  tailrace_grid(io, &grid, &error);
  double x[6], y[6];
  int64_t nodes[6];
  for (int i = 0; i < 6; ++i) {
    nodes[i] = 4 * rank + i;
    x[i] = 0.1 * (double)(nodes[i] / 2);
    y[i] = (double)(nodes[i] % 2);
  }
  if (mistake == 1 && rank == 2) x[1] = 0.5;
  int32_t first = 4 * rank;
  tailrace_mesh_spec mesh = {.name = "mesh", .node_x = x, .node_y = y, .node_count = 6, .nodes_per_face = 4};
  mesh.face_nodes = (int32_t[]){first, first + 2, first + 3, first + 1, first + 2, first + 4, first + 5, first + 3};
  mesh.face_count = 2;
  mesh.global_nodes = mistake == 2 ? 17 : 14;
  mesh.node_indices = mistake == 3 ? NULL : nodes;
  if (mistake == 4) nodes[5] = 12;
  if (tailrace_mesh(io, "strip", &mesh, &error) != 0) printf("HEARD %s\\n", error.message);
  tailrace_field_spec field = {.name = "t", .grid = "strip", .type = TAILRACE_FLOAT64};
  int t = tailrace_field(io, &field, &error);
  if (tailrace_ready(io, &error) != 0) {
    printf("HEARD %s\\n", error.message);
  } else {
    tailrace_step(io, 1, 1.0, &error);
    tailrace_put(io, t, (double[]){2 * rank, 2 * rank + 1}, TAILRACE_FLOAT64, 2, &error);
    tailrace_finish(io, &error);
  }
  MPI_Finalize();
}
"""
CPP = """
#include <mpi.h>
#include <cstdlib>
#include <iostream>
#include <tailrace/tailrace.hpp>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  try {
    auto io = tailrace::Session::start(MPI_Comm_c2f(MPI_COMM_WORLD), "tailrace.yaml", {.component = "strip"});
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int mistake = std::atoi(std::getenv("MISTAKE"));
    const std::vector<std::int64_t> cells{2 * rank, 2 * rank + 1};
    io.grid({.name = "strip", .dims = {"cell"}, .shape = {6}, .indexed_dim = "cell", .indices = cells});
    std::vector<double> x, y;
    std::vector<std::int64_t> nodes;
    for (std::int64_t node = 4 * rank; node < 4 * rank + 6; ++node) {
      nodes.push_back(node);
      x.push_back(0.1 * static_cast<double>(node / 2));
      y.push_back(static_cast<double>(node % 2));
    }
    if (mistake == 1 && rank == 2) x[1] = 0.5;
    if (mistake == 3) nodes.clear();
    if (mistake == 4) nodes[5] = 12;
    const std::int32_t f = 4 * rank;
    const std::vector<std::int32_t> faces{f, f + 2, f + 3, f + 1, f + 2, f + 4, f + 5, f + 3};
    io.mesh("strip", {.node_x = x, .node_y = y, .nodes_per_face = 4, .face_nodes = faces,
                      .global_nodes = mistake == 2 ? 17 : 14, .node_indices = nodes});
    const auto t = io.field({.name = "t", .grid = "strip"});
    io.ready();
    io.step(1, 1.0);
    io.put(t, std::vector<double>{2.0 * rank, 2.0 * rank + 1});
    io.finish();
  } catch (const tailrace::Error& error) {
    std::cout << "HEARD " << error.what() << std::endl;
  }
  MPI_Finalize();
}
"""
FORTRAN = """
program strip
  use mpi_f08
  use tailrace
  implicit none
  type(tailrace_session) :: io
  character(:), allocatable :: message
  character(8) :: text
  real(8) :: x(6), y(6), values(2)
  integer :: nodes(6), rank, mistake, ierr, i
  call MPI_Init()
  call io%start(MPI_COMM_WORLD, "tailrace.yaml", component="strip")
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call get_environment_variable("MISTAKE", text)
  read (text, *) mistake
  call io%grid("strip", dims=["cell"], shape=[6], indexed_dim="cell", indices=[2*rank + 1, 2*rank + 2])
  nodes = [(4*rank + i, i=1, 6)]
  x = 0.1d0*((nodes - 1)/2)
  y = mod(nodes - 1, 2)
  if (mistake == 1 .and. rank == 2) x(2) = 0.5d0
  if (mistake == 4) nodes(6) = 13
  if (mistake == 3) then
    call io%mesh("strip", x, y, reshape(4*rank + [1, 3, 4, 2, 3, 5, 6, 4], [4, 2]), &
                 global_nodes=14, node_indices=nodes(:5), ierr=ierr, errmsg=message)
  else
    call io%mesh("strip", x, y, reshape(4*rank + [1, 3, 4, 2, 3, 5, 6, 4], [4, 2]), &
                 global_nodes=merge(17, 14, mistake == 2), node_indices=nodes, ierr=ierr, errmsg=message)
  end if
  if (ierr /= 0) print "(2a)", "HEARD ", message
  call io%field("t", grid="strip")
  call io%ready(ierr=ierr, errmsg=message)
  if (ierr /= 0) then
    print "(2a)", "HEARD ", message
  else
    values = [2*rank, 2*rank + 1]
    call io%step(1, 1d0)
    call io%put("t", values)
    call io%finish()
  end if
  call MPI_Finalize()
end program
"""
PYTHON = """
import os
import sys
import numpy as np
import tailrace
from mpi4py import MPI

rank, mistake = MPI.COMM_WORLD.rank, int(os.environ["MISTAKE"])
try:
    with tailrace.Session.start(MPI.COMM_WORLD, "tailrace.yaml", component="strip") as io:
        io.grid("strip", dims=["cell"], shape=[6], indexed_dim="cell", indices=[2 * rank, 2 * rank + 1])
        nodes = 4 * rank + np.arange(6)
        x, y = 0.1 * (nodes // 2), nodes % 2
        if mistake == 1 and rank == 2:
            x[1] = 0.5
        if mistake == 4:
            nodes[5] = 12
        faces = 4 * rank + np.array([[0, 2, 3, 1], [2, 4, 5, 3]])
        io.mesh("strip", x, y, faces, node_indices=None if mistake == 3 else nodes,
                global_nodes=17 if mistake == 2 else 14)
        io.field("t", grid="strip")
        io.ready()
        io.step(1, 1.0)
        io.put("t", np.array([2.0 * rank, 2.0 * rank + 1]))
except tailrace.Error as error:
    sys.stdout.write(f"HEARD {error}\\n")
"""
PROGRAMS = {"c": C, "cpp": CPP, "fortran": FORTRAN, "python": PYTHON}
OTHERS = "ready failed on all ranks; the first rank of the component reports the reason"
CONFLICT = (
    'mesh "mesh": rank 1 gives node {} at (0.4, 1), but rank 2 at (0.5, 1); '
    "ranks that share a node must give the same bits"
)
MISSING = 'mesh "mesh": no rank gives 3 of its 17 nodes, the first of them node {}'
NO_INDICES = {
    "c": 'mesh "mesh": node_indices is NULL',
    "cpp": 'mesh "mesh": 6 values of node_x but 0 node_indices',
    "fortran": 'mesh of grid "strip": node_x has 6 elements, node_indices has 5',
    "python": 'mesh "mesh": 6 values of node_x but 0 node_indices',
}


@pytest.mark.parametrize("language", ["c", "cpp", "fortran", "python"])
def test_in_each_language(tmp_path, language):
    program = build_program(tmp_path, language, PROGRAMS[language])
    (tmp_path / "tailrace.yaml").write_text(YAML)

    def heard(mistake: int) -> list[str]:
        environment = mpi_environment() | {"MISTAKE": str(mistake)}
        with Running(["mpirun", "-n", "3", *program], tmp_path, environment) as running:
            output = running.wait(60).output
        return sorted(line.removeprefix("HEARD ") for line in output.splitlines() if line.startswith("HEARD"))

    assert heard(0) == []
    with xr.open_dataset(tmp_path / "t.nc") as data:
        assert np.array_equal(data.mesh_node_x, 0.1 * (np.arange(14) // 2))
        assert np.array_equal(data.mesh_node_y, np.arange(14) % 2)
        assert data.mesh_face_nodes.values[5].tolist() == [10, 12, 13, 11]
        assert data.t.values.tolist() == [[0, 1, 2, 3, 4, 5]]
    first = 1 if language == "fortran" else 0
    assert heard(1) == [CONFLICT.format(f"{9 + first} (counted from {first})"), OTHERS, OTHERS]
    assert heard(2) == [MISSING.format(f"{14 + first} (counted from {first})"), OTHERS, OTHERS]
    assert NO_INDICES[language] in heard(3)
    assert any(line.startswith('mesh "mesh": cell') and "face_nodes refers to the node" in line for line in heard(4))
