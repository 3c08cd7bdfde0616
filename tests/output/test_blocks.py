"""Ranks with several blocks of a grid that has holes, in each language: the same file."""

import numpy as np
import pytest
import xarray as xr
from support.harness import Running, mpi_environment
from support.programs import build_program

CONFIG = """
tailrace: 1
servers: {mode: inline}
fields: {state: {every: 1 step, names: [height, kind]}}
grids: {sea: {holes: missing}}
output: {sea.nc: {variables: [{field: height, every: 1 step}, {field: kind, every: 1 step}]}}
"""
SHAPE = (4, 7)
BLOCKS = [[(0, 0, 2, 2), (2, 5, 2, 2)], [(0, 4, 1, 3), (3, 0, 1, 4), (2, 2, 1, 2)]]  # y, x, rows, columns, by rank
C = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <tailrace/tailrace.h>
static tailrace_error error = TAILRACE_NO_ERROR;
static const int64_t all[2][3][4] = {{{0, 0, 2, 2}, {2, 5, 2, 2}}, {{0, 4, 1, 3}, {3, 0, 1, 4}, {2, 2, 1, 2}}};
static void check(void) {
  if (error.code == TAILRACE_OK) return;
  printf("ERROR %d %s\\n", (int)error.code, error.message);
  exit(3);
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const int blocks = rank == 0 ? 2 : 3;
  tailrace_session* io = tailrace_start(MPI_COMM_WORLD, "tailrace.yaml", NULL, &error); check();
  const char* dims[] = {"y", "x"};
  const int64_t shape[] = {4, 7};
  tailrace_grid(io, &(tailrace_grid_spec){.name = "sea", .rank = 2, .dims = dims, .shape = shape,
                                          .offset = all[rank][0], .count = all[rank][0] + 2}, &error); check();
  for (int b = 1; b < blocks; ++b) {
    tailrace_add_block(io, "sea", 2, all[rank][b], all[rank][b] + 2, &error); check();
  }
  const int height = tailrace_field(io, &(tailrace_field_spec){.name = "height", .grid = "sea",
                                                               .type = TAILRACE_FLOAT64}, &error);
  const int kind = tailrace_field(io, &(tailrace_field_spec){.name = "kind", .grid = "sea",
                                                             .type = TAILRACE_INT32}, &error);
  tailrace_ready(io, &error); check();
  for (int step = 1; step <= 2; ++step) {
    tailrace_step(io, step, step, &error); check();
    int32_t kinds[28];
    size_t cells = 0;
    for (int b = 0; b < blocks; ++b) {
      const int64_t* block = all[rank][b];
      double values[28];
      for (int64_t y = 0; y < block[2]; ++y)
        for (int64_t x = 0; x < block[3]; ++x) {
          values[y * block[3] + x] = 100.0 * (double)(block[0] + y) + (double)(block[1] + x) + 0.5 * step;
          kinds[cells++] = (int32_t)(10 * (block[0] + y) + block[1] + x) * step;
        }
      tailrace_put_block(io, height, (size_t)b, values, TAILRACE_FLOAT64, 2, block + 2, NULL, &error); check();
    }
    tailrace_put(io, kind, kinds, TAILRACE_INT32, cells, &error); check();
  }
  tailrace_finish(io, &error); check();
  tailrace_free(io);
  MPI_Finalize();
  return 0;
}
"""
CPP = """
#include <mpi.h>
#include <iostream>
#include <vector>
#include <tailrace/tailrace.hpp>
using Extents = std::vector<std::int64_t>;
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const std::vector<std::vector<Extents>> all{{{0, 0, 2, 2}, {2, 5, 2, 2}}, {{0, 4, 1, 3}, {3, 0, 1, 4}, {2, 2, 1, 2}}};
  const auto& blocks = all[static_cast<std::size_t>(rank)];
  const auto offset = [](const Extents& block) { return Extents{block[0], block[1]}; };
  const auto count = [](const Extents& block) { return Extents{block[2], block[3]}; };
  try {
    auto io = tailrace::Session::start(MPI_Comm_c2f(MPI_COMM_WORLD), "tailrace.yaml");
    tailrace::GridSpec spec;
    spec.name = "sea";
    spec.dims = {"y", "x"};
    spec.shape = {4, 7};
    spec.offset = offset(blocks[0]);
    spec.count = count(blocks[0]);
    io.grid(spec);
    for (std::size_t b = 1; b < blocks.size(); ++b) io.add_block("sea", offset(blocks[b]), count(blocks[b]));
    tailrace::FieldSpec field;
    field.name = "height";
    field.grid = "sea";
    io.field(field);
    field.name = "kind";
    field.type = tailrace::Type::int32;
    const auto kind = io.field(field);
    io.ready();
    for (int step = 1; step <= 2; ++step) {
      io.step(step, step);
      std::vector<std::int32_t> kinds;
      for (std::size_t b = 0; b < blocks.size(); ++b) {
        const Extents& block = blocks[b];
        std::vector<double> values;
        for (std::int64_t y = block[0]; y < block[0] + block[2]; ++y)
          for (std::int64_t x = block[1]; x < block[1] + block[3]; ++x) {
            values.push_back(100.0 * static_cast<double>(y) + static_cast<double>(x) + 0.5 * step);
            kinds.push_back(static_cast<std::int32_t>(10 * y + x) * step);
          }
        io.put_block("height", b, {values.data(), tailrace::Type::float64, count(block)});
      }
      io.put(kind, kinds);
    }
    io.finish();
  } catch (const tailrace::Error& error) {
    std::cout << "ERROR 1 " << error.what() << std::endl;
    return 3;
  }
  MPI_Finalize();
}
"""
FORTRAN = """
program blocks
  use mpi_f08
  use tailrace
  use, intrinsic :: iso_fortran_env, only: int32, real64
  implicit none
  type(tailrace_session) :: io
  integer :: rank, step, b, x, y, n
  integer, allocatable :: offset(:, :), counts(:, :)
  real(real64), allocatable :: values(:, :)
  integer(int32), allocatable :: kinds(:)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  if (rank == 0) then
    offset = reshape([1, 1, 6, 3], [2, 2])
    counts = reshape([2, 2, 2, 2], [2, 2])
  else
    offset = reshape([5, 1, 1, 4, 3, 3], [2, 3])
    counts = reshape([3, 1, 4, 1, 2, 1], [2, 3])
  end if
  call io%start(MPI_COMM_WORLD, "tailrace.yaml")
  call io%grid("sea", dims=["x", "y"], shape=[7, 4], offset=offset(:, 1), count=counts(:, 1))
  do b = 2, size(offset, 2)
    call io%add_block("sea", offset=offset(:, b), count=counts(:, b))
  end do
  call io%field("height", grid="sea")
  call io%field("kind", grid="sea", type=tailrace_int32)
  call io%ready()
  do step = 1, 2
    call io%step(step, real(step, real64))
    allocate (kinds(sum(product(counts, dim=1))))
    n = 0
    do b = 1, size(offset, 2)
      allocate (values(counts(1, b), counts(2, b)))
      do y = 1, counts(2, b)
        do x = 1, counts(1, b)
          values(x, y) = 100.0_real64*(offset(2, b) + y - 2) + offset(1, b) + x - 2 + 0.5_real64*step
          n = n + 1
          kinds(n) = (10*(offset(2, b) + y - 2) + offset(1, b) + x - 2)*step
        end do
      end do
      call io%put_block("height", b, values)
      deallocate (values)
    end do
    call io%put("kind", kinds)
    deallocate (kinds)
  end do
  call io%finish()
  call MPI_Finalize()
