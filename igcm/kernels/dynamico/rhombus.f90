! Indices of a rhombus of DYNAMICO's hexagonal C grid (igcm/kernels/README.md); rhombus.hpp has the same structure.
module igcm_rhombus
   use, intrinsic :: iso_c_binding, only: c_int, c_double
   use, intrinsic :: iso_fortran_env, only: int64
   implicit none
   public

   integer, parameter :: wp = c_double
   ! For indices in loops: gfortran gathers what it reads at the sum of two shorter numbers, which could overflow.
   integer, parameter :: long = int64

   ! Cells have n = iim * jjm indices, edges 3 n (right, lup, ldown), vertices 2 n (up, down). Offsets t_* lead to the
   ! neighbours of a cell, u_* and z_* to its edges and vertices. The ranges ij_* are linear.
   type, bind(c) :: rhombus
      integer(c_int) :: iim, jjm, llm
      integer(c_int) :: ij_begin, ij_end, ij_begin_ext, ij_end_ext
      integer(c_int) :: ll_begin, ll_end
      integer(c_int) :: t_right, t_rup, t_lup, t_left, t_ldown, t_rdown
      integer(c_int) :: u_right, u_rup, u_lup, u_left, u_ldown, u_rdown
      integer(c_int) :: z_rup, z_up, z_lup, z_ldown, z_down, z_rdown
   end type rhombus

   ! Directions, counter-clockwise, and vertices in the order of Riv2.
   integer, parameter :: right = 1, rup = 2, lup = 3, left = 4, ldown = 5, rdown = 6
   integer, parameter :: v_rup = 1, v_up = 2, v_lup = 3, v_ldown = 4, v_down = 5, v_rdown = 6
   ! +1 where the stored normal of an edge points out of the cell.
   real(wp), parameter :: ne(6) = [1, -1, 1, -1, 1, -1]

   integer, parameter :: eta_mass = 1, eta_lag = 2 ! caldyn_eta
   integer, parameter :: energy = 1, enstrophy = 2 ! caldyn_conserv
end module igcm_rhombus
