! The bubble model behind a bridge like MONC's: it sends what MONC's configuration files ask for.
!   mpirun -n RANKS monc_style SETTINGS.nml CONFIGURATION
! SETTINGS.nml has the bubble model's group &bubble and a group &monc.
program monc_style
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi_f08
  use settings
  use grid
  use dynamics
  use cases, only: disturb
  use registry, only: read_registry
  use restart, only: get_state
  use bridge
  implicit none

  type(settings_t) :: chosen
  type(grid_t) :: g
  type(model_t) :: model
  type(bridge_t) :: to_servers
  type(MPI_Comm) :: comm
  character(4096) :: file, configuration
  character(:), allocatable :: error
  character(200) :: fields = 'fields.txt'   ! what can be supplied
  character(200) :: options(64) = ''        ! name=value, for the configuration's {options}
  character(200) :: record = ''             ! keep what is put in files of this name, for tests
  integer :: provided, first, step, steps = huge(1)
  real(rk) :: time, dt
  logical :: restarts

  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided)
  call get_command_argument(1, file)
  call get_command_argument(2, configuration)
  if (configuration == '') call stop_on('usage: monc_style SETTINGS.nml CONFIGURATION')
  call read_settings(trim(file), chosen, error)
  call stop_on(error)
  call read_more()
  call read_registry(trim(fields), to_servers%entries, error)
  call stop_on(error)
  call to_servers%io%start(MPI_COMM_WORLD, trim(configuration), component='monc', model_comm=comm)
  if (.not. to_servers%io%is_server()) call run()
  call MPI_Finalize()

contains

  subroutine run()
    call make_grid(chosen, comm, g, error)
    if (len(error) > 0) then
      if (g%rank == 0) write (error_unit, '(2a)') 'monc_style: ', error
      if (g%rank == 0) call MPI_Abort(MPI_COMM_WORLD, 1)
      call MPI_Barrier(comm)
    end if
    call make_model(g, chosen%viscosity, chosen%cfl, model)
    first = 0
    time = 0
    restarts = to_servers%io%restarting(first, time)
    call to_servers%declare(model, options, trim(record))
    if (restarts) then
      call get_state(to_servers%io, model)
    else
      call disturb(chosen, g, model%ref, model%q)
    end if
    call advance(model, 0.0_rk)
    do step = first + 1, steps
      if (time >= chosen%t_end) exit
      dt = min(stable_step(model), chosen%t_end - time)
      call advance(model, dt)
      time = time + dt
      call to_servers%put_step(model, step, time, dt, last=step == steps .or. time >= chosen%t_end)
      if (to_servers%io%stop_requested()) exit
    end do
    call to_servers%finish()
  end subroutine run

  subroutine read_more()
    character(256) :: reason
    integer :: unit, status
    namelist /monc/ fields, options, record, steps
    open (newunit=unit, file=trim(file), status='old', action='read')
    read (unit, nml=monc, iostat=status, iomsg=reason)
    close (unit)
    if (status /= 0) call stop_on(trim(file)//': group &monc: '//trim(reason)// &
                                  '. It knows: fields, options, record, steps')
  end subroutine read_more

  ! Before servers start: the first rank prints the message, and all stop.
  subroutine stop_on(message)
    character(*), intent(in) :: message
    integer :: rank
    if (len(message) == 0) return
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    if (rank == 0) write (error_unit, '(2a)') 'monc_style: ', message
    call MPI_Finalize()
    stop 1, quiet=.true.
  end subroutine stop_on
end program monc_style
