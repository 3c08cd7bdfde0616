"""A mistake in a Fortran model. Without `ierr` the program ends with the message, and commits are kept; with it the
model gets the error and continues."""

import os
import subprocess
from pathlib import Path

import pytest
from support.harness import MPI, TREE, Running, mpi_environment, tailrace
from support.reading import commits, read

pytestmark = pytest.mark.mpich

INSTALLED = Path(os.environ.get("TAILRACE_INSTALLED", TREE / "build" / "install"))
STEPS, BAD_STEP = 60, 30
CONFIG = """
tailrace: 1
servers: {mode: dedicated, count: 1}
fields: {state: {every: 1 step, names: [h]}}
output:
  h.nc:
    write_every: 1 step
    variables: [{field: h, time: snapshot, every: 1 step}]
"""
# Each of two ranks has 10 cells; h = 100 * step + cell, with cells counted from 1.
MODEL = f"""
program careless
  use mpi_f08
  use tailrace
  implicit none
  type(tailrace_session) :: io
  type(MPI_Comm) :: comm
  character(10) :: way
  character(:), allocatable :: message
  integer :: rank, step, i, ierr
  real(8) :: h(10)
  call get_command_argument(1, way)
  call MPI_Init()
  call io%start(MPI_COMM_WORLD, "tailrace.yaml", model_comm=comm)
  if (.not. io%is_server()) then
    call MPI_Comm_rank(comm, rank)
    call io%grid("line", dims=["x"], shape=[20], offset=[10*rank + 1], count=[10])
    call io%field("h", grid="line")
    call io%ready()
    do step = 1, {STEPS}
      call io%step(step, real(step, 8))
      h = [(100d0*step + 10*rank + i, i=1, 10)]
      if (step == {BAD_STEP} .and. rank == 1) then
        if (way == "careful") then
          call io%put("h", h(1:9), ierr=ierr, errmsg=message)
          print "(a,i0,2a)", "HEARD ", ierr, " ", message
        else
          call io%put("h", h(1:9))
        end if
      end if
      call io%put("h", h)
      call sleep_a_little()
    end do
    call io%finish()
    print "(a)", "FINISHED"
  end if
  call MPI_Finalize()
contains
  subroutine sleep_a_little()
    integer(8) :: now, begin, rate
    call system_clock(begin, rate)
    do
      call system_clock(now)
      if (now - begin > rate/100) exit
    end do
  end subroutine
end program
"""
MISTAKE = 'put of field "h"'


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("careless")
    (folder / "careless.f90").write_text(MODEL)
    lines = ["cmake_minimum_required(VERSION 3.25)", "project(careless LANGUAGES Fortran)"]
    lines += ["find_package(tailrace REQUIRED)", "add_executable(careless careless.f90)"]
    lines += ["target_link_libraries(careless PRIVATE tailrace::fortran)"]
    (folder / "CMakeLists.txt").write_text("\n".join(lines) + "\n")
    for command in (["cmake", "-B", "build", f"-DCMAKE_PREFIX_PATH={INSTALLED}"], ["cmake", "--build", "build"]):
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return folder / "build" / "careless"


def run(program: Path, way: str, folder: Path):
    (folder / "tailrace.yaml").write_text(CONFIG)
    with Running(["mpirun", "-n", "3", str(program), way], folder, mpi_environment()) as running:
        return running.wait(60)


def assert_all_is_there(folder: Path, least: int) -> None:
    h = read(folder / "h.nc").h
    assert len(h) >= least
    for record in range(len(h)):
        assert h.values[record].tolist() == [100 * (record + 1) + cell for cell in range(1, 21)]


def test_without_ierr_the_program_ends_with_the_message(program, tmp_path):
    result = run(program, "careless", tmp_path)
    assert result.status != 0
    assert f"tailrace: {MISTAKE}" in result.output, result.output
    assert "9" in result.output and "10" in result.output, "the message has the sizes"
    assert "FINISHED" not in result.output
    if MPI == "openmpi":  # (MPICH's launcher ends the server at once)
        assert "rank 1 left without finish after step 30" in result.output, "the server reports it too"
    for word in ("SIGSEGV", "SIGABRT", "internal"):
        assert word not in result.output
    promised = commits(tmp_path)["h.nc"]["time"]
    assert promised >= BAD_STEP // 2
    assert tailrace("inspect", "--repair", "h.nc", cwd=tmp_path).returncode == 0
    assert_all_is_there(tmp_path, promised)


def test_with_ierr_the_model_continues(program, tmp_path):
    result = run(program, "careful", tmp_path).finished()
    assert f"HEARD 1 {MISTAKE}" in result.output
    assert result.output.count("FINISHED") == 2
    assert_all_is_there(tmp_path, STEPS)
