! A stub of the interfaces of MONC that its I/O server and I/O bridge use: types, options, names of q fields. As in MONC,
! modules export no more than MONC's do, texts have its lengths, and what it leaves undefined is undefined, so that what
! MONC's compiler refuses is refused here.
module datadefn_mod
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  integer, parameter, public :: STRING_LENGTH = 150, LONG_STRING_LENGTH = STRING_LENGTH + 50
  integer, parameter, public :: DEFAULT_PRECISION = real64
end module datadefn_mod

module collections_mod
  use datadefn_mod, only: STRING_LENGTH
  implicit none
  private
  public :: list_type, hashmap_type, c_size, c_get_string, c_add_string, c_put_generic, c_contains, c_key_at, c_generic_at

  type :: list_type
    character(STRING_LENGTH), allocatable, private :: texts(:)
  end type list_type

  type :: entry_t
    character(STRING_LENGTH) :: key = ''
    class(*), pointer :: value => null()
  end type entry_t

  type :: hashmap_type
    type(entry_t), allocatable, private :: entries(:)
  end type hashmap_type

  interface c_size
    procedure :: list_size, map_size
  end interface c_size

contains

  integer function list_size(list)
    type(list_type), intent(inout) :: list
    list_size = 0
    if (allocated(list%texts)) list_size = size(list%texts)
  end function list_size

  integer function map_size(map)
    type(hashmap_type), intent(inout) :: map
    map_size = 0
    if (allocated(map%entries)) map_size = size(map%entries)
  end function map_size

  character(STRING_LENGTH) function c_get_string(list, i)
    type(list_type), intent(inout) :: list
    integer, intent(in) :: i
    c_get_string = list%texts(i)
  end function c_get_string

  subroutine c_add_string(list, text)
    type(list_type), intent(inout) :: list
    character(*), intent(in) :: text
    if (.not. allocated(list%texts)) allocate (list%texts(0))
    list%texts = [character(STRING_LENGTH) :: list%texts, text]
  end subroutine c_add_string

  ! Later ones replace earlier ones of the same key.
  subroutine c_put_generic(map, key, value)
    type(hashmap_type), intent(inout) :: map
    character(*), intent(in) :: key
    class(*), intent(in) :: value
    type(entry_t) :: added
    integer :: place
    added%key = key
    allocate (added%value, source=value)
    place = place_of(map, key)
    if (.not. allocated(map%entries)) allocate (map%entries(0))
    if (place == 0) map%entries = [map%entries, added]
    if (place > 0) map%entries(place) = added
  end subroutine c_put_generic

  logical function c_contains(map, key)
    type(hashmap_type), intent(inout) :: map
    character(*), intent(in) :: key
    c_contains = place_of(map, key) > 0
  end function c_contains

  character(STRING_LENGTH) function c_key_at(map, i)
    type(hashmap_type), intent(inout) :: map
    integer, intent(in) :: i
    c_key_at = map%entries(i)%key
  end function c_key_at

  function c_generic_at(map, i) result(value)
    type(hashmap_type), intent(inout) :: map
    integer, intent(in) :: i
    class(*), pointer :: value
    value => map%entries(i)%value
  end function c_generic_at

  integer function place_of(map, key)
    type(hashmap_type), intent(inout) :: map
    character(*), intent(in) :: key
    do place_of = map_size(map), 1, -1
      if (map%entries(place_of)%key == key) return
    end do
  end function place_of
end module collections_mod

module grids_mod
  use datadefn_mod, only: DEFAULT_PRECISION
  implicit none
  private
  integer, parameter, public :: Z_INDEX = 1, Y_INDEX = 2, X_INDEX = 3

  type, public :: vertical_grid_configuration_type
    real(DEFAULT_PRECISION), allocatable, dimension(:) :: z, zn, thref, prefn, rhon, rho, olubar, olzubar, olvbar, olzvbar, &
                                                          olthbar, olzthbar, w_up, w_dwn
    real(DEFAULT_PRECISION), allocatable, dimension(:, :) :: olqbar, olzqbar
  end type vertical_grid_configuration_type

  type, public :: grid_configuration_type
    type(vertical_grid_configuration_type) :: vertical
  end type grid_configuration_type

  type, public :: global_grid_type
    type(grid_configuration_type) :: configuration
    real(DEFAULT_PRECISION), dimension(3) :: bottom = 0, top = 0, resolution = 0
    integer, dimension(3) :: size = 0
  end type global_grid_type

  type, public :: local_grid_type
    integer, dimension(3) :: size = 0, start = 0, end = 0, local_domain_start_index = 0, local_domain_end_index = 0
  end type local_grid_type
end module grids_mod

module prognostics_mod
  use datadefn_mod, only: DEFAULT_PRECISION
  implicit none
  private

  type, public :: prognostic_field_type
    logical :: active = .false.
    real(DEFAULT_PRECISION), allocatable :: data(:, :, :)
  end type prognostic_field_type
