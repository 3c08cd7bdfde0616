"""Valid and invalid fill values, and missing ones, in each language."""

import pytest
from support.harness import Running, block_grid, field, model, mpi_environment, servers
from support.programs import build_program

CONFIG = """
tailrace: 1
servers: {mode: inline}
fields: {state: {names: [n]}}
output: {a.nc: {variables: [{field: n, every: 1 step}]}}
"""
C = """
#include <mpi.h>
#include <stdio.h>
#include "tailrace/tailrace.h"
int main(void) {
  MPI_Init(NULL, NULL);
  tailrace_error error = {0};
  tailrace_session* io = tailrace_start(MPI_COMM_WORLD, "tailrace.yaml", NULL, &error);
  const double fill = 0.5;
  tailrace_field(io, &(tailrace_field_spec){.name = "n", .type = TAILRACE_INT32, .fill_value = &fill}, &error);
  printf("HEARD %s\\n", error.message);
  tailrace_free(io);
  MPI_Finalize();
}
"""
CPP = """
#include <mpi.h>
#include <iostream>
#include "tailrace/tailrace.hpp"
int main() {
  MPI_Init(nullptr, nullptr);
  {
    auto io = tailrace::Session::start(MPI_Comm_c2f(MPI_COMM_WORLD), "tailrace.yaml");
    try {
      io.field({.name = "n", .type = tailrace::Type::int32, .fill_value = 0.5});
    } catch (const tailrace::Error& error) {
      std::cout << "HEARD " << error.what() << std::endl;
    }
  }
  MPI_Finalize();
}
"""
FORTRAN = """
program fill
  use mpi_f08
  use tailrace
  implicit none
  type(tailrace_session) :: io
  character(:), allocatable :: message
  integer :: ierr
  call MPI_Init()
  call io%start(MPI_COMM_WORLD, "tailrace.yaml")
  call io%field("n", type=tailrace_int32, fill_value=0.5d0, ierr=ierr, errmsg=message)
  print "(2a)", "HEARD ", message
  call MPI_Finalize()
end program
"""
PYTHON = """
import tailrace
from mpi4py import MPI
io = tailrace.Session.start(MPI.COMM_WORLD, "tailrace.yaml")
try:
    io.field("n", dtype="int32", fill_value=0.5)
except tailrace.Error as error:
    print("HEARD", error)
"""
SOURCES = {"c": C, "cpp": CPP, "fortran": FORTRAN, "python": PYTHON}


@pytest.mark.parametrize("language", SOURCES)
def test_a_value_of_another_type_is_an_error_of_the_call(tmp_path, language):
    program = build_program(tmp_path, language, SOURCES[language])
    (tmp_path / "tailrace.yaml").write_text(CONFIG)
    with Running(["mpirun", "-n", "1", *program], tmp_path, mpi_environment()) as running:
        output = running.wait(60).output
    assert 'HEARD field "n": expected a fill_value of its type, int32, but got 0.5' in output, output


@pytest.mark.parametrize(
    ("changes", "pieces"),
    [
        (
            {"output": {"a.nc": {"variables": [{"field": "t", "operation": "valid_fraction", "every": "2 s"}]}}},
            ["output.a.nc.variables[0].operation", '"t" has no missing values', "fill_value"],
        ),
        (  # a count of cells is never missing
            {
                "diagnostics": {"n": {"is": "count(sst, z)"}},
                "output": {"a.nc": {"variables": [{"field": "n", "operation": "valid_fraction", "every": "2 s"}]}},
            },
            ["output.a.nc.variables[0].operation", '"n" has no missing values'],
        ),
    ],
)
def test_a_wrong_use_is_an_error_of_ready(job, changes, pieces):
    config = {"fields": {"state": {"every": "1 step", "names": ["t", "sst"]}}} | changes
    fields = [field("t", "g"), field("sst", "g", fill_value=-1.0)]
    job(model(2, grids=[block_grid("g")], fields=fields, times=[1.0, 2.0]), servers(1), config=config).failed_with(
        *pieces
    )
