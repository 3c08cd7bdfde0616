! Generated from tailrace_operator.fypp by tools/generate_fortran: edit tailrace_operator.fypp, not this file.
!> User-defined operators in Fortran: functions in a shared library that expressions call like built-in ones.
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
!! - tailrace_values makes a pointer of rank 1 to 4 to the numbers of an array. A pointer of rank 1 gets all of them,
!!   whatever the rank of the array; otherwise the pointer is null if the ranks differ. Dimensions are in the order of
!!   subscripts, fastest first, and lower bounds are 1: (z, y, x) in the configuration, in C and in Python is a(x, y, z)
!!   here.
!! - Numbers are real64. Missing values are NaN. The function must not change its inputs, and must not keep pointers after
!!   it returns. It sets all values of the output. See operator.h for blocks and threads.
!! - The result is 0, or another number after `call tailrace_refuse("why", error)`.
!! - An operator that remembers earlier steps has two arguments more and another name, NAME_with_state:
!!
!!     integer(c_int) function peak_with_state(inputs, count, state, states, output, error, size) bind(c)
!!       integer(c_int), value :: count, states
!!       type(tailrace_state), intent(inout) :: state(states)
!!
!!   tailrace_values(state, "highest", highest) makes a pointer to the array of that name in the configuration (`state`),
!!   to be read and changed; null if there is no such name.
!! - tailrace_extent, tailrace_offset and tailrace_shape return, for a dimension given by its subscript, the number of
!!   cells in this block, the global index of the first one (from 1; 0 if the cells are not consecutive), and the number
!!   of cells in all.
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

  !> As tailrace_state of operator.h: what an operator keeps between steps.
  type, bind(c), public :: tailrace_state
    type(c_ptr) :: name = c_null_ptr
    type(tailrace_array) :: array
  end type tailrace_state

  public :: tailrace_values, tailrace_extent, tailrace_offset, tailrace_shape, tailrace_refuse

  interface tailrace_values
    module procedure values_1, values_2, values_3, values_4
    module procedure kept_0, kept_1, kept_2, kept_3, kept_4
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

  !> The number of a state without dimensions.
  subroutine kept_0(state, name, value)
    type(tailrace_state), intent(in) :: state(:)
    character(len=*), intent(in) :: name
    real(real64), pointer, intent(out) :: value
    integer :: i
    value => null()
    i = place_of(state, name)
    if (i == 0) return
    if (state(i)%array%rank == 0) call c_f_pointer(state(i)%array%data, value)
  end subroutine kept_0

  subroutine kept_1(state, name, values)
    type(tailrace_state), intent(in) :: state(:)
    character(len=*), intent(in) :: name
    real(real64), pointer, intent(out) :: values(:)
    integer :: i
    values => null()
    i = place_of(state, name)
    if (i > 0) call tailrace_values(state(i)%array, values)
  end subroutine kept_1

  subroutine kept_2(state, name, values)
    type(tailrace_state), intent(in) :: state(:)
    character(len=*), intent(in) :: name
    real(real64), pointer, intent(out) :: values(:, :)
    integer :: i
    values => null()
    i = place_of(state, name)
    if (i > 0) call tailrace_values(state(i)%array, values)
  end subroutine kept_2

  subroutine kept_3(state, name, values)
    type(tailrace_state), intent(in) :: state(:)
    character(len=*), intent(in) :: name
    real(real64), pointer, intent(out) :: values(:, :, :)
    integer :: i
    values => null()
    i = place_of(state, name)
    if (i > 0) call tailrace_values(state(i)%array, values)
  end subroutine kept_3

  subroutine kept_4(state, name, values)
    type(tailrace_state), intent(in) :: state(:)
    character(len=*), intent(in) :: name
    real(real64), pointer, intent(out) :: values(:, :, :, :)
    integer :: i
    values => null()
    i = place_of(state, name)
    if (i > 0) call tailrace_values(state(i)%array, values)
  end subroutine kept_4

  !> The index of the state of this name; 0 if there is none.
  integer function place_of(state, name) result(place)
    type(tailrace_state), intent(in) :: state(:)
    character(len=*), intent(in) :: name
    do place = size(state), 1, -1
      if (is_called(state(place), name)) return
    end do
  end function place_of

  logical function is_called(state, name)
    type(tailrace_state), intent(in) :: state
    character(len=*), intent(in) :: name
    character(kind=c_char), pointer :: letters(:)
    integer :: i
    call c_f_pointer(state%name, letters, [len_trim(name) + 1])
    is_called = .false.
    do i = 1, len_trim(name)
      if (letters(i) /= name(i:i)) return
    end do
    is_called = letters(len_trim(name) + 1) == c_null_char
  end function is_called

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

  !> Writes the reason why the operator fails to `error`, truncated to its size.
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