end program blocks
"""
PYTHON = """
import numpy as np
import tailrace
from mpi4py import MPI
ALL = [[(0, 0, 2, 2), (2, 5, 2, 2)], [(0, 4, 1, 3), (3, 0, 1, 4), (2, 2, 1, 2)]]
blocks = ALL[MPI.COMM_WORLD.rank]
y, x = np.meshgrid(np.arange(4), np.arange(7), indexing="ij")
cells = [np.s_[a : a + n, b : b + m] for a, b, n, m in blocks]
with tailrace.Session.start(MPI.COMM_WORLD, "tailrace.yaml") as io:
    io.grid("sea", dims=["y", "x"], shape=[4, 7], offset=blocks[0][:2], count=blocks[0][2:])
    for block in blocks[1:]:
        io.add_block("sea", offset=block[:2], count=block[2:])
    io.field("height", grid="sea")
    kind = io.field("kind", grid="sea", dtype="int32")
    io.ready()
    for step in (1, 2):
        io.step(step, float(step))
        for number, part in enumerate(cells):
            io.put_block("height", number, (100.0 * y + x + 0.5 * step)[part])
        whole = ((10 * y + x) * step).astype("int32")
        io.put(kind, np.concatenate([whole[part].ravel() for part in cells]))
"""
PROGRAMS = {"c": C, "cpp": CPP, "fortran": FORTRAN, "python": PYTHON}
HELD = np.zeros(SHAPE, bool)
for of_rank in BLOCKS:
    for row, column, rows, columns in of_rank:
        HELD[row : row + rows, column : column + columns] = True


def run(folder, language: str, text: str):
    (folder / "tailrace.yaml").write_text(CONFIG)
    command = ["mpirun", "-n", "2", *build_program(folder, language, text)]
    with Running(command, folder, mpi_environment()) as running:
        return running.wait()


@pytest.mark.parametrize("language", PROGRAMS)
def test_blocks(tmp_path, language):
    result = run(tmp_path, language, PROGRAMS[language]).finished()
    y, x = np.meshgrid(np.arange(4), np.arange(7), indexing="ij")
    steps = np.array([1, 2])[:, None, None]
    with xr.open_dataset(result.path("sea.nc"), decode_times=False, mask_and_scale=False) as data:
        np.testing.assert_array_equal(
            data.height.values, np.where(HELD, 100.0 * y + x + 0.5 * steps, 9.969209968386869e36)
        )
        np.testing.assert_array_equal(data.kind.values, np.where(HELD, (10 * y + x) * steps, -2147483647))
        assert data.kind.attrs["_FillValue"] == -2147483647


WRONG = """
import numpy as np
import tailrace
from mpi4py import MPI
def attempt(call, *arguments, **keywords):
    try:
        call(*arguments, **keywords)
        print("HEARD nothing", flush=True)
    except tailrace.Error as error:
        print("HEARD", error, flush=True)
