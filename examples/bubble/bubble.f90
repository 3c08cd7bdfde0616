! A dry, non-hydrostatic, compressible model of a small piece of atmosphere, and an example of output with Tailrace.
!   mpirun -n RANKS bubble SETTINGS.nml [CONFIGURATION.yaml]
program bubble
  use, intrinsic :: iso_fortran_env, only: error_unit, int64
  use mpi_f08
  use settings
  use grid
  use dynamics
  use cases, only: disturb
  use diagnostics
  use output
  implicit none

  type(settings_t) :: chosen
  type(grid_t) :: g
  type(model_t) :: model
  type(MPI_Comm) :: comm
  character(:), allocatable :: file, configuration, error
  logical :: is_server, lost, stopped, restarts
  integer :: provided, step
  integer(int64) :: begin, end, rate
  real(rk) :: time, dt, longest, shortest, mass_at_start

  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided)
  call read_arguments()
  call read_settings(file, chosen, error)
  call stop_on(error)
  call system_clock(begin, rate)
  call start_output(MPI_COMM_WORLD, configuration, comm, is_server)
  if (.not. is_server) call run()
  call system_clock(end)
  if (.not. is_server .and. g%rank == 0) print '(a,f0.4)', 'seconds ', real(end - begin, rk)/real(rate, rk)
  call MPI_Finalize()

contains

  subroutine run()
    call make_grid(chosen, comm, g, error)
    if (len(error) > 0) call abort_on(error)
    call make_model(g, chosen%viscosity, chosen%cfl, model)
    step = 0
    time = 0
    restarts = goes_on(step, time)
    call declare_output(g)
    if (restarts) then
      call restore(model, mass_at_start, longest, shortest)
      call advance(model, 0.0_rk)
    else
      call disturb(chosen, g, model%ref, model%q)
      call advance(model, 0.0_rk)
      longest = 0
      shortest = huge(shortest)
      mass_at_start = total_mass(model)
    end if
    dt = 1
    stopped = .false.
    call log_header()
    do while (time < chosen%t_end .and. step < chosen%steps .and. .not. stopped)
      dt = stable_step(model)
      if (.not. dt > 0) exit
      longest = max(longest, dt)
      shortest = min(shortest, dt)
      if (dt >= chosen%t_end - time) then
        dt = chosen%t_end - time
        time = chosen%t_end
      else
        time = time + dt
      end if
      call advance(model, dt)
      step = step + 1
      call write_output(model, step, time, dt, mass_at_start, longest, shortest)
      stopped = stops()
      if (floor(time/chosen%log_every) > floor((time - dt)/chosen%log_every)) call log_line()
    end do
    lost = .not. dt > 0
    if (.not. lost .and. time >= chosen%t_end) call log_results()
    call finish_output()   ! what was put is written in any case
    if (lost) call stop_on(file//': the state is lost: a number is no longer finite; is cfl too large?')
  end subroutine run

  subroutine read_arguments()
    character(4096) :: text
    integer :: dot
    call get_command_argument(1, text)
    if (len_trim(text) == 0) call stop_on('usage: bubble SETTINGS.nml [CONFIGURATION.yaml] (default: SETTINGS.yaml)')
    file = trim(text)
    dot = index(file, '.', back=.true.)
    if (dot <= index(file, '/', back=.true.)) dot = len(file) + 1
    configuration = file(:dot - 1)//'.yaml'
    call get_command_argument(2, text)
    if (len_trim(text) > 0) configuration = trim(text)
  end subroutine read_arguments

  ! For mistakes that are found while servers wait: one rank prints the message and ends the job.
  subroutine abort_on(message)
    character(*), intent(in) :: message
    integer :: rank
    call MPI_Comm_rank(comm, rank)
    if (rank == 0) then
      write (error_unit, '(2a)') 'bubble: ', message
      call MPI_Abort(MPI_COMM_WORLD, 1)
    end if
    call MPI_Barrier(comm)
  end subroutine abort_on

  ! For mistakes that are found before servers start or after they ended: the first rank prints the message (ranks that
  ! serve come last), and all stop.
  subroutine stop_on(message)
    character(*), intent(in) :: message
    integer :: rank
    if (len(message) == 0) return
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    if (rank == 0) write (error_unit, '(2a)') 'bubble: ', message
    call MPI_Finalize()
    stop 1, quiet=.true.
  end subroutine stop_on

  subroutine log_header()
    if (g%rank /= 0) return
    print '(3a,2(i0,a),i0,2(a,i0),a)', 'bubble: ', trim(chosen%case), ', ', g%nx, ' x ', g%ny, ' x ', g%nz, ' cells, ', &
      g%ranks_x, ' x ', g%ranks_y, ' ranks'
    print '(a)', '   step      time        dt     w max     front                    mass'
  end subroutine log_header

  subroutine log_line()
    real(rk) :: w, front, mass
    w = largest_w(model)
    front = front_position(model)
    mass = total_mass(model)
    if (g%rank == 0) print '(i7,f10.3,f10.5,f10.4,f10.2,es24.16)', step, time, dt, w, front, mass
  end subroutine log_line

  ! For people and for tests: one `result NAME VALUE` a line. dt: the longest and shortest step that the flow allowed.
  subroutine log_results()
    real(rk) :: w, theta, front, mass
    character(16) :: bits
    w = largest_w(model)
    theta = coldest(model)
    front = front_position(model)
    mass = total_mass(model)
    write (bits, '(z16.16)') checksum(model)
    if (g%rank /= 0) return
    print '(a,i0)', 'result steps ', step
    print '(a,es24.16)', 'result time ', time
    print '(a,es24.16)', 'result dt_min ', shortest
    print '(a,es24.16)', 'result dt_max ', longest
    print '(a,es24.16)', 'result w_max ', w
    print '(a,es24.16)', 'result theta_min ', theta
    print '(a,es24.16)', 'result front ', front
    print '(a,es24.16)', 'result mass_at_start ', mass_at_start
    print '(a,es24.16)', 'result mass ', mass
    print '(2a)', 'result checksum ', bits
  end subroutine log_results
end program bubble
