"""A model that runs on HEALPix declares its grid in one call, in each language, and readers know the file."""

import numpy as np
import pytest
from support.programs import heard_alone

CONFIG = """
tailrace: 1
servers: {mode: inline}
fields: {state: {every: 1 step, names: [t]}}
output: {h.nc: {variables: [{field: t, time: snapshot, every: 1 step}]}}
"""
# Level 0 has 12 cells. This rank has them in an order of its own, and two levels of the air.
C = """
#include <mpi.h>
#include <stdio.h>
#include <tailrace/tailrace.h>
static tailrace_error error = TAILRACE_NO_ERROR;
static void tell(void) { printf("HEARD %s\\n", error.code == TAILRACE_OK ? "nothing" : error.message); }
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  tailrace_start_options options = {.component = "c"};
  tailrace_session* io = tailrace_start(MPI_COMM_WORLD, "tailrace.yaml", &options, &error);
  int64_t cells[12] = {11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, levels[1] = {2}, outside[1] = {12};
  const char* dims[1] = {"height"};
  tailrace_healpix_grid(io, &(tailrace_healpix_grid_spec){.name = "sky", .level = 30}, &error);
  tell();
  tailrace_healpix_grid(io, &(tailrace_healpix_grid_spec){.name = "sky", .order = "nest"}, &error);
  tell();
  tailrace_healpix_grid(io, &(tailrace_healpix_grid_spec){.name = "sky", .cells = outside, .cell_count = 1}, &error);
  tell();
  tailrace_healpix_grid(io, &(tailrace_healpix_grid_spec){.name = "sky", .first = 4, .count = 9}, &error);
  tell();
  tailrace_healpix_grid_spec grid = {.name = "sky", .rank = 1, .dims = dims, .shape = levels, .cells = cells,
                                     .cell_count = 12};
  tailrace_healpix_grid(io, &grid, &error);
  tell();
  tailrace_field_spec field = {.name = "t", .grid = "sky", .type = TAILRACE_FLOAT64};
  int t = tailrace_field(io, &field, &error);
  tailrace_ready(io, &error);
  tailrace_step(io, 1, 1.0, &error);
  double values[24];
  for (int level = 0; level < 2; ++level)
    for (int i = 0; i < 12; ++i) values[12 * level + i] = 100 * level + cells[i];
  tailrace_put(io, t, values, TAILRACE_FLOAT64, 24, &error);
  tell();
  tailrace_finish(io, &error);
  MPI_Finalize();
}
"""
CPP = """
#include <mpi.h>
#include <functional>
#include <iostream>
#include <tailrace/tailrace.hpp>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    auto io = tailrace::Session::start(MPI_Comm_c2f(MPI_COMM_WORLD), "tailrace.yaml", {.component = "cpp"});
    const auto attempt = [&](const std::function<void()>& call) {
      try {
        call();
        std::cout << "HEARD nothing" << std::endl;
      } catch (const tailrace::Error& error) {
        std::cout << "HEARD " << error.what() << std::endl;
      }
    };
    const std::vector<std::int64_t> cells{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}, outside{12};
    attempt([&] { io.healpix_grid({.name = "sky", .level = 30}); });
    attempt([&] { io.healpix_grid({.name = "sky", .order = "nest"}); });
    attempt([&] { io.healpix_grid({.name = "sky", .cells = outside}); });
    attempt([&] { io.healpix_grid({.name = "sky", .first = 4, .count = 9}); });
    attempt([&] { io.healpix_grid({.name = "sky", .dims = {"height"}, .shape = {2}, .cells = cells}); });
    const auto t = io.field({.name = "t", .grid = "sky"});
    io.ready();
    io.step(1, 1.0);
    std::vector<double> values;
    for (int level = 0; level < 2; ++level)
      for (const auto cell : cells) values.push_back(100.0 * level + static_cast<double>(cell));
    attempt([&] { io.put(t, values); });
    io.finish();
  }
  MPI_Finalize();
}
"""
FORTRAN = """
program sky
  use mpi_f08
  use tailrace
  implicit none
  type(tailrace_session) :: io
  character(:), allocatable :: message
  integer :: ierr, i, level, cells(12) = [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
  real(8) :: values(12, 2)
  call MPI_Init()
  call io%start(MPI_COMM_WORLD, "tailrace.yaml")
  call io%healpix_grid("sky", level=30, ierr=ierr, errmsg=message)
  print "(2a)", "HEARD ", message
  call io%healpix_grid("sky", level=0, order="nest", ierr=ierr, errmsg=message)
  print "(2a)", "HEARD ", message
  call io%healpix_grid("sky", level=0, cells=[12_8], ierr=ierr, errmsg=message)
  print "(2a)", "HEARD ", message
  call io%healpix_grid("sky", level=0, first=4, count=9, ierr=ierr, errmsg=message)
  print "(2a)", "HEARD ", message
  call io%healpix_grid("sky", level=0, dims=["height"], shape=[2], cells=cells, ierr=ierr, errmsg=message)
  if (ierr == 0) print "(a)", "HEARD nothing"
  call io%field("t", grid="sky")
  call io%ready()
  call io%step(1, 1d0)
  do level = 1, 2
    values(:, level) = [(100d0*(level - 1) + cells(i), i=1, 12)]
  end do
  call io%put("t", values, ierr=ierr, errmsg=message)
  if (ierr == 0) print "(a)", "HEARD nothing"
  call io%finish()
  call MPI_Finalize()
end program
"""
PYTHON = """
import numpy as np
import tailrace
from mpi4py import MPI

def attempt(call, *arguments, **keywords):
    try:
        call(*arguments, **keywords)
        print("HEARD nothing")
    except tailrace.Error as error:
        print("HEARD", error)

with tailrace.Session.start(MPI.COMM_WORLD, "tailrace.yaml", component="python") as io:
    cells = np.arange(12)[::-1].copy()
    attempt(io.healpix_grid, "sky", 30)
    attempt(io.healpix_grid, "sky", 0, order="nest")
    attempt(io.healpix_grid, "sky", 0, cells=[12])
    attempt(io.healpix_grid, "sky", 0, first=4, count=9)
    attempt(io.healpix_grid, "sky", 0, dims=["height"], shape=[2], cells=cells)
    io.field("t", "sky")
    io.ready()
    io.step(1, 1.0)
    attempt(io.put, "t", 100.0 * np.arange(2)[:, None] + cells)
    io.finish()
"""
HEARD = [
    'healpix_grid "sky": expected a level from 0 to 29, but got 30',
    'healpix_grid "sky": the order "nest" is unknown. Did you mean "nested"? (known: nested, ring)',
    'healpix_grid "sky": the cell 12 is outside 0 to 11, the cells of level 0',
    'healpix_grid "sky": 9 cells from 4 on are outside 0 to 11, the cells of level 0',
    "nothing",
    "nothing",
]
SOURCES = {"c": C, "cpp": CPP, "fortran": FORTRAN, "python": PYTHON}


@pytest.mark.parametrize("language", SOURCES)
def test_each_language_declares_healpix(tmp_path, language):
    netcdf = pytest.importorskip("netCDF4")
    assert heard_alone(tmp_path, language, SOURCES[language], CONFIG) == HEARD
    with netcdf.Dataset(tmp_path / "h.nc") as file:
        file.set_auto_mask(False)
        assert file.Conventions == "CF-1.13"
        assert file["t"].dimensions == ("time", "height", "cell")
        assert np.array_equal(file["t"][0], 100.0 * np.arange(2)[:, None] + np.arange(12))
        assert file["cell"].dtype == "int64"
        assert file["cell"].standard_name == "healpix_index"
        assert np.array_equal(file["cell"][:], np.arange(12))
        mapping = file[file["t"].grid_mapping]
        words = {name: mapping.getncattr(name) for name in mapping.ncattrs()}
    assert words == {"grid_mapping_name": "healpix", "refinement_level": 0, "indexing_scheme": "nested"}