io = tailrace.Session.start(MPI.COMM_WORLD, "tailrace.yaml")
io.grid("sea", dims=["y", "x"], shape=[4, 7], offset=[0, 0], count=[2, 3])
attempt(io.add_block, "see", [2, 0], [2, 3])
attempt(io.add_block, "sea", [2, 0], [2, 8])
attempt(io.add_block, "sea", [2], [2])
io.grid("line", dims=["y"], shape=[4])
attempt(io.add_block, "line", [2], [2])
io.add_block("sea", [2, 0], [2, 4])
io.field("height", grid="sea")
io.field("kind", grid="sea", dtype="int32")
attempt(io.add_block, "sea", [0, 4], [1, 1])
io.ready()
io.step(1, 1.0)
attempt(io.put, "kind", np.zeros((2, 3), "int32"))
io.put("kind", np.zeros(14, "int32"))
attempt(io.put_block, "height", 2, np.zeros((2, 3)))
attempt(io.put_block, "height", 1, np.zeros((2, 3)))
io.put_block("height", 1, np.zeros((2, 4)))
attempt(io.put_block, "height", 1, np.zeros((2, 4)))
attempt(io.step, 2, 2.0)
io.put_block("height", 0, np.zeros(6))
io.finish()
"""
HEARD = [
    'grid "see" was not declared. Did you mean "sea"?',
    'grid "sea": along x this rank\'s block starts at 0 (counted from 0) and has 8 cells, but the dim has 7',
    'grid "sea" has 2 dims, but 1 offsets and 1 counts',
    'grid "line": a further block belongs to a grid that is declared with offset and count',
    'grid "sea": all blocks are declared before its coordinates and fields',
    'put of field "kind": the array has the shape (2, 3), but grid "sea" holds (14) on this rank',
    'put of block 2 of field "height": grid "sea" has 2 blocks on this rank (the first is number 0)',
    'put of block 1 of field "height": the array has the shape (2, 3), but grid "sea" holds (2, 4) on this rank',
    'block 1 of field "height" was put twice at step 1',
    'step was called after 1 of 2 blocks of field "height" were put at step 1; block 0 is missing',
]


def test_mistakes(tmp_path):
    (tmp_path / "tailrace.yaml").write_text(CONFIG)
    command = ["mpirun", "-n", "1", *build_program(tmp_path, "python", WRONG)]
    with Running(command, tmp_path, mpi_environment()) as running:
        result = running.wait()
    assert result.status == 0, result.output
    heard = [line.removeprefix("HEARD ") for line in result.output.splitlines() if line.startswith("HEARD ")]
    assert [one for one, message in zip(heard, HEARD, strict=True) if not one.startswith(message)] == []
