! All calls of Tailrace: the declarations, and, once a step, the values. The configuration file alone decides what is
! written.
module output
  use mpi_f08
  use tailrace
  use settings, only: rk
  use grid, only: grid_t
  use dynamics, only: model_t
  use diagnostics
  use restart
  implicit none
  private
  public :: start_output, goes_on, declare_output, restore, write_output, stops, finish_output

  type(tailrace_session) :: io

contains

  ! Collective over world. On a rank that serves it returns when the run is over, with is_server true.
  subroutine start_output(world, configuration, comm, is_server)
    type(MPI_Comm), intent(in) :: world
    character(*), intent(in) :: configuration
    type(MPI_Comm), intent(out) :: comm
    logical, intent(out) :: is_server
    call io%start(world, configuration, component='bubble', model_comm=comm)
    is_server = io%is_server()
  end subroutine start_output

  ! Whether this run restarts from a checkpoint, and from which step and time. Call it before declare_output.
  logical function goes_on(step, time)
    integer, intent(inout) :: step
    real(rk), intent(inout) :: time
    goes_on = io%restarting(step, time)
  end function goes_on

  subroutine declare_output(g)
    type(grid_t), intent(in) :: g
    character(*), parameter :: on_scale(1) = ['units_metadata = temperature: on_scale']   ! not a difference
    integer :: i
    call io%option('x_size', g%nx)
    call io%option('y_size', g%ny)
    call io%option('z_size', g%nz)
    call block('les', [character(2) :: 'z', 'y', 'x'])    ! at the cells' centres
    call block('u', [character(2) :: 'z', 'y', 'xu'])     ! on their western faces
    call block('v', [character(2) :: 'z', 'yv', 'x'])     ! on their southern faces
    call block('w', [character(2) :: 'zw', 'y', 'x'])     ! on their lower faces
    call io%grid('columns', dims=['y', 'x'], shape=[g%ny, g%nx], offset=[g%y0, g%x0], count=[g%nyl, g%nxl])
    call io%grid('profile', dims=['z'], shape=[g%nz])
    call axis('columns', 'y', g%ny, g%dy, 0.5_rk)
    call axis('columns', 'x', g%nx, g%dx, 0.5_rk)
    call axis('profile', 'z', g%nz, g%dz, 0.5_rk)
    call io%field('u', grid='u', units='m s-1', standard_name='x_wind')
    call io%field('v', grid='v', units='m s-1', standard_name='y_wind')
    call io%field('w', grid='w', units='m s-1', standard_name='upward_air_velocity')
    call io%field('theta', grid='les', units='K', standard_name='air_potential_temperature', &
                  attributes=on_scale)
    call io%field('p', grid='les', units='Pa', long_name='deviation of pressure from the atmosphere at rest')
    call io%field('column_energy', grid='columns', units='J m-2', standard_name='atmosphere_kinetic_energy_content')
    call io%field('column_w', grid='columns', units='m s-1', long_name='largest upward air velocity of the column')
    call io%field('theta_profile', grid='profile', units='K', long_name='horizontal mean of potential temperature', &
                  attributes=on_scale)
    call io%field('mass', units='kg', long_name='mass of the air in the domain')
    call io%field('time_step', units='s', long_name='length of the time step')
    call io%field('w_max', units='m s-1', long_name='largest upward air velocity')
    call io%field('front', units='m', long_name='position of the front at the lowest level')
    call declare_state(io, 'les')
    call io%ready()

  contains

    subroutine block(name, dims)
      character(*), intent(in) :: name, dims(3)
      call io%grid(name, dims=dims, shape=[g%nz, g%ny, g%nx], offset=[1, g%y0, g%x0], count=[g%nz, g%nyl, g%nxl])
      call axis(name, dims(1), g%nz, g%dz, merge(0.0_rk, 0.5_rk, name == 'w'))
      call axis(name, dims(2), g%ny, g%dy, merge(0.0_rk, 0.5_rk, name == 'v'))
      call axis(name, dims(3), g%nx, g%dx, merge(0.0_rk, 0.5_rk, name == 'u'))
    end subroutine block

    subroutine axis(grid, dim, n, spacing, first)
      character(*), intent(in) :: grid, dim
      integer, intent(in) :: n
      real(rk), intent(in) :: spacing, first
      character(*), parameter :: letters = 'xyz'
      character(24), parameter :: names(3) = [character(24) :: 'projection_x_coordinate', 'projection_y_coordinate', 'height']
      character(13), parameter :: axes(3) = [character(13) :: 'axis = X', 'axis = Y', 'axis = Z']
      integer :: d
      d = index(letters, dim(1:1))
      call io%coordinate(grid, trim(dim), [((i - 1 + first)*spacing, i=1, n)], units='m', standard_name=names(d), &
                         attributes=[axes(d), pack([character(13) :: 'positive = up'], d == 3)])
    end subroutine axis
  end subroutine declare_output

  ! Reads the state of the checkpoint, and the numbers that the model prints at its end. After declare_output.
  subroutine restore(model, mass_at_start, longest, shortest)
    type(model_t), intent(inout) :: model
    real(rk), intent(out) :: mass_at_start, longest, shortest
    call get_state(io, model)
    call io%get_value('mass_at_start', mass_at_start)
    call io%get_value('dt_max', longest)
    call io%get_value('dt_min', shortest)
  end subroutine restore

  ! Puts the state after `step`, which took dt seconds and ended at time, and makes a checkpoint if one is due.
  subroutine write_output(model, step, time, dt, mass_at_start, longest, shortest)
    type(model_t), intent(in) :: model
    integer, intent(in) :: step
    real(rk), intent(in) :: time, dt, mass_at_start, longest, shortest
    associate (g => model%g, f => model%flow)
      call io%step(step, time)
      if (io%wants('u')) call io%put('u', f%u(1:g%nz, 1:g%nyl, 1:g%nxl))
      if (io%wants('v')) call io%put('v', f%v(1:g%nz, 1:g%nyl, 1:g%nxl))
      if (io%wants('w')) call io%put('w', f%w(1:g%nz, 1:g%nyl, 1:g%nxl))
      if (io%wants('theta')) call io%put('theta', f%theta(1:g%nz, 1:g%nyl, 1:g%nxl))
      if (io%wants('p')) call io%put('p', f%p(1:g%nz, 1:g%nyl, 1:g%nxl))
      if (io%wants('column_energy')) call io%put('column_energy', column_energy(model))
      if (io%wants('column_w')) call io%put('column_w', column_w(model))
      if (io%wants('theta_profile')) call io%put('theta_profile', theta_profile(model))
      if (io%wants('mass')) call io%put('mass', total_mass(model))
      if (io%wants('time_step')) call io%put('time_step', dt)
      if (io%wants('w_max')) call io%put('w_max', largest_w(model))
      if (io%wants('front')) call io%put('front', front_position(model))
    end associate
    if (.not. io%checkpoint_due()) return
    call put_state(io, model)
    call io%put_value('mass_at_start', mass_at_start)
    call io%put_value('dt_max', longest)
    call io%put_value('dt_min', shortest)
    call io%checkpoint()
  end subroutine write_output

  ! Collective. Whether a signal, for example of the batch system, asks the run to end.
  logical function stops()
    stops = io%stop_requested()
  end function stops

  subroutine finish_output()
    call io%finish()
  end subroutine finish_output
end module output
