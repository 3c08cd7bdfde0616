"""For an array of the wrong shape the message has both shapes in the order of the language's subscripts: slowest
dimension last in Fortran, first in the others."""

import pytest
from support.programs import heard_alone

CONFIG = """
tailrace: 1
servers: {mode: inline}
fields: {state: {every: 1 step, names: [h]}}
output: {h.nc: {variables: [{field: h, time: snapshot, every: 1 step}]}}
"""
FORTRAN = """
program model
  use mpi_f08
  use tailrace
  implicit none
  type(tailrace_session) :: io
  character(:), allocatable :: message
  integer :: ierr
  real(8) :: h(5, 4, 2) = 0
  call MPI_Init()
  call io%start(MPI_COMM_WORLD, "tailrace.yaml", component="model")
  call io%grid("box", dims=["z", "y", "x"], shape=[3, 4, 2])
  call io%field("h", grid="box")
  call io%ready()
  call io%step(1, 1d0)
  call io%put("h", h, ierr=ierr, errmsg=message)
  print "(a,i0,2a)", "HEARD ", ierr, " ", message
  call io%put("h", h(2:4, :, :))
  call io%finish()
  call MPI_Finalize()
end program
"""
C = """
#include <mpi.h>
#include <stdio.h>
#include <tailrace/tailrace.h>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  tailrace_error error = TAILRACE_NO_ERROR;
  tailrace_session* io = tailrace_start(MPI_COMM_WORLD, "tailrace.yaml", NULL, &error);
  static double h[2][4][5];
  const int64_t held[] = {2, 4, 3}, put[] = {2, 4, 5}, strides[] = {20, 5, 1};
  tailrace_grid_spec box = {.name = "box", .rank = 3, .dims = (const char*[]){"x", "y", "z"}, .shape = held};
  tailrace_grid(io, &box, &error);
  tailrace_field_spec field = {.name = "h", .grid = "box", .type = TAILRACE_FLOAT64};
  int number = tailrace_field(io, &field, &error);
  tailrace_ready(io, &error);
  tailrace_step(io, 1, 1.0, &error);
  int code = tailrace_put_strided(io, number, h, TAILRACE_FLOAT64, 3, put, NULL, &error);
  printf("HEARD %d %s\\n", code, error.message);
  tailrace_put_strided(io, number, &h[0][0][1], TAILRACE_FLOAT64, 3, held, strides, &error);
  if (tailrace_finish(io, &error) != TAILRACE_OK) return 1;
  tailrace_free(io);
  MPI_Finalize();
}
"""
CASES = {"fortran": (FORTRAN, "(5, 4, 2)", "(3, 4, 2)"), "c": (C, "(2, 4, 5)", "(2, 4, 3)")}


@pytest.mark.parametrize("language", CASES)
def test_shapes_are_listed_as_the_language_lists_them(language, tmp_path):
    text, put, held = CASES[language]
    heard = heard_alone(tmp_path, language, text, CONFIG)
    expected = f'put of field "h": the array has the shape {put}, but grid "box" holds {held} on this rank'
    assert heard == [f"1 {expected}"]
