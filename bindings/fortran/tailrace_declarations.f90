! Generated from tailrace_declarations.fypp by tools/generate_fortran: edit tailrace_declarations.fypp, not this file.
!> The declarations of a model before `ready`: options, grids, meshes, fields, inputs. A part of `tailrace`.
module tailrace_declarations
  use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_int, c_int64_t, c_loc, c_null_char, c_null_ptr, c_ptr, &
                                         c_size_t
  use, intrinsic :: iso_fortran_env, only: int32, int64, real32, real64
  use tailrace_base
  use tailrace_c
  use tailrace_coordinates, only: coordinate_session
  implicit none
  private

  public :: declaring_session

  type, extends(coordinate_session) :: declaring_session
  contains
    !> The names that the configuration lists under `fields`, with their namespaces, for a model that can supply more
    !! fields than it would declare. Before ready. Options that occur in the names must be set before.
    procedure :: wanted_names
    !> Sets the value of {name} in the configuration. As all declarations, before ready; names, shapes and types must agree
    !! on all ranks of the component.
    generic :: option => option_character, option_int32, option_int64, option_real32, option_real64
    !> Declares a grid with the global extents shape, and the part of it that this rank holds. A block: offset, the global
    !! indices of its first cell (from 1), and count, its extents. An indexed grid: indices, the global indices (from 1) of
    !! this rank's cells along indexed_dim. partial=.true.: every rank holds a contribution to the sum, of the full shape.
    !! None of them: every rank holds the whole grid (replicated), and the files take the values of the first rank.
    generic :: grid => grid_int32, grid_int64
    !> Declares a grid of the cells of HEALPix (Gorski et al. 2005), with their numbers as its coordinate and with the grid
    !! mapping of CF 1.13: in one call what grid, coordinate and grid_mapping do. level: there are 12 * 4**level cells.
    !! order: how they are numbered, "nested" (the default) or "ring". dims and shape: further dimensions behind that of
    !! the cells, such as levels, which every rank holds whole. This rank's cells: count of them from number first on, or
    !! a list of their numbers, cells, in any order. The numbers are those of HEALPix, which begin at 0 in all languages.
    !! cell_dim: the name of the dimension of the cells, by default "cell".
    generic :: healpix_grid => healpix_grid_int32, healpix_grid_int64
    !> Declares a further block of this rank on a grid with offset and count (as those of grid), before the grid's
    !! coordinates and fields. The ranks may have different numbers of blocks. Where this rank has several, its part of a
    !! field or coordinate has the values of all its blocks, one block after the other in the order of their declaration,
    !! as an array of rank 1; put_block takes them one by one.
    generic :: add_block => add_block_int32, add_block_int64
    !> Makes the cells of a grid the faces of a mesh (UGRID 1.0). face_nodes(nodes_per_face, local faces) holds global node
    !! numbers from 1, padded with 0. node_x and node_y: degrees east and north, or, for a plane, in node_units, a unit of
    !! length such as "m". Each rank supplies all nodes; or those of its own cells, their numbers node_indices, from 1, and
    !! the number of nodes in the whole mesh, global_nodes. Clockwise faces are reversed.
    generic :: mesh => mesh_int32, mesh_int64
    !> Makes the cells of a grid the edges or nodes (location "edge", "node") of a mesh that was declared with another
    !! grid. edge_nodes(2, local edges) holds global node numbers from 1.
    procedure :: mesh_location
    !> Declares a field. Without grid it is a scalar. type: tailrace_float64 (the default) or another of these constants.
    !! units: UDUNITS, such as "m s-1". attributes: as of coordinate. A name without a namespace declares every
    !! NAMESPACE.name that the configuration lists and the model does not declare itself: wants is true if any of them is
    !! wanted, and a put serves each that is. handle: for wants, put, acquire and publish without looking up the name.
    !! fill_value: the number that marks a missing value in the arrays, and in the files as _FillValue (NaN: any NaN);
    !! reductions over time then use, cell by cell, only the values that are present.
    procedure :: field
    !> Gives an attribute to a field that was declared before, or, without field, to all files of the component; a later
    !! value replaces an earlier one. value: a number, which keeps its type, or a text, which is taken with its trailing
    !! blanks; a file with `layout: wrf` has it exactly so, also if its length is 0. `coordinates` of a field names fields
    !! that are its coordinates.
    generic :: set_attribute => set_attribute_character, set_attribute_int32, set_attribute_int64, set_attribute_real32, &
                                set_attribute_real64
    !> Declares a field that the model gets from files, by `input` in the configuration, which has an entry of this name.
    !! Without grid it is a scalar. type: tailrace_float64 (the default) or another of these constants. units: UDUNITS,
    !! such as "degC"; get gives the values in these units. Unless optional=.true., ready fails if the configuration does
    !! not provide it. handle: for get and available without looking up the name. fill_value: the number that get writes
    !! where the files have no value, if the configuration has `missing: keep`; without it NaN, for reals.
    procedure :: input

    procedure, private :: option_character, option_int32, option_int64, option_real32, option_real64
    procedure, private :: set_attribute_character, set_attribute_int32, set_attribute_int64
    procedure, private :: set_attribute_real32, set_attribute_real64
    procedure, private :: grid_int32, grid_int64, add_block_int32, add_block_int64
    procedure, private :: healpix_grid_int32, healpix_grid_int64
    procedure, private :: mesh_int32, mesh_int64
  end type declaring_session

