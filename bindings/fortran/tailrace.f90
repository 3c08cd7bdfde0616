! Generated from tailrace.fypp by tools/generate_fortran: edit tailrace.fypp, not this file.
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
!! - Errors: with ierr present, ierr is 0 or one of the tailrace_error codes, and errmsg is the message, of length 0 on
!!   success. Without ierr the message is printed on error_unit, the servers learn that this rank leaves and keep what was
!!   committed, and the program ends with stop 1. (It does not call finish, which is collective: the other ranks may be
!!   waiting for this one.) A call fails with tailrace_error_usage if an argument is wrong, or if it is made at the wrong
!!   time or on a server rank. A failure on a server is reported, with its own code, by the next call of the model that
!!   puts, steps, checkpoints or finishes.
!! - A call is local and does not wait for other ranks or for a disk, unless its comment states it. In mode inline the
!!   calls of the time loop also do the servers' work.
!! - Arguments are copied before a call returns. An array section that is put is not copied by the compiler but read in
!!   place, with its strides.
!! - A session is used from one thread at a time.
!!
!! tailrace_declarations and tailrace_coordinates contain the declarations, tailrace_steps the time loop,
!! tailrace_checkpoints the checkpoints, and this module the rest.
module tailrace
  use, intrinsic :: iso_c_binding, only: c_associated, c_int, c_int64_t, c_ptr
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08, only: MPI_Comm, MPI_COMM_NULL
  use tailrace_base
  use tailrace_c
  use tailrace_checkpoints, only: checkpointing_session
  implicit none
  private

  public :: tailrace_session, tailrace_serve, tailrace_version
  !> For a model that calls HDF5 or netCDF-4 itself in mode attached, with a library that is not thread-safe: between
  !! lock and unlock no thread of Tailrace calls HDF5. Place them around each such call of the model, without a call of
  !! Tailrace between them, and do not nest them. The lock blocks until a write that is under way ends.
  public :: tailrace_hdf5_lock, tailrace_hdf5_unlock
  public :: tailrace_float32, tailrace_float64, tailrace_int32, tailrace_int64
  public :: tailrace_ok, tailrace_error_usage, tailrace_error_configuration, tailrace_error_resource
  public :: tailrace_error_lost, tailrace_error_full, tailrace_error_internal

  type, extends(checkpointing_session) :: tailrace_session
    private
    logical :: server = .false.
    logical :: off = .false.
    character(:), allocatable :: lost  ! what output_lost returns after finish
    integer, allocatable :: model  ! what model_comm returns after finish
  contains
    !> Splits comm, an integer or a type(MPI_Comm) of mpi_f08, which it duplicates, into model and server ranks. config is
    !! the path of a YAML file, read on the first rank of the component (default "model"). initial_time (seconds) and
    !! initial_step are those before the first step, 0 by default; in a restart the checkpoint's replace them. model_comm
    !! contains the model ranks of this component and is valid until MPI_Finalize. On a rank that becomes a server the
    !! call returns when the run is over; is_server() is then true and model_comm MPI_COMM_NULL. Collective over comm; blocks.
    !! tailrace_error_configuration on all ranks if the configuration is not valid. lines: a configuration in YAML, line by
    !! line, that the model gives beside the user's file, such as the files that it would write by itself. The user has
    !! the last word: what the file gives replaces what the lines give, option by option (lists as a whole), and a key
    !! without a value in the file leaves out that of the lines. With config="" they are the whole configuration.
    generic :: start => start_f08, start_integer
    !> Opens an output stream (below: a stream) in the variable stream: a further session with its own declarations, files,
    !! steps and times, on the same servers. Its ranks are those of comm, an integer or a type(MPI_Comm), some or all of
    !! the model ranks of this session. At any time between start and finish, also between steps, and also if ready comes
    !! later or never. The stream takes all calls of a session except those of checkpoints and inputs, and open_file,
    !! close_file and written. text: a configuration in YAML, whose lines end with new_line("a"), read on the first rank of
    !! comm; its files are the stream's, with `streams: NAME:` of the user's file, which has the last word as in start. In
    !! their names `{stream}` is name. The calls of a session and its streams are made from one thread at a time, and in the
    !! same order on all ranks that two streams share. Collective over comm, which it duplicates; blocks until all its ranks
    !! have called. finish of this session finishes the streams that are still open. In mode inline comm must have all
    !! model ranks. tailrace_error_usage if a stream of that name is open on one of the ranks; tailrace_error_configuration.
    generic :: open_output => open_output_f08, open_output_integer
    !> Whether this rank was a server; the run is then over.
    procedure :: is_server
    !> Whether the configuration sets mode off, in which every call returns at once.
    procedure :: is_off
    !> A communicator of the model ranks of this component, as an integer handle. It stays valid until MPI_Finalize, also
    !! after finish, and errors on it are handled as on the communicator that start was given. Also after finish.
    procedure :: model_comm
    !> Ends the declarations, checks them against the configuration, and connects to the servers. Collective over the
    !! component; blocks until the servers have created their files. On failure all ranks report the same error.
    procedure :: ready
    !> With `servers.on_server_loss: continue`: the server that was lost, the step after which nothing is written, and up
    !! to where each file is complete. It has length 0 while there is output. Local: the ranks learn of a loss one after
    !! the other.
    procedure :: output_lost
    !> Ends the run of this component. After a signal that ended the model it makes the checkpoint that is due; if fields
    !! of it were not put, the files end all the same, and tailrace_error_usage has what is lost. Collective over the
    !! component; blocks until everything is committed to disk. A failure on a server is reported here at the latest.
    !! After it only is_server, is_off, model_comm and output_lost may be called. A second call does nothing.
    procedure :: finish

    procedure, private :: start_f08, start_integer, open_output_f08, open_output_integer
  end type tailrace_session

  !> Runs a server rank in an MPMD launch: joins the start of the models over the same communicator, an integer or a
  !! type(MPI_Comm), of which it is a collective part, and returns when the run is over. config is the path of a YAML file.
  interface tailrace_serve
    procedure :: serve_f08, serve_integer
  end interface tailrace_serve

