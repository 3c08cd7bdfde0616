! A stub of the interfaces of MONC that its I/O server and I/O bridge use: types, options, names of q fields.
module collections_mod
  implicit none

  type :: option_t
    character(150) :: key = ''
    class(*), pointer :: value => null()
  end type option_t

  type :: hashmap_type
    type(option_t), allocatable :: options(:)
  end type hashmap_type
end module collections_mod

module grids_mod
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  integer, parameter :: Z_INDEX = 1, Y_INDEX = 2, X_INDEX = 3

  type :: vertical_grid_configuration_type
    real(real64), allocatable, dimension(:) :: z, zn, thref, prefn, rhon, rho, olubar, olzubar, olvbar, olzvbar, olthbar, &
                                               olzthbar, w_up, w_dwn
    real(real64), allocatable, dimension(:, :) :: olqbar, olzqbar
  end type vertical_grid_configuration_type

  type :: grid_configuration_type
    type(vertical_grid_configuration_type) :: vertical
  end type grid_configuration_type

  type :: global_grid_type
    type(grid_configuration_type) :: configuration
    real(real64), dimension(3) :: bottom = 0, top = 0, resolution = 0
    integer, dimension(3) :: size = 0
  end type global_grid_type

  type :: local_grid_type
    integer, dimension(3) :: size = 0, start = 0, end = 0, local_domain_start_index = 0, local_domain_end_index = 0
  end type local_grid_type
end module grids_mod

module prognostics_mod
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none

  type :: prognostic_field_type
    logical :: active = .false.
    real(real64), allocatable :: data(:, :, :)
  end type prognostic_field_type
end module prognostics_mod

module state_mod
  use, intrinsic :: iso_fortran_env, only: real64
  use collections_mod, only: hashmap_type
  use grids_mod, only: global_grid_type, local_grid_type
  use prognostics_mod, only: prognostic_field_type
  implicit none

  type :: model_state_type
    type(hashmap_type) :: options_database
    type(global_grid_type) :: global_grid
    type(local_grid_type) :: local_grid
    type(prognostic_field_type) :: u, v, w, th, p, zu, zv, zw, zth, sth_lw, sth_sw
    type(prognostic_field_type), allocatable :: q(:), zq(:)
    integer :: timestep = 1, number_q_fields = 0
    real(real64) :: time = 0, dtm = 0, dtm_new = 0, absolute_new_dtm = 0, ugal = 0, vgal = 0, rad_last_time = 0
  end type model_state_type
end module state_mod

module monc_component_mod
  use, intrinsic :: iso_fortran_env, only: real64
  use state_mod, only: model_state_type
  implicit none
  integer, parameter :: COMPONENT_SCALAR_FIELD_TYPE = 1, COMPONENT_ARRAY_FIELD_TYPE = 2
  integer, parameter :: COMPONENT_INTEGER_DATA_TYPE = 1, COMPONENT_DOUBLE_DATA_TYPE = 2

  type :: component_field_information_type
    integer :: field_type = 0, data_type = 0, number_dimensions = 0, dimension_sizes(4) = 0
    logical :: enabled = .false.
  end type component_field_information_type

  type :: component_field_value_type
    real(real64) :: scalar_real = 0
    integer :: scalar_int = 0
    real(real64), allocatable :: real_1d_array(:), real_2d_array(:, :), real_3d_array(:, :, :), real_4d_array(:, :, :, :)
  end type component_field_value_type

  abstract interface
    subroutine component_callback(current_state)
      import :: model_state_type
      type(model_state_type), target, intent(inout) :: current_state
    end subroutine component_callback
  end interface

  type :: component_descriptor_type
    character(150) :: name = ''
    real :: version = 0
    procedure(component_callback), nopass, pointer :: initialisation => null(), timestep => null(), finalisation => null()
  end type component_descriptor_type
end module monc_component_mod

module optionsdatabase_mod
  use, intrinsic :: iso_fortran_env, only: real64
  use collections_mod, only: hashmap_type, option_t
  implicit none

contains

  ! An integer, a real number, .true. or .false., or text, as in a MONC configuration.
  subroutine options_add(database, key, text)
    type(hashmap_type), intent(inout) :: database
    character(*), intent(in) :: key, text
    type(option_t) :: added
    integer :: whole, status
    real(real64) :: number
    logical :: is_number

    added%key = key
    is_number = verify(trim(text), '+-.0123456789eE') == 0
    read (text, *, iostat=status) number
    is_number = is_number .and. status == 0
    if (is_number .and. scan(text, '.eE') == 0) then
      read (text, *) whole
      allocate (added%value, source=whole)
    else if (is_number) then
      allocate (added%value, source=number)
    else if (text == '.true.' .or. text == '.false.') then
      allocate (added%value, source=text == '.true.')
    else
      allocate (added%value, source=text)
    end if
    if (.not. allocated(database%options)) allocate (database%options(0))
    database%options = [database%options, added]
  end subroutine options_add

  integer function options_size(database)
    type(hashmap_type), intent(inout) :: database
    options_size = size(database%options)
  end function options_size

  function options_key_at(database, i) result(key)
    type(hashmap_type), intent(inout) :: database
    integer, intent(in) :: i
    character(150) :: key
    key = database%options(i)%key
  end function options_key_at

  function options_value_at(database, i) result(value)
    type(hashmap_type), intent(inout) :: database
    integer, intent(in) :: i
    class(*), pointer :: value
    value => database%options(i)%value
  end function options_value_at

  integer function place_of(database, key)
    type(hashmap_type), intent(inout) :: database
    character(*), intent(in) :: key
    do place_of = size(database%options), 1, -1
      if (database%options(place_of)%key == key) return
    end do
  end function place_of

  logical function options_has_key(database, key)
    type(hashmap_type), intent(inout) :: database
    character(*), intent(in) :: key
    options_has_key = place_of(database, key) > 0
  end function options_has_key

  logical function options_get_logical(database, key)
    type(hashmap_type), intent(inout) :: database
    character(*), intent(in) :: key
    options_get_logical = .false.
    select type (value => database%options(place_of(database, key))%value)
    type is (logical); options_get_logical = value
    end select
  end function options_get_logical

  function options_get_string(database, key) result(text)
    type(hashmap_type), intent(inout) :: database
    character(*), intent(in) :: key
    character(150) :: text
    text = ''
    select type (value => database%options(place_of(database, key))%value)
    type is (character(*)); text = value
    end select
  end function options_get_string
end module optionsdatabase_mod

module q_indices_mod
  implicit none

  type :: q_metadata_type
    logical :: l_used = .false.
    character(150) :: name = ''
  end type q_metadata_type

  type(q_metadata_type) :: known(5)   ! the fourth is not used

contains

  integer function get_max_number_q_indices()
    get_max_number_q_indices = size(known)
  end function get_max_number_q_indices

  type(q_metadata_type) function get_indices_descriptor(i)
    integer, intent(in) :: i
    get_indices_descriptor = known(i)
  end function get_indices_descriptor
end module q_indices_mod

! The published fields, which the stub's model supplies.
module registry_mod
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

  character(150), allocatable :: published(:)
  procedure(supplier), pointer :: supply => null()

contains

  function get_all_component_published_fields() result(names)
    character(150), allocatable :: names(:)
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
