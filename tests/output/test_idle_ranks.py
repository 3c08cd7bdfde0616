"""Ranks without cells give the part of each coordinate that they have: nothing. Any axis may be the split one."""

import numpy as np
import pytest
import xarray as xr
from support.harness import Running, mpi_environment
from support.programs import build_program

YAML = """
tailrace: 1
servers: {mode: inline}
fields: {state: {every: 1 step, names: [t]}}
output: {t.nc: {variables: [{field: t, every: 1 s}]}}
"""
# Four ranks, of which 0 and 3 have no cells; SPLIT is the dim (0 or 1) that ranks 1 and 2 share.
PYTHON = """
import os
import numpy as np
import tailrace
from mpi4py import MPI

split, rank = int(os.environ["SPLIT"]), MPI.COMM_WORLD.rank
shape, offset, count = [4, 6], [0, 0], [0, 0]
if rank in (1, 2):
    count = list(shape)
    count[split] //= 2
    offset[split] = (rank - 1) * count[split]
with tailrace.Session.start(MPI.COMM_WORLD, "tailrace.yaml", component="m") as io:
    io.grid("g", dims=["y", "x"], shape=shape, offset=offset, count=count)
    for d, name in enumerate("yx"):
        values = 10.0 * np.arange(offset[d], offset[d] + count[d])
        io.coordinate("g", name, values, units="m", bounds=np.stack([values - 5, values + 5], axis=-1))
    lat = np.full(count, 1.0 * rank)
    io.coordinate("g", "lat", lat, dims=["y", "x"], units="degrees_north")
    io.field("t", grid="g")
    io.ready()
    io.step(1, 1.0)
    io.put("t", np.full(count, 1.0 * rank))
"""
C = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <tailrace/tailrace.h>
static void check(int failed, const tailrace_error* error) {
  if (!failed) return;
  fprintf(stderr, "%s\\n", error->message);
  MPI_Abort(MPI_COMM_WORLD, 1);
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  tailrace_error error = TAILRACE_NO_ERROR;
  tailrace_start_options options = {.component = "m"};
  tailrace_session* io = tailrace_start(MPI_COMM_WORLD, "tailrace.yaml", &options, &error);
  check(io == NULL, &error);
  int rank, split = atoi(getenv("SPLIT"));
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int64_t shape[] = {4, 6}, offset[] = {0, 0}, count[] = {0, 0};
  if (rank == 1 || rank == 2) {
    for (int d = 0; d < 2; ++d) count[d] = d == split ? shape[d] / 2 : shape[d];
    offset[split] = (rank - 1) * count[split];
  }
  const char* dims[] = {"y", "x"};
  tailrace_grid_spec grid = {.name = "g", .rank = 2, .dims = dims, .shape = shape, .offset = offset, .count = count};
  check(tailrace_grid(io, &grid, &error), &error);
  for (int d = 0; d < 2; ++d) {
    double values[6], bounds[12];
    for (int64_t i = 0; i < count[d]; ++i) {
      values[i] = 10.0 * (double)(offset[d] + i);
      bounds[2 * i] = values[i] - 5;
      bounds[2 * i + 1] = values[i] + 5;
    }
    tailrace_coordinate_spec spec = {.name = dims[d], .units = "m", .bounds = bounds, .vertices = 2};
    check(tailrace_coordinate(io, "g", &spec, values, (size_t)count[d], &error), &error);
  }
  double cells[24];
  for (int i = 0; i < 24; ++i) cells[i] = rank;
  const size_t size = (size_t)(count[0] * count[1]);
  tailrace_coordinate_spec lat = {.name = "lat", .rank = 2, .dims = dims, .units = "degrees_north"};
  check(tailrace_coordinate(io, "g", &lat, cells, size, &error), &error);
  tailrace_field_spec field = {.name = "t", .grid = "g", .type = TAILRACE_FLOAT64};
  int t = tailrace_field(io, &field, &error);
  check(tailrace_ready(io, &error), &error);
  check(tailrace_step(io, 1, 1.0, &error), &error);
  check(tailrace_put(io, t, cells, TAILRACE_FLOAT64, size, &error), &error);
  check(tailrace_finish(io, &error), &error);
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
    auto io = tailrace::Session::start(MPI_Comm_c2f(MPI_COMM_WORLD), "tailrace.yaml", {.component = "m"});
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const std::size_t split = std::atoi(std::getenv("SPLIT"));
    const std::vector<std::int64_t> shape{4, 6};
    std::vector<std::int64_t> offset{0, 0}, count{0, 0};
    if (rank == 1 || rank == 2) {
      count = shape;
      count[split] /= 2;
      offset[split] = (rank - 1) * count[split];
    }
    io.grid({.name = "g", .dims = {"y", "x"}, .shape = shape, .offset = offset, .count = count});
    for (std::size_t d = 0; d < 2; ++d) {
      std::vector<double> values, bounds;
      for (std::int64_t i = offset[d]; i < offset[d] + count[d]; ++i) {
        values.push_back(10.0 * i);
        bounds.insert(bounds.end(), {10.0 * i - 5, 10.0 * i + 5});
      }
      io.coordinate("g", {.name = d == 0 ? "y" : "x", .units = "m", .bounds = bounds, .vertices = 2}, values);
    }
    const std::vector<double> cells(count[0] * count[1], rank);
    io.coordinate("g", {.name = "lat", .dims = {"y", "x"}, .units = "degrees_north"}, cells);
    const auto t = io.field({.name = "t", .grid = "g"});
    io.ready();
    io.step(1, 1.0);
    io.put(t, cells);
    io.finish();
  } catch (const tailrace::Error& error) {
    std::cerr << error.what() << std::endl;
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
"""
FORTRAN = """
program idle
  use mpi_f08
  use tailrace
  implicit none
  type(tailrace_session) :: io
  character(8) :: text
  character(1), parameter :: names(2) = ["x", "y"]
  integer :: shape_(2), offset(2), counts(2), rank, split, d, i
  real(8), allocatable :: values(:), bounds(:, :), cells(:, :)
  call MPI_Init()
  call io%start(MPI_COMM_WORLD, "tailrace.yaml", component="m")
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call get_environment_variable("SPLIT", text)
  read (text, *) split
  split = 2 - split
  shape_ = [6, 4]
  offset = 1
  counts = 0
  if (rank == 1 .or. rank == 2) then
    counts = shape_
    counts(split) = counts(split)/2
    offset(split) = 1 + (rank - 1)*counts(split)
  end if
  call io%grid("g", dims=names, shape=shape_, offset=offset, count=counts)
  do d = 2, 1, -1
    values = [(10d0*(offset(d) - 1 + i), i=0, counts(d) - 1)]
    allocate (bounds(2, counts(d)))
    bounds(1, :) = values - 5
    bounds(2, :) = values + 5
    call io%coordinate("g", names(d), values, units="m", bounds=bounds)
    deallocate (bounds)
  end do
  allocate (cells(counts(1), counts(2)))
  cells = rank
  call io%coordinate("g", "lat", cells, dims=names, units="degrees_north")
  call io%field("t", grid="g")
  call io%ready()
  call io%step(1, 1d0)
  call io%put("t", cells)
  call io%finish()
  call MPI_Finalize()
end program
"""
PROGRAMS = {"c": C, "cpp": CPP, "fortran": FORTRAN, "python": PYTHON}


@pytest.mark.parametrize("language", ["c", "cpp", "fortran", "python"])
def test_ranks_without_cells_agree_with_the_others(tmp_path, language):
    program = build_program(tmp_path, language, PROGRAMS[language])
    (tmp_path / "tailrace.yaml").write_text(YAML)
    for split in (0, 1):
        with Running(["mpirun", "-n", "4", *program], tmp_path, mpi_environment() | {"SPLIT": str(split)}) as running:
            result = running.wait(60)
        assert result.status == 0, result.output
        expected = np.empty((4, 6))
        first, second = ((slice(0, 2), slice(2, 4)), (np.s_[:, 0:3], np.s_[:, 3:6]))[split]
        expected[first], expected[second] = 1, 2
        with xr.open_dataset(tmp_path / "t.nc") as data:
            assert data.x.values.tolist() == [0, 10, 20, 30, 40, 50]
            assert data.y.values.tolist() == [0, 10, 20, 30]
            for name in "xy":
                values = data[name].values
                assert data[data[name].bounds].values.tolist() == np.stack([values - 5, values + 5], -1).tolist()
            assert np.array_equal(data.t[0], expected)
            assert np.array_equal(data.lat, expected)
        (tmp_path / "t.nc").unlink()
