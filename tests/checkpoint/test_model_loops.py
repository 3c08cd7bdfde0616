"""The loop of the guide in each language: a model that calls step(0, 0), gets SIGTERM between checkpoint_due and
stop_requested, and uses its communicator after finish."""

import subprocess

import numpy as np
import pytest
from support.harness import mpi_environment
from support.programs import build_program
from support.reading import read

CONFIG = """
tailrace: 1
servers: {{mode: {mode}, {count}signals: all}}
checkpoint: {{every: 4 steps, fields: [h]}}
fields: {{state: {{every: 1 step, names: [h]}}}}
output: {{h.nc: {{write_every: 100 steps, variables: [{{field: h, every: 1 step}}]}}}}
"""
CELLS, LAST, SIGNAL_AT = 6, 9, 5
# Two ranks with three cells each; h = 100 * step + cell. The second rank gets the signal, in its first job only.
FORTRAN = f"""
program model
  use, intrinsic :: iso_c_binding, only: c_int
  use mpi_f08
  use tailrace
  implicit none
  type(tailrace_session) :: io
  type(MPI_Comm) :: comm, again
  integer :: rank, step, first, i, ranks
  logical :: goes_on
  real(8) :: h(3), t
  interface
    integer(c_int) function raise(number) bind(c)
      import :: c_int
      integer(c_int), value :: number
    end function raise
  end interface
  call MPI_Init()
  call io%start(MPI_COMM_WORLD, "tailrace.yaml", model_comm=comm)
  if (.not. io%is_server()) then
    call MPI_Comm_rank(comm, rank)
    first = 0
    goes_on = io%restarting(first, t)
    if (goes_on) first = first + 1
    call io%grid("line", dims=["x"], shape=[{CELLS}], offset=[3*rank + 1], count=[3])
    call io%field("h", grid="line")
    call io%ready()
    do step = first, {LAST}
      call io%step(step, real(step, 8))
      h = [(100*step + 3*rank + i, i=0, 2)]
      if (io%wants("h")) call io%put("h", h)
      if (step == 0) cycle
      if (io%checkpoint_due()) then
        call io%put("h", h)
        call io%checkpoint()
        if (rank == 0) print "(a, i0)", "CHECKPOINT ", step
      end if
      if (step == {SIGNAL_AT} .and. rank == 1) i = raise(15_c_int)
      if (io%stop_requested()) then
        if (rank == 0) print "(a, i0)", "STOP ", step
        exit
      end if
    end do
    call io%finish()
    ranks = 1
    call MPI_Allreduce(MPI_IN_PLACE, ranks, 1, MPI_INTEGER, MPI_SUM, comm)
    again%mpi_val = io%model_comm()
    if (rank == 0 .and. again == comm) print "(a, i0)", "RANKS ", ranks
  end if
  call MPI_Finalize()
end program
"""
C = f"""
#include <signal.h>
#include <stdio.h>
#include <mpi.h>
#include <tailrace/tailrace.h>
static tailrace_error error = TAILRACE_NO_ERROR;
static void check(void) {{
  if (error.code == TAILRACE_OK) return;
  fprintf(stderr, "%s\\n", error.message);
  MPI_Abort(MPI_COMM_WORLD, error.code);
}}
int main(int argc, char** argv) {{
  MPI_Init(&argc, &argv);
  tailrace_session* io = tailrace_start(MPI_COMM_WORLD, "tailrace.yaml", NULL, &error);
  check();
  if (!tailrace_is_server(io)) {{
    MPI_Comm comm = tailrace_model_comm(io, &error);
    int rank, ranks = 1;
    MPI_Comm_rank(comm, &rank);
    int64_t first = 0, shape = {CELLS}, offset = 3 * rank, count = 3;
    double t;
    if (tailrace_restarting(io, &first, &t, &error)) ++first;
    tailrace_grid(io, &(tailrace_grid_spec){{.name = "line", .rank = 1, .dims = (const char*[]){{"x"}},
                                            .shape = &shape, .offset = &offset, .count = &count}}, &error);
    check();
    const int h = tailrace_field(io, &(tailrace_field_spec){{.name = "h", .grid = "line", .type = TAILRACE_FLOAT64}},
                                 &error);
    tailrace_ready(io, &error);
    check();
    for (int64_t step = first; step <= {LAST}; ++step) {{
      const double values[3] = {{100. * step + offset, 100. * step + offset + 1, 100. * step + offset + 2}};
      tailrace_step(io, step, (double)step, &error);
      check();
      if (tailrace_wants(io, h, &error)) tailrace_put(io, h, values, TAILRACE_FLOAT64, 3, &error);
      if (step == 0) continue;
      if (tailrace_checkpoint_due(io, &error) == 1) {{
        tailrace_put(io, h, values, TAILRACE_FLOAT64, 3, &error);
        tailrace_checkpoint(io, &error);
        if (rank == 0) printf("CHECKPOINT %d\\n", (int)step);
      }}
      check();
      if (step == {SIGNAL_AT} && rank == 1) raise(SIGTERM);
      if (tailrace_stop_requested(io, &error) == 1) {{
        if (rank == 0) printf("STOP %d\\n", (int)step);
        break;
      }}
    }}
    tailrace_finish(io, &error);
    check();
    const int same = tailrace_model_comm(io, &error) == comm;
    tailrace_free(io);
    MPI_Allreduce(MPI_IN_PLACE, &ranks, 1, MPI_INT, MPI_SUM, comm);
    if (rank == 0 && same) printf("RANKS %d\\n", ranks);
  }} else {{
    tailrace_free(io);
  }}
  MPI_Finalize();
}}
"""
CPP = f"""
#include <mpi.h>

#include <csignal>
#include <iostream>
#include <tailrace/tailrace.hpp>
int model() {{
  auto io = tailrace::Session::start(MPI_Comm_c2f(MPI_COMM_WORLD), "tailrace.yaml");
  if (io.is_server()) return MPI_Comm_c2f(MPI_COMM_NULL);
  const int comm = io.model_comm();
  int rank = 0;
  MPI_Comm_rank(MPI_Comm_f2c(comm), &rank);
  const auto restart = io.restarting();
  io.grid({{.name = "line", .dims = {{"x"}}, .shape = {{{CELLS}}}, .offset = {{3 * rank}}, .count = {{3}}}});
  const auto h = io.field({{.name = "h", .grid = "line"}});
  io.ready();
  for (std::int64_t step = restart ? restart->step + 1 : 0; step <= {LAST}; ++step) {{
    const double first = 100. * step + 3 * rank;
    const std::vector<double> values{{first, first + 1, first + 2}};
    io.step(step, static_cast<double>(step));
    if (io.wants(h)) io.put(h, values);
    if (step == 0) continue;
    if (io.checkpoint_due()) {{
      io.put(h, values);
      io.checkpoint();
      if (rank == 0) std::cout << "CHECKPOINT " << step << std::endl;
    }}
    if (step == {SIGNAL_AT} && rank == 1) std::raise(SIGTERM);
    if (!io.stop_requested()) continue;
    if (rank == 0) std::cout << "STOP " << step << std::endl;
    break;
  }}
  io.finish();
  return io.model_comm();
}}
int main(int argc, char** argv) {{
  MPI_Init(&argc, &argv);
  const MPI_Comm comm = MPI_Comm_f2c(model());
  if (comm != MPI_COMM_NULL) {{
    int ranks = 1, rank = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Allreduce(MPI_IN_PLACE, &ranks, 1, MPI_INT, MPI_SUM, comm);
    if (rank == 0) std::cout << "RANKS " << ranks << std::endl;
  }}
  MPI_Finalize();
}}
"""
PYTHON = f"""
import os, signal
import numpy as np
import tailrace
from mpi4py import MPI


def model():
    with tailrace.Session.start(MPI.COMM_WORLD, "tailrace.yaml") as io:
        if io.is_server():
            return None
        comm = io.model_comm()
        rank = comm.rank
        restart = io.restarting()
        io.grid("line", ["x"], [{CELLS}], [3 * rank], [3])
        io.field("h", "line")
        io.ready()
        for step in range(restart[0] + 1 if restart else 0, {LAST} + 1):
            h = 100.0 * step + 3 * rank + np.arange(3)
            io.step(step, float(step))
            if io.wants("h"):
                io.put("h", h)
            if step == 0:
                continue
            if io.checkpoint_due():
                if os.environ.get("LEAVES_AT_ONCE") == "complete":
                    io.put("h", h)
                if os.environ.get("LEAVES_AT_ONCE") and step > {SIGNAL_AT}:
                    break
                io.put("h", h)
                io.checkpoint()
                if rank == 0:
                    print("CHECKPOINT", step, flush=True)
            if step == {SIGNAL_AT} and rank == 1:
                os.kill(os.getpid(), signal.SIGTERM)
                signal.pthread_sigmask(signal.SIG_BLOCK, [])  # the signal is delivered by now
            if io.stop_requested():
                if rank == 0:
                    print("STOP", step, flush=True)
                break
    return comm


comm = model()
if comm is not None:
    ranks = comm.allreduce(1)
    if comm.rank == 0:
        print("RANKS", ranks, flush=True)
"""
SOURCES = {"fortran": FORTRAN, "c": C, "cpp": CPP, "python": PYTHON}
MODES = {"dedicated": "count: 1, ", "attached": "", "inline": ""}


