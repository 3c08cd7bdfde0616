"""A model that can supply more than is requested: the names that the configuration wants, one declaration for several
namespaces, and fields for the end of the run only. In Fortran, which uses the C interface, and Python."""

import subprocess
import sys

import netCDF4
import numpy as np
import pytest
from support.harness import mpi_environment, tailrace
from support.programs import build_program

CONFIG = """
tailrace: 1
servers: {servers}
fields:
  now:  {{every: 2 steps, namespace: now, names: [u, '{{more}}'], dims: [x, zn]}}
  last: {{every: never, also_at_end: true, namespace: last, names: [u]}}
diagnostics: {{twice: {{is: now.u * 2, dims: [x, zn]}}}}
output:
  now.nc:
    variables:
      - {{field: now.u, every: 2 steps}}
      - {{field: twice, every: 2 steps}}
  last.nc: {{variables: [{{field: last.u, every: never}}]}}
"""
FORTRAN = """
program offers
  use mpi_f08
  use tailrace
  implicit none
  type(tailrace_session) :: io
  type(MPI_Comm) :: comm
  character(:), allocatable :: names(:), message
  integer :: rank, step, i, handle, ierr
  real(8) :: u(2, 4)
  call MPI_Init()
  call io%start(MPI_COMM_WORLD, "tailrace.yaml", model_comm=comm)
  if (.not. io%is_server()) then
    call MPI_Comm_rank(comm, rank)
    call io%wanted_names(names, ierr, message)
    if (rank == 0) print "(a, i0, 1x, a)", "HEARD ", ierr, message
    call io%option("more", "w")
    call io%wanted_names(names)
    if (rank == 0) print "(a, *(a, 1x))", "HEARD ", (trim(names(i)), i=1, size(names))
    call io%grid("cells", dims=["z", "x"], shape=[2, 7], offset=[1, 1 + 3*rank], count=[2, 3 + rank])
    call io%grid("edges", dims=["zn", "x "], shape=[2, 7], offset=[1, 1 + 3*rank], count=[2, 3 + rank])
    call io%coordinate("edges", "zn", [5d0, 15d0], units="m")
    call io%field("u", grid="cells", handle=handle)
    call io%field("w", grid="cells")
    call io%field("never_asked_for", grid="cells")
    call io%ready()
    do step = 1, 5
      call io%step(step, real(step, 8))
      do i = 1, 3 + rank
        u(:, i) = [1, 2] + 10*(3*rank + i) + 1000*step
      end do
      if (rank == 0) print "(a, i0, 2l2)", "HEARD ", step, io%wants(handle), io%wants_at_end(handle)
      if (step == 2 .and. rank == 0) then
        call io%put(handle, u(1:1, 1:3), ierr=ierr, errmsg=message)
        print "(2a)", "HEARD ", message
      end if
      if (io%wants("u") .and. (step == 5 .or. .not. io%wants_at_end("u"))) call io%put(handle, u(:, :3 + rank))
      if (io%wants("w")) call io%put("w", u(:, :3 + rank))
    end do
    call io%finish()
  end if
  call MPI_Finalize()
end program
"""
PYTHON = """
import numpy as np
import tailrace
from mpi4py import MPI

with tailrace.Session.start(MPI.COMM_WORLD, "tailrace.yaml") as io:
    if not io.is_server():
        rank = io.model_comm().rank
        say = print if rank == 0 else lambda *_: None
        try:
            io.wanted_names()
        except tailrace.Error as error:
            say("HEARD", 2, error)
        io.option("more", "w")
        say("HEARD", *io.wanted_names())
        for name, dim in (("cells", "z"), ("edges", "zn")):
            io.grid(name, ["x", dim], [7, 2], [3 * rank, 0], [3 + rank, 2])
        io.coordinate("edges", "zn", [5.0, 15.0], units="m")
        handle = io.field("u", "cells")
        io.field("w", "cells")
        io.field("never_asked_for", "cells")
        io.ready()
        for step in range(1, 6):
            io.step(step, float(step))
            x, z = np.meshgrid(np.arange(3 * rank + 1, 3 * rank + 4 + rank), [1, 2], indexing="ij")
            u = (z + 10 * x + 1000 * step).astype(float)
            say("HEARD", step, *(str(one)[0] for one in (io.wants(handle), io.wants_at_end(handle))))
            if step == 2 and rank == 0:
                try:
                    io.put(handle, u[:, :1])
                except tailrace.Error as error:
                    say("HEARD", error)
            if io.wants("u") and (step == 5 or not io.wants_at_end("u")):
                io.put(handle, u)
            if io.wants("w"):
                io.put("w", u)
"""
SOURCES = {"fortran": FORTRAN, "python": PYTHON}
SHAPES = {"fortran": ("(1, 3)", "(2, 3)"), "python": ("(3, 1)", "(3, 2)")}


