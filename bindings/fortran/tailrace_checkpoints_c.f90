! Generated from tailrace_checkpoints_c.fypp by tools/generate_fortran: edit tailrace_checkpoints_c.fypp, not this file.
!> The C functions of checkpoints, and those of inputs after `ready`. Not for models.
module tailrace_checkpoints_c
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int64_t, c_ptr, c_size_t
  use tailrace_c, only: tailrace_error_c
  implicit none
  private

  public :: tailrace_available_c
  public :: tailrace_get_c, tailrace_restarting_c, tailrace_checkpoint_due_c, tailrace_request_checkpoint_c
  public :: tailrace_checkpoint_c, tailrace_put_value_int_c, tailrace_put_value_real_c, tailrace_put_value_string_c
  public :: tailrace_get_value_int_c, tailrace_get_value_real_c, tailrace_get_value_string_c

  interface
    function tailrace_restarting_c(session, step, time, error) bind(c, name="tailrace_restarting") result(code)
      import :: c_char, c_double, c_int, c_int64_t, c_ptr, c_size_t, tailrace_error_c
      type(c_ptr), value :: session
      integer(c_int64_t), intent(inout) :: step
      real(c_double), intent(inout) :: time
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_restarting_c

    function tailrace_checkpoint_due_c(session, error) bind(c, name="tailrace_checkpoint_due") result(code)
      import :: c_char, c_double, c_int, c_int64_t, c_ptr, c_size_t, tailrace_error_c
      type(c_ptr), value :: session
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_checkpoint_due_c

    function tailrace_request_checkpoint_c(session, error) bind(c, name="tailrace_request_checkpoint") result(code)
      import :: c_char, c_double, c_int, c_int64_t, c_ptr, c_size_t, tailrace_error_c
      type(c_ptr), value :: session
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_request_checkpoint_c

    function tailrace_checkpoint_c(session, error) bind(c, name="tailrace_checkpoint") result(code)
      import :: c_char, c_double, c_int, c_int64_t, c_ptr, c_size_t, tailrace_error_c
      type(c_ptr), value :: session
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_checkpoint_c

    function tailrace_put_value_int_c(session, name, values, count, error) &
      bind(c, name="tailrace_put_value_int") result(code)
      import :: c_char, c_double, c_int, c_int64_t, c_ptr, c_size_t, tailrace_error_c
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), intent(in) :: values(*)
      integer(c_size_t), value :: count
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_put_value_int_c

    function tailrace_put_value_real_c(session, name, values, count, error) &
      bind(c, name="tailrace_put_value_real") result(code)
      import :: c_char, c_double, c_int, c_int64_t, c_ptr, c_size_t, tailrace_error_c
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), intent(in) :: values(*)
      integer(c_size_t), value :: count
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_put_value_real_c

    function tailrace_put_value_string_c(session, name, text, error) bind(c, name="tailrace_put_value_string") result(code)
      import :: c_char, c_double, c_int, c_int64_t, c_ptr, c_size_t, tailrace_error_c
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: name(*)
      character(kind=c_char), intent(in) :: text(*)
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_put_value_string_c

    function tailrace_get_value_int_c(session, name, values, capacity, count, error) &
      bind(c, name="tailrace_get_value_int") result(code)
      import :: c_char, c_double, c_int, c_int64_t, c_ptr, c_size_t, tailrace_error_c
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), intent(inout) :: values(*)
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(out) :: count
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_get_value_int_c

    function tailrace_get_value_real_c(session, name, values, capacity, count, error) &
      bind(c, name="tailrace_get_value_real") result(code)
      import :: c_char, c_double, c_int, c_int64_t, c_ptr, c_size_t, tailrace_error_c
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), intent(inout) :: values(*)
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(out) :: count
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_get_value_real_c

    function tailrace_get_value_string_c(session, name, text, capacity, count, error) &
      bind(c, name="tailrace_get_value_string") result(code)
      import :: c_char, c_double, c_int, c_int64_t, c_ptr, c_size_t, tailrace_error_c
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: name(*)
      character(kind=c_char), intent(inout) :: text(*)
      integer(c_size_t), value :: capacity
      integer(c_size_t), intent(out) :: count
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_get_value_string_c

    function tailrace_available_c(session, field, error) bind(c, name="tailrace_available") result(yes)
      import :: c_char, c_double, c_int, c_int64_t, c_ptr, c_size_t, tailrace_error_c
      type(c_ptr), value :: session
      integer(c_int), value :: field
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: yes
    end function tailrace_available_c

    function tailrace_get_c(session, field, array, error) bind(c, name="tailrace_glue_get") result(code)
      import :: c_int, c_ptr, tailrace_error_c
      type(c_ptr), value :: session
      integer(c_int), value :: field
      type(*), dimension(..), intent(inout) :: array
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_get_c
  end interface

end module tailrace_checkpoints_c
