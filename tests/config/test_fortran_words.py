"""Messages in the terms of Fortran, which counts from 1, and after the end of a session."""

from support.programs import heard_alone

CONFIG = """
tailrace: 1
servers: {mode: inline}
fields: {state: {every: 1 step, names: [h]}}
output: {h.nc: {variables: [{field: h, time: snapshot, every: 1 step}]}}
"""
PROGRAM = """
program model
  use mpi_f08
  use tailrace
  implicit none
  type(tailrace_session) :: io
  character(:), allocatable :: message
  integer :: ierr, run
  real(8) :: h(5, 7) = 0
  call MPI_Init()
  call io%put("h", h, ierr=ierr, errmsg=message)
  call hear()
  do run = 1, 2
    call io%start(MPI_COMM_WORLD, "tailrace.yaml", component="model")
    call io%grid("cells", dims=["y", "x"], shape=[5, 7], offset=[0, 1], count=[5, 7], ierr=ierr, errmsg=message)
    call hear()
    call io%grid("cells", dims=["y", "x"], shape=[5, 7], offset=[1, 2], count=[5, 7], ierr=ierr, errmsg=message)
    call hear()
    call io%grid("list", dims=["c"], shape=[7], indexed_dim="c", indices=[1, 8], ierr=ierr, errmsg=message)
    call hear()
    call io%grid("faces", dims=["f"], shape=[1], indexed_dim="f", indices=[1])
    call io%mesh("faces", node_x=[0d0, 1d0, 1d0], node_y=[0d0, 0d0, 1d0], face_nodes=reshape([1, 2, 4], [3, 1]), &
                 ierr=ierr, errmsg=message)
    call hear()
    call io%grid("box", dims=["y", "x"], shape=[5, 7])
    call io%field("h", grid="box")
    call io%ready()
    call io%step(1, 1d0)
    call io%put("h", h)
    call io%finish()
    call io%put("h", h, ierr=ierr, errmsg=message)
    call hear()
    call io%step(2, 2d0, ierr=ierr, errmsg=message)
    call hear()
    call io%finish()
  end do
  call MPI_Finalize()
contains
  subroutine hear()
    print "(a,i0,2a)", "HEARD ", ierr, " ", message
  end subroutine hear
end program
"""
RUN = [
    '1 grid "cells": along y this rank\'s block starts at 0 (counted from 1) and has 5 cells, but the dim has 5',
    '1 grid "cells": along x this rank\'s block starts at 2 (counted from 1) and has 7 cells, but the dim has 7',
    '1 grid "list": the index 8 (counted from 1) is outside dim c, which has 7 cells',
    '1 mesh "mesh": cell 1 (counted from 1): the node number 4 is outside 1 to 3 (or 0 for none)',
    "1 put was called after finish",
    "1 step was called after finish",
]


def test_messages_count_from_1_and_know_the_end_of_a_session(tmp_path):
    """An offset of 0 was `-1 (counted from 0)`, and a put after finish "was not started"; a session can begin anew."""
    heard = heard_alone(tmp_path, "fortran", PROGRAM, CONFIG)
    assert heard == ["1 this session was not started: call start first, and look at its error", *RUN, *RUN]
