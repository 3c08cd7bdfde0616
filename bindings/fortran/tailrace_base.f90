!> The base of all parts of the binding: the session of C, errors, and text for C. Not for models.
module tailrace_base
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_int, c_null_char, c_null_ptr, c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: error_unit, int64
  use tailrace_c
  implicit none
  private

  public :: session_base, settle, text, c_string, c_lines, size_of

  !> Types of fields: the `type` of `field`.
  integer, parameter, public :: tailrace_float32 = 0, tailrace_float64 = 1, tailrace_int32 = 2, tailrace_int64 = 3
  !> The values of ierr.
  integer, parameter, public :: tailrace_ok = 0, tailrace_error_usage = 1, tailrace_error_configuration = 2, &
                                tailrace_error_resource = 3, tailrace_error_lost = 4, tailrace_error_full = 5, &
                                tailrace_error_internal = 6

  type :: session_base
    type(c_ptr) :: c_session = c_null_ptr  !< For the modules of this binding; public because they are several.
  end type session_base

contains

  !> Hands an error to the caller, or, without ierr, ends the program with it.
  subroutine settle(self, error, ierr)
    class(session_base), intent(inout) :: self
    type(tailrace_error_c), intent(inout) :: error
    integer, intent(out), optional :: ierr
    interface
      integer(c_int) function usleep_c(microseconds) bind(c, name="usleep")
        import :: c_int
        integer(c_int), value :: microseconds
      end function usleep_c
    end interface
    integer(c_int) :: slept

    if (present(ierr)) ierr = error%code
    if (error%code == tailrace_ok) return
    if (.not. present(ierr)) then
      write (error_unit, '(a)') "tailrace: " // text(error%message)
      flush (error_unit)
      slept = usleep_c(200000_c_int)  ! the launcher kills all others when one ends, and their messages may matter more
      call tailrace_free_c(self%c_session)
      self%c_session = c_null_ptr
      stop 1, quiet=.true.  ! not error stop, whose backtrace of each rank would bury the message
    end if
    call tailrace_error_clear_c(error)
  end subroutine settle

  function text(string) result(copy)
    type(c_ptr), intent(in) :: string
    character(:), allocatable :: copy
    character(kind=c_char), pointer :: characters(:)
    integer(c_size_t) :: length, i

    copy = ""
    if (.not. c_associated(string)) return
    length = strlen_c(string)
    call c_f_pointer(string, characters, [length])
    copy = repeat(" ", int(length))
    do i = 1, length
      copy(i:i) = characters(i)
    end do
  end function text

  !> The text without trailing blanks and with C's terminating zero; empty if absent.
  pure function c_string(string) result(ended)
    character(*), intent(in), optional :: string
    character(:, c_char), allocatable :: ended

    ended = c_null_char
    if (present(string)) ended = trim(string) // c_null_char
  end function c_string

  !> The elements as the lines of one C string.
  pure function c_lines(strings) result(ended)
    character(*), intent(in), optional :: strings(:)
    character(:, c_char), allocatable :: ended
    integer :: i

    ended = ""
    if (present(strings)) then
      do i = 1, size(strings)
        ended = ended // trim(strings(i)) // new_line("a")
      end do
    end if
    ended = ended // c_null_char
  end function c_lines

  !> The number of elements; -1 if absent.
  pure integer(c_int) function size_of(array)
    integer(int64), intent(in), optional :: array(:)

    size_of = -1
    if (present(array)) size_of = size(array, kind=c_int)
  end function size_of

end module tailrace_base
