! Tracers that mix and fall in the columns of a sphere, written at each step.
!   mpirun -n RANKS sedimentation_WAY SETTINGS.nml
program sedimentation
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi_f08
  use settings
  use sphere
  use atmosphere
  use tracers
  use schemes
  use budget
  use output
  implicit none

  type(settings_t) :: chosen
  type(MPI_Comm) :: comm
  character(:), allocatable :: error
  character(4096) :: file
  logical :: computes
  integer :: provided

  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided)
  call get_command_argument(1, file)
  call read_settings(trim(file), chosen, error)
  call stop_on(error, MPI_COMM_SELF)                      ! which ranks are the model's is not known yet
  call join(MPI_COMM_WORLD, chosen, comm, computes)
  if (computes) call run()
  call MPI_Finalize()

contains

  subroutine run()
    type(sphere_t) :: g
    type(atmosphere_t) :: air
    type(state_t) :: state
    type(schemes_t) :: s
    type(budget_t) :: b
    real(rk) :: begin, loop, output, at, ending
    integer :: step
    call make_sphere(chosen, comm, g, error)
    call stop_on(error, comm)
    call make_atmosphere(g, air)
    call make_state(g, state)
    call make_schemes(chosen, g, air, s, error)
    call stop_on(error, comm)
    call open_budget(g, air, state, b)
    call declare(chosen, g)
    output = 0
    call MPI_Barrier(comm)
    begin = MPI_Wtime()
    do step = 0, chosen%steps
      if (step > 0) then
        call advance(g, air, s, state)
        call check_budget(g, air, state, step, b)
      end if
      at = MPI_Wtime()
      call write_fields(step + 1, step*chosen%dt, state%q)
      output = output + MPI_Wtime() - at
    end do
    loop = MPI_Wtime() - begin
    call close_output()
    ending = MPI_Wtime() - begin - loop
    call log_results(g, b, loop, output, ending)
  end subroutine run

  ! For people and for tests: one `result NAME VALUE` a line. Times are those of the slowest rank.
  subroutine log_results(g, b, loop, output, ending)
    type(sphere_t), intent(in) :: g
    type(budget_t), intent(in) :: b
    real(rk), intent(in) :: loop, output, ending
    real(rk) :: longest(3)
    longest = [loop, output, ending]
    call MPI_Allreduce(MPI_IN_PLACE, longest, 3, MPI_REAL8, MPI_MAX, g%comm)
    if (g%rank /= 0) return
    print '(2a)', 'result way ', way()
    print '(a,es9.2)', 'result mass_change ', b%worst
    print '(a,f0.6)', 'result loop_seconds ', longest(1)
    print '(a,f0.6)', 'result output_seconds ', longest(2)
    print '(a,f0.6)', 'result end_seconds ', longest(3)
  end subroutine log_results

  ! For mistakes that every rank of `ranks` finds alike: the first one tells, and ends the whole job, since servers or
  ! other programs may wait for the model.
  subroutine stop_on(message, ranks)
    character(*), intent(in) :: message
    type(MPI_Comm), intent(in) :: ranks
    integer :: rank
    if (len(message) == 0) return
    call MPI_Comm_rank(ranks, rank)
    if (rank == 0) then
      write (error_unit, '(2a)') 'sedimentation: ', message
      call MPI_Abort(MPI_COMM_WORLD, 1)
    end if
    call MPI_Barrier(ranks)
  end subroutine stop_on
end program sedimentation
