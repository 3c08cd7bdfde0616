!> Operators of one's own in Fortran: a function in a shared library that expressions call like a built-in one.
!!
!!   integer(c_int) function wind_speed(inputs, count, output, error, size) bind(c)
!!     use, intrinsic :: iso_c_binding, only: c_char, c_int, c_size_t
!!     use, intrinsic :: iso_fortran_env, only: real64
!!     use tailrace_operator, only: tailrace_array, tailrace_values
!!     integer(c_int), value :: count
!!     type(tailrace_array), intent(in) :: inputs(count)
!!     type(tailrace_array), intent(inout) :: output
!!     integer(c_size_t), value :: size
!!     character(kind=c_char), intent(inout) :: error(size)
!!     real(real64), pointer :: u(:), v(:), speed(:)
!!     call tailrace_values(inputs(1), u)
!!     call tailrace_values(inputs(2), v)
!!     call tailrace_values(output, speed)
!!     speed = hypot(u, v)
!!     wind_speed = 0
!!   end function wind_speed
!!
!! Conventions
!! - tailrace_values makes a pointer of rank 1 to 4 to the numbers of an array; of rank 1 to all of them, whatever the
!!   rank of the array. Dimensions come in the order of subscripts, fastest first, lower bounds are 1: what is (z, y, x)
!!   in the configuration, in C and in Python is a(x, y, z) here. Where the ranks differ, the pointer is null.
!! - Inputs are not to be changed, and nothing may be kept when the function returns.
!! - The result is 0, or another number after `call tailrace_refuse("why", error)`.
!! - tailrace_extent, tailrace_offset and tailrace_shape tell of a dimension, by its subscript: the cells here, the
!!   global index of the first one (from 1; 0 where the cells are not consecutive), the cells in all.
module tailrace_operator
  use, intrinsic :: iso_c_binding, only: c_char, c_f_pointer, c_int64_t, c_null_char, c_null_ptr, c_ptr
  use, intrinsic :: iso_fortran_env, only: int64, real64
  implicit none
  private

  integer, parameter, public :: tailrace_operator_max_rank = 8

  !> As tailrace_array of operator.h: dimensions slowest first, counted from 0.
  type, bind(c), public :: tailrace_array
    type(c_ptr) :: data = c_null_ptr
    integer(c_int64_t) :: rank = 0
    integer(c_int64_t) :: count(tailrace_operator_max_rank) = 0
    integer(c_int64_t) :: offset(tailrace_operator_max_rank) = 0
    integer(c_int64_t) :: shape(tailrace_operator_max_rank) = 0
    type(c_ptr) :: dims(tailrace_operator_max_rank) = c_null_ptr
  end type tailrace_array

  public :: tailrace_values, tailrace_extent, tailrace_offset, tailrace_shape, tailrace_refuse

  interface tailrace_values
    module procedure values_1, values_2, values_3, values_4
  end interface tailrace_values

contains

  subroutine values_1(array, values)
    type(tailrace_array), intent(in) :: array
    real(real64), pointer, intent(out) :: values(:)
    call c_f_pointer(array%data, values, [product(array%count(1:array%rank))])
  end subroutine values_1

  subroutine values_2(array, values)
    type(tailrace_array), intent(in) :: array
    real(real64), pointer, intent(out) :: values(:, :)
    values => null()
    if (array%rank == 2) call c_f_pointer(array%data, values, array%count(2:1:-1))
  end subroutine values_2

  subroutine values_3(array, values)
    type(tailrace_array), intent(in) :: array
    real(real64), pointer, intent(out) :: values(:, :, :)
    values => null()
    if (array%rank == 3) call c_f_pointer(array%data, values, array%count(3:1:-1))
  end subroutine values_3

  subroutine values_4(array, values)
    type(tailrace_array), intent(in) :: array
    real(real64), pointer, intent(out) :: values(:, :, :, :)
    values => null()
    if (array%rank == 4) call c_f_pointer(array%data, values, array%count(4:1:-1))
  end subroutine values_4

  pure integer(int64) function tailrace_extent(array, dimension) result(extent)
    type(tailrace_array), intent(in) :: array
    integer, intent(in) :: dimension
    extent = array%count(array%rank - dimension + 1)
  end function tailrace_extent

  pure integer(int64) function tailrace_offset(array, dimension) result(offset)
    type(tailrace_array), intent(in) :: array
    integer, intent(in) :: dimension
    offset = array%offset(array%rank - dimension + 1) + 1
  end function tailrace_offset

  pure integer(int64) function tailrace_shape(array, dimension) result(extent)
    type(tailrace_array), intent(in) :: array
    integer, intent(in) :: dimension
    extent = array%shape(array%rank - dimension + 1)
  end function tailrace_shape

  !> Writes why the operator cannot do its work to where Tailrace reads it; cut off where there is no room.
  subroutine tailrace_refuse(why, error)
    character(len=*), intent(in) :: why
    character(kind=c_char), intent(inout) :: error(:)
    integer :: i, length
    length = min(len_trim(why), size(error) - 1)
    do i = 1, length
      error(i) = why(i:i)
    end do
    error(length + 1) = c_null_char
  end subroutine tailrace_refuse

end module tailrace_operator
