! Input through YAC: another program gives the fields. Nothing here knows where it has them from.
submodule(input_source) input_yac
  use, intrinsic :: iso_c_binding, only: c_int, c_null_char
  use grid, only: pi
  use yac_calls
  implicit none

  character(*), parameter :: component_name = 'forced', grid_name = 'gaussian'
  integer(c_int) :: component
  integer(c_int), allocatable :: fields(:)

contains

  module procedure way
    way = 'yac'
  end procedure way

  module procedure join
    call join_coupled_run(chosen%coupling, component_name, component, comm)
    computes = .true.
  end procedure join

  ! The time step of a field in YAC is the time between two updates.
  module procedure open_inputs
    character(24) :: timestep
    integer :: n
    integer(c_int) :: points(1)
    timestep = timestep_of(chosen%update_every*chosen%dt, component_name, 'update_every * dt')
    points = defined_points(g)
    allocate (fields(size(all_inputs)))
    do n = 1, size(all_inputs)
      call yac_cdef_field(trim(all_inputs(n)%name)//c_null_char, component, points, 1, size(all_inputs(n)%values, 3), &
                          timestep, yac_time_unit_iso_format, fields(n))
    end do
    call yac_cenddef()
  end procedure open_inputs

  ! The cells of this rank, with their numbers in the whole grid, from 0. Their edges are halfway between the points, and
  ! at the poles; the western and the eastern edge of the whole grid are vertices of their own.
  integer(c_int) function defined_points(g) result(points)
    type(grid_t), intent(in) :: g
    real(rk) :: x(0:g%nx), y(0:g%ny)
    integer :: i, j
    integer(c_int) :: grid
    x = [((i - 0.5_rk)*360/g%nx, i=0, g%nx)]
    y = [-90.0_rk, (g%latitude(:g%ny - 1) + g%latitude(2:))/2, 90.0_rk]
    call yac_cdef_grid_reg2d(grid_name//c_null_char, [g%nxl, g%nyl] + 1, [0, 0], x(g%x0 - 1:g%x0 + g%nxl - 1)*pi/180, &
                             y(g%y0 - 1:g%y0 + g%nyl - 1)*pi/180, grid)
    call yac_cset_global_index([(((j - 1)*g%nx + i - 1, i=g%x0, g%x0 + g%nxl - 1), j=g%y0, g%y0 + g%nyl - 1)], &
                               yac_location_cell, grid)
    call yac_cset_global_index([(((j - 1)*(g%nx + 1) + i - 1, i=g%x0, g%x0 + g%nxl), j=g%y0, g%y0 + g%nyl)], &
                               yac_location_corner, grid)
    call yac_cdef_points_reg2d(grid, [g%nxl, g%nyl], yac_location_cell, g%longitude(g%x0:g%x0 + g%nxl - 1)*pi/180, &
                               g%latitude(g%y0:g%y0 + g%nyl - 1)*pi/180, points)
  end function defined_points

  module procedure begin_step
  end procedure begin_step

  ! All of them at each update: YAC's configuration says at which updates a field is coupled.
  module procedure get_inputs
    integer :: n
    integer(c_int) :: info, status
    do n = 1, size(all_inputs)
      call yac_cget_(fields(n), size(all_inputs(n)%values, 3), all_inputs(n)%values, info, status)
    end do
  end procedure get_inputs

  module procedure close_inputs
    call yac_cfinalize()
  end procedure close_inputs
end submodule input_yac
