"""A model in C, Fortran or Python queries the state of its output after a server is lost, and continues meanwhile."""

import pytest
from support.harness import Running, mpi_environment
from support.programs import build_program

CONFIG = """
tailrace: 1
servers: {mode: dedicated, count: 1, on_server_loss: continue}
fields: {state: {every: 1 step, names: [h]}}
output:
  h.nc:
    write_every: 1 step
    variables: [{field: h, time: snapshot, every: 1 step}]
"""
# Each queries at every step, for at most 2,000 steps of 5 ms, and prints the answer there and after finish.
C = """
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <tailrace/tailrace.h>
static void check(tailrace_error *error) { if (error->code) printf("ERROR %s\\n", error->message); }
int main(int argc, char **argv) {
  int provided, step = 0;
  double h = 0.0;
  tailrace_error error = TAILRACE_NO_ERROR;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  tailrace_session *io = tailrace_start(MPI_COMM_WORLD, "tailrace.yaml", NULL, &error);
  check(&error);
  if (!tailrace_is_server(io)) {
    int field = tailrace_field(io, &(tailrace_field_spec){.name = "h", .type = TAILRACE_FLOAT64}, &error);
    tailrace_ready(io, &error);
    check(&error);
    if (strlen(tailrace_output_lost(io)) == 0) printf("NOTHING LOST\\n");
    while (++step < 2000 && strlen(tailrace_output_lost(io)) == 0) {
      tailrace_step(io, step, step, &error);
      check(&error);
      tailrace_put(io, field, &h, TAILRACE_FLOAT64, 1, &error);
      check(&error);
      usleep(5000);
    }
    printf("HEARD %s\\n", tailrace_output_lost(io));
    printf("WANTS %d\\n", tailrace_wants(io, field, &error));
    tailrace_finish(io, &error);
    check(&error);
    printf("AFTER %s\\n", tailrace_output_lost(io));
  }
  tailrace_free(io);
  MPI_Finalize();
}
"""
FORTRAN = """
program asking
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi_f08
  use tailrace
  implicit none
  type(tailrace_session) :: io
  integer :: step, provided
  integer(int64) :: now, begin, rate
  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided)
  call io%start(MPI_COMM_WORLD, "tailrace.yaml")
  if (.not. io%is_server()) then
    call io%field("h")
    call io%ready()
    if (len(io%output_lost()) == 0) print "(a)", "NOTHING LOST"
    do step = 1, 2000
      if (len(io%output_lost()) > 0) exit
      call io%step(step, real(step, 8))
      call io%put("h", 1d0)
      call system_clock(begin, rate)
      do
        call system_clock(now)
        if (now - begin > rate/200) exit
      end do
    end do
    print "(2a)", "HEARD ", io%output_lost()
    print "(a,i0)", "WANTS ", merge(1, 0, io%wants("h"))
    call io%finish()
    print "(2a)", "AFTER ", io%output_lost()
  end if
  call MPI_Finalize()
end program
"""
PYTHON = """
import time
import tailrace
from mpi4py import MPI

io = tailrace.Session.start(MPI.COMM_WORLD, "tailrace.yaml")
if not io.is_server():
    io.field("h")
    io.ready()
    if io.output_lost() == "":
        print("NOTHING LOST")
    for step in range(1, 2000):
        if io.output_lost():
            break
        io.step(step, float(step))
        io.put("h", 1.0)
        time.sleep(0.005)
    print("HEARD", io.output_lost())
    print("WANTS", int(io.wants("h")))
    io.finish()
    print("AFTER", io.output_lost(), flush=True)
"""
SOURCES = {"c": C, "fortran": FORTRAN, "python": PYTHON}


@pytest.mark.parametrize("language", SOURCES)
def test_a_model_queries_the_state_of_its_output(tmp_path, language):
    command = build_program(tmp_path, language, SOURCES[language])
    (tmp_path / "tailrace.yaml").write_text(CONFIG)
    environment = mpi_environment(TAILRACE_FAULT_AT="1:running:throw:30")
    with Running(["mpirun", "-n", "2", *command], tmp_path, environment) as running:
        output = running.wait(60).finished().output
    said = dict(line.split(" ", 1) for line in output.splitlines() if line.split(" ")[0].isupper())
    assert said["NOTHING"] == "LOST"
    assert "server 0 (rank 1 of the run" in said["HEARD"]
    assert "it ended with: " in said["HEARD"]
    assert "h.nc up to " in said["HEARD"]
    assert said["WANTS"] == "0"
    assert said["AFTER"] == said["HEARD"]
    assert "ERROR" not in said, output
