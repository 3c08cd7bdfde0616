"""A null array: each language reports the field and the call, and the model can continue."""

import pytest
from support.programs import heard_alone

CONFIG = """
tailrace: 1
servers: {mode: inline}
fields: {state: {every: 1 step, names: [h]}}
output: {h.nc: {variables: [{field: h, time: snapshot, every: 1 step}]}}
"""
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
  tailrace_grid_spec grid = {.name = "line", .rank = 1, .dims = (const char*[]){"x"}, .shape = (int64_t[]){7}};
  tailrace_grid(io, &grid, &error);
  tailrace_field_spec field = {.name = "h", .grid = "line", .type = TAILRACE_FLOAT64, .attribute_count = 1};
  tailrace_field(io, &field, &error);
  tell();
  tailrace_mesh(io, "line", &(tailrace_mesh_spec){.name = "m", .node_count = 3, .nodes_per_face = 3}, &error);
  tell();
  field.attribute_count = 0;
  int h = tailrace_field(io, &field, &error);
  tailrace_ready(io, &error);
  tailrace_step(io, 1, 1.0, &error);
  tailrace_put(io, h, NULL, TAILRACE_FLOAT64, 7, &error);
  tell();
  tailrace_put_strided(io, h, NULL, TAILRACE_FLOAT64, 1, (int64_t[]){7}, (int64_t[]){2}, &error);
  tell();
  double values[7] = {0};
  tailrace_put(io, h, values, TAILRACE_FLOAT64, 7, &error);
  tell();
  tailrace_finish(io, &error);
  MPI_Finalize();
}
"""
CPP = """
#include <mpi.h>
#include <iostream>
#include <tailrace/tailrace.hpp>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    auto io = tailrace::Session::start(MPI_Comm_c2f(MPI_COMM_WORLD), "tailrace.yaml", {.component = "cpp"});
    io.grid({.name = "line", .dims = {"x"}, .shape = {7}});
    const auto h = io.field({.name = "h", .grid = "line"});
    io.ready();
    io.step(1, 1.0);
    const auto attempt = [&](const double* data) {
      try {
        io.put_dense(h, data, tailrace::Type::float64, 7);
        std::cout << "HEARD nothing" << std::endl;
      } catch (const tailrace::Error& error) {
        std::cout << "HEARD " << error.what() << std::endl;
      }
    };
    attempt(nullptr);
    const double values[7] = {};
    attempt(values);
    io.finish();
  }
  MPI_Finalize();
}
"""
FORTRAN = """
program null
  use mpi_f08
  use tailrace
  implicit none
  type(tailrace_session) :: io
  character(:), allocatable :: message
  real(8), allocatable :: unallocated(:)
  real(8), pointer :: nowhere(:)
  real(8) :: values(7)
  integer :: ierr
  call MPI_Init()
  call io%start(MPI_COMM_WORLD, "tailrace.yaml")
  call io%grid("line", dims=["x"], shape=[7])
  call io%field("h", grid="line")
  call io%ready()
  call io%step(1, 1d0)
  call io%put("h", unallocated, ierr=ierr, errmsg=message)
  print "(2a)", "HEARD ", message
  nullify (nowhere)
  call io%put("h", nowhere, ierr=ierr, errmsg=message)
  print "(2a)", "HEARD ", message
  values = 0
  call io%put("h", values, ierr=ierr, errmsg=message)
  if (ierr == 0) print "(a)", "HEARD nothing"
  call io%finish()
  call MPI_Finalize()
end program
"""
PYTHON = """
import numpy as np
import tailrace
from mpi4py import MPI

class OnAGpu:
    shape, dtype = (7,), np.dtype("f8")
    def __dlpack_device__(self):
        return (2, 0)
    def __dlpack__(self, **keywords):
        raise BufferError("not for the host")

with tailrace.Session.start(MPI.COMM_WORLD, "tailrace.yaml", component="python") as io:
    io.grid("line", dims=["x"], shape=[7])
    io.field("h", grid="line")
    io.ready()
    io.step(1, 1.0)
    for array in (OnAGpu(), np.zeros(7)):
        try:
            io.put("h", array)
            print("HEARD nothing")
        except tailrace.Error as error:
            print("HEARD", error)
    io.finish()
"""
NULL = 'put of field "h": the array is NULL; 7 cells of grid "line" are expected on this rank'
SOURCES = {"c": C, "cpp": CPP, "fortran": FORTRAN, "python": PYTHON}


@pytest.mark.parametrize("language", SOURCES)
def test_null_is_an_error_of_the_call(tmp_path, language):
    heard = heard_alone(tmp_path, language, SOURCES[language], CONFIG)
    before = ['field "h": attributes is NULL', 'mesh "m": node_x is NULL'] if language == "c" else []
    on_a_gpu = 'put of field "h": the array lies on another device than the processor; copy it to the host first'
    # A Fortran array may be unallocated, or a null pointer; every NumPy array has memory.
    expected = {"c": [NULL, NULL], "cpp": [NULL], "fortran": [NULL, NULL], "python": [on_a_gpu]}[language]
    assert heard == [*before, *expected, "nothing"], heard