contains

  subroutine start_f08(self, comm, config, component, model_comm, initial_time, initial_step, ierr, errmsg, lines)
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
    character(*), intent(in), optional :: lines(:)
    integer :: model

    call start_any(self, comm%MPI_VAL, config, component, model, initial_time, initial_step, lines, error)
    if (present(model_comm)) model_comm%MPI_VAL = model
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine start_f08

  subroutine start_integer(self, comm, config, component, model_comm, initial_time, initial_step, ierr, errmsg, lines)
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
    character(*), intent(in), optional :: lines(:)
    integer :: model

    call start_any(self, comm, config, component, model, initial_time, initial_step, lines, error)
    if (present(model_comm)) model_comm = model
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine start_integer

  subroutine open_output_f08(self, stream, name, comm, text, initial_time, initial_step, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    type(tailrace_session), intent(inout) :: stream
    character(*), intent(in) :: name
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in), optional :: text
    real(real64), intent(in), optional :: initial_time
    integer, intent(in), optional :: initial_step
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error

    call open_output_any(self, stream, name, comm%MPI_VAL, text, initial_time, initial_step, error)
    if (present(errmsg)) errmsg = message_of(error)  ! `text` is an argument here
    call settle(self, error, ierr)
  end subroutine open_output_f08

  subroutine open_output_integer(self, stream, name, comm, text, initial_time, initial_step, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    type(tailrace_session), intent(inout) :: stream
    character(*), intent(in) :: name
    integer, intent(in) :: comm
    character(*), intent(in), optional :: text
    real(real64), intent(in), optional :: initial_time
    integer, intent(in), optional :: initial_step
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error

    call open_output_any(self, stream, name, comm, text, initial_time, initial_step, error)
    if (present(errmsg)) errmsg = message_of(error)  ! `text` is an argument here
    call settle(self, error, ierr)
  end subroutine open_output_integer

  function message_of(error) result(message)
    type(tailrace_error_c), intent(in) :: error
    character(:), allocatable :: message
    message = text(error%message)
  end function message_of

  subroutine open_output_any(self, stream, name, comm, lines, initial_time, initial_step, error)
    class(tailrace_session), intent(inout) :: self
    type(tailrace_session), intent(inout) :: stream
    character(*), intent(in) :: name
    integer, intent(in) :: comm
    character(*), intent(in), optional :: lines
    real(real64), intent(in), optional :: initial_time
    integer, intent(in), optional :: initial_step
    type(tailrace_error_c), intent(inout) :: error
    real(real64) :: time
    integer(c_int64_t) :: step
    type(c_ptr) :: opened

    time = 0.0_real64
    step = 0
    if (present(initial_time)) time = initial_time
    if (present(initial_step)) step = initial_step
    opened = tailrace_open_output_c(stream%c_session, self%c_session, comm, c_string(name), time, step, c_string(lines), &
                                    error)
    if (error%code /= tailrace_ok) return
    stream%c_session = opened
    stream%server = .false.
    stream%off = self%off
    stream%model = tailrace_model_comm_c(opened, error)
  end subroutine open_output_any

  subroutine start_any(self, comm, config, component, model, initial_time, initial_step, lines, error)
    class(tailrace_session), intent(inout) :: self
    integer, intent(in) :: comm
    character(*), intent(in) :: config
    character(*), intent(in), optional :: component
    integer, intent(out) :: model
    real(real64), intent(in), optional :: initial_time
    integer, intent(in), optional :: initial_step
    character(*), intent(in), optional :: lines(:)
    type(tailrace_error_c), intent(inout) :: error
    real(real64) :: time
    integer(c_int64_t) :: step
    type(c_ptr) :: session

    time = 0.0_real64
    step = 0
    if (present(initial_time)) time = initial_time
    if (present(initial_step)) step = initial_step
    model = MPI_COMM_NULL%MPI_VAL
    session = tailrace_start_c(self%c_session, comm, c_string(config), c_string(component), time, step, c_lines(lines), &
                               error)
    if (error%code /= tailrace_ok) return
    self%c_session = session
    self%server = tailrace_is_server_c(self%c_session) /= 0
    self%off = tailrace_is_off_c(self%c_session) /= 0
    if (self%server) return
    model = tailrace_model_comm_c(self%c_session, error)
    self%model = model
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

    if (allocated(self%model) .and. .not. c_associated(self%c_session)) then
      model_comm = self%model
    else
      model_comm = tailrace_model_comm_c(self%c_session, error)
    end if
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
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine finish

  subroutine serve_f08(comm, config, ierr, errmsg)
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: config
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    type(tailrace_session) :: none
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
    type(tailrace_error_c) :: error
    type(tailrace_session) :: none
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
