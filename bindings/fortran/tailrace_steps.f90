! Generated from tailrace_steps.fypp by tools/generate_fortran: edit tailrace_steps.fypp, not this file.
!> The time loop: which fields are wanted at a step, and how to put them. A part of `tailrace`.
module tailrace_steps
  use, intrinsic :: iso_c_binding, only: c_associated, c_f_pointer, c_int, c_int64_t, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use tailrace_base
  use tailrace_c
  use tailrace_declarations, only: declaring_session
  implicit none
  private

  public :: stepping_session

  type, extends(declaring_session) :: stepping_session
  contains
    !> Sets the model's step, which must increase, and its time in seconds, which must not decrease. The puts that follow
    !! belong to them. Blocks only when the buffer is full.
    generic :: step => step_int32, step_int64
    !> For a stream of open_output, after its ready. The records of the steps that follow go to files of which the model
    !! gives the name: in the configuration of the stream they are the entries of `output` whose names contain `{file}`,
    !! which is replaced by path. They have the global attributes that set_attribute gave to the stream before this call. A
    !! file that is open is closed first, and a file to which no step writes a record is not made. No file that exists is
    !! replaced, unless the user gives the entry `if_exists: replace`, and none that the first rank has opened before:
    !! tailrace_error_resource. Collective over the stream; blocks until all its ranks have called.
    procedure :: open_file
    !> Ends the files of open_file with the records of the steps until now. A stream that has such files makes no step
    !! until the next one is open. Local; call it on all ranks of the stream at the same step.
    procedure :: close_file
    !> Whether all records that the steps of this stream up to step complete are in their files on the disk. A step for
    !! which `write_every` keeps a record back is not written until that record is. Local. After the step; not after
    !! finish, which returns when all is written.
    generic :: written => written_int32, written_int64
    !> The handle of a declared field, for wants, put, acquire, publish and get without looking up its name. If there is
    !! none of this name, the message suggests the nearest one.
    procedure :: handle
    !> Whether a file, a diagnostic, a checkpoint or an input needs the field at this step. A fixed field (every: once) is
    !! wanted from ready until it was put, so it may be put before the first step.
    generic :: wants => wants_name, wants_handle
    !> Whether nothing needs the field at this step, but a file writes the last put of the run (also_at_end). wants is
    !! true for such a field at each step. A model that puts it only at its last step copies it once.
    generic :: wants_at_end => wants_at_end_name, wants_at_end_handle
    !> Copies this rank's part of a field once: an array of rank 0 to 5 with the extents of the part, or of rank 1 with
    !! all of its elements, of real32, real64, int32 or int64 as the field was declared, in its units. Returns at once if the
    !! field is not wanted. Blocks only when the buffer is full; with `when_full: fail` it fails with tailrace_error_full then.
    generic :: put => put_name, put_handle
    !> Copies one block of this rank (add_block; number 1 is that of grid): an array with its extents, or of rank 1. The put
    !! of the field is complete when all its blocks have been put at this step, in any order, also between those of other
    !! fields. Costs a second copy of the block if there are several.
    generic :: put_block => put_block_name, put_block_handle
    !> Points to the memory that the servers read, into which the model writes this rank's part; null if the field is not
    !! wanted, and then no publish follows. The pointer has the kind and rank of the field and must not be used after
    !! publish. One field at a time. Blocks as put.
    generic :: acquire => acquire_r4_1, acquire_r4_2, acquire_r4_3, acquire_r4_4, &
                          acquire_r8_1, acquire_r8_2, acquire_r8_3, acquire_r8_4
    !> Hands the contents of the memory that acquire returned to the servers.
    generic :: publish => publish_name, publish_handle
    !> Whether SIGTERM, SIGINT or `servers.stop_signal` reached the servers (or, with `signals: all` or that signal, a
    !! model rank); the same answer on all ranks. The model then has `grace` to finish. In a model that calls
    !! checkpoint_due, where signals make checkpoints due, only after that was true because of the signal. Between ready
    !! and finish. Collective over the component; blocks until all ranks ask.
    procedure :: stop_requested

    procedure, private :: written_int32, written_int64
    procedure, private :: step_int32, step_int64, wants_name, wants_handle, put_name, put_handle
    procedure, private :: put_block_name, put_block_handle
    procedure, private :: acquire_r4_1, acquire_r4_2, acquire_r4_3, acquire_r4_4
    procedure, private :: acquire_r8_1, acquire_r8_2, acquire_r8_3, acquire_r8_4
    procedure, private :: publish_name, publish_handle, wants_at_end_name, wants_at_end_handle
  end type stepping_session

