"""An error that a C++ model does not catch is reported once, without a stack trace, and the job fails."""

import pytest
from support.harness import MPI, Running, mpi_environment
from support.programs import build_program

CONFIG = """
tailrace: 1
servers: {mode: inline}
fields: {state: {every: 1 step, names: [h]}}
output: {h.nc: {variables: [{field: h, time: snapshot, every: 1 step}]}}
"""
PROGRAM = """
#include <mpi.h>
#include <stdexcept>
#include <string>
#include <tailrace/tailrace.hpp>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  auto io = tailrace::Session::start(MPI_Comm_c2f(MPI_COMM_WORLD), "tailrace.yaml");
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (argc > 1 && rank == 0) throw std::runtime_error("the model's own");  // one, for it is not written in one piece
  if (argc > 1) MPI_Barrier(MPI_COMM_WORLD);
  io.grid({.name = "line", .dims = {"x"}, .shape = {7}});
  io.ready();
}
"""
MESSAGE = 'tailrace.yaml:4:41  fields.state.names: the model declares no field "h"'


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    here = tmp_path_factory.mktemp("uncaught")
    build_program(here, "cpp", PROGRAM)
    (here / "tailrace.yaml").write_text(CONFIG)
    return here


def run(folder, *arguments):
    with Running(["mpirun", "-n", "3", "build/model", *arguments], folder, mpi_environment()) as running:
        return running.wait(60)


def test_it_is_reported_once(folder):
    result = run(folder)
    assert result.status == 1
    assert result.output.count(MESSAGE) == 1
    assert "Signal" not in result.output and "terminate called" not in result.output


def test_other_exceptions_end_the_program_as_usual(folder):
    result = run(folder, "own")
    assert result.status == {"openmpi": 134, "mpich": 6}[MPI]  # the status of each launcher for SIGABRT
    assert "terminate called after throwing an instance of 'std::runtime_error'" in result.output
