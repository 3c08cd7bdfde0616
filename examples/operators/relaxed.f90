!> An operator in Fortran that remembers earlier steps: a recursive filter of each cell.
integer(c_int) function relaxed_with_state(inputs, count, state, states, output, error, size) bind(c)
  use, intrinsic :: ieee_arithmetic, only: ieee_is_nan
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_size_t
  use, intrinsic :: iso_fortran_env, only: real64
  use tailrace_operator, only: tailrace_array, tailrace_refuse, tailrace_state, tailrace_values
  implicit none
  integer(c_int), value :: count, states
  type(tailrace_array), intent(in) :: inputs(count)
  type(tailrace_state), intent(inout) :: state(states)
  type(tailrace_array), intent(inout) :: output
  integer(c_size_t), value :: size
  character(kind=c_char), intent(inout) :: error(size)
  real(real64), pointer :: a(:), level(:), filtered(:)

  relaxed_with_state = 1
  call tailrace_values(state, "level", level)
  if (.not. associated(level)) then
    call tailrace_refuse('the configuration declares no state "level"', error)
    return
  end if
  call tailrace_values(inputs(1), a)
  call tailrace_values(output, filtered)
  where (ieee_is_nan(level))  ! this is the first step
    level = a
  elsewhere
    level = level + (a - level)/4
  end where
  filtered = level
  relaxed_with_state = 0
end function relaxed_with_state
