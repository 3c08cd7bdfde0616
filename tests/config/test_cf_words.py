"""Mistakes in coordinates and attributes give the same messages in each language."""

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
  tailrace_grid_spec grid = {.name = "line", .rank = 1, .dims = (const char*[]){"x"}, .shape = (int64_t[]){3}};
  tailrace_grid(io, &grid, &error);
  double x[3] = {1, 2, 3}, ends[6] = {0.5, 1.5, 2.5, 3.5, 2.5, 3.5};
  tailrace_coordinate_spec bounded = {.name = "x", .bounds = ends, .vertices = 2};
  tailrace_coordinate(io, "line", &bounded, x, 3, &error);
  tell();
  tailrace_coordinate(io, "line", &(tailrace_coordinate_spec){.name = "x", .measure = "aera"}, x, 3, &error);
  tell();
  double uneven[3] = {1, 2, 4};
  tailrace_coordinate(io, "line", &(tailrace_coordinate_spec){.name = "x", .computed_bounds = 1}, uneven, 3, &error);
  tell();
  tailrace_grid_mapping(io, "line", &(tailrace_grid_mapping_spec){.grid_mapping_name = "mercato"}, &error);
  tell();
  tailrace_grid_mapping(io, "line", &(tailrace_grid_mapping_spec){.name = "crs"}, &error);
  tell();
  tailrace_mesh_location(io, "line", &(tailrace_mesh_location_spec){.location = "edge"}, &error);
  tell();
  int32_t flags[2] = {0, 1};
  tailrace_attribute attributes[] = {{.name = "flag_values", .type = TAILRACE_INT32, .numbers = flags, .count = 2},
                                     {.name = "flag_meanings", .value = "dry"}};
  tailrace_field_spec field = {.name = "h", .grid = "line", .type = TAILRACE_INT32, .attributes = attributes,
                               .attribute_count = 2};
  tailrace_field(io, &field, &error);
  tell();
  attributes[1].value = "dry wet";
  attributes[0].name = "coordinates";
  tailrace_field(io, &field, &error);
  tell();
  attributes[0].name = "flag_values";
  tailrace_coordinate(io, "line", &(tailrace_coordinate_spec){.name = "x", .computed_bounds = 1}, x, 3, &error);
  tailrace_coordinate(io, "line", &(tailrace_coordinate_spec){.name = "height", .scalar = 1}, x, 1, &error);
  int h = tailrace_field(io, &field, &error);
  tailrace_ready(io, &error);
  tailrace_step(io, 1, 1.0, &error);
  int32_t values[3] = {0, 1, 0};
  tailrace_put(io, h, values, TAILRACE_INT32, 3, &error);
  tell();
  tailrace_finish(io, &error);
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
    io.grid({.name = "line", .dims = {"x"}, .shape = {3}});
    const std::vector<double> x{1, 2, 3}, ends{0.5, 1.5, 2.5, 3.5, 2.5, 3.5}, two{2};
    attempt([&] { io.coordinate("line", {.name = "x", .bounds = ends}, x); });
    attempt([&] { io.coordinate("line", {.name = "x", .measure = "aera"}, x); });
    attempt([&] { io.coordinate("line", {.name = "x", .computed_bounds = true}, std::vector<double>{1, 2, 4}); });
    attempt([&] { io.grid_mapping("line", {.grid_mapping_name = "mercato"}); });
    attempt([&] { io.grid_mapping("line", {}); });
    attempt([&] { io.mesh_location("line", {.location = "edge"}); });
    const std::vector<std::int32_t> flags{0, 1};
    tailrace::FieldSpec field{.name = "h", .grid = "line", .type = tailrace::Type::int32,
                              .attributes = {{"flag_values", flags}, {"flag_meanings", "dry"}}};
    attempt([&] { io.field(field); });
    field.attributes = {{"coordinates", flags}};
    attempt([&] { io.field(field); });
    field.attributes = {{"flag_values", flags}, {"flag_meanings", "dry wet"}};
    io.coordinate("line", {.name = "x", .computed_bounds = true}, x);
    io.coordinate("line", {.name = "height", .scalar = true}, std::span(x).first(1));
    const auto h = io.field(field);
    io.ready();
    io.step(1, 1.0);
    attempt([&] { io.put(h, std::vector<std::int32_t>{0, 1, 0}); });
    io.finish();
  }
  MPI_Finalize();
}
"""
FORTRAN = """
program words
  use mpi_f08
  use tailrace
  implicit none
  type(tailrace_session) :: io
  character(:), allocatable :: message
  real(8) :: x(3) = [1, 2, 3], ends(2, 3) = reshape([0.5d0, 1.5d0, 2.5d0, 3.5d0, 2.5d0, 3.5d0], [2, 3])
  integer :: ierr
  call MPI_Init()
  call io%start(MPI_COMM_WORLD, "tailrace.yaml")
  call io%grid("line", dims=["x"], shape=[3])
  call io%coordinate("line", "x", x, bounds=ends, ierr=ierr, errmsg=message)
  print "(2a)", "HEARD ", message
  call io%coordinate("line", "x", real(x), measure="aera", ierr=ierr, errmsg=message)
  print "(2a)", "HEARD ", message
  call io%coordinate("line", "x", [1d0, 2d0, 4d0], computed_bounds=.true., ierr=ierr, errmsg=message)
  print "(2a)", "HEARD ", message
  call io%grid_mapping("line", "mercato", ierr=ierr, errmsg=message)
  print "(2a)", "HEARD ", message
  call io%grid_mapping("line", "", ierr=ierr, errmsg=message)
  print "(2a)", "HEARD ", message
  call io%mesh_location("line", "edge", ierr=ierr, errmsg=message)
  print "(2a)", "HEARD ", message
  call io%field("h", grid="line", type=tailrace_int32, ierr=ierr, errmsg=message, &
                attributes=[character(30) :: "flag_values := 0, 1", "flag_meanings = dry"])
  print "(2a)", "HEARD ", message
  call io%field("h", grid="line", type=tailrace_int32, ierr=ierr, errmsg=message, &
                attributes=["coordinates := 0, 1"])
  print "(2a)", "HEARD ", message
  call io%field("h", grid="line", type=tailrace_int32, ierr=ierr, errmsg=message, attributes=["valid_min := low"])
  print "(2a)", "HEARD ", message
  call io%coordinate("line", "x", x, computed_bounds=.true.)
  call io%coordinate("line", "height", x(1))
  call io%field("h", grid="line", type=tailrace_int32, &
                attributes=[character(30) :: "flag_values := 0, 1", "flag_meanings = dry wet"])
  call io%ready()
  call io%step(1, 1d0)
  call io%put("h", [0, 1, 0], ierr=ierr, errmsg=message)
  if (ierr == 0) print "(a)", "HEARD nothing"
  call io%finish()
  call MPI_Finalize()
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

