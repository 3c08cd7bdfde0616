! Generated from tailrace_coordinates.fypp by tools/generate_fortran: edit tailrace_coordinates.fypp, not this file.
!> The positions of the cells of grids: coordinates and grid mappings. A part of `tailrace`.
module tailrace_coordinates
  use, intrinsic :: iso_c_binding, only: c_int, c_size_t
  use, intrinsic :: iso_fortran_env, only: real32, real64
  use tailrace_base
  use tailrace_c
  implicit none
  private

  public :: coordinate_session

  type, extends(session_base) :: coordinate_session
  contains
    !> The values of a coordinate in units (UDUNITS), of rank 1 or 2: all of them, or this rank's part along decomposed
    !! dimensions, which their number distinguishes. A single value is a scalar coordinate, for all cells; its grid may be
    !! the name of a field, to which the coordinate then belongs alone. dims: by default the dimension of the same name.
    !! bounds: the bounds of the cells, with the vertices as their first dimension, 2 for a coordinate along its own
    !! dimension; they cover what the values cover. Or computed_bounds=.true.: halfway between the values, which must be
    !! evenly spaced. measure: "area" or "volume", for values that are the sizes of the cells (CF's cell_measures).
    !! attributes: an array of "name = text" and, for numbers, "name := 1, 2.5"; those that readers compare with the values
    !! (valid_range, valid_min, valid_max, flag_values, flag_masks, actual_range, missing_value) take their type.
    generic :: coordinate => coordinate_r4, coordinate_r8, coordinate_r4_2, coordinate_r8_2, coordinate_r4_0, coordinate_r8_0
    !> States how the coordinates of a grid lie on the Earth (CF 5.6 and appendix F). name: the name of its variable, by
    !! default "crs". attributes: as of coordinate, such as "earth_radius := 6371229.0".
    procedure :: grid_mapping

    procedure, private :: coordinate_r4, coordinate_r8, coordinate_r4_2, coordinate_r8_2, coordinate_r4_0, coordinate_r8_0
  end type coordinate_session

contains

  subroutine coordinate_r8(self, grid, name, values, units, dims, standard_name, long_name, attributes, ierr, errmsg, &
                     bounds, computed_bounds, measure)
    class(coordinate_session), intent(inout) :: self
    character(*), intent(in) :: grid, name
    real(real64), intent(in) :: values(:)
    character(*), intent(in), optional :: units, dims(:), standard_name, long_name, attributes(:), measure
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    real(real64), intent(in), optional :: bounds(:, :)
    logical, intent(in), optional :: computed_bounds
    real(real64), allocatable :: bounds_(:)
    integer(c_size_t) :: vertices

    vertices = 0
    if (present(bounds)) vertices = size(bounds, 1, kind=c_size_t)
    if (present(bounds)) allocate (bounds_, source=reshape(bounds, [size(bounds)]))
    call coordinate_any(self, grid, name, values, units, dims, &
                        standard_name, long_name, attributes, .false., vertices, bounds_, &
                        computed_bounds, measure, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine coordinate_r8

  subroutine coordinate_r4(self, grid, name, values, units, dims, standard_name, long_name, attributes, ierr, errmsg, &
                     bounds, computed_bounds, measure)
    class(coordinate_session), intent(inout) :: self
    character(*), intent(in) :: grid, name
    real(real32), intent(in) :: values(:)
    character(*), intent(in), optional :: units, dims(:), standard_name, long_name, attributes(:), measure
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    real(real32), intent(in), optional :: bounds(:, :)
    logical, intent(in), optional :: computed_bounds
    real(real64), allocatable :: bounds_(:)
    integer(c_size_t) :: vertices

    vertices = 0
    if (present(bounds)) vertices = size(bounds, 1, kind=c_size_t)
    if (present(bounds)) allocate (bounds_, source=reshape(real(bounds, real64), [size(bounds)]))
    call coordinate_any(self, grid, name, real(values, real64), units, dims, &
                        standard_name, long_name, attributes, .false., vertices, bounds_, &
                        computed_bounds, measure, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine coordinate_r4

  subroutine coordinate_r8_2(self, grid, name, values, units, dims, standard_name, long_name, attributes, ierr, errmsg, &
                     bounds, computed_bounds, measure)
    class(coordinate_session), intent(inout) :: self
    character(*), intent(in) :: grid, name
    real(real64), intent(in) :: values(:, :)
    character(*), intent(in), optional :: units, dims(:), standard_name, long_name, attributes(:), measure
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    real(real64), intent(in), optional :: bounds(:, :, :)
    logical, intent(in), optional :: computed_bounds
    real(real64), allocatable :: bounds_(:)
    integer(c_size_t) :: vertices

    vertices = 0
    if (present(bounds)) vertices = size(bounds, 1, kind=c_size_t)
    if (present(bounds)) allocate (bounds_, source=reshape(bounds, [size(bounds)]))
    call coordinate_any(self, grid, name, reshape(values, [size(values)]), units, dims, &
                        standard_name, long_name, attributes, .false., vertices, bounds_, &
                        computed_bounds, measure, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine coordinate_r8_2

  subroutine coordinate_r4_2(self, grid, name, values, units, dims, standard_name, long_name, attributes, ierr, errmsg, &
                     bounds, computed_bounds, measure)
    class(coordinate_session), intent(inout) :: self
    character(*), intent(in) :: grid, name
    real(real32), intent(in) :: values(:, :)
    character(*), intent(in), optional :: units, dims(:), standard_name, long_name, attributes(:), measure
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    real(real32), intent(in), optional :: bounds(:, :, :)
    logical, intent(in), optional :: computed_bounds
    real(real64), allocatable :: bounds_(:)
    integer(c_size_t) :: vertices

    vertices = 0
    if (present(bounds)) vertices = size(bounds, 1, kind=c_size_t)
    if (present(bounds)) allocate (bounds_, source=reshape(real(bounds, real64), [size(bounds)]))
    call coordinate_any(self, grid, name, reshape(real(values, real64), [size(values)]), units, dims, &
                        standard_name, long_name, attributes, .false., vertices, bounds_, &
                        computed_bounds, measure, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine coordinate_r4_2

  subroutine coordinate_r8_0(self, grid, name, values, units, dims, standard_name, long_name, attributes, ierr, errmsg, &
                     bounds, computed_bounds, measure)
    class(coordinate_session), intent(inout) :: self
    character(*), intent(in) :: grid, name
    real(real64), intent(in) :: values
    character(*), intent(in), optional :: units, dims(:), standard_name, long_name, attributes(:), measure
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    real(real64), intent(in), optional :: bounds(:)
    logical, intent(in), optional :: computed_bounds
    real(real64), allocatable :: bounds_(:)
    integer(c_size_t) :: vertices

    vertices = 0
    if (present(bounds)) vertices = size(bounds, 1, kind=c_size_t)
    if (present(bounds)) allocate (bounds_, source=bounds)
    call coordinate_any(self, grid, name, [values], units, dims, &
                        standard_name, long_name, attributes, .true., vertices, bounds_, &
                        computed_bounds, measure, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine coordinate_r8_0

  subroutine coordinate_r4_0(self, grid, name, values, units, dims, standard_name, long_name, attributes, ierr, errmsg, &
                     bounds, computed_bounds, measure)
    class(coordinate_session), intent(inout) :: self
    character(*), intent(in) :: grid, name
    real(real32), intent(in) :: values
    character(*), intent(in), optional :: units, dims(:), standard_name, long_name, attributes(:), measure
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    real(real32), intent(in), optional :: bounds(:)
    logical, intent(in), optional :: computed_bounds
    real(real64), allocatable :: bounds_(:)
    integer(c_size_t) :: vertices

    vertices = 0
    if (present(bounds)) vertices = size(bounds, 1, kind=c_size_t)
    if (present(bounds)) allocate (bounds_, source=real(bounds, real64))
    call coordinate_any(self, grid, name, [real(values, real64)], units, dims, &
                        standard_name, long_name, attributes, .true., vertices, bounds_, &
                        computed_bounds, measure, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine coordinate_r4_0

  subroutine coordinate_any(self, grid, name, values, units, dims, standard_name, long_name, attributes, scalar, vertices, &
                            bounds, computed_bounds, measure, error)
    class(coordinate_session), intent(inout) :: self
    character(*), intent(in) :: grid, name
    real(real64), intent(in) :: values(:)
    character(*), intent(in), optional :: units, dims(:), standard_name, long_name, attributes(:), measure
    logical, intent(in) :: scalar
    integer(c_size_t), intent(in) :: vertices
    real(real64), intent(in), optional :: bounds(:)
    logical, intent(in), optional :: computed_bounds
    type(tailrace_error_c), intent(inout) :: error
    integer(c_int) :: code, computed
    integer(c_size_t) :: bound_count

    computed = 0
    if (present(computed_bounds)) computed = merge(1, 0, computed_bounds)
    bound_count = 0
    if (present(bounds)) bound_count = size(bounds, kind=c_size_t)
    code = tailrace_coordinate_c(self%c_session, c_string(grid), c_string(name), c_lines(dims), c_string(units), &
                                 c_string(standard_name), c_string(long_name), c_lines(attributes), &
                                 size(values, kind=c_size_t), values, merge(1_c_int, 0_c_int, scalar), vertices, bound_count, &
                                 bounds, computed, c_string(measure), error)
  end subroutine coordinate_any

  subroutine grid_mapping(self, grid, grid_mapping_name, name, attributes, ierr, errmsg)
    class(coordinate_session), intent(inout) :: self
    character(*), intent(in) :: grid, grid_mapping_name
    character(*), intent(in), optional :: name, attributes(:)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_grid_mapping_c(self%c_session, c_string(grid), c_string(grid_mapping_name), c_string(name), &
                                   c_lines(attributes), error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine grid_mapping

end module tailrace_coordinates
