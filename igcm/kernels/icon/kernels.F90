! The kernels of ICON's kind (igcm/kernels/README.md), compiled for float (IGCM_FLOAT) and for double.
!
! Fields are blocked: (slot, level, block). A table holds, for each slot, where the value of another cell or edge at
! level 1 stands in its field, counted from 1; level k is (k - 1) * slots further. Slots behind the last cell or edge
! are computed too. On the sheet all weights are 1 or -1, so that products with them change no bit.
#ifdef IGCM_FLOAT
module igcm_icon_float
   use, intrinsic :: iso_c_binding, only: c_int, wp => c_float, c_double
   use igcm_icon_columns_float
   implicit none
   private
   character(*), parameter :: suffix = "_float"
#else
module igcm_icon_double
   use, intrinsic :: iso_c_binding, only: c_int, wp => c_double, c_double
   use igcm_icon_columns_double
   implicit none
   private
   character(*), parameter :: suffix = "_double"
#endif

   type, bind(c) :: blocked
      integer(c_int) :: slots, levels, cell_blocks, edge_blocks
   end type blocked

contains

   ! vi = vi + sum over levels of thickness * t, upwards.
   subroutine vertical_integration(b, t, thickness, vi) bind(c, name="igcm_f_icon_vertical_integration"//suffix)
      type(blocked), intent(in) :: b
      real(wp), intent(in) :: t(b%slots, b%levels, b%cell_blocks), thickness(b%levels)
      real(wp), intent(inout) :: vi(b%slots, b%cell_blocks)
      integer :: i, k, ib

      !$omp parallel do schedule(static)
      do ib = 1, b%cell_blocks
         do k = 1, b%levels
            do i = 1, b%slots
               vi(i, ib) = vi(i, ib) + t(i, k, ib)*thickness(k)
            end do
         end do
      end do
   end subroutine vertical_integration

   subroutine divergence(b, edge, weight, grad, dvg) bind(c, name="igcm_f_icon_divergence"//suffix)
      type(blocked), intent(in) :: b
      integer(c_int), intent(in) :: edge(b%slots, 3, b%cell_blocks)
      real(wp), intent(in) :: weight(b%slots, 3, b%cell_blocks), grad(*)
      real(wp), intent(inout) :: dvg(b%slots, b%levels, b%cell_blocks)
      integer :: i, k, ib, up

      if (b%slots == 1) then
         call divergence_of_columns(b%levels, b%cell_blocks, edge, weight, grad, dvg)
         return
      end if
      !$omp parallel do schedule(static)
      do ib = 1, b%cell_blocks
         do k = 1, b%levels
            up = (k - 1)*b%slots
            do i = 1, b%slots
               ! The sum starts from 0, which decides about the sign of a sum that is zero.
               dvg(i, k, ib) = 0.0_wp + weight(i, 1, ib)*grad(edge(i, 1, ib) + up) &
                               + weight(i, 2, ib)*grad(edge(i, 2, ib) + up) + weight(i, 3, ib)*grad(edge(i, 3, ib) + up)
            end do
         end do
      end do
   end subroutine divergence

   subroutine gradient(b, first, second, weight, t, grad) bind(c, name="igcm_f_icon_gradient"//suffix)
      type(blocked), intent(in) :: b
      integer(c_int), intent(in) :: first(b%slots, b%edge_blocks), second(b%slots, b%edge_blocks)
      real(wp), intent(in) :: weight(b%slots, b%edge_blocks), t(*)
      real(wp), intent(inout) :: grad(b%slots, b%levels, b%edge_blocks)
      integer :: i, k, ib, up

      if (b%slots == 1) then
         call gradient_of_columns(b%levels, b%edge_blocks, first, second, weight, t, grad)
         return
      end if
      !$omp parallel do schedule(static)
      do ib = 1, b%edge_blocks
         do k = 1, b%levels
            up = (k - 1)*b%slots
            do i = 1, b%slots
               grad(i, k, ib) = (t(first(i, ib) + up) - t(second(i, ib) + up))*weight(i, ib)
            end do
         end do
      end do
   end subroutine gradient

   ! The "Laplacian" of the sheet: the mean of the three neighbours. The published quotient is in double and rounded to
   ! float. That of floats has the same bits: a third of a float is at least a sixth of its last digit away from where
   ! rounding changes.
   subroutine neighbour_mean(b, neighbour, t, mean) bind(c, name="igcm_f_icon_neighbour_mean"//suffix)
      type(blocked), intent(in) :: b
      integer(c_int), intent(in) :: neighbour(b%slots, 3, b%cell_blocks)
      real(wp), intent(in) :: t(*)
      real(wp), intent(inout) :: mean(b%slots, b%levels, b%cell_blocks)
      real(wp) :: s
      integer :: i, k, ib, up

      if (b%slots == 1) then
         call mean_of_columns(b%levels, b%cell_blocks, neighbour, t, mean)
         return
      end if
      !$omp parallel do schedule(static)
      do ib = 1, b%cell_blocks
         do k = 1, b%levels
            up = (k - 1)*b%slots
            do i = 1, b%slots
               s = t(neighbour(i, 1, ib) + up) + t(neighbour(i, 2, ib) + up) + t(neighbour(i, 3, ib) + up)
               mean(i, k, ib) = s/3
            end do
         end do
      end do
   end subroutine neighbour_mean

   ! The Laplacian of the sphere; weight: length of the edge / (area of the cell * distance of the two cells).
   subroutine laplacian(b, neighbour, weight, t, lap) bind(c, name="igcm_f_icon_laplacian"//suffix)
      type(blocked), intent(in) :: b
      integer(c_int), intent(in) :: neighbour(b%slots, 3, b%cell_blocks)
      real(wp), intent(in) :: weight(b%slots, 3, b%cell_blocks), t(*)
      real(wp), intent(inout) :: lap(b%slots, b%levels, b%cell_blocks)
      real(wp) :: own
      integer :: i, k, ib, up

      if (b%slots == 1) then
         call laplacian_of_columns(b%levels, b%cell_blocks, neighbour, weight, t, lap)
         return
      end if
      !$omp parallel do schedule(static) private(own)
      do ib = 1, b%cell_blocks
         do k = 1, b%levels
            up = (k - 1)*b%slots
            do i = 1, b%slots
               own = t(((ib - 1)*b%levels + k - 1)*b%slots + i)
               lap(i, k, ib) = weight(i, 1, ib)*(t(neighbour(i, 1, ib) + up) - own) &
                               + weight(i, 2, ib)*(t(neighbour(i, 2, ib) + up) - own) &
                               + weight(i, 3, ib)*(t(neighbour(i, 3, ib) + up) - own)
            end do
         end do
      end do
   end subroutine laplacian

   ! parameter is a field of cells without levels. A table of places at level 1 would not fit it: cell_first and
   ! cell_second hold the places in a field of one level.
   subroutine weighted(b, first, second, cell_first, cell_second, weight, parameter_, t, var) &
      bind(c, name="igcm_f_icon_weighted"//suffix)
      type(blocked), intent(in) :: b
      integer(c_int), intent(in), dimension(b%slots, b%edge_blocks) :: first, second, cell_first, cell_second
      real(wp), intent(in) :: weight(b%slots, b%edge_blocks), parameter_(*), t(*)
      real(wp), intent(inout) :: var(b%slots, b%levels, b%edge_blocks)
      integer :: i, k, ib, up

      if (b%slots == 1) then
         call weighted_columns(b%levels, b%edge_blocks, first, second, cell_first, cell_second, weight, &
                               parameter_, t, var)
         return
      end if
      !$omp parallel do schedule(static)
      do ib = 1, b%edge_blocks
         do k = 1, b%levels
            up = (k - 1)*b%slots
            do i = 1, b%slots
               var(i, k, ib) = (parameter_(cell_first(i, ib))*t(first(i, ib) + up) &
                                - parameter_(cell_second(i, ib))*t(second(i, ib) + up))*weight(i, ib)
            end do
         end do
      end do
   end subroutine weighted

   ! v: a sum over the edges with parameters of cells. Levels between are mixed with the one below by q, the top with
   ! two below by constants, in double; the lowest is left as it is. At least three levels.
   subroutine mixed(b, edge, p1, p2, p3, q, grad, var) bind(c, name="igcm_f_icon_mixed"//suffix)
      type(blocked), intent(in) :: b
      integer(c_int), intent(in) :: edge(b%slots, 3, b%cell_blocks)
      real(wp), intent(in), dimension(b%slots, b%cell_blocks) :: p1, p2, p3
      real(wp), intent(in) :: q(b%slots, b%levels, b%cell_blocks), grad(*)
      real(wp), intent(inout) :: var(b%slots, b%levels, b%cell_blocks)
      real(wp) :: v(b%slots, b%levels)
      integer :: i, k, ib, up, top

      if (b%slots == 1) then
         call mixed_columns(b%levels, b%cell_blocks, edge, p1, p2, p3, q, grad, var)
         return
      end if
      top = b%levels
      !$omp parallel do schedule(static) private(v)
      do ib = 1, b%cell_blocks
         do k = 1, top
            up = (k - 1)*b%slots
            do i = 1, b%slots
               v(i, k) = p1(i, ib)*grad(edge(i, 1, ib) + up) + p2(i, ib)*grad(edge(i, 2, ib) + up) &
                         + p3(i, ib)*grad(edge(i, 3, ib) + up)
            end do
         end do
         do k = 2, top - 1
            do i = 1, b%slots
               var(i, k, ib) = q(i, k, ib)*v(i, k) + (1 - q(i, k, ib))*v(i, k - 1)
            end do
         end do
         do i = 1, b%slots
            var(i, top, ib) = real(0.4_c_double*v(i, top) + 0.3_c_double*v(i, top - 1) + 0.3_c_double*v(i, top - 2), wp)
         end do
      end do
   end subroutine mixed

   ! t = t + factor * x, in double: the steps `step` (0.1) and O1 (0.05) of the sheet.
   subroutine add_scaled(b, factor, x, t) bind(c, name="igcm_f_icon_add_scaled"//suffix)
      type(blocked), intent(in) :: b
      real(c_double), value :: factor
      real(wp), intent(in) :: x(b%slots, b%levels, b%cell_blocks)
      real(wp), intent(inout) :: t(b%slots, b%levels, b%cell_blocks)
      integer :: ib

      !$omp parallel do schedule(static)
      do ib = 1, b%cell_blocks
         t(:, :, ib) = real(t(:, :, ib) + factor*x(:, :, ib), wp)
      end do
   end subroutine add_scaled
#ifdef IGCM_FLOAT
end module igcm_icon_float
#else
end module igcm_icon_double
#endif
