! The grid of the sphere for Fortran. Arrays, units and conventions are those of grid.hpp, with the entry last; numbers of
! cells, edges and vertices count from 1, and 0 is none (the sixth neighbour of a pentagon). A vertex h owns the cells
! 2h-1, 2h and the edges 3h-2, 3h-1, 3h; the two poles are the last vertices and own nothing.
module icosahedral_grid
  use, intrinsic :: iso_c_binding, only: c_ptr, c_null_char, c_char, c_int8_t, c_int32_t, c_int64_t, &
                                         c_double, c_associated, c_f_pointer
  implicit none
  private
  public :: grid_options, sphere_grid, make_sphere_grid
  integer, parameter, public :: relaxation_none = 0, relaxation_spring = 1, relaxation_centroidal = 2
  integer, parameter, public :: centre_circumcentre = 0, centre_centroid = 1

  type, bind(C) :: grid_options
    integer(c_int32_t) :: root = 2, bisections = 4
    integer(c_int32_t) :: relaxation = relaxation_none
    integer(c_int32_t) :: iterations = 100
    integer(c_int32_t) :: centre = centre_circumcentre
    integer(c_int32_t) :: threads = 1
    real(c_double) :: spring_length = 0.4_c_double
    real(c_double) :: radius = 6.37122e6_c_double
  end type grid_options

  type :: sphere_grid
    integer :: cells = 0, edges = 0, vertices = 0
    ! Cells
    integer(c_int32_t), allocatable :: vertex_of_cell(:, :), edge_of_cell(:, :), neighbor_cell_index(:, :)  ! (3, cells)
    integer(c_int32_t), allocatable :: orientation_of_normal(:, :)                                          ! (3, cells)
    real(c_double), allocatable :: cell_centre(:, :), cell_area(:), kite_area(:, :)
    ! Edges
    integer(c_int32_t), allocatable :: edge_vertices(:, :), adjacent_cell_of_edge(:, :)  ! (2, edges)
    real(c_double), allocatable :: edge_point(:, :), primal_normal(:, :), dual_normal(:, :)
    real(c_double), allocatable :: edge_length(:), dual_edge_length(:)
    ! Vertices
    integer(c_int32_t), allocatable :: degree(:)
    integer(c_int32_t), allocatable :: vertices_of_vertex(:, :), edges_of_vertex(:, :), cells_of_vertex(:, :)  ! (6, ...)
    integer(c_int32_t), allocatable :: edge_orientation(:, :)                                                  ! (6, ...)
    real(c_double), allocatable :: vertex(:, :), dual_area(:)
  end type sphere_grid

  interface
    function grid_make(options) result(grid) bind(C, name="igcm_grid_make")
      import :: c_ptr, grid_options
      type(grid_options), intent(in) :: options
      type(c_ptr) :: grid
    end function grid_make
    function grid_error() result(text) bind(C, name="igcm_grid_error")
      import :: c_ptr
      type(c_ptr) :: text
    end function grid_error
    subroutine grid_free(grid) bind(C, name="igcm_grid_free")
      import :: c_ptr
      type(c_ptr), value :: grid
    end subroutine grid_free
    function grid_int32(grid, name, length, width) result(data) bind(C, name="igcm_grid_int32")
      import :: c_ptr, c_char, c_int64_t
      type(c_ptr), value :: grid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), intent(out) :: length, width
      type(c_ptr) :: data
    end function grid_int32
    function grid_int8(grid, name, length, width) result(data) bind(C, name="igcm_grid_int8")
      import :: c_ptr, c_char, c_int64_t
      type(c_ptr), value :: grid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), intent(out) :: length, width
      type(c_ptr) :: data
    end function grid_int8
    function grid_double(grid, name, length, width) result(data) bind(C, name="igcm_grid_double")
      import :: c_ptr, c_char, c_int64_t
      type(c_ptr), value :: grid
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), intent(out) :: length, width
      type(c_ptr) :: data
    end function grid_double
  end interface

