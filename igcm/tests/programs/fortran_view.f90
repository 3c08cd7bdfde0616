! Prints sums over the arrays of a grid as Fortran sees them, and looks at what the conventions promise.
program fortran_view
  use, intrinsic :: iso_fortran_env, only: int64
  use icosahedral_grid, only: grid_options, sphere_grid, make_sphere_grid, relaxation_spring
  implicit none
  type(sphere_grid) :: grid
  character(:), allocatable :: error
  integer :: c, k, e, wrong

  call make_sphere_grid(grid_options(root=0), grid, error)
  print "(2a)", "refused ", error
  call make_sphere_grid(grid_options(root=3, bisections=2, relaxation=relaxation_spring, iterations=20), grid)
  print "(a, 3(1x, i0))", "sizes", grid%cells, grid%edges, grid%vertices
  wrong = 0
  do c = 1, grid%cells
    do k = 1, 3
      e = grid%edge_of_cell(k, c)
      if (grid%adjacent_cell_of_edge(merge(1, 2, grid%orientation_of_normal(k, c) == 1), e) /= c) wrong = wrong + 1
    end do
  end do
  print "(a, 1x, i0)", "wrong", wrong
  call show("vertex_of_cell", grid%vertex_of_cell)
  call show("edge_of_cell", grid%edge_of_cell)
  call show("neighbor_cell_index", grid%neighbor_cell_index)
  call show("edge_vertices", grid%edge_vertices)
  call show("vertices_of_vertex", grid%vertices_of_vertex)
  call show("edges_of_vertex", grid%edges_of_vertex)
  call show("cells_of_vertex", grid%cells_of_vertex)
  print "(a, 1x, i0)", "degree", sum(grid%degree)
  print "(a, 1x, i0)", "edge_orientation", sum(grid%edge_orientation)
  print "(a, 1x, es25.17)", "cell_area", sum(grid%cell_area)
  print "(a, 1x, es25.17)", "dual_area", sum(grid%dual_area)
  print "(a, 1x, es25.17)", "kite_area", sum(grid%kite_area)
  print "(a, 1x, es25.17)", "edge_length", sum(grid%edge_length)
  print "(a, 1x, es25.17)", "dual_edge_length", sum(grid%dual_edge_length)
  print "(a, 3(1x, es25.17))", "vertex_1", grid%vertex(:, 1)
  print "(a, 3(1x, es25.17))", "primal_normal_2", grid%primal_normal(:, 2)
  print "(a, 3(1x, es25.17))", "dual_normal_3", grid%dual_normal(:, 3)
  print "(a, 3(1x, es25.17))", "cell_centre_4", grid%cell_centre(:, 4)
  print "(a, 3(1x, es25.17))", "edge_point_5", grid%edge_point(:, 5)

contains

  ! A sum in which each place counts differently.
  subroutine show(name, numbers)
    character(*), intent(in) :: name
    integer, intent(in) :: numbers(:, :)
    integer :: j
    print "(a, 1x, i0)", name, sum([(int(j, int64)*sum(int(numbers(j, :), int64)), j = 1, size(numbers, 1))])
  end subroutine show

end program fortran_view
