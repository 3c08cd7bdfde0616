!> The variables of the stand-in for WRF, from a table, and their values, which a test computes by the same formula.
module fields
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use domains
  implicit none
  private
  public :: variable_t, read_variables, value_of, word

  !> A line of the table: name|type|memory order|staggering|dimensions|description|units|coordinates|streams.
  type :: variable_t
    character(31) :: name = ''
    integer :: type = 104, number = 0, rank = 0
    character(3) :: order = ''
    character(2) :: stagger = ''
    character(80) :: dims(3) = ''
    character(80) :: description = '', units = '', coordinates = '', streams = ''
  end type variable_t

contains

  !> The n-th word of a line between its separators, "" behind the last one.
  function word(line, separator, n) result(found)
    character(*), intent(in) :: line, separator
    integer, intent(in) :: n
    character(:), allocatable :: found
    integer :: i, begin, length
    begin = 1
    do i = 2, n
      length = index(line(begin:), separator)
      if (length == 0) begin = len(line) + 1
      if (length > 0) begin = begin + length
    end do
    length = index(line(begin:), separator)
    found = trim(line(begin:merge(begin + length - 2, len(line), length > 0)))
  end function word

  function read_variables(path) result(all)
    character(*), intent(in) :: path
    type(variable_t), allocatable :: all(:)
    type(variable_t) :: one
    character(400) :: line
    character(8) :: kind
    integer :: unit, status, m
    allocate (all(0))
    open (newunit=unit, file=path, action='read', status='old')
    do
      read (unit, '(a)', iostat=status) line
      if (status /= 0) exit
      one%name = word(line, '|', 1)
      kind = word(line, '|', 2)
      read (kind, *) one%type
      one%order = word(line, '|', 3)
      one%stagger = word(line, '|', 4)
      one%rank = merge(0, len_trim(one%order), one%order == '0')
      do m = 1, 3
        one%dims(m) = word(word(line, '|', 5), ',', m)
      end do
      one%description = word(line, '|', 6); one%units = word(line, '|', 7)
      one%coordinates = word(line, '|', 8); one%streams = word(line, '|', 9)
      one%number = size(all) + 1
      all = [all, one]
    end do
    close (unit)
  end function read_variables

  !> At global indices in the order of the memory, from 1; `seconds` since the start. 32 bits have it exactly.
  real(real64) function value_of(variable, domain, seconds, indices) result(value)
    type(variable_t), intent(in) :: variable
    integer, intent(in) :: domain, seconds, indices(3)
    integer(int64) :: sum
    sum = 7919_int64*variable%number + 17*domain + 131_int64*seconds + 31_int64*indices(1) + 1009_int64*indices(2) &
          + 10007_int64*indices(3)
    value = real(modulo(sum, 65536_int64), real64)
    if (variable%type == 107) value = modulo(value, 2.0_real64)
    if (variable%type < 106) value = value + 0.25_real64
  end function value_of
end module fields
