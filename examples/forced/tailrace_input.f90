! Input through Tailrace: the servers read ahead, and the configuration says which files they read, and how.
module tailrace_input
  use mpi_f08
  use tailrace
  use settings, only: settings_t, rk
  use grid, only: grid_t
  use inputs, only: input_t
  implicit none
  private
  public :: start_session, declare_inputs, tell_step, get_inputs, finish_session

  type(tailrace_session) :: io

contains

  ! Collective over world. On a rank that serves it returns when the run is over, with is_server true.
  subroutine start_session(world, configuration, comm, is_server)
    type(MPI_Comm), intent(in) :: world
    character(*), intent(in) :: configuration
    type(MPI_Comm), intent(out) :: comm
    logical, intent(out) :: is_server
    call io%start(world, configuration, component='forced', model_comm=comm)
    is_server = io%is_server()
  end subroutine start_session

  subroutine declare_inputs(g, all_inputs)
    type(grid_t), intent(in) :: g
    type(input_t), intent(in) :: all_inputs(:)
    integer :: n
    call io%grid('volume', dims=[character(3) :: 'lon', 'lat', 'lev'], shape=[g%nx, g%ny, g%nz], &
                 offset=[g%x0, g%y0, 1], count=[g%nxl, g%nyl, g%nz])
    call io%grid('surface', dims=[character(3) :: 'lon', 'lat'], shape=[g%nx, g%ny], offset=[g%x0, g%y0], &
                 count=[g%nxl, g%nyl])
    call horizontal('volume')
    call horizontal('surface')
    call io%coordinate('volume', 'lev', g%pressure, units='hPa', standard_name='air_pressure', &
                       attributes=[character(15) :: 'axis = Z', 'positive = down'])
    do n = 1, size(all_inputs)
      call io%input(trim(all_inputs(n)%name), grid=trim(all_inputs(n)%grid), units=trim(all_inputs(n)%units))
    end do
    call io%ready()

  contains

    subroutine horizontal(name)
      character(*), intent(in) :: name
      call io%coordinate(name, 'lon', g%longitude, units='degrees_east', standard_name='longitude')
      call io%coordinate(name, 'lat', g%latitude, units='degrees_north', standard_name='latitude')
    end subroutine horizontal
  end subroutine declare_inputs

  ! The model is at `step`, `time` seconds after its start.
  subroutine tell_step(step, time)
    integer, intent(in) :: step
    real(rk), intent(in) :: time
    call io%step(step, time)
  end subroutine tell_step

  ! The inputs of the present time; those that are constant only the first time.
  subroutine get_inputs(all_inputs, is_first)
    type(input_t), intent(inout) :: all_inputs(:)
    logical, intent(in) :: is_first
    integer :: n
    do n = 1, size(all_inputs)
      if (all_inputs(n)%rule == 'none' .and. .not. is_first) cycle
      if (all_inputs(n)%grid == 'volume') then
        call io%get(trim(all_inputs(n)%name), all_inputs(n)%values)
      else
        call io%get(trim(all_inputs(n)%name), all_inputs(n)%values(:, :, 1))
      end if
    end do
  end subroutine get_inputs

  subroutine finish_session()
    call io%finish()
  end subroutine finish_session
end module tailrace_input