def expected(step: int) -> np.ndarray:
    x, z = np.meshgrid(np.arange(1, 8), [1, 2], indexing="ij")
    return z + 10.0 * x + 1000 * step


@pytest.mark.parametrize("language", SOURCES)
def test_what_is_wanted(tmp_path, language):
    program = build_program(tmp_path, language, SOURCES[language])
    (tmp_path / "tailrace.yaml").write_text(CONFIG.format(servers="{mode: dedicated, count: 1}"))
    command = ["mpirun", "-n", "3", *map(str, program)]
    done = subprocess.run(command, cwd=tmp_path, env=mpi_environment(), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr
    heard = [" ".join(line.split()[1:]) for line in done.stdout.splitlines() if line.startswith("HEARD")]
    assert '"{more}"' in heard[0] or "more" in heard[0], heard
    assert heard[1] == "now.u now.w last.u"
    put, held = SHAPES[language]
    mistake = f'put of field "now.u": the array has the shape {put}, but grid "edges" holds {held} on this rank'
    assert heard[2:] == ["1 T T", "2 T F", mistake, "3 T T", "4 T F", "5 T T"]
    with netCDF4.Dataset(tmp_path / "now.nc") as file:
        assert file["u"].dimensions == file["twice"].dimensions == ("time", "x", "zn")
        np.testing.assert_array_equal(file["u"][:], [expected(2), expected(4)])
        np.testing.assert_array_equal(file["twice"][:], [2 * expected(2), 2 * expected(4)])
        np.testing.assert_array_equal(file["zn"][:], [5, 15])
    with netCDF4.Dataset(tmp_path / "last.nc") as file:
        assert file["u"].dimensions[1:] == ("x", "z")
        np.testing.assert_array_equal(file["u"][:], [expected(5)])


def test_the_servers_off_know_the_names_too(tmp_path):
    (tmp_path / "tailrace.yaml").write_text(
        'tailrace: 1\nservers: {mode: "off"}\nfields: {a: {names: [u, w], namespace: ns}, b: {names: [v]}}\n'
    )
    script = (
        "import tailrace; from mpi4py import MPI\n"
        "with tailrace.Session.start(MPI.COMM_WORLD, 'tailrace.yaml') as io: print(io.wanted_names())"
    )
    command = ["mpirun", "-n", "1", sys.executable, "-c", script]
    done = subprocess.run(command, cwd=tmp_path, env=mpi_environment(), capture_output=True, text=True, timeout=60)
    assert done.stdout.strip() == "['ns.u', 'ns.w', 'v']", done.stderr


def test_a_check_has_short_lines(tmp_path):
    names = ", ".join(f"field_number_{number}" for number in range(500))
    (tmp_path / "run.yaml").write_text(f"tailrace: 1\nfields: {{all: {{names: [{names}]}}}}\n")
    done = tailrace("check", "run.yaml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert max(map(len, done.stdout.splitlines())) < 250
    assert "field_number_6, field_number_7 and 492 more" in done.stdout
