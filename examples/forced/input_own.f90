! Input as many models do it: rank 0 reads whole records with netCDF-Fortran and scatters them, all others wait; each
! rank interpolates in time. It reads what make_forcing.py makes, in all its forms.
submodule(input_source) input_own
  use mpi_f08
  use netcdf
  use, intrinsic :: ieee_arithmetic, only: ieee_is_nan, ieee_quiet_nan, ieee_value
  use grid, only: scatter
  use file_time, only: seconds_of, middle_of_month, month_of
  implicit none

  ! A file, and the two records that its rank's cells lie between.
  type :: file_t
    integer :: id = -1, variable = -1, time_dim = 0  ! rank 0 only
    integer, allocatable :: lengths(:)               ! of the variable's dims, in the order of Fortran; rank 0 only
    ! Where along x, y and level the cells of the grid lie in a record; rank 0 only.
    integer, allocatable :: at_x(:), at_y(:), at_level(:)
    real(rk) :: scale = 1, offset = 0, fill = 0
    logical :: is_packed = .false., has_fill = .false.
    logical :: is_climatology = .false.
    real(rk), allocatable :: begin(:), time(:)       ! seconds since the start of the run
    integer :: held(2) = 0                           ! the records in `records`
    real(rk), allocatable :: records(:, :, :, :)
  end type file_t

  type(settings_t) :: run
  type(file_t), allocatable :: files(:)

