! Generated from tailrace_checkpoints.fypp by tools/generate_fortran: edit tailrace_checkpoints.fypp, not this file.
!> Getting inputs; checkpoints: writing them, and restarting from one. A part of `tailrace`.
module tailrace_checkpoints
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int64_t, c_size_t
  use, intrinsic :: iso_fortran_env, only: int32, int64, real64
  use tailrace_base
  use tailrace_c
  use tailrace_checkpoints_c
  use tailrace_steps, only: stepping_session
  implicit none
  private

  public :: checkpointing_session

  integer, parameter :: longest_text = 65536

  type, extends(stepping_session) :: checkpointing_session
  contains
    !> Whether the run restarts from a checkpoint (`checkpoint.restart`), with the checkpoint's step and time (seconds):
    !! the model's next step comes after them. Both keep their values if the run starts from the beginning. From start on.
    !! A model must ask: where there is a checkpoint and nobody asked, ready fails.
    procedure :: restarting
    !> Whether the configuration provides this input: false only for an optional one. The same during the whole run, and on
    !! all ranks. After ready; in mode off it is false. tailrace_error_usage for a field that is no input.
    generic :: available => available_name, available_handle
    !> Fills an array, of the kinds and shapes that put takes, with this rank's part of an input or of a field of the
    !! checkpoint. After ready.
    !! An input has its values at the time of the present step, before the first step at the time where the run begins. It
    !! may be got at any step, several times or not at all. Local; it waits only if the servers have not read the records
    !! of this time yet. tailrace_error_resource with the file, the variable and the record if they cannot be read;
    !! tailrace_error_usage if the configuration does not provide it; tailrace_error_lost once a server is lost, also if
    !! the model goes on without output.
    !! A field of the checkpoint is got if restarting returned true, under the decomposition of this run. Local, but reads
    !! the disk. tailrace_error_usage if the checkpoint does not hold it; tailrace_error_resource if it cannot be read.
    generic :: get => get_name, get_handle
    !> The value of that name in the checkpoint: a number of integer(int32), integer(int64) or real(real64), an
    !! allocatable list of integer(int64) or real(real64), or allocatable text. After ready, if restarting returned true.
    !! Local, but reads the disk.
    generic :: get_value => get_value_int32, get_value_int64, get_value_real, get_value_int64s, get_value_reals, &
                            get_value_text
    !> Whether a checkpoint is due at this step: by `checkpoint.every`, after request_checkpoint, or, with
    !! `checkpoint.on_signal`, after a signal; at the step where the run begins not by `every`. The fields of
    !! `checkpoint.fields` are then wanted: put them, and call checkpoint. False once it was made. The same answer on all
    !! ranks. Collective over the component if signals count and no other reason makes one due; otherwise local. A field
    !! that was already put at this step is not copied again, so the model may put all fields of the checkpoint.
    procedure :: checkpoint_due
    !> Makes a checkpoint due at this step. Local; call it on all ranks at the same step.
    procedure :: request_checkpoint
    !> Makes the checkpoint of this step, of what was put until now and of the servers' state. Nothing more may be put at
    !! this step. Call it on all ranks at the same step. It does not wait, since the servers write the checkpoint while the
    !! model continues; in mode inline it waits for the other ranks.
    procedure :: checkpoint
    !> Stores a value under that name in all checkpoints from now on: a number of integer(int32), integer(int64) or
    !! real(real64), a list of integer(int64) or real(real64), or text, whose blanks at the end do not count. The value of
    !! the component's first rank counts.
    generic :: put_value => put_value_int32, put_value_int64, put_value_real, put_value_int64s, put_value_reals, &
                            put_value_text

    procedure, private :: available_name, available_handle, get_name, get_handle
    procedure, private :: get_value_int32, get_value_int64, get_value_real, get_value_int64s, get_value_reals
    procedure, private :: put_value_int32, put_value_int64, put_value_real, put_value_int64s, put_value_reals
    procedure, private :: get_value_text, put_value_text
  end type checkpointing_session

