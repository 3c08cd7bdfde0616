"""The calls of inputs in each language: the same values, answers and messages, and those of xarray."""

import subprocess

import numpy as np
import pytest
import xarray as xr
from support.harness import mpi_environment
from support.programs import build_program

CONFIG = """
tailrace: 1
model_time: {calendar: standard, start: 2000-01-01}
servers: {mode: inline}
fields: {state: {every: 1 step, names: [h]}}
output: {h.nc: {variables: [{field: h, time: snapshot, every: 1 step}]}}
input: {sea: {files: sea.nc, fields: {sst: {variable: tos, time: linear}}}}
"""
TIMES = [0.0, 5400.0, 9000.0]
SHAPE = (2, 3)
C = """
#include <mpi.h>
#include <stdio.h>
#include <tailrace/tailrace.h>
static tailrace_error error = TAILRACE_NO_ERROR;
static void tell(int result) {
  printf("HEARD %s\\n", error.code == TAILRACE_OK ? (result ? "yes" : "no") : error.message);
}
static void got(tailrace_session* io, int sst) {
  double values[6];
  tailrace_get(io, sst, values, TAILRACE_FLOAT64, 6, &error);
  printf("GOT");
  for (int i = 0; i < 6; ++i) printf(" %.17g", values[i]);
  printf("\\n");
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  tailrace_session* io = tailrace_start(MPI_COMM_WORLD, "tailrace.yaml", NULL, &error);
  const double h[6] = {0};
  tailrace_grid(io, &(tailrace_grid_spec){.name = "sea", .rank = 2, .dims = (const char*[]){"y", "x"},
                                          .shape = (int64_t[]){2, 3}}, &error);
  const int field = tailrace_field(io, &(tailrace_field_spec){.name = "h", .grid = "sea", .type = TAILRACE_FLOAT64},
                                   &error);
  const int sst = tailrace_input(io, &(tailrace_input_spec){.name = "sst", .grid = "sea", .type = TAILRACE_FLOAT64,
                                                            .units = "degC"}, &error);
  const int ice = tailrace_input(io, &(tailrace_input_spec){.name = "ice", .grid = "sea", .type = TAILRACE_FLOAT32,
                                                            .optional = 1}, &error);
  tell(tailrace_available(io, sst, &error));
  tailrace_ready(io, &error);
  tell(tailrace_available(io, tailrace_handle(io, "sst", &error), &error));
  tell(tailrace_available(io, ice, &error));
  tell(tailrace_available(io, field, &error));
  got(io, sst);
  for (int step = 1; step <= 2; ++step) {
    tailrace_step(io, step, 1800.0 + 3600.0 * step, &error);
    got(io, sst);
    tailrace_put(io, field, h, TAILRACE_FLOAT64, 6, &error);
  }
  float cells[6];
  tell(tailrace_get(io, ice, cells, TAILRACE_FLOAT32, 6, &error));
  tell(tailrace_put(io, sst, h, TAILRACE_FLOAT64, 6, &error));
  tailrace_finish(io, &error);
  tailrace_free(io);
  MPI_Finalize();
  return error.code;
}
"""
CPP = """
#include <mpi.h>
#include <cstdio>
#include <tailrace/tailrace.hpp>
template <class Call> void tell(const Call& call) {
  try {
    std::printf("HEARD %s\\n", call() ? "yes" : "no");
  } catch (const tailrace::Error& error) {
    std::printf("HEARD %s\\n", error.what());
  }
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    auto io = tailrace::Session::start(MPI_Comm_c2f(MPI_COMM_WORLD), "tailrace.yaml");
    const std::vector<double> h(6);
    std::vector<double> values(6);
    std::vector<float> cells(6);
    io.grid({.name = "sea", .dims = {"y", "x"}, .shape = {2, 3}});
    const auto field = io.field({.name = "h", .grid = "sea"});
    const auto sst = io.input({.name = "sst", .grid = "sea", .units = "degC"});
    const auto ice = io.input({.name = "ice", .grid = "sea", .type = tailrace::Type::float32, .optional = true});
    const auto got = [&] {
      io.get(sst, values);
      std::printf("GOT");
      for (const double value : values) std::printf(" %.17g", value);
      std::printf("\\n");
    };
    tell([&] { return io.available(sst); });
    io.ready();
    tell([&] { return io.available("sst"); });
    tell([&] { return io.available(ice); });
    tell([&] { return io.available(field); });
    got();
    for (int step = 1; step <= 2; ++step) {
      io.step(step, 1800.0 + 3600.0 * step);
      got();
      io.put(field, h);
    }
    tell([&] { io.get(ice, cells); return true; });
    tell([&] { io.put(sst, h); return true; });
    io.finish();
  }
  MPI_Finalize();
}
"""
FORTRAN = """
program model
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use mpi_f08
  use tailrace
  implicit none
  type(tailrace_session) :: io
  real(real64) :: h(3, 2), sst(3, 2)
  real(real32) :: cells(3, 2)
  character(:), allocatable :: message
  integer :: step, ice, ierr
  logical :: yes
  call MPI_Init()
  call io%start(MPI_COMM_WORLD, "tailrace.yaml")
  h = 0
  call io%grid("sea", dims=["x", "y"], shape=[3, 2])
  call io%field("h", grid="sea")
  call io%input("sst", grid="sea", units="degC")
  call io%input("ice", grid="sea", type=tailrace_float32, optional=.true., handle=ice)
  yes = io%available("sst", ierr, message)
  call tell()
  call io%ready()
  yes = io%available("sst", ierr, message)
  call tell()
  yes = io%available(ice, ierr, message)
  call tell()
  yes = io%available("h", ierr, message)
  call tell()
  call got()
  do step = 1, 2
    call io%step(step, 1800.0_real64 + 3600.0_real64 * step)
    call got()
    call io%put("h", h)
  end do
  call io%get(ice, cells, ierr, message)
  call tell()
  call io%put("sst", h, ierr, message)
  call tell()
  call io%finish()
  call MPI_Finalize()
contains
  subroutine got()
    call io%get("sst", sst)
    write (*, "(a, 6(1x, es24.16e3))") "GOT", sst
  end subroutine got
  subroutine tell()
    if (ierr /= tailrace_ok) then
      print "(2a)", "HEARD ", message
    else
      print "(2a)", "HEARD ", trim(merge("yes", "no ", yes))
    end if
  end subroutine tell
end program model
"""
PYTHON = """
import numpy as np
import tailrace
from mpi4py import MPI
def tell(call, *arguments):
    try:
        print("HEARD", "yes" if call(*arguments) else "no")
    except tailrace.Error as error:
        print("HEARD", error)
def got():
    values = np.full((2, 3), -1.0)
    assert np.array_equal(io.get("sst", values), io.get(sst))
    print("GOT", *(repr(float(value)) for value in values.ravel()))
io = tailrace.Session.start(MPI.COMM_WORLD, "tailrace.yaml")
io.grid("sea", ["y", "x"], [2, 3])
io.field("h", "sea")
sst = io.input("sst", "sea", units="degC")
ice = io.input("ice", "sea", dtype="float32", optional=True)
tell(io.available, sst)
io.ready()
tell(io.available, "sst")
tell(io.available, ice)
tell(io.available, "h")
got()
for step in (1, 2):
    io.step(step, 1800.0 + 3600.0 * step)
    got()
    io.put("h", np.zeros((2, 3)))
tell(io.get, ice)
tell(io.put, "sst", np.zeros((2, 3)))
io.finish()
"""
HEARD = [
    "available was called before ready",
    "yes",
    "no",
    'available was asked about field "h", which is no input; expected one that was declared with `input`',
    'get of input "ice", which the configuration does not provide; ask available first',
    'put of field "sst", which is an input of the model: its values come from files; expected a field that was '
    "declared with `field`",
]


