"""Models in C and Fortran give typed attributes, exact texts and a text of configuration to a file of WRF's layout."""

import h5py
import netCDF4
import numpy as np
import pytest
from support.programs import heard_alone

LINES = [
    "tailrace: 1",
    'model_time: {start: "2000-01-24 12:00:00", calendar: standard}',
    'fields: {all: {every: 1 step, names: ["*"]}}',
    "output:",
    "  wrfout.nc:",
    "    layout: wrf",
    '    variables: [{fields: "*", every: 1 step}]',
    "  left_out.nc:",
    '    variables: [{fields: "*", every: 1 step}]',
]
C = """
#include <mpi.h>
#include <stdio.h>
#include <tailrace/tailrace.h>

static const char text[] = TEXT;

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  tailrace_error error = TAILRACE_NO_ERROR;
  const tailrace_start_options options = {.component = "wrf", .text = text};
  tailrace_session* io = tailrace_start(MPI_COMM_WORLD, "tailrace.yaml", &options, &error);
  const char* dims[] = {"south_north", "west_east"};
  const int64_t shape[] = {2, 3};
  tailrace_grid(io, &(tailrace_grid_spec){.name = "g", .rank = 2, .dims = dims, .shape = shape}, &error);
  const tailrace_field_spec spec = {.name = "T2", .grid = "g", .type = TAILRACE_FLOAT32};
  const int t2 = tailrace_field(io, &spec, &error);
  const float size = 3000.0f;
  const int32_t type = 104;
  const tailrace_attribute dx = {.name = "DX", .numbers = &size, .count = 1, .type = TAILRACE_FLOAT32};
  const tailrace_attribute kind = {.name = "FieldType", .numbers = &type, .count = 1, .type = TAILRACE_INT32};
  const tailrace_attribute order = {.name = "MemoryOrder", .value = "XY "};
  const tailrace_attribute stagger = {.name = "stagger", .value = ""};
  tailrace_set_attribute(io, NULL, &dx, &error);
  tailrace_set_attribute(io, "T2", &kind, &error);
  tailrace_set_attribute(io, "T2", &order, &error);
  tailrace_set_attribute(io, "T2", &stagger, &error);
  if (tailrace_set_attribute(io, "T3", &stagger, &error) != 0) printf("HEARD %s\\n", error.message);
  tailrace_error_clear(&error);
  tailrace_ready(io, &error);
  const float values[] = {1, 2, 3, 4, 5, 6};
  tailrace_step(io, 1, 60.0, &error);
  tailrace_put(io, t2, values, TAILRACE_FLOAT32, 6, &error);
  tailrace_finish(io, &error);
  if (error.code != 0) printf("HEARD %s\\n", error.message);
  tailrace_free(io);
  MPI_Finalize();
  return 0;
}
"""
FORTRAN = """
program model
  use, intrinsic :: iso_fortran_env, only: int32, real32, real64
  use mpi
  use tailrace
  implicit none
  type(tailrace_session) :: io
  character(80) :: lines(COUNT)
  character(:), allocatable :: message
  integer :: code, t2
  real(real32) :: values(3, 2)

TEXT
  call MPI_Init(code)
  call io%start(MPI_COMM_WORLD, 'tailrace.yaml', component='wrf', lines=lines)
  call io%grid('g', dims=[character(11) :: 'west_east', 'south_north'], shape=[3, 2])
  call io%field('T2', grid='g', type=tailrace_float32, handle=t2)
  call io%set_attribute('DX', 3000.0_real32)
  call io%set_attribute('FieldType', 104_int32, field='T2')
  call io%set_attribute('MemoryOrder', 'XY ', field='T2')
  call io%set_attribute('stagger', '', field='T2')
  call io%set_attribute('stagger', '', field='T3', ierr=code, errmsg=message)
  print '(2a)', 'HEARD ', message
  call io%ready()
  values = reshape([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [3, 2])
  call io%step(1, 60.0_real64)
  call io%put(t2, values)
  call io%finish()
  call MPI_Finalize(code)
end program model
"""
CONFIG = """
tailrace: 1
servers: {mode: inline, report: false}
output:
  left_out.nc:
"""


def program(language: str) -> str:
    if language == "c":
        quoted = " ".join('"' + line.replace('"', '\\"') + '\\n"' for line in LINES)
        return C.replace("TEXT;", quoted + ";", 1)
    given = "\n".join(f"  lines({i}) = '{line}'" for i, line in enumerate(LINES, start=1))
    return FORTRAN.replace("COUNT", str(len(LINES))).replace("TEXT", given)


@pytest.mark.parametrize("language", ["c", "fortran"])
def test_a_model_gives_types_blanks_and_its_configuration(tmp_path, language):
    told = heard_alone(tmp_path, language, program(language), CONFIG)
    assert len(told) == 1 and told[0].startswith('attribute "stagger": field "T3" was not declared. Did you mean "T2"?')
    assert not (tmp_path / "left_out.nc").exists()
    with netCDF4.Dataset(tmp_path / "wrfout.nc") as data:
        assert (data.DX, data.DX.dtype) == (3000.0, np.float32)
        assert data["T2"].MemoryOrder == "XY " and data["T2"].FieldType.dtype == np.int32
        assert data["T2"].dimensions == ("Time", "south_north", "west_east")
        np.testing.assert_array_equal(data["T2"][0], [[1, 2, 3], [4, 5, 6]])
    with h5py.File(tmp_path / "wrfout.nc") as data:
        assert data["T2"].attrs.get_id("stagger").get_storage_size() == 1