contains

  module procedure way
    way = 'own'
  end procedure way

  module procedure join
    comm = world
    computes = .true.
  end procedure join

  ! Leaves the files open.
  module procedure open_inputs
    integer :: n, records
    run = chosen
    allocate (files(size(all_inputs)))
    do n = 1, size(all_inputs)
      associate (file => files(n))
        if (g%rank == 0) call open_file(chosen, g, all_inputs(n), file)
        records = 0
        if (g%rank == 0) records = size(file%time)
        call MPI_Bcast(records, 1, MPI_INTEGER, 0, g%comm)
        if (g%rank /= 0) allocate (file%time(records), file%begin(records))
        call MPI_Bcast(file%time, records, MPI_REAL8, 0, g%comm)
        call MPI_Bcast(file%begin, records, MPI_REAL8, 0, g%comm)
        call MPI_Bcast(file%is_climatology, 1, MPI_LOGICAL, 0, g%comm)
        allocate (file%records(g%nxl, g%nyl, size(all_inputs(n)%values, 3), 2))
      end associate
    end do
  end procedure open_inputs

  module procedure begin_step
  end procedure begin_step

  module procedure get_inputs
    integer :: n, records(2), slots(2), i
    real(rk) :: part
    do n = 1, size(all_inputs)
      if (all_inputs(n)%rule == 'none' .and. .not. is_first) cycle
      associate (file => files(n))
        call find_records(run, file, all_inputs(n)%rule, time, records, part)
        do i = 1, 2
          slots(i) = findloc(file%held, records(i), 1)
          if (slots(i) > 0) cycle
          slots(i) = merge(1, 2, file%held(1) /= records(3 - i))
          call read_record(g, file, records(i), file%records(:, :, :, slots(i)))
          file%held(slots(i)) = records(i)
        end do
        if (part > 0) then
          all_inputs(n)%values = (1 - part)*file%records(:, :, :, slots(1)) + part*file%records(:, :, :, slots(2))
        else
          all_inputs(n)%values = file%records(:, :, :, slots(1))
        end if
        call replace_missing(all_inputs(n))
      end associate
    end do
  end procedure get_inputs

  module procedure close_inputs
  end procedure close_inputs

  subroutine replace_missing(one)
    type(input_t), intent(inout) :: one
    real(rk) :: value
    if (one%missing == '-') return
    read (one%missing, *) value
    where (ieee_is_nan(one%values)) one%values = value
  end subroutine replace_missing

  ! The value is (1 - part) times the first record plus `part` times the second one.
  subroutine find_records(chosen, file, rule, time, records, part)
    type(settings_t), intent(in) :: chosen
    type(file_t), intent(in) :: file
    character(*), intent(in) :: rule
    real(rk), intent(in) :: time
    integer, intent(out) :: records(2)
    real(rk), intent(out) :: part
    real(rk), parameter :: same = 1e-3_rk            ! s
    real(rk) :: before, after
    integer :: month
    part = 0
    if (rule == 'none') then
      records = 1
    else if (rule == 'previous') then
      records = max(1, count(file%begin - time <= same))
    else if (file%is_climatology) then
      month = month_of(chosen%start, time)           ! since the year of the start; may be beyond December
      if (middle_of_month(chosen%start, month) > time) month = month - 1
      before = middle_of_month(chosen%start, month)
      after = middle_of_month(chosen%start, month + 1)
      records = modulo([month, month + 1] - 1, 12) + 1
      part = (time - before)/(after - before)
    else
      records(1) = count(file%time <= time)
      records(2) = min(records(1) + 1, size(file%time))
      records(1) = max(records(1), 1)
      if (records(1) < records(2)) &
        part = max(0.0_rk, (time - file%time(records(1)))/(file%time(records(2)) - file%time(records(1))))
      if (.not. part > 0) records(2) = records(1)
    end if
  end subroutine find_records

  ! Collective. One record, as values: unpacked, with NaN where they are missing.
  subroutine read_record(g, file, record, part)
    type(grid_t), intent(in) :: g
    type(file_t), intent(in) :: file
    integer, intent(in) :: record
    real(rk), contiguous, intent(out) :: part(:, :, :)
    real(rk), allocatable :: raw(:), whole(:, :, :)
    integer, allocatable :: first(:), count(:)
    integer :: j, k
    if (g%rank == 0) then
      allocate (first(size(file%lengths)), source=1)
      count = file%lengths
      if (file%time_dim > 0) then
        first(file%time_dim) = record
        count(file%time_dim) = 1
      end if
      allocate (raw(product(count)), whole(g%nx, g%ny, size(part, 3)))
      call must(nf90_get_var(file%id, file%variable, raw, first, count), 'read')
      if (file%has_fill) where (abs(raw - file%fill) < tiny(raw)) raw = ieee_value(raw, ieee_quiet_nan)
      if (file%is_packed) raw = raw*file%scale + file%offset
      do k = 1, size(whole, 3)
        do j = 1, g%ny
          whole(:, j, k) = raw(1 + file%at_x + file%at_y(j) + file%at_level(k))
        end do
      end do
    else
      allocate (whole(0, 0, size(part, 3)))
    end if
    call scatter(g, whole, part)
  end subroutine read_record

  subroutine open_file(chosen, g, one, file)
    type(settings_t), intent(in) :: chosen
    type(grid_t), intent(in) :: g
    type(input_t), intent(in) :: one
    type(file_t), intent(inout) :: file
    character(:), allocatable :: name
    integer :: dims(NF90_MAX_VAR_DIMS), rank, d, stride
    name = trim(chosen%folder)//'/'//trim(one%name)//'.nc'
    call must(nf90_open(name, NF90_NOWRITE, file%id), name)
    call must(nf90_inq_varid(file%id, one%variable, file%variable), name//': '//trim(one%variable))
    call must(nf90_inquire_variable(file%id, file%variable, ndims=rank, dimids=dims), name)
    file%is_packed = nf90_get_att(file%id, file%variable, 'scale_factor', file%scale) == NF90_NOERR
    if (file%is_packed) call must(nf90_get_att(file%id, file%variable, 'add_offset', file%offset), name)
    file%has_fill = nf90_get_att(file%id, file%variable, '_FillValue', file%fill) == NF90_NOERR
    allocate (file%lengths(rank), file%time(0), file%begin(0))
    file%at_level = [0]
    stride = 1
    do d = 1, rank
      call must(nf90_inquire_dimension(file%id, dims(d), len=file%lengths(d)), name)
      call place_dim(chosen, g, file, dims(d), d, stride)
      if (d /= file%time_dim) stride = stride*file%lengths(d)
    end do
  end subroutine open_file

  ! Finds out from the units of its coordinate along which axis a dim is, and where the grid's cells lie along it.
  subroutine place_dim(chosen, g, file, dim, d, stride)
    type(settings_t), intent(in) :: chosen
    type(grid_t), intent(in) :: g
    type(file_t), intent(inout) :: file
    integer, intent(in) :: dim, d, stride
    character(NF90_MAX_NAME) :: name, units
    real(rk) :: coordinate(file%lengths(d))
    integer :: id
    call must(nf90_inquire_dimension(file%id, dim, name=name), 'a dim')
    call must(nf90_inq_varid(file%id, name, id), name)
    call must(nf90_get_var(file%id, id, coordinate), name)
    units = ''
    call must(nf90_get_att(file%id, id, 'units', units), name)
    select case (units)
    case ('degrees_east')
      file%at_x = stride*places(g%longitude, coordinate, 360.0_rk)
    case ('degrees_north')
      file%at_y = stride*places(g%latitude, coordinate, huge(1.0_rk))
    case ('hPa')
      file%at_level = stride*places(g%pressure, coordinate, huge(1.0_rk))
    case default
      file%time_dim = d
      call read_times(chosen, file, id, trim(units), coordinate)
    end select
  end subroutine place_dim

  ! For each value the place, from 0, of the nearest one of `among`.
  pure function places(values, among, period) result(nearest)
    real(rk), intent(in) :: values(:), among(:), period
    integer :: nearest(size(values)), i
    do i = 1, size(values)
      nearest(i) = minloc(abs(among - values(i) - period*anint((among - values(i))/period)), 1) - 1
    end do
  end function places

  ! A record with bounds lies in the middle of them.
  subroutine read_times(chosen, file, id, units, values)
    type(settings_t), intent(in) :: chosen
    type(file_t), intent(inout) :: file
    integer, intent(in) :: id
    character(*), intent(in) :: units
    real(rk), intent(in) :: values(:)
    real(rk) :: bounds(2, size(values))
    character(NF90_MAX_NAME) :: name
    integer :: bounds_id, status
    name = ''
    file%is_climatology = nf90_get_att(file%id, id, 'climatology', name) == NF90_NOERR
    file%begin = seconds_of(chosen%start, units, values)
    file%time = file%begin
    status = nf90_get_att(file%id, id, 'bounds', name)
    if (file%is_climatology .or. status /= NF90_NOERR) return
    call must(nf90_inq_varid(file%id, name, bounds_id), name)
    call must(nf90_get_var(file%id, bounds_id, bounds), name)
    file%begin = seconds_of(chosen%start, units, bounds(1, :))
    file%time = file%begin + (seconds_of(chosen%start, units, bounds(2, :)) - file%begin)/2
  end subroutine read_times

  subroutine must(status, what)
    integer, intent(in) :: status
    character(*), intent(in) :: what
    if (status == NF90_NOERR) return
    print '(4a)', 'forced: ', trim(what), ': ', trim(nf90_strerror(status))
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine must
end submodule input_own
