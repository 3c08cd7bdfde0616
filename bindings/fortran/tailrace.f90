!> Tailrace for Fortran: hand a model's fields to servers that average and write them while the model continues.
!!
!!   use tailrace
!!   type(tailrace_session) :: io
!!   call io%start(MPI_COMM_WORLD, "tailrace.yaml", component="bubble", model_comm=comm)
!!   if (io%is_server()) stop                       ! this rank served until the run was over
!!   call io%grid("les", dims=["z","y","x"], shape=[nz,ny,nx], offset=[1,y0,1], count=[nz,nyl,nx])
!!   call io%field("w", grid="les", units="m s-1")
!!   call io%ready()
!!   do while (t < t_end)
!!     call io%step(step, t)
!!     if (io%wants("w")) call io%put("w", w(1:nz, 1:nyl, 1:nx))
!!   end do
!!   call io%finish()
!!
!! Conventions
!! - Dimensions are named in the order of the subscripts, fastest first: w(z,y,x) has dims ["z","y","x"]. Offsets, global
!!   indices and mesh nodes count from 1. (In C, C++, Python and in the file the order is reversed: x, y, z.)
!! - Blanks at the end of character arguments and elements do not count.
!! - Errors: with ierr present it is 0 or one of the tailrace_error codes and errmsg the message (empty where all went well).
!!   Without ierr the message is printed on error_unit, the servers are informed that this rank leaves, so that commits
!!   are kept, and the program ends with stop 1. (finish is not called then: it is collective, and the
!!   other ranks may be waiting for this one.)
!! - An array section that is put is not copied by the compiler but read in place, with its strides.
!! - A session is used from one thread at a time.
!!
!! The parts: what is declared stands in tailrace_declarations.f90 and tailrace_coordinates.f90, the time loop in
!! tailrace_steps.f90, checkpoints in tailrace_checkpoints.f90, the rest here.
module tailrace
  use, intrinsic :: iso_c_binding, only: c_associated, c_int, c_int64_t, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08, only: MPI_Comm, MPI_COMM_NULL
  use tailrace_base
  use tailrace_c
  use tailrace_checkpoints, only: checkpointing_session
  implicit none
  private

  public :: tailrace_session, tailrace_serve, tailrace_version
  !> For a model that calls HDF5 or netCDF-4 itself in mode attached, where the library is not thread-safe: between the
  !! two no thread of Tailrace calls HDF5. Around each such call of the model, with no call of Tailrace in between; not
  !! to be nested. Waits for a write under way.
  public :: tailrace_hdf5_lock, tailrace_hdf5_unlock
  public :: tailrace_float32, tailrace_float64, tailrace_int32, tailrace_int64
  public :: tailrace_ok, tailrace_error_usage, tailrace_error_configuration, tailrace_error_resource
  public :: tailrace_error_lost, tailrace_error_full, tailrace_error_internal

  type, extends(checkpointing_session) :: tailrace_session
    private
    logical :: server = .false.
    logical :: off = .false.
    character(:), allocatable :: lost  ! kept by finish
  contains
    !> Collective over comm, an integer or a type(MPI_Comm) of mpi_f08, which is duplicated. On a rank that becomes a
    !! server it returns when the run is over and is_server() is true; model_comm is then MPI_COMM_NULL. Blocks.
    generic :: start => start_f08, start_integer
    procedure :: is_server
    procedure :: is_off
    !> The model ranks of this component, as an integer handle; valid until finish.
    procedure :: model_comm
    !> Collective over the component. Checks declarations and configuration together; fails on all ranks alike.
    procedure :: ready
    !> With `servers.on_server_loss: continue`: which server was lost, from which step on nothing is written, and how
    !! far each file is whole. Of length 0 while there is output. Local: the ranks hear of a loss one after the other.
    procedure :: output_lost
    !> Collective over the component. Blocks until everything is committed to disk. Afterwards only is_server, is_off
    !! and output_lost may be called. A second call does nothing.
    procedure :: finish

    procedure, private :: start_f08, start_integer
  end type tailrace_session

  !> A server rank in an MPMD launch; returns when the run is over. Collective with the models' start.
  interface tailrace_serve
    procedure :: serve_f08, serve_integer
  end interface tailrace_serve

