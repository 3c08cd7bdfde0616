! The calls of YAC's C interface (yac.h of version 3) that the examples make. YAC's own Fortran modules do the same; they are
! not in its package of PyPI, whose library has the functions in C.
module yac_calls
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  use mpi_f08, only: MPI_Abort, MPI_Comm, MPI_COMM_WORLD
  implicit none
  public
  private :: error_unit, real64, MPI_Abort, MPI_Comm, MPI_COMM_WORLD

  integer(c_int), bind(c, name='YAC_LOCATION_CELL'), protected :: yac_location_cell
  integer(c_int), bind(c, name='YAC_LOCATION_CORNER'), protected :: yac_location_corner
  integer(c_int), bind(c, name='YAC_TIME_UNIT_ISO_FORMAT'), protected :: yac_time_unit_iso_format

  interface
    ! Collective over MPI_COMM_WORLD, of which all programs take part in an MPI handshake.
    subroutine yac_cinit() bind(c)
    end subroutine yac_cinit

    subroutine yac_cread_config_yaml(file) bind(c)
      import
      character(kind=c_char), intent(in) :: file(*)
    end subroutine yac_cread_config_yaml

    ! Collective over all that called yac_cinit.
    subroutine yac_cdef_comp(name, component) bind(c)
      import
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(out) :: component
    end subroutine yac_cdef_comp

    ! A communicator of the component, as an integer handle.
    subroutine yac_get_comp_comm_f2c(component, comm) bind(c)
      import
      integer(c_int), value :: component
      integer(c_int), intent(out) :: comm
    end subroutine yac_get_comp_comm_f2c

    ! Places in radians. The corners of the cells, one cell after the other, as subscripts from 0.
    subroutine yac_cdef_grid_unstruct(name, nodes, cells, corners_of_cell, x, y, corners, grid) bind(c)
      import
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: nodes, cells
      integer(c_int), intent(in) :: corners_of_cell(*), corners(*)
      real(c_double), intent(in) :: x(*), y(*)
      integer(c_int), intent(out) :: grid
    end subroutine yac_cdef_grid_unstruct

    ! Cells between meridians and parallels. The numbers of vertices along x (longitude, radians) and y (latitude,
    ! radians), whose places follow; cyclic: 1 for a dim whose last cell meets its first one.
    subroutine yac_cdef_grid_reg2d(name, vertices, cyclic, x, y, grid) bind(c)
      import
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), intent(in) :: vertices(2), cyclic(2)
      real(c_double), intent(in) :: x(*), y(*)
      integer(c_int), intent(out) :: grid
    end subroutine yac_cdef_grid_reg2d

    subroutine yac_cset_global_index(indices, location, grid) bind(c)
      import
      integer(c_int), intent(in) :: indices(*)
      integer(c_int), value :: location, grid
    end subroutine yac_cset_global_index

    subroutine yac_cdef_points_unstruct(grid, count, location, x, y, points) bind(c)
      import
      integer(c_int), value :: grid, count, location
      real(c_double), intent(in) :: x(*), y(*)
      integer(c_int), intent(out) :: points
    end subroutine yac_cdef_points_unstruct

    ! The numbers of points along x and y, whose places (radians) follow; x varies fastest.
    subroutine yac_cdef_points_reg2d(grid, counts, location, x, y, points) bind(c)
      import
      integer(c_int), value :: grid, location
      integer(c_int), intent(in) :: counts(2)
      real(c_double), intent(in) :: x(*), y(*)
      integer(c_int), intent(out) :: points
    end subroutine yac_cdef_points_reg2d

    subroutine yac_cdef_field(name, component, points, sets, collection_size, timestep, time_unit, field) bind(c)
      import
      character(kind=c_char), intent(in) :: name(*), timestep(*)
      integer(c_int), value :: component, sets, collection_size, time_unit
      integer(c_int), intent(in) :: points(*)
      integer(c_int), intent(out) :: field
    end subroutine yac_cdef_field

    subroutine yac_cdef_field_metadata(component, grid, field, metadata) bind(c)
      import
      character(kind=c_char), intent(in) :: component(*), grid(*), field(*), metadata(*)
    end subroutine yac_cdef_field_metadata

    ! Ends the definitions. Collective over all components.
    subroutine yac_cenddef() bind(c)
    end subroutine yac_cenddef

    ! values (cell, level). ierror is 0 on success; what goes wrong ends the job.
    subroutine yac_cput_(field, collection_size, values, info, ierror) bind(c)
      import
      integer(c_int), value :: field, collection_size
      real(c_double), intent(in) :: values(*)
      integer(c_int), intent(out) :: info, ierror
    end subroutine yac_cput_

    ! Waits for the values of the field's next time, if it is coupled then; else values keep what they had. Values (cell,
    ! level). ierror as in yac_cput_.
    subroutine yac_cget_(field, collection_size, values, info, ierror) bind(c)
      import
      integer(c_int), value :: field, collection_size
      real(c_double), intent(inout) :: values(*)
      integer(c_int), intent(out) :: info, ierror
    end subroutine yac_cget_

    subroutine yac_cfinalize() bind(c)
    end subroutine yac_cfinalize
  end interface

contains

  ! Starts YAC with its configuration and defines this program's component, whose communicator is comm. Collective over
  ! all programs of the job.
  subroutine join_coupled_run(coupling, name, component, comm)
    character(*), intent(in) :: coupling, name
    integer(c_int), intent(out) :: component
    type(MPI_Comm), intent(out) :: comm
    call yac_cinit()
    call yac_cread_config_yaml(trim(coupling)//c_null_char)
    call yac_cdef_comp(name//c_null_char, component)
    call yac_get_comp_comm_f2c(component, comm%mpi_val)
  end subroutine join_coupled_run

  ! A time step in YAC's words. Ends the job if it is no whole number of seconds, since all other programs wait in
  ! yac_cenddef. what: its name in the settings of the program.
  function timestep_of(seconds, program, what) result(text)
    real(real64), intent(in) :: seconds
    character(*), intent(in) :: program, what
    character(24) :: text
    if (seconds > nint(seconds) .or. seconds < nint(seconds)) then
      write (error_unit, '(4a,f0.3)') program, ': ', what, ' must be a whole number of seconds for YAC, but it is ', seconds
      call MPI_Abort(MPI_COMM_WORLD, 1)
    end if
    write (text, '(a,i0,a)') 'PT', nint(seconds), 'S'//c_null_char
  end function timestep_of
end module yac_calls