contains

  subroutine wanted_names(self, names, ierr, errmsg)
    class(declaring_session), intent(inout) :: self
    character(:), allocatable, intent(out) :: names(:)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    type(c_ptr) :: first
    type(c_ptr), pointer :: pointers(:)
    integer(c_int) :: count
    integer :: i, longest

    count = tailrace_wanted_names_c(self%c_session, first, error)
    longest = 0
    if (count > 0) call c_f_pointer(first, pointers, [count])
    do i = 1, count
      longest = max(longest, len(text(pointers(i))))
    end do
    allocate (character(longest) :: names(max(0, count)))
    do i = 1, count
      names(i) = text(pointers(i))
    end do
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine wanted_names

  subroutine option_character(self, name, value, ierr, errmsg)
    class(declaring_session), intent(inout) :: self
    character(*), intent(in) :: name, value
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_option_string_c(self%c_session, c_string(name), c_string(value), error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine option_character

  subroutine option_int32(self, name, value, ierr, errmsg)
    class(declaring_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer(int32), intent(in) :: value
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_option_int_c(self%c_session, c_string(name), int(value, int64), error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine option_int32

  subroutine option_int64(self, name, value, ierr, errmsg)
    class(declaring_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer(int64), intent(in) :: value
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_option_int_c(self%c_session, c_string(name), value, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine option_int64

  subroutine option_real32(self, name, value, ierr, errmsg)
    class(declaring_session), intent(inout) :: self
    character(*), intent(in) :: name
    real(real32), intent(in) :: value
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_option_real_c(self%c_session, c_string(name), real(value, real64), error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine option_real32

  subroutine option_real64(self, name, value, ierr, errmsg)
    class(declaring_session), intent(inout) :: self
    character(*), intent(in) :: name
    real(real64), intent(in) :: value
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_option_real_c(self%c_session, c_string(name), value, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine option_real64

  subroutine grid_int32(self, name, dims, shape, offset, count, indexed_dim, indices, partial, ierr, errmsg)
    class(declaring_session), intent(inout) :: self
    character(*), intent(in) :: name
    character(*), intent(in) :: dims(:)
    integer(int32), intent(in) :: shape(:)
    integer(int32), intent(in), optional :: offset(:), count(:), indices(:)
    character(*), intent(in), optional :: indexed_dim
    logical, intent(in), optional :: partial
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(int64), allocatable :: offset_(:), count_(:), indices_(:)

    ! An unallocated argument counts as absent.
    if (present(offset)) allocate (offset_, source=int(offset, int64))
    if (present(count)) allocate (count_, source=int(count, int64))
    if (present(indices)) allocate (indices_, source=int(indices, int64))
    call grid_any(self, name, dims, int(shape, int64), offset_, count_, indexed_dim, indices_, partial, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine grid_int32

  subroutine grid_int64(self, name, dims, shape, offset, count, indexed_dim, indices, partial, ierr, errmsg)
    class(declaring_session), intent(inout) :: self
    character(*), intent(in) :: name
    character(*), intent(in) :: dims(:)
    integer(int64), intent(in) :: shape(:)
    integer(int64), intent(in), optional :: offset(:), count(:), indices(:)
    character(*), intent(in), optional :: indexed_dim
    logical, intent(in), optional :: partial
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error

    call grid_any(self, name, dims, shape, offset, count, indexed_dim, indices, partial, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine grid_int64

  subroutine add_block_int32(self, grid, offset, count, ierr, errmsg)
    class(declaring_session), intent(inout) :: self
    character(*), intent(in) :: grid
    integer(int32), intent(in) :: offset(:), count(:)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_add_block_c(self%c_session, c_string(grid), size(offset), int(offset, int64), size(count), &
                                int(count, int64), error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine add_block_int32

  subroutine add_block_int64(self, grid, offset, count, ierr, errmsg)
    class(declaring_session), intent(inout) :: self
    character(*), intent(in) :: grid
    integer(int64), intent(in) :: offset(:), count(:)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_add_block_c(self%c_session, c_string(grid), size(offset), offset, size(count), &
                                count, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine add_block_int64

  subroutine healpix_grid_int32(self, name, level, order, dims, shape, cells, first, count, cell_dim, ierr, errmsg)
    class(declaring_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: level
    character(*), intent(in), optional :: order, dims(:), cell_dim
    integer(int32), intent(in), optional :: shape(:), cells(:), first, count
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(int64), allocatable :: shape_(:), cells_(:), first_, count_

    if (present(shape)) allocate (shape_, source=int(shape, int64))
    if (present(cells)) allocate (cells_, source=int(cells, int64))
    if (present(first)) allocate (first_, source=int(first, int64))
    if (present(count)) allocate (count_, source=int(count, int64))
    call healpix_grid_any(self, name, level, order, dims, shape_, cells_, first_, count_, cell_dim, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine healpix_grid_int32

  subroutine healpix_grid_int64(self, name, level, order, dims, shape, cells, first, count, cell_dim, ierr, errmsg)
    class(declaring_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: level
    character(*), intent(in), optional :: order, dims(:), cell_dim
    integer, intent(in), optional :: shape(:)
    integer(int64), intent(in) :: cells(:)  ! not optional: it tells the two procedures apart
    integer(int64), intent(in), optional :: first, count
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(int64), allocatable :: shape_(:)

    if (present(shape)) allocate (shape_, source=int(shape, int64))
    call healpix_grid_any(self, name, level, order, dims, shape_, cells, first, count, cell_dim, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine healpix_grid_int64

  subroutine healpix_grid_any(self, name, level, order, dims, shape, cells, first, count, cell_dim, error)
    class(declaring_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer, intent(in) :: level
    character(*), intent(in), optional :: order, dims(:), cell_dim
    integer(int64), intent(in), optional :: shape(:), cells(:), first, count
    type(tailrace_error_c), intent(inout) :: error
    integer(c_int64_t) :: first_, count_
    integer(c_size_t) :: cell_count
    integer(c_int) :: code

    first_ = 0
    if (present(first)) first_ = first
    count_ = 0
    if (present(count)) count_ = count
    cell_count = 0
    if (present(cells)) cell_count = size(cells, kind=c_size_t)
    code = tailrace_healpix_grid_c(self%c_session, c_string(name), int(level, c_int), c_string(order), c_lines(dims), &
                                   size_of(shape), shape, first_, count_, cell_count, cells, c_string(cell_dim), error)
  end subroutine healpix_grid_any

  subroutine grid_any(self, name, dims, shape, offset, count, indexed_dim, indices, partial, error)
    class(declaring_session), intent(inout) :: self
    character(*), intent(in) :: name
    character(*), intent(in) :: dims(:)
    integer(int64), intent(in) :: shape(:)
    integer(int64), intent(in), optional :: offset(:), count(:), indices(:)
    character(*), intent(in), optional :: indexed_dim
    logical, intent(in), optional :: partial
    integer(c_size_t) :: index_count
    integer(c_int) :: partial_
    type(tailrace_error_c), intent(inout) :: error
    integer(c_int) :: code

    index_count = 0
    if (present(indices)) index_count = size(indices, kind=c_size_t)
    partial_ = 0
    if (present(partial)) partial_ = merge(1, 0, partial)
    code = tailrace_grid_c(self%c_session, c_string(name), c_lines(dims), size(shape, kind=c_int), shape, &
                           size_of(offset), offset, size_of(count), count, c_string(indexed_dim), &
                           index_count, indices, partial_, error)
  end subroutine grid_any

  subroutine mesh_int32(self, grid, node_x, node_y, face_nodes, name, global_nodes, node_indices, ierr, errmsg, node_units)
    class(declaring_session), intent(inout) :: self
    character(*), intent(in) :: grid
    real(real64), intent(in) :: node_x(:), node_y(:)
    integer(int32), intent(in) :: face_nodes(:, :)
    character(*), intent(in), optional :: name, node_units
    integer(int32), intent(in), optional :: global_nodes, node_indices(:)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(int64), allocatable :: global_nodes_, node_indices_(:)

    if (present(global_nodes)) allocate (global_nodes_, source=int(global_nodes, int64))
    if (present(node_indices)) allocate (node_indices_, source=int(node_indices, int64))
    call mesh_any(self, grid, node_x, node_y, face_nodes, name, global_nodes_, node_indices_, node_units, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine mesh_int32

  subroutine mesh_int64(self, grid, node_x, node_y, face_nodes, name, global_nodes, node_indices, ierr, errmsg, node_units)
    class(declaring_session), intent(inout) :: self
    character(*), intent(in) :: grid
    real(real64), intent(in) :: node_x(:), node_y(:)
    integer(int32), intent(in) :: face_nodes(:, :)
    character(*), intent(in), optional :: name, node_units
    integer(int64), intent(in) :: global_nodes, node_indices(:)  ! not optional: they tell the two procedures apart
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error

    call mesh_any(self, grid, node_x, node_y, face_nodes, name, global_nodes, node_indices, node_units, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine mesh_int64

  subroutine mesh_any(self, grid, node_x, node_y, face_nodes, name, global_nodes, node_indices, node_units, error)
    class(declaring_session), intent(inout) :: self
    character(*), intent(in) :: grid
    real(real64), intent(in) :: node_x(:), node_y(:)
    integer(int32), intent(in) :: face_nodes(:, :)
    character(*), intent(in), optional :: name, node_units
    integer(int64), intent(in), optional :: global_nodes, node_indices(:)
    type(tailrace_error_c), intent(inout) :: error
    integer(int64) :: nodes
    integer(c_size_t) :: indices
    integer(c_int) :: code

    nodes = 0
    if (present(global_nodes)) nodes = global_nodes
    indices = 0
    if (present(node_indices)) indices = size(node_indices, kind=c_size_t)
    code = tailrace_mesh_c(self%c_session, c_string(grid), c_string(name), size(node_x, kind=c_size_t), node_x, &
                           size(node_y, kind=c_size_t), node_y, size(face_nodes, 1, kind=c_int64_t), &
                           size(face_nodes, 2, kind=c_size_t), face_nodes, nodes, indices, node_indices, &
                           c_string(node_units), error)
  end subroutine mesh_any

  subroutine mesh_location(self, grid, location, mesh, edge_nodes, ierr, errmsg)
    class(declaring_session), intent(inout) :: self
    character(*), intent(in) :: grid, location
    character(*), intent(in), optional :: mesh
    integer(int32), intent(in), optional :: edge_nodes(:, :)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_size_t) :: ends, edges
    integer(c_int) :: code

    ends = 0
    edges = 0
    if (present(edge_nodes)) then
      ends = size(edge_nodes, 1, kind=c_size_t)
      edges = size(edge_nodes, 2, kind=c_size_t)
    end if
    code = tailrace_mesh_location_c(self%c_session, c_string(grid), c_string(mesh), c_string(location), ends, edges, &
                                    edge_nodes, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine mesh_location

  subroutine field(self, name, grid, type, units, standard_name, long_name, attributes, handle, ierr, errmsg, &
                   fill_value)
    class(declaring_session), intent(inout) :: self
    character(*), intent(in) :: name
    character(*), intent(in), optional :: grid
    integer, intent(in), optional :: type
    character(*), intent(in), optional :: units, standard_name, long_name, attributes(:)
    integer, intent(out), optional :: handle
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    real(c_double), intent(in), optional :: fill_value
    integer(c_int) :: type_, handle_

    type_ = tailrace_float64
    if (present(type)) type_ = type
    handle_ = tailrace_field_c(self%c_session, c_string(name), c_string(grid), type_, c_string(units), &
                               c_string(standard_name), c_string(long_name), c_lines(attributes), fill_value, error)
    if (present(handle)) handle = handle_
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine field

  subroutine set_attribute_character(self, name, value, field, ierr, errmsg)
    class(declaring_session), intent(inout) :: self
    character(*), intent(in) :: name, value
    character(*), intent(in), optional :: field
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_set_attribute_c(self%c_session, c_string(field), c_string(name), value // c_null_char, c_null_ptr, &
                                    tailrace_float64, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine set_attribute_character

  subroutine set_attribute_int32(self, name, value, field, ierr, errmsg)
    class(declaring_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer(int32), intent(in), target :: value
    character(*), intent(in), optional :: field
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_set_attribute_c(self%c_session, c_string(field), c_string(name), c_null_char, c_loc(value), &
                                    tailrace_int32, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine set_attribute_int32

  subroutine set_attribute_int64(self, name, value, field, ierr, errmsg)
    class(declaring_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer(int64), intent(in), target :: value
    character(*), intent(in), optional :: field
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_set_attribute_c(self%c_session, c_string(field), c_string(name), c_null_char, c_loc(value), &
                                    tailrace_int64, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine set_attribute_int64

  subroutine set_attribute_real32(self, name, value, field, ierr, errmsg)
    class(declaring_session), intent(inout) :: self
    character(*), intent(in) :: name
    real(real32), intent(in), target :: value
    character(*), intent(in), optional :: field
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_set_attribute_c(self%c_session, c_string(field), c_string(name), c_null_char, c_loc(value), &
                                    tailrace_float32, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine set_attribute_real32

  subroutine set_attribute_real64(self, name, value, field, ierr, errmsg)
    class(declaring_session), intent(inout) :: self
    character(*), intent(in) :: name
    real(real64), intent(in), target :: value
    character(*), intent(in), optional :: field
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_set_attribute_c(self%c_session, c_string(field), c_string(name), c_null_char, c_loc(value), &
                                    tailrace_float64, error)
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine set_attribute_real64

  subroutine input(self, name, grid, type, units, optional, handle, ierr, errmsg, fill_value)
    class(declaring_session), intent(inout) :: self
    character(*), intent(in) :: name
    character(*), intent(in), optional :: grid
    integer, intent(in), optional :: type
    character(*), intent(in), optional :: units
    logical, intent(in), optional :: optional
    integer, intent(out), optional :: handle
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    real(c_double), intent(in), optional :: fill_value
    integer(c_int) :: type_, optional_, handle_

    type_ = tailrace_float64
    if (present(type)) type_ = type
    optional_ = 0
    if (present(optional)) optional_ = merge(1, 0, optional)
    handle_ = tailrace_input_c(self%c_session, c_string(name), c_string(grid), type_, c_string(units), optional_, &
                               fill_value, error)
    if (present(handle)) handle = handle_
    if (present(errmsg)) errmsg = text(error%message)
    call settle(self, error, ierr)
  end subroutine input

end module tailrace_declarations