end module prognostics_mod

module state_mod
  use collections_mod, only: hashmap_type
  use datadefn_mod, only: DEFAULT_PRECISION
  use grids_mod, only: global_grid_type, local_grid_type
  use prognostics_mod, only: prognostic_field_type
  implicit none
  private

  type, public :: model_state_type
    logical :: continue_timestep = .true.
    type(hashmap_type) :: options_database
    type(global_grid_type) :: global_grid
    type(local_grid_type) :: local_grid
    type(prognostic_field_type) :: u, v, w, th, p, zu, zv, zw, zth, sth_lw, sth_sw
    type(prognostic_field_type), allocatable :: q(:), zq(:)
    integer :: timestep = 1, number_q_fields = 0
    real(DEFAULT_PRECISION) :: time = 0, ugal = 0, vgal = 0, rad_last_time = 0
    real(DEFAULT_PRECISION) :: dtm, dtm_new, absolute_new_dtm
  end type model_state_type
end module state_mod

module monc_component_mod
  use datadefn_mod, only: DEFAULT_PRECISION, STRING_LENGTH
  use state_mod, only: model_state_type
  implicit none
  private
  integer, parameter, public :: COMPONENT_SCALAR_FIELD_TYPE = 1, COMPONENT_ARRAY_FIELD_TYPE = 2
  integer, parameter, public :: COMPONENT_INTEGER_DATA_TYPE = 1, COMPONENT_DOUBLE_DATA_TYPE = 5

  type, public :: component_field_information_type
    integer :: field_type, data_type, number_dimensions, dimension_sizes(4)
    logical :: enabled
  end type component_field_information_type

  type, public :: component_field_value_type
    real(DEFAULT_PRECISION), allocatable :: real_4d_array(:, :, :, :), real_3d_array(:, :, :), real_2d_array(:, :), &
                                            real_1d_array(:)
    real(DEFAULT_PRECISION) :: scalar_real
    integer :: scalar_int
  end type component_field_value_type

  abstract interface
    subroutine component_callback(current_state)
      import :: model_state_type
      type(model_state_type), target, intent(inout) :: current_state
    end subroutine component_callback
  end interface

  type, public :: component_descriptor_type
    procedure(component_callback), nopass, pointer :: initialisation => null(), timestep => null(), finalisation => null()
    character(STRING_LENGTH) :: name
    real(DEFAULT_PRECISION) :: version
  end type component_descriptor_type
end module monc_component_mod

module optionsdatabase_mod
  use, intrinsic :: iso_fortran_env, only: error_unit, real32, real64
  use collections_mod, only: c_contains, c_generic_at, c_key_at, c_put_generic, c_size, hashmap_type
  use datadefn_mod, only: STRING_LENGTH
  implicit none
  private
  public :: options_add, options_size, options_key_at, options_value_at, options_has_key, options_get_logical, &
            options_get_string

contains

  ! An integer, a real number, .true. or .false., or text, as in a MONC configuration. MONC reads reals in single precision
  ! and keeps them in double precision.
  subroutine options_add(database, key, text)
    type(hashmap_type), intent(inout) :: database
    character(*), intent(in) :: key, text
    integer :: whole, status
    real(real32) :: number
    logical :: is_number

    is_number = verify(trim(text), '+-.0123456789eE') == 0
    read (text, *, iostat=status) number
    is_number = is_number .and. status == 0
    if (is_number .and. scan(text, '.eE') == 0) then
      read (text, *) whole
      call c_put_generic(database, key, whole)
    else if (is_number) then
      call c_put_generic(database, key, real(number, real64))
    else if (text == '.true.' .or. text == '.false.') then
      call c_put_generic(database, key, text == '.true.')
    else
      call c_put_generic(database, key, text)
    end if
  end subroutine options_add

  integer function options_size(database)
    type(hashmap_type), intent(inout) :: database
    options_size = c_size(database)
  end function options_size

  character(STRING_LENGTH) function options_key_at(database, i)
    type(hashmap_type), intent(inout) :: database
    integer, intent(in) :: i
    options_key_at = c_key_at(database, i)
  end function options_key_at

  function options_value_at(database, i) result(value)
    type(hashmap_type), intent(inout) :: database
    integer, intent(in) :: i
    class(*), pointer :: value
    value => c_generic_at(database, i)
  end function options_value_at

  logical function options_has_key(database, key)
    type(hashmap_type), intent(inout) :: database
    character(*), intent(in) :: key
    options_has_key = c_contains(database, key)
  end function options_has_key

  logical function options_get_logical(database, key)
    type(hashmap_type), intent(inout) :: database
    character(*), intent(in) :: key
    options_get_logical = .false.
    select type (value => value_of(database, key))
    type is (logical); options_get_logical = value
    end select
  end function options_get_logical

  character(STRING_LENGTH) function options_get_string(database, key)
    type(hashmap_type), intent(inout) :: database
    character(*), intent(in) :: key
    options_get_string = ''
    select type (value => value_of(database, key))
    type is (character(*)); options_get_string = value
    end select
  end function options_get_string

  ! An option that is not there ends the run, as in MONC.
  function value_of(database, key) result(value)
    type(hashmap_type), intent(inout) :: database
    character(*), intent(in) :: key
    class(*), pointer :: value
    integer :: i
    do i = 1, c_size(database)
      value => c_generic_at(database, i)
      if (c_key_at(database, i) == key) return
    end do
    write (error_unit, '(3a)') 'monc_stub: no option ', key, ' in the options database'
    error stop
  end function value_of