contains

  ! Makes the grid of the whole sphere. Options out of range end the program, unless `error` is given: it is then
  ! allocated with the reason.
  subroutine make_sphere_grid(options, grid, error)
    type(grid_options), intent(in) :: options
    type(sphere_grid), intent(out) :: grid
    character(:), allocatable, intent(out), optional :: error
    type(c_ptr) :: made

    made = grid_make(options)
    if (.not. c_associated(made)) then
      if (.not. present(error)) error stop "make_sphere_grid: the options are out of range"
      error = text_of(grid_error())
      return
    end if
    call take_cells(made, grid)
    call take_edges(made, grid)
    call take_vertices(made, grid)
    grid%cells = size(grid%cell_area)
    grid%edges = size(grid%edge_length)
    grid%vertices = size(grid%dual_area)
    call grid_free(made)
  end subroutine make_sphere_grid

  subroutine take_cells(made, grid)
    type(c_ptr), intent(in) :: made
    type(sphere_grid), intent(inout) :: grid
    call take_numbers(made, "vertex_of_cell", grid%vertex_of_cell)
    call take_numbers(made, "edge_of_cell", grid%edge_of_cell)
    call take_numbers(made, "neighbor_cell_index", grid%neighbor_cell_index)
    call take_signs(made, "orientation_of_normal", grid%orientation_of_normal)
    call take_vectors(made, "cell_centre", grid%cell_centre)
    call take_reals(made, "cell_area", grid%cell_area)
    call take_vectors(made, "kite_area", grid%kite_area)
  end subroutine take_cells

  subroutine take_edges(made, grid)
    type(c_ptr), intent(in) :: made
    type(sphere_grid), intent(inout) :: grid
    call take_numbers(made, "edge_vertices", grid%edge_vertices)
    call take_numbers(made, "adjacent_cell_of_edge", grid%adjacent_cell_of_edge)
    call take_vectors(made, "edge_point", grid%edge_point)
    call take_vectors(made, "primal_normal", grid%primal_normal)
    call take_vectors(made, "dual_normal", grid%dual_normal)
    call take_reals(made, "edge_length", grid%edge_length)
    call take_reals(made, "dual_edge_length", grid%dual_edge_length)
  end subroutine take_edges

  subroutine take_vertices(made, grid)
    type(c_ptr), intent(in) :: made
    type(sphere_grid), intent(inout) :: grid
    integer(c_int32_t), allocatable :: degrees(:, :)
    call take_signs(made, "degree", degrees)
    grid%degree = degrees(1, :)
    call take_numbers(made, "vertices_of_vertex", grid%vertices_of_vertex)
    call take_numbers(made, "edges_of_vertex", grid%edges_of_vertex)
    call take_numbers(made, "cells_of_vertex", grid%cells_of_vertex)
    call take_signs(made, "edge_orientation", grid%edge_orientation)
    call take_vectors(made, "vertex", grid%vertex)
    call take_reals(made, "dual_area", grid%dual_area)
  end subroutine take_vertices

  subroutine take_numbers(made, name, array)
    type(c_ptr), intent(in) :: made
    character(*), intent(in) :: name
    integer(c_int32_t), allocatable, intent(out) :: array(:, :)
    integer(c_int32_t), pointer :: there(:, :)
    integer(c_int64_t) :: length, width
    type(c_ptr) :: data
    data = grid_int32(made, name//c_null_char, length, width)
    call c_f_pointer(data, there, [width, length])
    array = there + 1_c_int32_t
  end subroutine take_numbers

  subroutine take_signs(made, name, array)
    type(c_ptr), intent(in) :: made
    character(*), intent(in) :: name
    integer(c_int32_t), allocatable, intent(out) :: array(:, :)
    integer(c_int8_t), pointer :: there(:, :)
    integer(c_int64_t) :: length, width
    type(c_ptr) :: data
    data = grid_int8(made, name//c_null_char, length, width)
    call c_f_pointer(data, there, [width, length])
    array = there
  end subroutine take_signs

  subroutine take_vectors(made, name, array)
    type(c_ptr), intent(in) :: made
    character(*), intent(in) :: name
    real(c_double), allocatable, intent(out) :: array(:, :)
    real(c_double), pointer :: there(:, :)
    integer(c_int64_t) :: length, width
    type(c_ptr) :: data
    data = grid_double(made, name//c_null_char, length, width)
    call c_f_pointer(data, there, [width, length])
    array = there
  end subroutine take_vectors

  subroutine take_reals(made, name, array)
    type(c_ptr), intent(in) :: made
    character(*), intent(in) :: name
    real(c_double), allocatable, intent(out) :: array(:)
    real(c_double), allocatable :: columns(:, :)
    call take_vectors(made, name, columns)
    array = columns(1, :)
  end subroutine take_reals

  function text_of(text) result(string)
    type(c_ptr), intent(in) :: text
    character(:), allocatable :: string
    character(kind=c_char), pointer :: letters(:)
    integer :: length
    call c_f_pointer(text, letters, [1000])
    string = ""
    do length = 1, size(letters)
      if (letters(length) == c_null_char) return
      string = string//letters(length)
    end do
  end function text_of

end module icosahedral_grid