contains

  subroutine start_f08(self, comm, config, component, model_comm, initial_time, initial_step, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: config
    character(*), intent(in), optional :: component
    type(MPI_Comm), intent(out), optional :: model_comm
    real(real64), intent(in), optional :: initial_time
    integer, intent(in), optional :: initial_step
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer :: model

    call start_any(self, comm%MPI_VAL, config, component, model, initial_time, initial_step, error)
    if (present(model_comm)) model_comm%MPI_VAL = model
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine start_f08

  subroutine start_integer(self, comm, config, component, model_comm, initial_time, initial_step, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    integer, intent(in) :: comm
    character(*), intent(in) :: config
    character(*), intent(in), optional :: component
    integer, intent(out), optional :: model_comm
    real(real64), intent(in), optional :: initial_time
    integer, intent(in), optional :: initial_step
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer :: model

    call start_any(self, comm, config, component, model, initial_time, initial_step, error)
    if (present(model_comm)) model_comm = model
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine start_integer

  subroutine start_any(self, comm, config, component, model, initial_time, initial_step, error)
    class(tailrace_session), intent(inout) :: self
    integer, intent(in) :: comm
    character(*), intent(in) :: config
    character(*), intent(in), optional :: component
    integer, intent(out) :: model
    real(real64), intent(in), optional :: initial_time
    integer, intent(in), optional :: initial_step
    type(tailrace_error_c), intent(inout) :: error
    real(real64) :: time
    integer(c_int64_t) :: step
    type(c_ptr) :: session

    time = 0.0_real64
    step = 0
    if (present(initial_time)) time = initial_time
    if (present(initial_step)) step = initial_step
    model = MPI_COMM_NULL%MPI_VAL
    session = tailrace_start_c(self%c_session, comm, c_string(config), c_string(component), time, step, error)
    if (error%code /= tailrace_ok) return
    self%c_session = session
    self%server = tailrace_is_server_c(self%c_session) /= 0
    self%off = tailrace_is_off_c(self%c_session) /= 0
    if (self%server) return
    model = tailrace_model_comm_c(self%c_session, error)
  end subroutine start_any

  pure logical function is_server(self)
    class(tailrace_session), intent(in) :: self
    is_server = self%server
  end function is_server

  pure logical function is_off(self)
    class(tailrace_session), intent(in) :: self
    is_off = self%off
  end function is_off

  integer function model_comm(self, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error

    model_comm = tailrace_model_comm_c(self%c_session, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end function model_comm

  function output_lost(self) result(how)
    class(tailrace_session), intent(in) :: self
    character(:), allocatable :: how

    how = ""
    if (allocated(self%lost)) how = self%lost
    if (c_associated(self%c_session)) how = text(tailrace_output_lost_c(self%c_session))
  end function output_lost

  subroutine ready(self, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_ready_c(self%c_session, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine ready

  subroutine finish(self, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    if (present(ierr)) ierr = tailrace_ok
    if (.not. c_associated(self%c_session)) return
    code = tailrace_finish_c(self%c_session, error)
    self%lost = text(tailrace_output_lost_c(self%c_session))
    call tailrace_free_c(self%c_session)
    self%c_session = c_null_ptr
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine finish

  subroutine serve_f08(comm, config, ierr, errmsg)
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: config
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_session) :: none
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_serve_c(comm%MPI_VAL, c_string(config), error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(none, error, ierr)
  end subroutine serve_f08

  subroutine serve_integer(comm, config, ierr, errmsg)
    integer, intent(in) :: comm
    character(*), intent(in) :: config
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_session) :: none
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_serve_c(comm, c_string(config), error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(none, error, ierr)
  end subroutine serve_integer

  function tailrace_version() result(version)
    character(:), allocatable :: version
    version = text(tailrace_version_c())
  end function tailrace_version

end module tailrace