end module optionsdatabase_mod

module q_indices_mod
  implicit none
  private
  public :: q_metadata_type, get_max_number_q_indices, get_indices_descriptor, set_q_index
  integer, parameter :: most = 100, name_length = 100

  type :: q_metadata_type
    character(name_length) :: name
    logical :: l_used = .false.
  end type q_metadata_type

  type(q_metadata_type) :: register(most)

contains

  subroutine set_q_index(index, name)
    integer, intent(in) :: index
    character(*), intent(in) :: name
    register(index)%name = name
    register(index)%l_used = .true.
  end subroutine set_q_index

  integer function get_max_number_q_indices()
    get_max_number_q_indices = most
  end function get_max_number_q_indices

  type(q_metadata_type) function get_indices_descriptor(i)
    integer :: i
    get_indices_descriptor = register(i)
  end function get_indices_descriptor
end module q_indices_mod

! The stub's own: the published fields, which its model supplies.
module published_fields
  use collections_mod, only: list_type
  use monc_component_mod, only: component_field_information_type, component_field_value_type
  use state_mod, only: model_state_type
  implicit none

  abstract interface
    subroutine supplier(state, name, information, value)
      import :: component_field_information_type, component_field_value_type, model_state_type
      type(model_state_type), target, intent(inout) :: state
      character(*), intent(in) :: name
      type(component_field_information_type), intent(out) :: information
      type(component_field_value_type), intent(out) :: value
    end subroutine supplier
  end interface

  type(list_type) :: published
  procedure(supplier), pointer :: supply => null()
end module published_fields

module registry_mod
  use collections_mod, only: list_type
  use monc_component_mod, only: component_field_information_type, component_field_value_type
  use published_fields, only: published, supply
  use state_mod, only: model_state_type
  implicit none
  private
  public :: get_all_component_published_fields, get_component_field_information, get_component_field_value

contains

  function get_all_component_published_fields() result(names)
    type(list_type) :: names
    names = published
  end function get_all_component_published_fields

  function get_component_field_information(state, name) result(information)
    type(model_state_type), target, intent(inout) :: state
    character(*), intent(in) :: name
    type(component_field_information_type) :: information
    type(component_field_value_type) :: value
    call supply(state, name, information, value)
  end function get_component_field_information

  function get_component_field_value(state, name) result(value)
    type(model_state_type), target, intent(inout) :: state
    character(*), intent(in) :: name
    type(component_field_value_type) :: value
    type(component_field_information_type) :: information
    call supply(state, name, information, value)
  end function get_component_field_value
end module registry_mod

! MONC's driver passes the I/O server and the component on, through the interfaces that it expects of them.
module monc_mod
  use collections_mod, only: hashmap_type
  use datadefn_mod, only: LONG_STRING_LENGTH
  use monc_component_mod, only: component_descriptor_type
  use optionsdatabase_mod, only: options_get_string
  implicit none
  private
  public :: serve, descriptor_of

  abstract interface
    subroutine io_server_run_procedure(options_database, io_communicator_arg, provided_threading, total_global_processes, &
                                       continuation_run, io_configuration_file)
      import :: hashmap_type, LONG_STRING_LENGTH
      type(hashmap_type), intent(inout) :: options_database
      integer, intent(in) :: io_communicator_arg, provided_threading, total_global_processes
      logical, intent(in) :: continuation_run
      character(len=LONG_STRING_LENGTH), intent(in) :: io_configuration_file
    end subroutine io_server_run_procedure

    function description_procedure()
      import :: component_descriptor_type
      type(component_descriptor_type) :: description_procedure
    end function description_procedure
  end interface

contains

  subroutine serve(io_server_run, options_database, io_communicator, provided_threading, processes, is_continuation)
    procedure(io_server_run_procedure) :: io_server_run
    type(hashmap_type), intent(inout) :: options_database
    integer, intent(in) :: io_communicator, provided_threading, processes
    logical, intent(in) :: is_continuation
    character(LONG_STRING_LENGTH) :: file
    file = options_get_string(options_database, 'ioserver_configuration_file')
    call io_server_run(options_database, io_communicator, provided_threading, processes, is_continuation, file)
  end subroutine serve

  type(component_descriptor_type) function descriptor_of(get_descriptor)
    procedure(description_procedure) :: get_descriptor
    descriptor_of = get_descriptor()
  end function descriptor_of
end module monc_mod