contains

  subroutine step_int32(self, step, time, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    integer(int32), intent(in) :: step
    real(real64), intent(in) :: time
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_step_c(self%c_session, int(step, int64), time, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine step_int32

  logical function written_int32(self, step, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    integer(int32), intent(in) :: step
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error

    written_int32 = tailrace_written_c(self%c_session, int(step, int64), error) == 1
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end function written_int32

  subroutine step_int64(self, step, time, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    integer(int64), intent(in) :: step
    real(real64), intent(in) :: time
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_step_c(self%c_session, step, time, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine step_int64

  logical function written_int64(self, step, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    integer(int64), intent(in) :: step
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error

    written_int64 = tailrace_written_c(self%c_session, step, error) == 1
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end function written_int64

  subroutine open_file(self, path, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    character(*), intent(in) :: path
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_open_file_c(self%c_session, c_string(path), error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine open_file

  subroutine close_file(self, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_close_file_c(self%c_session, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine close_file

  integer function handle(self, name, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error

    handle = tailrace_handle_c(self%c_session, c_string(name), error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end function handle

  logical function wants_name(self, name, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer(c_int) :: field
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error

    wants_name = .false.
    field = tailrace_handle_c(self%c_session, c_string(name), error)
    if (error%code == tailrace_ok) wants_name = tailrace_wants_c(self%c_session, field, error) == 1
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end function wants_name

  logical function wants_handle(self, field, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    integer, intent(in) :: field
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error

    wants_handle = tailrace_wants_c(self%c_session, field, error) == 1
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end function wants_handle

  logical function wants_at_end_name(self, name, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer(c_int) :: field
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error

    wants_at_end_name = .false.
    field = tailrace_handle_c(self%c_session, c_string(name), error)
    if (error%code == tailrace_ok) wants_at_end_name = tailrace_wants_at_end_c(self%c_session, field, error) == 1
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end function wants_at_end_name

  logical function wants_at_end_handle(self, field, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    integer, intent(in) :: field
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error

    wants_at_end_handle = tailrace_wants_at_end_c(self%c_session, field, error) == 1
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end function wants_at_end_handle

  logical function stop_requested(self, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error

    stop_requested = tailrace_stop_requested_c(self%c_session, error) == 1
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end function stop_requested

  subroutine put_name(self, name, array, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer(c_int) :: field
    type(*), dimension(..), intent(in) :: array
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    field = tailrace_handle_c(self%c_session, c_string(name), error)
    if (error%code == tailrace_ok) then
      if (tailrace_put_unwanted_c(self%c_session, field) == 0) code = tailrace_put_c(self%c_session, field, array, error)
    end if
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine put_name

  subroutine put_block_name(self, name, block, array, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer(c_int) :: field
    integer, intent(in) :: block
    type(*), dimension(..), intent(in) :: array
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    field = tailrace_handle_c(self%c_session, c_string(name), error)
    if (error%code == tailrace_ok) &
      code = tailrace_put_block_c(self%c_session, field, int(block, c_int64_t), array, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine put_block_name

  subroutine put_handle(self, field, array, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    integer, intent(in) :: field
    type(*), dimension(..), intent(in) :: array
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    ! Asked first, because describing an array to C costs more than all the rest.
    if (tailrace_put_unwanted_c(self%c_session, field) == 0) code = tailrace_put_c(self%c_session, field, array, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine put_handle

  subroutine put_block_handle(self, field, block, array, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    integer, intent(in) :: field
    integer, intent(in) :: block
    type(*), dimension(..), intent(in) :: array
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_put_block_c(self%c_session, field, int(block, c_int64_t), array, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine put_block_handle

  subroutine acquire_r4_1(self, field, array, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    integer, intent(in) :: field
    real(real32), pointer, intent(out) :: array(:)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    type(c_ptr) :: slot
    integer(c_int64_t) :: extents(1)

    nullify (array)
    call acquire_any(self, field, tailrace_float32, slot, extents, error)
    if (c_associated(slot)) call c_f_pointer(slot, array, extents)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine acquire_r4_1

  subroutine acquire_r4_2(self, field, array, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    integer, intent(in) :: field
    real(real32), pointer, intent(out) :: array(:, :)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    type(c_ptr) :: slot
    integer(c_int64_t) :: extents(2)

    nullify (array)
    call acquire_any(self, field, tailrace_float32, slot, extents, error)
    if (c_associated(slot)) call c_f_pointer(slot, array, extents)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine acquire_r4_2

  subroutine acquire_r4_3(self, field, array, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    integer, intent(in) :: field
    real(real32), pointer, intent(out) :: array(:, :, :)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    type(c_ptr) :: slot
    integer(c_int64_t) :: extents(3)

    nullify (array)
    call acquire_any(self, field, tailrace_float32, slot, extents, error)
    if (c_associated(slot)) call c_f_pointer(slot, array, extents)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine acquire_r4_3

  subroutine acquire_r4_4(self, field, array, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    integer, intent(in) :: field
    real(real32), pointer, intent(out) :: array(:, :, :, :)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    type(c_ptr) :: slot
    integer(c_int64_t) :: extents(4)

    nullify (array)
    call acquire_any(self, field, tailrace_float32, slot, extents, error)
    if (c_associated(slot)) call c_f_pointer(slot, array, extents)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine acquire_r4_4

  subroutine acquire_r8_1(self, field, array, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    integer, intent(in) :: field
    real(real64), pointer, intent(out) :: array(:)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    type(c_ptr) :: slot
    integer(c_int64_t) :: extents(1)

    nullify (array)
    call acquire_any(self, field, tailrace_float64, slot, extents, error)
    if (c_associated(slot)) call c_f_pointer(slot, array, extents)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine acquire_r8_1

  subroutine acquire_r8_2(self, field, array, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    integer, intent(in) :: field
    real(real64), pointer, intent(out) :: array(:, :)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    type(c_ptr) :: slot
    integer(c_int64_t) :: extents(2)

    nullify (array)
    call acquire_any(self, field, tailrace_float64, slot, extents, error)
    if (c_associated(slot)) call c_f_pointer(slot, array, extents)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine acquire_r8_2

  subroutine acquire_r8_3(self, field, array, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    integer, intent(in) :: field
    real(real64), pointer, intent(out) :: array(:, :, :)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    type(c_ptr) :: slot
    integer(c_int64_t) :: extents(3)

    nullify (array)
    call acquire_any(self, field, tailrace_float64, slot, extents, error)
    if (c_associated(slot)) call c_f_pointer(slot, array, extents)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine acquire_r8_3

  subroutine acquire_r8_4(self, field, array, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    integer, intent(in) :: field
    real(real64), pointer, intent(out) :: array(:, :, :, :)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    type(c_ptr) :: slot
    integer(c_int64_t) :: extents(4)

    nullify (array)
    call acquire_any(self, field, tailrace_float64, slot, extents, error)
    if (c_associated(slot)) call c_f_pointer(slot, array, extents)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine acquire_r8_4

  !> The slot, or a null pointer, and the extents in the order of the subscripts.
  subroutine acquire_any(self, field, type, slot, extents, error)
    class(stepping_session), intent(inout) :: self
    integer, intent(in) :: field, type
    type(c_ptr), intent(out) :: slot
    integer(c_int64_t), intent(out) :: extents(:)
    type(tailrace_error_c), intent(inout) :: error
    integer(c_int) :: code

    slot = c_null_ptr
    code = tailrace_acquire_c(self%c_session, field, type, size(extents, kind=c_int), extents, slot, error)
  end subroutine acquire_any

  subroutine publish_name(self, name, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer(c_int) :: field
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    field = tailrace_handle_c(self%c_session, c_string(name), error)
    if (error%code == tailrace_ok) code = tailrace_publish_c(self%c_session, field, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine publish_name

  subroutine publish_handle(self, field, ierr, errmsg)
    class(stepping_session), intent(inout) :: self
    integer, intent(in) :: field
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_publish_c(self%c_session, field, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine publish_handle

end module tailrace_steps
