!> In place of MONC's module of this name: offers to Tailrace, by their bare names, all fields that MONC can send, and puts
!! at the end of each step those that the configuration asks for.
module iobridge_mod
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use collections_mod, only: c_get_string, c_size, list_type
  use datadefn_mod, only: LONG_STRING_LENGTH, STRING_LENGTH
  use mpi, only: MPI_COMM_WORLD, MPI_IN_PLACE, MPI_LAND, MPI_LOGICAL
  use monc_component_mod, only: component_descriptor_type, component_field_information_type, &
                                component_field_value_type, COMPONENT_INTEGER_DATA_TYPE, COMPONENT_SCALAR_FIELD_TYPE
  use optionsdatabase_mod, only: options_get_logical, options_get_string, options_has_key, options_key_at, &
                                 options_size, options_value_at
  use prognostics_mod, only: prognostic_field_type
  use q_indices_mod, only: get_indices_descriptor, get_max_number_q_indices, q_metadata_type
  use registry_mod, only: get_all_component_published_fields, get_component_field_information, get_component_field_value
  use state_mod, only: model_state_type
  use tailrace, only: tailrace_session, tailrace_float64, tailrace_int32
  implicit none
  private
  public :: iobridge_get_descriptor

  type :: entry_t
    character(STRING_LENGTH) :: name = '', grid = ''
    logical :: is_published = .false., is_whole = .false.  ! by a component; an integer
    integer :: handle = 0, put_at = -huge(1)               ! the last step at which it was put
  end type entry_t

  !> The contents of the state: name and grid of each item. 0: a real number, i: an integer.
  character(*), parameter :: own(*) = &
    [character(24) :: 'u block', 'v block', 'w block', 'th block', 'p block', 'u_nogal block', 'v_nogal block', 'zu block', &
     'zv block', 'zw block', 'zth block', 'sth_lw block', 'sth_sw block', 'q block_q', 'zq block_q', 'olqbar levels_q', &
     'olzqbar levels_q', 'z levels', 'thref levels', 'prefn levels', 'rhon levels', 'rho levels', 'olubar levels', &
     'olzubar levels', 'olvbar levels', 'olzvbar levels', 'olthbar levels', 'olzthbar levels', 'w_up levels', &
     'w_dwn levels', 'timestep i', 'nqfields i', 'x_size i', 'y_size i', 'z_size i', 'time 0', 'dtm 0', 'dtm_new 0', &
     'absolute_new_dtm 0', 'ugal 0', 'vgal 0', 'rad_last_time 0', 'x_bottom 0', 'y_bottom 0', 'z_bottom 0', 'x_top 0', &
     'y_top 0', 'z_top 0', 'x_resolution 0', 'y_resolution 0', 'z_resolution 0']

  type(tailrace_session), save :: io
  type(entry_t), allocatable, save :: entries(:)
  logical, save :: is_on = .false., saves_late = .false.

