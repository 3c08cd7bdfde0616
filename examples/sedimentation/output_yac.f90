! Output through YAC: another program gets the fields. Nothing here knows what it does with them.
submodule(output) output_yac
  use, intrinsic :: iso_c_binding, only: c_int, c_null_char
  use sphere, only: pi
  use tracers, only: table
  use yac_calls
  implicit none

  character(*), parameter :: component_name = 'sedimentation', grid_name = 'columns'
  integer(c_int) :: component, fields(size(table))

contains

  module procedure way
    way = 'yac'
  end procedure way

  module procedure join
    call join_coupled_run(chosen%coupling, component_name, component, comm)
    computes = .true.
  end procedure join

  module procedure declare
    character(24) :: timestep
    integer :: n
    integer(c_int) :: points(1)
    timestep = timestep_of(chosen%dt, component_name, 'dt')
    points = defined_points(g)
    do n = 1, size(table)
      call yac_cdef_field(trim(table(n)%name)//c_null_char, component, points, 1, g%levels, &
                          timestep, yac_time_unit_iso_format, fields(n))
      call yac_cdef_field_metadata(component_name//c_null_char, grid_name//c_null_char, trim(table(n)%name)//c_null_char, &
                                   'units: kg kg-1'//new_line('a')//'long_name: '//trim(table(n)%long_name)//c_null_char)
    end do
    call yac_cenddef()
  end procedure declare

  ! The triangles of this rank, with their numbers in the whole sphere, from 0.
  integer(c_int) function defined_points(g) result(points)
    type(sphere_t), intent(in) :: g
    integer :: n, local(g%nodes)
    integer, allocatable :: used(:)
    integer(c_int) :: grid
    associate (own => g%corners(:, g%first:g%first + g%count - 1))
      local = 0
      local([own]) = 1
      used = pack([(n, n=1, g%nodes)], local == 1)
      local(used) = [(n, n=0, size(used) - 1)]
      call yac_cdef_grid_unstruct(grid_name//c_null_char, size(used), g%count, [(3, n=1, g%count)], &
                                  g%node_lon(used)*pi/180, g%node_lat(used)*pi/180, local([own]), grid)
    end associate
    call yac_cset_global_index([(n - 1, n=g%first, g%first + g%count - 1)], yac_location_cell, grid)
    call yac_cset_global_index(used - 1, yac_location_corner, grid)
    call yac_cdef_points_unstruct(grid, g%count, yac_location_cell, g%lon*pi/180, g%lat*pi/180, points)
  end function defined_points

  module procedure write_fields
    integer :: n
    integer(c_int) :: info, status
    do n = 1, size(table)
      call yac_cput_(fields(n), size(q, 2), q(:, :, n), info, status)
    end do
  end procedure write_fields

  module procedure close_output
    call yac_cfinalize()
  end procedure close_output
end submodule output_yac