def play(folder, program, mode="dedicated", **environment) -> subprocess.CompletedProcess:
    (folder / "tailrace.yaml").write_text(CONFIG.format(mode=mode, count=MODES[mode]))
    command = ["mpirun", "-n", "3" if mode == "dedicated" else "2", *map(str, program)]
    return subprocess.run(
        command, cwd=folder, env=mpi_environment(**environment), capture_output=True, text=True, timeout=60
    )


def said(done: subprocess.CompletedProcess) -> list[str]:
    assert done.returncode == 0, done.stdout + done.stderr
    return [line for line in done.stdout.splitlines() if line.split(" ")[0] in ("CHECKPOINT", "STOP", "RANKS")]


def assert_whole(folder, last: int) -> None:
    data = read(folder / "h.nc")
    np.testing.assert_array_equal(data.time.values, np.arange(last + 1.0))
    np.testing.assert_array_equal(data.h.values, [100.0 * step + np.arange(CELLS) for step in range(last + 1)])


@pytest.mark.parametrize("language", SOURCES)
def test_the_loop_of_the_guide(tmp_path, language):
    """No checkpoint is due at step 0; the signal makes one due at the next step, and only then ends the model."""
    program = build_program(tmp_path, language, SOURCES[language])
    assert said(play(tmp_path, program)) == ["CHECKPOINT 4", "CHECKPOINT 6", "STOP 6", "RANKS 2"]
    assert_whole(tmp_path, 6)
    assert said(play(tmp_path, program)) == ["CHECKPOINT 8", "RANKS 2"]
    assert_whole(tmp_path, LAST)


