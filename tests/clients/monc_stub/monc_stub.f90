! Drives MONC's I/O server and I/O bridge like MONC: the ranks are split into servers and those that compute, components
! are initialised, run at the end of each step, and finalised.
!   mpirun -n RANKS monc_stub SETTINGS.nml
! SETTINGS.nml has the bubble model's group &bubble, the example's group &monc, and a group &stub.
program monc_stub
  use, intrinsic :: iso_fortran_env, only: error_unit, real64
  use mpi_f08
  use cases, only: disturb
  use components
  use dynamics
  use grid, only: grid_t, make_grid
  use io_server_mod, only: io_server_run
  use iobridge_mod, only: iobridge_get_descriptor
  use monc_component_mod, only: component_descriptor_type
  use monc_mod, only: descriptor_of, serve
  use optionsdatabase_mod, only: options_add, options_get_logical
  use registry, only: read_registry
  use settings
  use state_mod, only: model_state_type
  implicit none

  type(settings_t) :: chosen
  type(model_state_type), target :: state
  type(MPI_Comm) :: comm
  character(4096) :: file
  character(:), allocatable :: error
  character(200) :: fields = 'fields.txt', options(64) = '', record = ''
  integer :: provided, world_rank, world_size, steps = huge(1), i, cut
  integer :: moncs_per_io_server = 1, q_fields = 0, abort_at = 0   ! a component ends the job in this step
  integer :: restart_at = 0, last_step = huge(1)   ! begins behind the first, as MONC does from a checkpoint of it
  real(real64) :: ugal = 0, vgal = 0, late = 0   ! the time of the checkpoint is of another run, so much later
  logical :: is_server
  namelist /monc/ fields, options, record, steps
  namelist /stub/ moncs_per_io_server, q_fields, abort_at, restart_at, last_step, late, ugal, vgal

  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided)
  call MPI_Comm_rank(MPI_COMM_WORLD, world_rank)
  call MPI_Comm_size(MPI_COMM_WORLD, world_size)
  call get_command_argument(1, file)
  call read_settings(trim(file), chosen, error)
  call stop_on(error)
  open (newunit=i, file=trim(file), status='old', action='read')
  read (i, nml=monc)
  rewind (i)
  read (i, nml=stub)
  close (i)
  call read_registry(trim(fields), entries, error)
  call stop_on(error)
  do i = 1, size(options)
    cut = index(options(i), '=')
    if (cut > 1) call options_add(state%options_database, options(i)(:cut - 1), trim(options(i)(cut + 1:)))
  end do
  is_server = options_get_logical(state%options_database, 'enable_io_server') .and. &
              mod(world_rank, moncs_per_io_server + 1) == 0 .and. world_rank < world_size - 1
  call MPI_Comm_split(MPI_COMM_WORLD, merge(1, 0, is_server), world_rank, comm)
  if (is_server) then
    call serve(io_server_run, state%options_database, comm%MPI_VAL, provided, world_size, restart_at > 0)
  else
    call compute()
  end if
  call MPI_Finalize()

contains

  subroutine compute()
    type(component_descriptor_type) :: bridge
    type(grid_t) :: g
    integer :: step

    call make_grid(chosen, comm, g, error)
    call stop_on(error)
    call make_model(g, chosen%viscosity, chosen%cfl, model)
    call disturb(chosen, g, model%ref, model%q)
    call advance(model, 0.0_rk)
    call make_state(state, q_fields)
    state%ugal = ugal
    state%vgal = vgal
    call fill_state(state)
    do step = 1, restart_at
      call run_step()
      call end_step()
    end do
    state%time = state%time + late
    bridge = descriptor_of(iobridge_get_descriptor)
    call bridge%initialisation(state)
    do while (state%continue_timestep)
      call run_step()
      call bridge%timestep(state)
      if (state%timestep == abort_at .and. world_rank == world_size - 1) call MPI_Abort(MPI_COMM_WORLD, 7)
      state%continue_timestep = state%timestep < min(steps, last_step) .and. state%time + state%dtm < chosen%t_end
      if (state%continue_timestep) call end_step()  ! as in MONC: not after the last step
    end do
    call bridge%finalisation(state)
  end subroutine compute

  subroutine run_step()
    state%dtm = min(stable_step(model), chosen%t_end - state%time)
    state%dtm_new = state%dtm
    state%absolute_new_dtm = state%dtm
    state%rad_last_time = state%time + state%dtm
    call advance(model, state%dtm)
    call fill_state(state)
  end subroutine run_step

  subroutine end_step()
    state%time = state%time + state%dtm
    state%timestep = state%timestep + 1
  end subroutine end_step

  subroutine stop_on(message)
    character(*), intent(in) :: message
    if (len(message) == 0) return
    write (error_unit, '(2a)') 'monc_stub: ', message
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine stop_on
end program monc_stub