@pytest.mark.parametrize("language, text", [("c", C), ("cpp", CPP), ("fortran", FORTRAN), ("python", PYTHON)])
def test_inputs_in_each_language(tmp_path, language, text):
    (tmp_path / "tailrace.yaml").write_text(CONFIG)
    time = np.datetime64("2000-01-01", "ns") + np.arange(4).astype("timedelta64[h]")
    values = np.random.default_rng(7).uniform(270, 300, (4, *SHAPE))
    dataset = xr.Dataset({"tos": (("time", "y", "x"), values, {"units": "K"})}, {"time": time})
    dataset.to_netcdf(tmp_path / "sea.nc", encoding={"time": {"units": "hours since 2000-01-01"}})
    command = build_program(tmp_path, language, text)
    done = subprocess.run(
        ["mpirun", "-n", "1", *command],
        cwd=tmp_path,
        env=mpi_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert [line[6:] for line in lines if line.startswith("HEARD ")] == HEARD, done.stdout
    got = [np.array(line[4:].split(), float).reshape(SHAPE) for line in lines if line.startswith("GOT ")]
    now = xr.DataArray(time[0] + (np.array(TIMES) * 1e9).astype("timedelta64[ns]"), dims="time")
    np.testing.assert_allclose(got, dataset.tos.interp(time=now) - 273.15, rtol=1e-12)
