!> An operator in Fortran: the mean of each cell and its neighbours along x, around the ends (periodic).
integer(c_int) function smooth(inputs, count, output, error, size) bind(c)
  use, intrinsic :: iso_c_binding, only: c_char, c_int, c_size_t
  use, intrinsic :: iso_fortran_env, only: real64
  use tailrace_operator, only: tailrace_array, tailrace_refuse, tailrace_values
  implicit none
  integer(c_int), value :: count
  type(tailrace_array), intent(in) :: inputs(count)
  type(tailrace_array), intent(inout) :: output
  integer(c_size_t), value :: size
  character(kind=c_char), intent(inout) :: error(size)
  real(real64), pointer :: a(:, :, :), smoothed(:, :, :)

  smooth = 1
  call tailrace_values(inputs(1), a)
  call tailrace_values(output, smoothed)
  if (.not. associated(a)) then
    call tailrace_refuse("smooth takes an array of three dimensions", error)
    return
  end if
  smoothed = (cshift(a, -1, dim=1) + a + cshift(a, 1, dim=1))/3
  smooth = 0
end function smooth
