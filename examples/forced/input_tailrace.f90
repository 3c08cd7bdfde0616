! Input through Tailrace: the servers read ahead, and the configuration says which files they read, and how.
submodule(input_source) input_tailrace
  use tailrace
  implicit none

  type(tailrace_session) :: io

contains

  module procedure way
    way = 'tailrace'
  end procedure way

  module procedure join
    call io%start(world, trim(chosen%configuration), component='forced', model_comm=comm)
    computes = .not. io%is_server()
  end procedure join

  module procedure open_inputs
    integer :: n
    call io%grid('volume', dims=[character(3) :: 'lon', 'lat', 'lev'], shape=[g%nx, g%ny, g%nz], &
                 offset=[g%x0, g%y0, 1], count=[g%nxl, g%nyl, g%nz])
    call io%grid('surface', dims=[character(3) :: 'lon', 'lat'], shape=[g%nx, g%ny], offset=[g%x0, g%y0], &
                 count=[g%nxl, g%nyl])
    call declare_horizontal(g, 'volume')
    call declare_horizontal(g, 'surface')
    call io%coordinate('volume', 'lev', g%pressure, units='hPa', standard_name='air_pressure', &
                       attributes=[character(15) :: 'axis = Z', 'positive = down'])
    do n = 1, size(all_inputs)
      call io%input(trim(all_inputs(n)%name), grid=trim(all_inputs(n)%grid), units=trim(all_inputs(n)%units))
    end do
    call io%ready()
  end procedure open_inputs

  subroutine declare_horizontal(g, name)
    type(grid_t), intent(in) :: g
    character(*), intent(in) :: name
    call io%coordinate(name, 'lon', g%longitude, units='degrees_east', standard_name='longitude')
    call io%coordinate(name, 'lat', g%latitude, units='degrees_north', standard_name='latitude')
  end subroutine declare_horizontal

  module procedure begin_step
    call io%step(step, time)
  end procedure begin_step

  module procedure get_inputs
    integer :: n
    do n = 1, size(all_inputs)
      if (all_inputs(n)%rule == 'none' .and. .not. is_first) cycle
      if (all_inputs(n)%grid == 'volume') then
        call io%get(trim(all_inputs(n)%name), all_inputs(n)%values)
      else
        call io%get(trim(all_inputs(n)%name), all_inputs(n)%values(:, :, 1))
      end if
    end do
  end procedure get_inputs

  module procedure close_inputs
    call io%finish()
  end procedure close_inputs
end submodule input_tailrace
