! A model that needs 48 variables from 48 files, which it reads by itself or gets through Tailrace or YAC.
!   mpirun -n RANKS forced_WAY SETTINGS.nml
program forced
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi_f08
  use settings
  use grid
  use inputs
  use tracers
  use input_source
  implicit none

  type(settings_t) :: chosen
  type(grid_t) :: g
  type(input_t), allocatable :: all_inputs(:)
  type(tracers_t) :: state
  type(MPI_Comm) :: comm
  character(:), allocatable :: error
  character(4096) :: file
  logical :: computes
  integer :: provided, world_rank

  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided)
  call MPI_Comm_rank(MPI_COMM_WORLD, world_rank)
  call get_command_argument(1, file)
  call read_settings(trim(file), chosen, error)
  call stop_on(error)
  call join(MPI_COMM_WORLD, chosen, comm, computes)
  if (computes) call run()
  call MPI_Finalize()

contains

  subroutine run()
    integer :: step, steps
    real(rk) :: begin, first, loop, input, now
    call make_grid(chosen, comm, g, error)
    call stop_on(error)
    call read_inputs(chosen, g, all_inputs, error)
    call stop_on(error)
    call open_inputs(chosen, g, all_inputs)
    call make_tracers(g, state)
    steps = nint(chosen%hours*3600/chosen%dt)
    now = MPI_Wtime()
    call get_inputs(g, 0.0_rk, all_inputs, is_first=.true.)
    first = MPI_Wtime() - now
    input = 0
    call MPI_Barrier(g%comm)
    begin = MPI_Wtime()
    do step = 1, steps
      now = MPI_Wtime()
      call update_inputs(step, (step - 1)*chosen%dt)
      input = input + MPI_Wtime() - now
      call advance(g, all_inputs, chosen%dt, chosen%substeps, state)
    end do
    loop = MPI_Wtime() - begin
    call log_results(steps, first, loop, input)
    if (len_trim(chosen%dump) > 0) call write_dump()
    call close_inputs()
  end subroutine run

  ! The step begins at `time`. The inputs of the begin of the run are there before the first one.
  subroutine update_inputs(step, time)
    integer, intent(in) :: step
    real(rk), intent(in) :: time
    call begin_step(step, time)
    if (step > 1 .and. mod(step - 1, chosen%update_every) == 0) call get_inputs(g, time, all_inputs, is_first=.false.)
  end subroutine update_inputs

  ! For people and for tests: one `result NAME VALUE` a line. Times are those of the slowest rank.
  subroutine log_results(steps, first, loop, input)
    integer, intent(in) :: steps
    real(rk), intent(in) :: first, loop, input
    real(rk) :: longest(3)
    character(16) :: bits
    longest = [first, loop, input]
    call MPI_Allreduce(MPI_IN_PLACE, longest, 3, MPI_REAL8, MPI_MAX, g%comm)
    write (bits, '(z16.16)') checksum(g, state)
    if (g%rank /= 0) return
    print '(2a)', 'result input ', way()
    print '(a,i0)', 'result variables ', size(all_inputs)
    print '(a,i0)', 'result steps ', steps
    print '(a,f0.6)', 'result first_seconds ', longest(1)
    print '(a,f0.6)', 'result loop_seconds ', longest(2)
    print '(a,f0.6)', 'result input_seconds ', longest(3)
    print '(2a)', 'result checksum ', bits
  end subroutine log_results

  ! Collective. All inputs, then the tracers, in the order of Fortran.
  subroutine write_dump()
    real(rk), allocatable :: whole(:, :, :)
    integer :: unit, n
    if (g%rank == 0) open (newunit=unit, file=chosen%dump, access='stream', form='unformatted', status='replace')
    do n = 1, size(all_inputs)
      call gather(g, all_inputs(n)%values, whole)
      if (g%rank == 0) write (unit) whole
    end do
    do n = 1, size(state%q, 4)
      call gather(g, state%q(1:g%nxl, 1:g%nyl, :, n), whole)
      if (g%rank == 0) write (unit) whole
    end do
    if (g%rank == 0) close (unit)
  end subroutine write_dump

  ! For mistakes that every rank finds alike.
  subroutine stop_on(message)
    character(*), intent(in) :: message
    if (len(message) == 0) return
    if (world_rank == 0) then
      write (error_unit, '(2a)') 'forced: ', message
      call MPI_Abort(MPI_COMM_WORLD, 1)
    end if
    call MPI_Barrier(MPI_COMM_WORLD)
  end subroutine stop_on
end program forced