contains

  type(component_descriptor_type) function iobridge_get_descriptor() result(descriptor)
    descriptor%name = 'iobridge'
    descriptor%version = 1.0
    descriptor%initialisation => initialisation; descriptor%timestep => timestep; descriptor%finalisation => finalisation
  end function iobridge_get_descriptor

  subroutine initialisation(current_state)
    type(model_state_type), target, intent(inout) :: current_state
    character(LONG_STRING_LENGTH) :: file
    integer :: begin, step
    real(real64) :: time
    is_on = options_get_logical(current_state%options_database, 'enable_io_server')
    if (options_has_key(current_state%options_database, 'tailrace_attached')) &  ! the servers are threads of these ranks
      is_on = is_on .or. options_get_logical(current_state%options_database, 'tailrace_attached')
    if (.not. is_on) return
    file = options_get_string(current_state%options_database, 'ioserver_configuration_file')
    begin = max(0, current_state%timestep - 1)
    call io%start(MPI_COMM_WORLD, trim(file), component='monc', initial_time=current_state%time, initial_step=begin)
    step = begin; time = current_state%time
    if (io%restarting(step, time) .and. step /= begin) &
      error stop 'MONC begins at another step than Tailrace: write checkpoint: {restart: at_initial_step}'
    if (abs(time - current_state%time) > 1e-9_real64*abs(time)) &  ! windows would shift
      error stop 'MONC begins at another time than Tailrace: its checkpoint of this step is not that of the run that Tailrace saved'
    allocate (entries(0))
    call give_options(current_state)
    call declare_grids(current_state)
    call declare_own(current_state)
    call declare_published(current_state)
    call io%ready()
  end subroutine initialisation

  subroutine timestep(current_state)
    type(model_state_type), target, intent(inout) :: current_state
    integer :: i
    if (.not. is_on) return
    if (saves_late) call save_state()
    call io%step(current_state%timestep, current_state%time + current_state%dtm)
    saves_late = .false.
    do i = 1, size(entries)
      if (io%wants_at_end(entries(i)%handle)) saves_late = .true.  ! nothing may be put behind it, and this may be the end
      if (io%wants(entries(i)%handle) .and. .not. io%wants_at_end(entries(i)%handle)) call put(current_state, entries(i))
    end do
    if (.not. saves_late) call save_state()
  end subroutine timestep

  !> Makes the servers' checkpoint, if the configuration has checkpoints.
  subroutine save_state()
    if (io%checkpoint_due()) call io%checkpoint()
  end subroutine save_state

  !> Puts the fields of `send_on_terminate` at the last step, behind which MONC has not advanced.
  subroutine finalisation(current_state)
    type(model_state_type), target, intent(inout) :: current_state
    integer :: i
    if (.not. is_on) return
    do i = 1, size(entries)
      if (io%wants_at_end(entries(i)%handle)) call put(current_state, entries(i))
    end do
    if (saves_late) call save_state()
    call io%finish()
  end subroutine finalisation

  !> All of MONC's; the names of q fields are the map q_indicies.
  subroutine give_options(state)
    type(model_state_type), target, intent(inout) :: state
    integer :: i
    class(*), pointer :: value
    character(:), allocatable :: name
    type(q_metadata_type) :: q
    do i = 1, options_size(state%options_database)
      name = trim(options_key_at(state%options_database, i))
      value => options_value_at(state%options_database, i)
      select type (value)
      type is (integer); call io%option(name, value)
      type is (real(real32)); call io%option(name, text_of(real(value, real64)))
      type is (real(real64)); call io%option(name, text_of(value))
      type is (logical); call io%option(name, trim(merge('true ', 'false', value)))
      type is (character(*)); call io%option(name, trim(value))
      end select
    end do
    do i = 1, get_max_number_q_indices()
      q = get_indices_descriptor(i)
      if (q%l_used) call io%option('q_indicies.'//trim(q%name), i)
    end do
  end subroutine give_options

  !> As MONC writes it: ten decimals, less the zeros at the end but one if there are three or more. MONC's restart reads 11
  !! characters of such a text, in single precision. Where that is another number, the text has an exponent, with which MONC
  !! reads all of it.
  function text_of(value) result(text)
    real(real64), intent(in) :: value
    character(:), allocatable :: text
    character(30) :: written
    real(real32) :: read_back
    integer :: last, status
    write (written, '(f30.10)') value
    written = adjustl(written)
    last = verify(written, '0 ', back=.true.)
    text = trim(written)
    if (len(text) - last > 2) text = text(:last + 1)
    read (text(:min(11, len(text))), '(f11.2)', iostat=status) read_back
    if (status == 0 .and. read_back == real(value, real32)) return
    write (written, '(es30.10)') value
    text = trim(adjustl(written))
  end function text_of

  subroutine declare_grids(state)
    type(model_state_type), target, intent(inout) :: state
    character(7) :: dims(4) = [character(7) :: 'z', 'y', 'x', 'qfields']
    integer :: n(4), first(4), count(4)
    n = [state%global_grid%size(1:3), state%number_q_fields]
    first = [state%local_grid%start(1:3), 1]
    count = [state%local_grid%size(1:3), state%number_q_fields]
    call make_all('')
    call make('plane', [2, 3])
    dims(1) = 'zn'
    call make_all('_zn')
  contains
    subroutine make_all(ending)
      character(*), intent(in) :: ending
      call make('block'//ending, [1, 2, 3])
      call make('levels'//ending, [1])
      if (n(4) == 0) return
      call make('block_q'//ending, [1, 2, 3, 4])
      call make('levels_q'//ending, [1, 4])
    end subroutine make_all

    subroutine make(name, axes)
      character(*), intent(in) :: name
      integer, intent(in) :: axes(:)
      integer :: i, k, axis
      if (any(axes == 2)) call io%grid(name, dims=dims(axes), shape=n(axes), offset=first(axes), count=count(axes))
      if (all(axes /= 2)) call io%grid(name, dims=dims(axes), shape=n(axes))
      associate (global => state%global_grid, vertical => state%global_grid%configuration%vertical)
        do i = 1, size(axes)
          axis = axes(i)
          select case (dims(axis))
          case ('z'); call io%coordinate(name, 'z', vertical%z, units='m', attributes=['positive = up'])
          case ('zn'); call io%coordinate(name, 'zn', vertical%zn, units='m', attributes=['positive = up'])
          case ('qfields')
            call io%coordinate(name, 'qfields', [(real(k, real64), k=1, n(4))], attributes=['flag_meanings ='//q_names()])
          case default
            call io%coordinate(name, dims(axis), units='m', &
                               values=[(global%bottom(axis) + (k - 1)*global%resolution(axis), k=1, n(axis))])
          end select
        end do
      end associate
    end subroutine make

    !> With which files name the variables of each; blanks become underscores.
    function q_names() result(names)
      character(:), allocatable :: names
      type(q_metadata_type) :: q
      integer :: i, j
      names = ''
      do i = 1, get_max_number_q_indices()
        q = get_indices_descriptor(i)
        if (.not. q%l_used) cycle
        names = names//' '
        do j = 1, len_trim(q%name)
          names = names//merge('_', q%name(j:j), q%name(j:j) == ' ')
        end do
      end do
    end function q_names
  end subroutine declare_grids

  subroutine declare_own(state)
    type(model_state_type), target, intent(inout) :: state
    type(entry_t) :: entry
    real(real64), allocatable :: values(:)
    integer :: i, cut
    do i = 1, size(own)
      cut = index(own(i), ' ')
      entry = entry_t(own(i)(:cut - 1), own(i)(cut + 1:), .false., own(i)(cut + 1:) == 'i')
      call get(state, entry, values)
      if (allocated(values)) call declare(entry)
    end do
  end subroutine declare_own

  !> Parts of the domain have the shape of a rank's block, on every rank; all else are contributions to sums and the like.
  subroutine declare_published(state)
    type(model_state_type), target, intent(inout) :: state
    external :: MPI_Allreduce  ! the module mpi of some libraries lacks it
    type(list_type) :: published
    character(STRING_LENGTH), allocatable :: names(:)
    type(component_field_information_type), allocatable :: about(:)
    logical, allocatable :: is_part(:)
    integer :: block(4), i, j, n, ierr
    published = get_all_component_published_fields()
    allocate (names(c_size(published)))
    do i = 1, size(names)
      names(i) = c_get_string(published, i)
    end do
    names = pack(names, [(names(i)(1:1) /= achar(0) .and. names(i) /= '', i=1, size(names))])  ! some are unset
    names = pack(names, [(all([(entries(j)%name /= names(i), j=1, size(entries))]), i=1, size(names))])
    names = pack(names, [(all(names(:i - 1) /= names(i)), i=1, size(names))])  ! of two components
    allocate (about(size(names)))
    allocate (is_part(size(names)), source=.false.)
    block = [state%local_grid%size(1:3), state%number_q_fields]
    do i = 1, size(names)
      about(i) = get_component_field_information(state, names(i))
      if (.not. about(i)%enabled) cycle  ! then nothing else of it is sure to be set
      if (about(i)%field_type == COMPONENT_SCALAR_FIELD_TYPE) about(i)%number_dimensions = 0
      n = about(i)%number_dimensions
      about(i)%enabled = all(about(i)%dimension_sizes(:n) > 0)  ! with no q fields an array of them is empty
      is_part(i) = n == 2 .and. all(about(i)%dimension_sizes(:2) == block(2:3))
      if (n > 2) is_part(i) = all(about(i)%dimension_sizes(:n) == block(:n))
    end do
    call MPI_Allreduce(MPI_IN_PLACE, is_part, size(is_part), MPI_LOGICAL, MPI_LAND, io%model_comm(), ierr)
    do i = 1, size(names)
      if (.not. about(i)%enabled) cycle
      call declare(entry_t(names(i), grid_of(is_part(i), about(i)%dimension_sizes(:about(i)%number_dimensions)), &
                           .true., about(i)%data_type == COMPONENT_INTEGER_DATA_TYPE))
    end do
  end subroutine declare_published

  !> Contributions have a grid for each shape, which is declared when it is met.
  character(STRING_LENGTH) function grid_of(is_part, extents) result(name)
    logical, intent(in) :: is_part
    integer, intent(in) :: extents(:)
    character(7), parameter :: parts(2:4) = [character(7) :: 'plane', 'block', 'block_q']
    character(7), parameter :: dims(4) = [character(7) :: 'level', 'level_2', 'level_3', 'level_4']
    integer :: i
    write (name, '(a, *(:, "_", i0))') 'contribution', extents
    if (is_part) name = parts(size(extents))
    if (is_part .or. any([(entries(i)%grid == name, i=1, size(entries))])) return
    call io%grid(name, dims=dims(:size(extents)), shape=extents, partial=.true.)
  end function grid_of

  subroutine declare(entry)
    type(entry_t), intent(in) :: entry
    character(STRING_LENGTH) :: grid
    grid = entry%grid
    if (grid == '0' .or. grid == 'i') grid = ''
    entries = [entries, entry]
    call io%field(entry%name, grid=grid, type=merge(tailrace_int32, tailrace_float64, entry%is_whole), &
                  handle=entries(size(entries))%handle)
  end subroutine declare

  !> Once a step.
  subroutine put(state, entry)
    type(model_state_type), target, intent(inout) :: state
    type(entry_t), intent(inout) :: entry
    real(real64), allocatable :: values(:)
    if (entry%put_at == state%timestep) return
    entry%put_at = state%timestep
    call get(state, entry, values)
    if (entry%is_whole) call io%put(entry%handle, nint(values))
    if (.not. entry%is_whole) call io%put(entry%handle, values)
  end subroutine put

  !> One behind the other; not allocated where MONC does not have them.
  subroutine get(state, entry, values)
    type(model_state_type), target, intent(inout) :: state
    type(entry_t), intent(in) :: entry
    real(real64), allocatable, intent(out) :: values(:)
    type(component_field_value_type) :: value
    integer :: i, axis
    if (entry%is_published) then
      value = get_component_field_value(state, entry%name)
      values = [merge(real(value%scalar_int, real64), value%scalar_real, entry%is_whole)]
      if (allocated(value%real_1d_array)) values = value%real_1d_array
      if (allocated(value%real_2d_array)) values = reshape(value%real_2d_array, [size(value%real_2d_array)])
      if (allocated(value%real_3d_array)) values = reshape(value%real_3d_array, [size(value%real_3d_array)])
      if (allocated(value%real_4d_array)) values = reshape(value%real_4d_array, [size(value%real_4d_array)])
      return
    end if
    axis = index('zyx', entry%name(1:1))  ! in MONC's order
    associate (vertical => state%global_grid%configuration%vertical, global => state%global_grid)
      select case (entry%name)
      case ('u'); call add(state%u, state%ugal); case ('v'); call add(state%v, state%vgal)
      case ('u_nogal'); call add(state%u); case ('v_nogal'); call add(state%v)
      case ('w'); call add(state%w); case ('th'); call add(state%th); case ('p'); call add(state%p)
      case ('zu'); call add(state%zu); case ('zv'); call add(state%zv)
      case ('zw'); call add(state%zw); case ('zth'); call add(state%zth)
      case ('sth_lw'); call add(state%sth_lw); case ('sth_sw'); call add(state%sth_sw)
      case ('q'); do i = 1, state%number_q_fields; call add(state%q(i)); end do
      case ('zq'); do i = 1, state%number_q_fields; call add(state%zq(i)); end do
      case ('z'); values = vertical%z
      case ('thref'); if (allocated(vertical%thref)) values = vertical%thref
      case ('prefn'); if (allocated(vertical%prefn)) values = vertical%prefn
      case ('rhon'); if (allocated(vertical%rhon)) values = vertical%rhon
      case ('rho'); if (allocated(vertical%rho)) values = vertical%rho
      case ('olubar'); if (allocated(vertical%olubar)) values = vertical%olubar
      case ('olzubar'); if (allocated(vertical%olzubar)) values = vertical%olzubar
      case ('olvbar'); if (allocated(vertical%olvbar)) values = vertical%olvbar
      case ('olzvbar'); if (allocated(vertical%olzvbar)) values = vertical%olzvbar
      case ('olthbar'); if (allocated(vertical%olthbar)) values = vertical%olthbar
      case ('olzthbar'); if (allocated(vertical%olzthbar)) values = vertical%olzthbar
      case ('w_up'); if (allocated(vertical%w_up)) values = vertical%w_up
      case ('w_dwn'); if (allocated(vertical%w_dwn)) values = vertical%w_dwn
      case ('olqbar'); if (allocated(vertical%olqbar)) values = reshape(vertical%olqbar, [size(vertical%olqbar)])
      case ('olzqbar'); if (allocated(vertical%olzqbar)) values = reshape(vertical%olzqbar, [size(vertical%olzqbar)])
      case ('timestep'); values = [real(state%timestep, real64)]
      case ('time'); values = [state%time + state%dtm]  ! at the end of the step
      case ('dtm'); values = [state%dtm]; case ('dtm_new'); values = [state%dtm_new]
      case ('absolute_new_dtm'); values = [state%absolute_new_dtm]
      case ('ugal'); values = [state%ugal]; case ('vgal'); values = [state%vgal]
      case ('nqfields'); values = [real(state%number_q_fields, real64)]
      case ('rad_last_time'); values = [state%rad_last_time]
      case ('x_size', 'y_size', 'z_size'); values = [real(global%size(axis), real64)]
      case ('x_bottom', 'y_bottom', 'z_bottom'); values = [global%bottom(axis)]
      case ('x_top', 'y_top', 'z_top'); values = [global%top(axis)]
      case default; values = [global%resolution(axis)]
      end select
    end associate
  contains
    subroutine add(field, shift)
      type(prognostic_field_type), intent(in) :: field
      real(real64), intent(in), optional :: shift
      if (.not. field%active .or. .not. allocated(field%data)) return
      if (.not. allocated(values)) allocate (values(0))
      associate (a => state%local_grid%local_domain_start_index, b => state%local_grid%local_domain_end_index)
        values = [values, reshape(field%data(a(1):b(1), a(2):b(2), a(3):b(3)), [product(b(:3) - a(:3) + 1)])]
      end associate
      if (present(shift)) values = values + shift
    end subroutine add
  end subroutine get
end module iobridge_mod