@pytest.mark.parametrize("mode", ["attached", "inline"])
def test_the_loop_in_other_modes(tmp_path, mode):
    program = build_program(tmp_path, "python", PYTHON)
    assert said(play(tmp_path, program, mode)) == ["CHECKPOINT 4", "CHECKPOINT 6", "STOP 6", "RANKS 2"]
    assert_whole(tmp_path, 6)


def test_finish_makes_a_checkpoint_that_is_complete(tmp_path):
    """The model leaves its loop after the puts of a checkpoint that the signal made due, without the call."""
    program = build_program(tmp_path, "python", PYTHON)
    assert said(play(tmp_path, program, LEAVES_AT_ONCE="complete")) == ["CHECKPOINT 4", "RANKS 2"]
    assert_whole(tmp_path, 6)
    assert (tmp_path / "restart/model/step_000000000006/manifest.json").exists()


def test_finish_reports_a_checkpoint_that_is_not_complete(tmp_path):
    """The model leaves its loop without the puts. The file is whole all the same."""
    program = build_program(tmp_path, "python", PYTHON)
    done = play(tmp_path, program, LEAVES_AT_ONCE="incomplete")
    assert done.returncode != 0
    reason = 'finish was called at step 6 after a signal that makes a checkpoint due, but field "h" of '
    assert reason in done.stderr and "go on from step 4 and compute the steps since then again" in done.stderr
    assert not (tmp_path / "restart/model/step_000000000006").exists()
    assert_whole(tmp_path, 6)


TWICE = """
import numpy as np
import tailrace
from mpi4py import MPI

comms = []
for run in range(2):
    with tailrace.Session.start(MPI.COMM_WORLD, "tailrace.yaml") as io:
        comms.append(io.model_comm())
        io.grid("line", ["x"], [6], [3 * comms[-1].rank], [3])
        io.field("h", "line")
        io.ready()
        io.step(1, 1.0)
        io.put("h", np.ones(3))
    del io
    assert [comm.allreduce(1) for comm in comms] == [2] * (run + 1)
comms[0].Free()  # a model may free it
assert comms[1].allreduce(1) == 2
print("DONE", flush=True)
"""


@pytest.mark.parametrize("mode", ["attached", "inline", "off"])
def test_communicators_of_several_sessions(tmp_path, mode):
    text = CONFIG.replace("checkpoint: {{every: 4 steps, fields: [h]}}\n", "").format(mode=f"'{mode}'", count="")
    (tmp_path / "tailrace.yaml").write_text(text)
    program = build_program(tmp_path, "python", TWICE)
    done = subprocess.run(
        ["mpirun", "-n", "2", *map(str, program)],
        cwd=tmp_path,
        env=mpi_environment(),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0 and done.stdout.count("DONE") == 2, done.stdout + done.stderr