with tailrace.Session.start(MPI.COMM_WORLD, "tailrace.yaml", component="python") as io:
    io.grid("line", dims=["x"], shape=[3])
    attempt(io.coordinate, "line", "x", [1, 2, 3], bounds=[[0.5, 1.5], [2.5, 3.5], [2.5, 3.5]])
    attempt(io.coordinate, "line", "x", [1, 2, 3], measure="aera")
    attempt(io.coordinate, "line", "x", [1, 2, 4], computed_bounds=True)
    attempt(io.grid_mapping, "line", "mercato")
    attempt(io.grid_mapping, "line", "")
    attempt(io.mesh_location, "line", "edge")
    attempt(io.field, "h", "line", "int32", attributes={"flag_values": [0, 1], "flag_meanings": "dry"})
    attempt(io.field, "h", "line", "int32", attributes={"coordinates": [0, 1]})
    attempt(io.field, "h", "line", "int32", attributes={"valid_min": None})
    io.coordinate("line", "x", [1, 2, 3], computed_bounds=True)
    io.coordinate("line", "height", 1.0)
    io.field("h", "line", "int32", attributes={"flag_values": np.array([0, 1]), "flag_meanings": "dry wet"})
    io.ready()
    io.step(1, 1.0)
    attempt(io.put, "h", np.array([0, 1, 0], dtype="int32"))
    io.finish()
"""
HEARD = [
    'grid "line": coordinate "x": the value 2 is not between its bounds, 2.5 and 3.5',
    'grid "line": coordinate "x": the measure "aera" is unknown. Did you mean "area"? (known: area, volume)',
    'grid "line": coordinate "x": computed_bounds expects values that lie evenly, but behind 1 comes 2, and 1.5 apart',
    'grid "line": grid_mapping: the grid_mapping_name "mercato" is unknown. Did you mean "mercator"? (known: ',
    'grid "line": grid_mapping: grid_mapping_name is missing; expected one of albers_conical_equal_area, ',
    'grid "line" is not indexed; a mesh belongs to an indexed grid',
    'field "h": attribute "flag_values" has 2 numbers; expected as many words in "flag_meanings", but got 1',
    'field "h": attribute "coordinates": expected the names of fields, but got a number',
]
# Mistakes that are possible in only one language.
OWN = {
    "fortran": [
        'field "h": attribute "valid_min": expected numbers behind :=, such as "valid_range := 0, 100", but got "low"'
    ],
    "python": ['field "h": attribute "valid_min": expected text, a number or a list of numbers, not a NoneType'],
}
SOURCES = {"c": C, "cpp": CPP, "fortran": FORTRAN, "python": PYTHON}


@pytest.mark.parametrize("language", SOURCES)
def test_each_language_reports_the_same(tmp_path, language):
    heard = heard_alone(tmp_path, language, SOURCES[language], CONFIG)
    expected = [*HEARD, *OWN.get(language, []), "nothing"]
    assert len(heard) == len(expected), heard
    for got, begin in zip(heard, expected, strict=True):
        assert got.startswith(begin), heard