contains

  logical function restarting(self, step, time, ierr, errmsg)
    class(checkpointing_session), intent(inout) :: self
    integer, intent(inout), optional :: step
    real(real64), intent(inout), optional :: time
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int64_t) :: at_step
    real(c_double) :: at_time

    at_step = 0
    at_time = 0
    restarting = tailrace_restarting_c(self%c_session, at_step, at_time, error) == 1
    if (restarting .and. present(step)) step = int(at_step)
    if (restarting .and. present(time)) time = at_time
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end function restarting

  logical function available_name(self, name, ierr, errmsg)
    class(checkpointing_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer(c_int) :: field
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error

    available_name = .false.
    field = tailrace_handle_c(self%c_session, c_string(name), error)
    if (error%code == tailrace_ok) available_name = tailrace_available_c(self%c_session, field, error) == 1
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end function available_name

  subroutine get_name(self, name, array, ierr, errmsg)
    class(checkpointing_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer(c_int) :: field
    type(*), dimension(..), intent(inout) :: array
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    field = tailrace_handle_c(self%c_session, c_string(name), error)
    if (error%code == tailrace_ok) code = tailrace_get_c(self%c_session, field, array, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine get_name

  logical function available_handle(self, field, ierr, errmsg)
    class(checkpointing_session), intent(inout) :: self
    integer, intent(in) :: field
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error

    available_handle = .false.
    available_handle = tailrace_available_c(self%c_session, field, error) == 1
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end function available_handle

  subroutine get_handle(self, field, array, ierr, errmsg)
    class(checkpointing_session), intent(inout) :: self
    integer, intent(in) :: field
    type(*), dimension(..), intent(inout) :: array
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_get_c(self%c_session, field, array, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine get_handle

  logical function checkpoint_due(self, ierr, errmsg)
    class(checkpointing_session), intent(inout) :: self
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error

    checkpoint_due = tailrace_checkpoint_due_c(self%c_session, error) == 1
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end function checkpoint_due

  subroutine request_checkpoint(self, ierr, errmsg)
    class(checkpointing_session), intent(inout) :: self
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_request_checkpoint_c(self%c_session, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine request_checkpoint

  subroutine checkpoint(self, ierr, errmsg)
    class(checkpointing_session), intent(inout) :: self
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_checkpoint_c(self%c_session, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine checkpoint

  subroutine put_value_int32(self, name, value, ierr, errmsg)
    class(checkpointing_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer(int32), intent(in) :: value
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_put_value_int_c(self%c_session, c_string(name), [int(value, c_int64_t)], 1_c_size_t, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine put_value_int32

  subroutine put_value_int64(self, name, value, ierr, errmsg)
    class(checkpointing_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer(int64), intent(in) :: value
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_put_value_int_c(self%c_session, c_string(name), [value], 1_c_size_t, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine put_value_int64

  subroutine put_value_real(self, name, value, ierr, errmsg)
    class(checkpointing_session), intent(inout) :: self
    character(*), intent(in) :: name
    real(real64), intent(in) :: value
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_put_value_real_c(self%c_session, c_string(name), [value], 1_c_size_t, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine put_value_real

  subroutine put_value_int64s(self, name, value, ierr, errmsg)
    class(checkpointing_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer(int64), intent(in) :: value(:)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_put_value_int_c(self%c_session, c_string(name), value, size(value, kind=c_size_t), error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine put_value_int64s

  subroutine put_value_reals(self, name, value, ierr, errmsg)
    class(checkpointing_session), intent(inout) :: self
    character(*), intent(in) :: name
    real(real64), intent(in) :: value(:)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_put_value_real_c(self%c_session, c_string(name), value, size(value, kind=c_size_t), error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine put_value_reals

  subroutine put_value_text(self, name, value, ierr, errmsg)
    class(checkpointing_session), intent(inout) :: self
    character(*), intent(in) :: name, value
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_put_value_string_c(self%c_session, c_string(name), c_string(value), error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine put_value_text

  subroutine get_value_int32(self, name, value, ierr, errmsg)
    class(checkpointing_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer(int32), intent(inout) :: value
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int64_t) :: values(1)
    integer(c_size_t) :: count
    integer(c_int) :: code

    code = tailrace_get_value_int_c(self%c_session, c_string(name), values, 1_c_size_t, count, error)
    if (error%code == tailrace_ok) value = int(values(1), int32)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine get_value_int32

  subroutine get_value_int64(self, name, value, ierr, errmsg)
    class(checkpointing_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer(int64), intent(inout) :: value
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int64_t) :: values(1)
    integer(c_size_t) :: count
    integer(c_int) :: code

    code = tailrace_get_value_int_c(self%c_session, c_string(name), values, 1_c_size_t, count, error)
    if (error%code == tailrace_ok) value = values(1)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine get_value_int64

  subroutine get_value_real(self, name, value, ierr, errmsg)
    class(checkpointing_session), intent(inout) :: self
    character(*), intent(in) :: name
    real(real64), intent(inout) :: value
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    real(c_double) :: values(1)
    integer(c_size_t) :: count
    integer(c_int) :: code

    code = tailrace_get_value_real_c(self%c_session, c_string(name), values, 1_c_size_t, count, error)
    if (error%code == tailrace_ok) value = values(1)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine get_value_real

  subroutine get_value_int64s(self, name, value, ierr, errmsg)
    class(checkpointing_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer(int64), allocatable, intent(out) :: value(:)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(int64) :: none(1)
    integer(c_size_t) :: capacity, count
    integer(c_int) :: code

    count = 0
    ! The first call has room for none and returns the count.
    code = tailrace_get_value_int_c(self%c_session, c_string(name), none, 0_c_size_t, count, error)
    allocate (value(count))
    if (count > 0) then
      call tailrace_error_clear_c(error)
      capacity = count
      code = tailrace_get_value_int_c(self%c_session, c_string(name), value, capacity, count, error)
    end if
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine get_value_int64s

  subroutine get_value_reals(self, name, value, ierr, errmsg)
    class(checkpointing_session), intent(inout) :: self
    character(*), intent(in) :: name
    real(real64), allocatable, intent(out) :: value(:)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    real(real64) :: none(1)
    integer(c_size_t) :: capacity, count
    integer(c_int) :: code

    count = 0
    ! The first call has room for none and returns the count.
    code = tailrace_get_value_real_c(self%c_session, c_string(name), none, 0_c_size_t, count, error)
    allocate (value(count))
    if (count > 0) then
      call tailrace_error_clear_c(error)
      capacity = count
      code = tailrace_get_value_real_c(self%c_session, c_string(name), value, capacity, count, error)
    end if
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine get_value_reals

  subroutine get_value_text(self, name, value, ierr, errmsg)
    class(checkpointing_session), intent(inout) :: self
    character(*), intent(in) :: name
    character(:), allocatable, intent(out) :: value
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    character(kind=c_char), allocatable :: letters(:)
    integer(c_size_t) :: count, i
    integer(c_int) :: code

    allocate (letters(longest_text))
    count = 0
    code = tailrace_get_value_string_c(self%c_session, c_string(name), letters, int(longest_text, c_size_t), count, error)
    value = ""
    if (error%code == tailrace_ok) then
      value = repeat(" ", int(count))
      do i = 1, count
        value(i:i) = letters(i)
      end do
    end if
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine get_value_text

end module tailrace_checkpoints
