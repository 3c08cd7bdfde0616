"""An HDF5 library that is not thread-safe, in mode attached: refused, unless the model uses Tailrace's lock.

A small library in front of HDF5 reports that it is not thread-safe."""

import json
import subprocess
import time

import pytest
from support.harness import Running, attached, block_grid, field, model, mpi_environment, write_configuration
from support.programs import build_program
from support.stream_reader import wait_until

CONFIG = {
    "fields": {"state": {"every": "1 step", "names": ["h"]}},
    "output": {"h.nc": {"write_every": "1 step", "variables": [{"field": "h", "every": "1 step"}]}},
}
PRETENDS = "int H5is_library_threadsafe(_Bool* is) { *is = 0; return 0; }\n"
# The models below put four values, take the lock, put four more, and give it back. The line that they print before and
# after the second four is also the name of the file that they wait for before they continue.
C = """
#include <mpi.h>
#include <stdio.h>
#include <tailrace/tailrace.h>
#include <unistd.h>
static tailrace_error error = TAILRACE_NO_ERROR;
static void go_on(tailrace_session* io, int h, int first) {
  for (int step = first; step < first + 4; ++step) {
    double values[7];
    for (int i = 0; i < 7; ++i) values[i] = step;
    tailrace_step(io, step, step, &error);
    tailrace_put(io, h, values, TAILRACE_FLOAT64, 7, &error);
  }
}
static void say(const char* words) {
  puts(words);
  fflush(stdout);
  while (access(words, F_OK) != 0) usleep(1000);
}
int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  tailrace_session* io = tailrace_start(MPI_COMM_WORLD, "tailrace.yaml", NULL, &error);
  tailrace_grid_spec grid = {.name = "line", .rank = 1, .dims = (const char*[]){"x"}, .shape = (int64_t[]){7}};
  tailrace_grid(io, &grid, &error);
  tailrace_field_spec field = {.name = "h", .grid = "line", .type = TAILRACE_FLOAT64};
  int h = tailrace_field(io, &field, &error);
  tailrace_ready(io, &error);
  go_on(io, h, 1);
  say("BEGUN");
  tailrace_hdf5_lock();
  go_on(io, h, 5);
  say("LOCKED");
  tailrace_hdf5_unlock();
  tailrace_finish(io, &error);
  tailrace_free(io);
  MPI_Finalize();
}
"""
CPP = """
#include <mpi.h>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <tailrace/tailrace.hpp>
#include <thread>
void say(const char* words) {
  std::cout << words << std::endl;
  while (!std::filesystem::exists(words)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}
int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  {
    auto io = tailrace::Session::start(MPI_Comm_c2f(MPI_COMM_WORLD), "tailrace.yaml");
    io.grid({.name = "line", .dims = {"x"}, .shape = {7}});
    const auto h = io.field({.name = "h", .grid = "line"});
    io.ready();
    const auto go_on = [&](int first) {
      for (int step = first; step < first + 4; ++step) {
        io.step(step, step);
        io.put(h, std::vector<double>(7, step));
      }
    };
    go_on(1);
    say("BEGUN");
    tailrace::hdf5_lock();
    go_on(5);
    say("LOCKED");
    tailrace::hdf5_unlock();
    io.finish();
  }
  MPI_Finalize();
}
"""
FORTRAN = """
program locks
  use mpi_f08
  use tailrace
  implicit none
  type(tailrace_session) :: io
  integer :: provided
  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided)
  call io%start(MPI_COMM_WORLD, "tailrace.yaml")
  call io%grid("line", dims=["x"], shape=[7])
  call io%field("h", grid="line")
  call io%ready()
  call go_on(1)
  call say("BEGUN")
  call tailrace_hdf5_lock()
  call go_on(5)
  call say("LOCKED")
  call tailrace_hdf5_unlock()
  call io%finish()
  call MPI_Finalize()
contains
  subroutine go_on(first)
    integer, intent(in) :: first
    integer :: step
    real(8) :: values(7)
    do step = first, first + 3
      values = step
      call io%step(step, real(step, 8))
      call io%put("h", values)
    end do
  end subroutine
  subroutine say(words)
    character(*), intent(in) :: words
    logical :: goes_on
    print "(a)", words
    flush (6)
    goes_on = .false.
    do while (.not. goes_on)
      inquire (file=words, exist=goes_on)
    end do
  end subroutine
end program
"""
PYTHON = """
import os
import time
import numpy as np
import tailrace
from mpi4py import MPI

def say(words):
    print(words, flush=True)
    while not os.path.exists(words):
        time.sleep(0.001)

with tailrace.Session.start(MPI.COMM_WORLD, "tailrace.yaml") as io:
    io.grid("line", dims=["x"], shape=[7])
    io.field("h", grid="line")
    io.ready()
    def go_on(first):
        for step in range(first, first + 4):
            io.step(step, float(step))
            io.put("h", np.full(7, float(step)))
    go_on(1)
    say("BEGUN")
    tailrace.hdf5_lock()
    go_on(5)
    say("LOCKED")
    tailrace.hdf5_unlock()
"""
SOURCES = {"c": C, "cpp": CPP, "fortran": FORTRAN, "python": PYTHON}


def commits_of(folder) -> list[dict]:
    log = folder / "tailrace_report" / "commits.jsonl"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []


@pytest.fixture(scope="module")
def not_thread_safe(tmp_path_factory) -> dict[str, str]:
    """Variables of the environment."""
    folder = tmp_path_factory.mktemp("pretends")
    (folder / "pretends.c").write_text(PRETENDS)
    subprocess.run(["cc", "-shared", "-fPIC", "pretends.c", "-o", "pretends.so"], cwd=folder, check=True)
    return {"LD_PRELOAD": str(folder / "pretends.so")}


PLAYER = model(2, grids=[block_grid()], fields=[field("h", "les")], times=[1.0, 2.0, 3.0])


def test_it_is_refused_beside_the_model(job, not_thread_safe):
    result = job(PLAYER, attached(), config=CONFIG, environment=not_thread_safe)
    result.failed_with("the HDF5 library of this program is not thread-safe", "model_uses_hdf5: false", code=2)


def test_a_model_that_does_without_it_says_so(job, not_thread_safe):
    job(PLAYER, attached(model_uses_hdf5=False), config=CONFIG, environment=not_thread_safe).finished()


@pytest.mark.parametrize("language", SOURCES)
def test_nothing_is_written_while_the_model_has_the_lock(tmp_path, not_thread_safe, language):
    program = build_program(tmp_path, language, SOURCES[language])
    write_configuration(tmp_path / "tailrace.yaml", CONFIG, attached(model_uses_hdf5=False))

    def committed() -> int:
        return max((record["lengths"]["time"] for record in commits_of(tmp_path)), default=0)

    with Running(["mpirun", "-n", "1", *program], tmp_path, mpi_environment(**not_thread_safe)) as running:
        running.wait_for("BEGUN")
        wait_until(lambda: committed() >= 3)
        (tmp_path / "BEGUN").touch()
        running.wait_for("LOCKED")
        time.sleep(1)  # in which the second four would be written
        assert committed() <= 4
        (tmp_path / "LOCKED").touch()
        running.wait().finished()
    assert committed() == 8
