! Shapes of NICAM's regions (igcm/kernels/README.md); regions.hpp has the same structure.
module igcm_regions
   use, intrinsic :: iso_c_binding, only: c_int, c_double
   implicit none
   public

   integer, parameter :: wp = c_double
   real(wp), parameter :: eps = 2.0_wp**(-52), big = huge(1.0_wp)

   ! lall regions of n1 x n1 points, own ones gmin..gmax, flat index g = (j - 1) n1 + i; levels kmin..kmax with one
   ! dummy below and above.
   type, bind(c) :: region_shape
      integer(c_int) :: lall, n1, gmin, gmax, kall, kmin, kmax, have_pl
   end type region_shape

   integer, parameter :: ti = 1, tj = 2           ! triangles of a point
   integer, parameter :: ai = 1, aij = 2, aj = 3  ! cell walls of a point
   integer, parameter :: poles = 2, points_pl = 6 ! point 1 is the pole, 2..6 its ring
   ! The ring is cyclic.
   integer, parameter :: next_pl(6) = [0, 3, 4, 5, 6, 2], previous_pl(6) = [0, 6, 2, 3, 4, 5]

contains

   pure integer function flat(s, i, j)
      type(region_shape), intent(in) :: s
      integer, intent(in) :: i, j

      flat = (j - 1)*s%n1 + i
   end function flat
end module igcm_regions
