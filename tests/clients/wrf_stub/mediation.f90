!> Opens, writes, reads and closes datasets as WRF does: the training pass before the first frame, and all variables with
!! each frame. The procedures of the package have no interfaces, and take all arrays as `integer Field(*)`.
module mediation
  use, intrinsic :: iso_fortran_env, only: real64
  use domains
  use fields
  implicit none
  private
  public :: write_frame, read_frame

  integer, parameter :: not_committed = 101, for_write = 102
  integer, save :: handles(25, 3) = 0  ! of each stream and domain; 0: no file is open

contains

  !> `when`: seconds since the start. `opens`, `closes`: whether the frame is the first or last of its file.
  subroutine write_frame(all, domain, number, stream, dataset, date, when, path, opens, closes)
    type(variable_t), intent(in) :: all(:)
    type(domain_t), intent(in) :: domain
    integer, intent(in) :: number, stream, when
    character(*), intent(in) :: dataset, date, path
    logical, intent(in) :: opens, closes
    character(256) :: name, pairs
    integer :: status, file_status, ignored
    associate (handle => handles(stream, number))
      if (opens) then
        write (pairs, '(3a, i0)') ' DATASET=', dataset, ',GRIDID=', number
        ignored = -1
        call ext_tailrace_open_for_write_begin(path, domain%communicator, ignored, trim(pairs), handle, status)
        call check(status, 'open_for_write_begin')
        call output(handle, all, domain, number, dataset, date, when)
        call ext_tailrace_open_for_write_commit(handle, status)
        call check(status, 'open_for_write_commit')
      end if
      call output(handle, all, domain, number, dataset, date, when)
      call ext_tailrace_inquire_filename(handle, name, file_status, status)
      if (name /= path .or. file_status /= for_write) error stop 'inquire_filename'
      if (.not. closes) return
      call ext_tailrace_ioclose(handle, status)
      call check(status, 'ioclose')
      handle = 0
    end associate
  end subroutine write_frame

  !> The training pass and each frame alike, as output_wrf.
  subroutine output(handle, all, domain, number, dataset, date, when)
    integer, intent(in) :: handle, number, when
    type(variable_t), intent(in) :: all(:)
    type(domain_t), intent(in) :: domain
    character(*), intent(in) :: dataset, date
    character(256) :: name
    integer :: i, file_status, status
    logical :: is_training
    call ext_tailrace_inquire_filename(handle, name, file_status, status)
    is_training = file_status == not_committed
    call put_globals(handle, domain, number, date, when)
    do i = 1, size(all)
      if (.not. is_in(all(i), dataset)) cycle
      call transfer_field(.true., handle, all(i), domain, number, date, when)
      if (.not. is_training) cycle
      call put_text(handle, 'description', all(i)%name, all(i)%description)
      call put_text(handle, 'units', all(i)%name, all(i)%units)
      call put_text(handle, 'stagger', all(i)%name, all(i)%stagger)
      if (all(i)%coordinates /= '') call put_text(handle, 'coordinates', all(i)%name, all(i)%coordinates)
    end do
  end subroutine output

  logical function is_in(variable, dataset)
    type(variable_t), intent(in) :: variable
    character(*), intent(in) :: dataset
    is_in = index(','//trim(variable%streams)//',', ','//trim(dataset)//',') > 0
  end function is_in

  subroutine put_text(handle, name, variable, text)
    integer, intent(in) :: handle
    character(*), intent(in) :: name, variable, text
    integer :: status
    call ext_tailrace_put_var_ti_char(handle, name, trim(variable), text, status)
    call check(status, 'put_var_ti_char')
  end subroutine put_text

  !> About as many as WRF gives, some of which change from file to file.
  subroutine put_globals(handle, domain, number, date, when)
    integer, intent(in) :: handle, number, when
    type(domain_t), intent(in) :: domain
    character(*), intent(in) :: date
    character(12) :: name
    integer, parameter :: parents(3) = [1, 2, 3]
    integer :: i, status
    call ext_tailrace_put_dom_ti_char(handle, 'TITLE', ' OUTPUT FROM A STAND-IN FOR WRF V4.7.1 MODEL', status)
    call ext_tailrace_put_dom_ti_char(handle, 'START_DATE', date//'    ', status)
    call ext_tailrace_put_dom_ti_char(handle, 'SIMULATION_START_DATE', '2000-01-24_12:00:00', status)
    call ext_tailrace_put_dom_ti_integer(handle, 'WEST-EAST_GRID_DIMENSION', domain%e_we, 1, status)
    call ext_tailrace_put_dom_ti_integer(handle, 'GRID_ID', number, 1, status)
    call ext_tailrace_put_dom_ti_integer(handle, 'WRF_ALARM_SECS_TIL_NEXT_RING_01', 3600 - when, 1, status)
    call ext_tailrace_put_dom_ti_integer(handle, 'PARENTS', parents, 3, status)
    call ext_tailrace_put_dom_ti_real(handle, 'DX', 3000.3/number, 1, status)
    call ext_tailrace_put_dom_ti_real(handle, 'DT', 18.0, 1, status)
    call ext_tailrace_put_dom_ti_real(handle, 'DT', 18.1, 1, status)  ! the last value counts
    call ext_tailrace_put_dom_ti_double(handle, 'EARTH_RADIUS', 6370000.1_real64, 1, status)
    call ext_tailrace_put_dom_ti_logical(handle, 'USE_THETA_M', .true., 1, status)
    call ext_tailrace_put_dom_ti_logical(handle, 'USE_NOTHING', .false., 1, status)
    do i = 1, 110
      write (name, '(a, i3.3)') 'PHYSICS_', i
      call ext_tailrace_put_dom_ti_integer(handle, name, i*i, 1, status)
      call check(status, 'put_dom_ti_integer')
    end do
  end subroutine put_globals

  !> One variable of this rank, written, or read and compared, as one slice of a larger array.
  subroutine transfer_field(writes, handle, variable, domain, number, date, when)
    logical, intent(in) :: writes
    integer, intent(in) :: handle, number, when
    type(variable_t), intent(in) :: variable
    type(domain_t), intent(in) :: domain
    character(*), intent(in) :: date
    type(extent_t) :: extents(3)
    integer, allocatable :: field(:), found(:)
    integer :: m, ignored, status
    character(80) :: dims(3)
    dims = ''
    do m = 1, variable%rank
      extents(m) = extent_of(domain, trim(variable%dims(m)))
      if (variable%dims(m)(1:1) /= '*') dims(m) = variable%dims(m)
    end do
    call cut_strip(variable%order, domain, extents)
    field = memory_of(variable, number, when, extents)
    ignored = -1
    associate (begin => extents%memory(1), end => extents%memory(2), first => size(field)/2 + 1)
      if (writes) then
        call ext_tailrace_write_field(handle, date, trim(variable%name), field(first), variable%type, domain%communicator, &
                                      ignored, ignored, ' '//variable%order, variable%stagger, dims, extents%domain(1), &
                                      extents%domain(2), begin, end, extents%patch(1), extents%patch(2), status)
        call check(status, 'write_field')
      else
        found = memory_of(variable, number, when, extents, is_empty=.true.)
        call ext_tailrace_read_field(handle, date, trim(variable%name), found(first), variable%type, domain%communicator, &
                                     ignored, ignored, ' '//variable%order, variable%stagger, dims, extents%domain(1), &
                                     extents%domain(2), begin, end, extents%patch(1), extents%patch(2), status)
        call check(status, 'read_field')
        if (any(found /= field)) error stop 'values that were read differ'
      end if
    end associate
  end subroutine transfer_field

  !> The bytes of the array in memory with a slice in front of it; junk wherever nothing is this rank's.
  function memory_of(variable, number, when, extents, is_empty) result(words)
    type(variable_t), intent(in) :: variable
    integer, intent(in) :: number, when
    type(extent_t), intent(in) :: extents(3)
    logical, intent(in), optional :: is_empty
    integer, allocatable :: words(:)
    real(real64), allocatable :: values(:, :, :)
    real(real64), parameter :: junk = -9999
    integer :: i, j, k, n
    associate (low => extents%memory(1), high => extents%memory(2))
      allocate (values(low(1):high(1), low(2):high(2), low(3):high(3)), source=junk)
    end associate
    if (.not. present(is_empty)) then
      do k = extents(3)%patch(1), extents(3)%patch(2)
        do j = extents(2)%patch(1), extents(2)%patch(2)
          do i = extents(1)%patch(1), extents(1)%patch(2)
            values(i, j, k) = value_of(variable, number, when, [i, j, k])
          end do
        end do
      end do
    end if
    n = size(values)
    select case (variable%type)
    case (104); words = transfer([spread(real(junk), 1, n), reshape(real(values), [n])], [0])
    case (105); words = transfer([spread(junk, 1, n), reshape(values, [n])], [0])
    case default; words = [spread(nint(junk), 1, n), reshape(nint(values), [n])]
    end select
  end function memory_of

  !> Only ranks at the side have data of a strip along a boundary; the patch of the others is empty.
  subroutine cut_strip(order, domain, extents)
    character(*), intent(in) :: order
    type(domain_t), intent(in) :: domain
    type(extent_t), intent(inout) :: extents(3)
    type(extent_t) :: across
    if (order(2:2) /= 'S' .and. order(2:2) /= 'E') return
    across = extent_of(domain, merge('west_east  ', 'south_north', order(1:1) == 'X'))
    if (merge(across%at_start, across%at_end, order(2:2) == 'S')) return
    extents(1)%patch(2) = extents(1)%patch(1) - 1
  end subroutine cut_strip

  !> Reads all variables of a dataset at a date, and what WRF looks at before; refuses what differs from what was written.
  subroutine read_frame(all, domain, number, dataset, date, when, path)
    type(variable_t), intent(in) :: all(:)
    type(domain_t), intent(in) :: domain
    integer, intent(in) :: number, when
    character(*), intent(in) :: dataset, date, path
    character(256) :: pairs, text
    character(19) :: found
    character(3) :: order
    integer :: handle, status, ignored, count, whole(1), bounds(3, 2), rank, i
    real :: dx(1)
    logical :: is_true(1)
    ignored = -1
    write (pairs, '(3a, i0)') 'DATASET=', dataset, ',GRIDID=', number
    call ext_tailrace_open_for_read(path, domain%communicator, ignored, trim(pairs), handle, status)
    call check(status, 'open_for_read')
    call ext_tailrace_get_next_time(handle, found, status)
    if (found /= date) error stop 'get_next_time'
    call ext_tailrace_get_next_time(handle, found, status)
    if (status /= -4) error stop 'get_next_time behind the last one'
    call ext_tailrace_get_dom_ti_integer(handle, 'WEST-EAST_GRID_DIMENSION', whole, 1, count, status)
    if (whole(1) /= domain%e_we .or. count /= 1) error stop 'get_dom_ti_integer'
    call ext_tailrace_get_dom_ti_real(handle, 'DX', dx, 1, count, status)
    if (abs(dx(1) - 3000.3/number) > 0) error stop 'get_dom_ti_real'
    call ext_tailrace_get_dom_ti_logical(handle, 'USE_THETA_M', is_true, 1, count, status)
    if (.not. is_true(1)) error stop 'get_dom_ti_logical'
    call ext_tailrace_get_dom_ti_char(handle, 'TITLE', text, status)
    if (text /= ' OUTPUT FROM A STAND-IN FOR WRF V4.7.1 MODEL') error stop 'get_dom_ti_char'
    call ext_tailrace_get_dom_ti_integer(handle, 'NOT_THERE', whole, 1, count, status)
    if (status /= -2) error stop 'get_dom_ti_integer of what is not there'
    do i = 1, size(all)
      if (.not. is_in(all(i), dataset)) cycle
      call ext_tailrace_get_var_info(handle, trim(all(i)%name), rank, order, text, bounds(:, 1), bounds(:, 2), status)
      call check(status, 'get_var_info')
      if (rank /= all(i)%rank) error stop 'get_var_info'
      call transfer_field(.false., handle, all(i), domain, number, date, when)
    end do
    call ext_tailrace_ioclose(handle, status)
    call check(status, 'ioclose')
  end subroutine read_frame

  subroutine check(status, what)
    integer, intent(in) :: status
    character(*), intent(in) :: what
    if (status == 0) return
    print '(2a, i0)', what, ': status ', status
    error stop 'a procedure of the package failed'
  end subroutine check
end module mediation
