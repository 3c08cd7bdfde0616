"""Each call of the interface, made wrongly or at the wrong time: the same message in each language, with the call, the
name and the nearest name, and the model can continue."""

import pytest
from support.programs import heard_alone

CONFIG = """
tailrace: 1
servers: {mode: inline}
fields: {state: {every: 1 step, names: [height]}}
output: {h.nc: {variables: [{field: height, time: snapshot, every: 1 step}]}}
"""
BEFORE_READY = [
    "step was called before ready",
    "wants was called before ready",
    "checkpoint_due was called before ready",
    "stop_requested was called before ready",
    "get_value was called before ready",
    "grid number 1: expected a name, but it is empty",
    'grid "line" was declared before',
    'option "member" was given twice: 1 and 2',
    'grid "lien" was not declared. Did you mean "line"?',
    'grid "lien" was not declared. Did you mean "line"?',
    'field "height" was declared before',
    'field "height": coordinate "x": the field or its grid has it already',
    'field "height": coordinate "p": expected one value, of a scalar coordinate; what has dimensions belongs to the',
    'field "heigth" was not declared. Did you mean "height"?',
]
BEFORE_STEP = [
    "declarations end with ready; declare before it",
    'put of field "height" before the first step; call step first',
    "get was called in a run that does not restart from a checkpoint; call restarting first",
    "get_value was called in a run that does not restart from a checkpoint; call restarting first",
    "checkpoint was called before the first step",
    "request_checkpoint was called before the first step",
]
LATER = [
    "step 1 follows step 1; step numbers must grow",
    "step 2 is at 0.5 s, but the model was at 1 s before; time never goes back",
    "checkpoint: the configuration has no section `checkpoint`, which says where it goes",
    "request_checkpoint: the configuration has no section `checkpoint`, which says where it goes",
    'put_value: the name "" ',
    'put of field "height": the array is of type float32, but the field was declared as float64',
    'put of field "height": the array has ',
    'field "height" was put twice at step 1',
    "step was called after finish",
]
HEARD = [*BEFORE_READY, *BEFORE_STEP, *LATER]
C = """
#include <mpi.h>
#include <stdio.h>
#include <tailrace/tailrace.h>
static tailrace_error error = TAILRACE_NO_ERROR;
static void tell(int result) {
  printf("HEARD %s\\n", error.code == TAILRACE_OK ? "nothing" : error.message + 0 * result);
}
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  tailrace_start_options options = {.component = "c"};
  tailrace_session* io = tailrace_start(MPI_COMM_WORLD, "tailrace.yaml", &options, &error);
  int64_t number = 0;
  size_t count = 0;
  tell(tailrace_step(io, 1, 1.0, &error));
  tell(tailrace_wants(io, 0, &error));
  tell(tailrace_checkpoint_due(io, &error));
  tell(tailrace_stop_requested(io, &error));
  tell(tailrace_get_value_int(io, "seed", &number, 1, &count, &error));
  tailrace_grid_spec grid = {.name = "", .rank = 1, .dims = (const char*[]){"x"}, .shape = (int64_t[]){7}};
  tell(tailrace_grid(io, &grid, &error));
  grid.name = "line";
  tailrace_grid(io, &grid, &error);
  tell(tailrace_grid(io, &grid, &error));
  tailrace_option_int(io, "member", 1, &error);
  tell(tailrace_option_int(io, "member", 2, &error));
  double x[7] = {1, 2, 3, 4, 5, 6, 7};
  tell(tailrace_coordinate(io, "lien", &(tailrace_coordinate_spec){.name = "x"}, x, 7, &error));
  tailrace_field_spec field = {.name = "height", .grid = "lien", .type = TAILRACE_FLOAT64};
  tell(tailrace_field(io, &field, &error));
  field.grid = "line";
  int h = tailrace_field(io, &field, &error);
  tell(tailrace_field(io, &field, &error));
  tell(tailrace_coordinate(io, "height", &(tailrace_coordinate_spec){.name = "x", .scalar = 1}, x, 1, &error));
  tell(tailrace_coordinate(io, "height", &(tailrace_coordinate_spec){.name = "p"}, x, 2, &error));
  tell(tailrace_handle(io, "heigth", &error));
  tailrace_ready(io, &error);
  tell(tailrace_field(io, &field, &error));
  tell(tailrace_put(io, h, x, TAILRACE_FLOAT64, 7, &error));
  tell(tailrace_get(io, h, x, TAILRACE_FLOAT64, 7, &error));
  tell(tailrace_get_value_int(io, "seed", &number, 1, &count, &error));
  tell(tailrace_checkpoint(io, &error));
  tell(tailrace_request_checkpoint(io, &error));
  tailrace_step(io, 1, 1.0, &error);
  tell(tailrace_step(io, 1, 2.0, &error));
  tell(tailrace_step(io, 2, 0.5, &error));
  tell(tailrace_checkpoint(io, &error));
  tell(tailrace_request_checkpoint(io, &error));
  tell(tailrace_put_value_int(io, "", &number, 1, &error));
  float small[7] = {0};
  tell(tailrace_put(io, h, small, TAILRACE_FLOAT32, 7, &error));
  tell(tailrace_put(io, h, x, TAILRACE_FLOAT64, 3, &error));
  tailrace_put(io, h, x, TAILRACE_FLOAT64, 7, &error);
  tell(tailrace_put(io, h, x, TAILRACE_FLOAT64, 7, &error));
  if (tailrace_finish(io, &error) != TAILRACE_OK) return 1;
  tell(tailrace_step(io, 2, 2.0, &error));
  MPI_Finalize();
}
"""
CPP = """
#include <mpi.h>
#include <functional>
#include <iostream>
#include <tailrace/tailrace.hpp>
int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  {
    auto io = tailrace::Session::start(MPI_Comm_c2f(MPI_COMM_WORLD), "tailrace.yaml", {.component = "cpp"});
    const auto attempt = [&](const std::function<void()>& call) {
      try {
        call();
        std::cout << "HEARD nothing" << std::endl;
      } catch (const tailrace::Error& error) {
        std::cout << "HEARD " << error.what() << std::endl;
      }
    };
    std::vector<double> x{1, 2, 3, 4, 5, 6, 7};
    const tailrace::FieldHandle first{0};
    attempt([&] { io.step(1, 1.0); });
    attempt([&] { io.wants(first); });
    attempt([&] { io.checkpoint_due(); });
    attempt([&] { io.stop_requested(); });
    attempt([&] { io.get_value("seed"); });
    attempt([&] { io.grid({.name = "", .dims = {"x"}, .shape = {7}}); });
    io.grid({.name = "line", .dims = {"x"}, .shape = {7}});
    attempt([&] { io.grid({.name = "line", .dims = {"x"}, .shape = {7}}); });
    io.option("member", std::int64_t{1});
    attempt([&] { io.option("member", std::int64_t{2}); });
    attempt([&] { io.coordinate("lien", {.name = "x"}, x); });
    attempt([&] { io.field({.name = "height", .grid = "lien"}); });
    const auto h = io.field({.name = "height", .grid = "line"});
    attempt([&] { io.field({.name = "height", .grid = "line"}); });
    attempt([&] { io.coordinate("height", {.name = "x", .scalar = true}, std::span(x).first(1)); });
    attempt([&] { io.coordinate("height", {.name = "p"}, std::span(x).first(2)); });
    attempt([&] { io.handle("heigth"); });
    io.ready();
    attempt([&] { io.field({.name = "other", .grid = "line"}); });
    attempt([&] { io.put(h, x); });
    attempt([&] { io.get(h, x); });
    attempt([&] { io.get_value("seed"); });
    attempt([&] { io.checkpoint(); });
    attempt([&] { io.request_checkpoint(); });
    io.step(1, 1.0);
    attempt([&] { io.step(1, 2.0); });
    attempt([&] { io.step(2, 0.5); });
    attempt([&] { io.checkpoint(); });
    attempt([&] { io.request_checkpoint(); });
    attempt([&] { io.put_value("", std::string("text")); });
    attempt([&] { io.put(h, std::vector<float>(7)); });
    attempt([&] { io.put(h, std::vector<double>(3)); });
    io.put(h, x);
    attempt([&] { io.put(h, x); });
    io.finish();
    attempt([&] { io.step(2, 2.0); });
  }
  MPI_Finalize();
}
"""
FORTRAN = """
program calls
  use mpi_f08
  use tailrace
  implicit none
  type(tailrace_session) :: io
  character(:), allocatable :: told
  real(8) :: x(7) = [1, 2, 3, 4, 5, 6, 7]
  real(4) :: small(7) = 0
  integer :: ierr, number
  logical :: answer
  call MPI_Init()
  call io%start(MPI_COMM_WORLD, "tailrace.yaml")
  call io%step(1, 1d0, ierr=ierr, errmsg=told); call tell()
  answer = io%wants(0, ierr=ierr, errmsg=told); call tell()
  answer = io%checkpoint_due(ierr=ierr, errmsg=told); call tell()
  answer = io%stop_requested(ierr=ierr, errmsg=told); call tell()
  call io%get_value("seed", number, ierr=ierr, errmsg=told); call tell()
  call io%grid("", dims=["x"], shape=[7], ierr=ierr, errmsg=told); call tell()
  call io%grid("line", dims=["x"], shape=[7])
  call io%grid("line", dims=["x"], shape=[7], ierr=ierr, errmsg=told); call tell()
  call io%option("member", 1)
  call io%option("member", 2, ierr=ierr, errmsg=told); call tell()
  call io%coordinate("lien", "x", x, ierr=ierr, errmsg=told); call tell()
  call io%field("height", grid="lien", ierr=ierr, errmsg=told); call tell()
  call io%field("height", grid="line")
  call io%field("height", grid="line", ierr=ierr, errmsg=told); call tell()
  call io%coordinate("height", "x", 1d0, ierr=ierr, errmsg=told); call tell()
  call io%coordinate("height", "p", x(:2), ierr=ierr, errmsg=told); call tell()
  number = io%handle("heigth", ierr=ierr, errmsg=told); call tell()
  call io%ready()
  call io%field("other", grid="line", ierr=ierr, errmsg=told); call tell()
  call io%put("height", x, ierr=ierr, errmsg=told); call tell()
  call io%get("height", x, ierr=ierr, errmsg=told); call tell()
  call io%get_value("seed", number, ierr=ierr, errmsg=told); call tell()
  call io%checkpoint(ierr=ierr, errmsg=told); call tell()
  call io%request_checkpoint(ierr=ierr, errmsg=told); call tell()
  call io%step(1, 1d0)
  call io%step(1, 2d0, ierr=ierr, errmsg=told); call tell()
  call io%step(2, 0.5d0, ierr=ierr, errmsg=told); call tell()
  call io%checkpoint(ierr=ierr, errmsg=told); call tell()
  call io%request_checkpoint(ierr=ierr, errmsg=told); call tell()
  call io%put_value("", 1, ierr=ierr, errmsg=told); call tell()
  call io%put("height", small, ierr=ierr, errmsg=told); call tell()
  call io%put("height", x(:3), ierr=ierr, errmsg=told); call tell()
  call io%put("height", x)
  call io%put("height", x, ierr=ierr, errmsg=told); call tell()
  call io%finish()
  call io%step(2, 2d0, ierr=ierr, errmsg=told); call tell()
  call MPI_Finalize()
contains
  subroutine tell()
    if (ierr == 0) told = "nothing"
    print "(2a)", "HEARD ", told
  end subroutine tell
end program
"""
PYTHON = """
import numpy as np
import tailrace
from mpi4py import MPI

def attempt(call, *arguments, **keywords):
    try:
        call(*arguments, **keywords)
        print("HEARD nothing")
    except tailrace.Error as error:
        print("HEARD", error)

io = tailrace.Session.start(MPI.COMM_WORLD, "tailrace.yaml", component="python")
x = np.arange(1.0, 8.0)
attempt(io.step, 1, 1.0)
attempt(io.wants, 0)
attempt(io.checkpoint_due)
attempt(io.stop_requested)
attempt(io.get_value, "seed")
attempt(io.grid, "", dims=["x"], shape=[7])
io.grid("line", dims=["x"], shape=[7])
attempt(io.grid, "line", dims=["x"], shape=[7])
io.option("member", 1)
attempt(io.option, "member", 2)
attempt(io.coordinate, "lien", "x", x)
attempt(io.field, "height", grid="lien")
io.field("height", grid="line")
attempt(io.field, "height", grid="line")
attempt(io.coordinate, "height", "x", 1.0)
attempt(io.coordinate, "height", "p", x[:2])
attempt(io.handle, "heigth")
io.ready()
attempt(io.field, "other", grid="line")
attempt(io.put, "height", x)
attempt(io.get, "height")
attempt(io.get_value, "seed")
attempt(io.checkpoint)
attempt(io.request_checkpoint)
io.step(1, 1.0)
attempt(io.step, 1, 2.0)
attempt(io.step, 2, 0.5)
attempt(io.checkpoint)
attempt(io.request_checkpoint)
attempt(io.put_value, "", 1)
attempt(io.put, "height", x.astype("float32"))
attempt(io.put, "height", x[:3])
io.put("height", x)
attempt(io.put, "height", x)
io.finish()
attempt(io.step, 2, 2.0)
"""
SOURCES = {"c": C, "cpp": CPP, "fortran": FORTRAN, "python": PYTHON}


@pytest.mark.parametrize("language", SOURCES)
def test_each_language_reports_the_same(tmp_path, language):
    heard = heard_alone(tmp_path, language, SOURCES[language], CONFIG)
    expected = HEARD
    assert len(heard) == len(expected), heard
    for got, begin in zip(heard, expected, strict=True):
        assert got.startswith(begin), heard
