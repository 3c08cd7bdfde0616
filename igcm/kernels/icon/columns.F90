! The kernels of kernels.F90, where the contracts are, for blocks of one slot: the levels of a cell or an edge are
! neighbours in memory, so that the loop over them reads no single numbers. The order of operations is the same.
#ifdef IGCM_FLOAT
module igcm_icon_columns_float
   use, intrinsic :: iso_c_binding, only: c_int, wp => c_float, c_double
#else
module igcm_icon_columns_double
   use, intrinsic :: iso_c_binding, only: c_int, wp => c_double, c_double
#endif
   implicit none
   private
   public :: divergence_of_columns, gradient_of_columns, mean_of_columns, laplacian_of_columns, weighted_columns, &
             mixed_columns

   interface
      ! Fetches the columns at these places, and that behind `written`, into the cache (kernels.cpp).
#ifdef IGCM_FLOAT
      subroutine prefetch(levels, columns, place, field, written) bind(c, name="igcm_prefetch_float")
#else
      subroutine prefetch(levels, columns, place, field, written) bind(c, name="igcm_prefetch_double")
#endif
         import :: c_int, wp
         integer(c_int), value :: levels, columns
         integer(c_int), intent(in) :: place(columns)
         real(wp), intent(in) :: field(*), written(*)
      end subroutine prefetch
   end interface

contains

   ! How many columns before it is needed one is fetched: some 6 kB. A processor foresees the next lines of a column, but
   ! not the next column.
   pure integer function ahead(levels)
      integer(c_int), intent(in) :: levels

      ahead = max(1, 6144*8/(levels*storage_size(1.0_wp)))
   end function ahead

   subroutine divergence_of_columns(levels, cells, edge, weight, grad, dvg)
      integer(c_int), intent(in) :: levels, cells, edge(3, cells)
      real(wp), intent(in) :: weight(3, cells), grad(*)
      real(wp), intent(inout) :: dvg(levels, cells)
      real(wp) :: w(3)
      integer :: c, k, further, e(3)

      further = ahead(levels)
      !$omp parallel do schedule(static) private(e, w)
      do c = 1, cells
         if (c + further <= cells) call prefetch(levels, 3, edge(:, c + further), grad, dvg(:, c + further))
         e = edge(:, c) - 1
         w = weight(:, c)
         !GCC$ ivdep
         do k = 1, levels
            dvg(k, c) = 0.0_wp + w(1)*grad(e(1) + k) + w(2)*grad(e(2) + k) + w(3)*grad(e(3) + k)
         end do
      end do
   end subroutine divergence_of_columns

   subroutine gradient_of_columns(levels, edges, first, second, weight, t, grad)
      integer(c_int), intent(in) :: levels, edges, first(edges), second(edges)
      real(wp), intent(in) :: weight(edges), t(*)
      real(wp), intent(inout) :: grad(levels, edges)
      real(wp) :: w
      integer :: e, k, further, one, other

      further = ahead(levels)
      !$omp parallel do schedule(static) private(one, other, w)
      do e = 1, edges
         if (e + further <= edges) call prefetch(levels, 2, [first(e + further), second(e + further)], t, grad(:, e + further))
         one = first(e) - 1
         other = second(e) - 1
         w = weight(e)
         !GCC$ ivdep
         do k = 1, levels
            grad(k, e) = (t(one + k) - t(other + k))*w
         end do
      end do
   end subroutine gradient_of_columns

   subroutine mean_of_columns(levels, cells, neighbour, t, mean)
      integer(c_int), intent(in) :: levels, cells, neighbour(3, cells)
      real(wp), intent(in) :: t(*)
      real(wp), intent(inout) :: mean(levels, cells)
      integer :: c, k, further, n(3)

      further = ahead(levels)
      !$omp parallel do schedule(static) private(n)
      do c = 1, cells
         if (c + further <= cells) call prefetch(levels, 3, neighbour(:, c + further), t, mean(:, c + further))
         n = neighbour(:, c) - 1
         !GCC$ ivdep
         do k = 1, levels
            mean(k, c) = (t(n(1) + k) + t(n(2) + k) + t(n(3) + k))/3
         end do
      end do
   end subroutine mean_of_columns

   subroutine laplacian_of_columns(levels, cells, neighbour, weight, t, lap)
      integer(c_int), intent(in) :: levels, cells, neighbour(3, cells)
      real(wp), intent(in) :: weight(3, cells), t(levels*cells)
      real(wp), intent(inout) :: lap(levels, cells)
      real(wp) :: own, w(3)
      integer :: c, k, further, n(3)

      further = ahead(levels)
      !$omp parallel do schedule(static) private(n, w, own)
      do c = 1, cells
         if (c + further <= cells) call prefetch(levels, 3, neighbour(:, c + further), t, lap(:, c + further))
         n = neighbour(:, c) - 1
         w = weight(:, c)
         !GCC$ ivdep
         do k = 1, levels
            own = t((c - 1)*levels + k)
            lap(k, c) = w(1)*(t(n(1) + k) - own) + w(2)*(t(n(2) + k) - own) + w(3)*(t(n(3) + k) - own)
         end do
      end do
   end subroutine laplacian_of_columns

   subroutine weighted_columns(levels, edges, first, second, cell_first, cell_second, weight, parameter_, t, var)
      integer(c_int), intent(in) :: levels, edges
      integer(c_int), intent(in), dimension(edges) :: first, second, cell_first, cell_second
      real(wp), intent(in) :: weight(edges), parameter_(*), t(*)
      real(wp), intent(inout) :: var(levels, edges)
      real(wp) :: p, q, w
      integer :: e, k, further, one, other

      further = ahead(levels)
      !$omp parallel do schedule(static) private(one, other, p, q, w)
      do e = 1, edges
         if (e + further <= edges) call prefetch(levels, 2, [first(e + further), second(e + further)], t, var(:, e + further))
         one = first(e) - 1
         other = second(e) - 1
         p = parameter_(cell_first(e))
         q = parameter_(cell_second(e))
         w = weight(e)
         !GCC$ ivdep
         do k = 1, levels
            var(k, e) = (p*t(one + k) - q*t(other + k))*w
         end do
      end do
   end subroutine weighted_columns

   subroutine mixed_columns(levels, cells, edge, p1, p2, p3, q, grad, var)
      integer(c_int), intent(in) :: levels, cells, edge(3, cells)
      real(wp), intent(in) :: p1(cells), p2(cells), p3(cells), q(levels, cells), grad(*)
      real(wp), intent(inout) :: var(levels, cells)
      real(wp) :: v(levels)
      integer :: c, k, further, top, e(3)

      top = levels
      further = ahead(levels)
      !$omp parallel do schedule(static) private(e, v)
      do c = 1, cells
         if (c + further <= cells) call prefetch(levels, 3, edge(:, c + further), grad, var(:, c + further))
         e = edge(:, c) - 1
         !GCC$ ivdep
         do k = 1, top
            v(k) = p1(c)*grad(e(1) + k) + p2(c)*grad(e(2) + k) + p3(c)*grad(e(3) + k)
         end do
         !GCC$ ivdep
         do k = 2, top - 1
            var(k, c) = q(k, c)*v(k) + (1 - q(k, c))*v(k - 1)
         end do
         var(top, c) = real(0.4_c_double*v(top) + 0.3_c_double*v(top - 1) + 0.3_c_double*v(top - 2), wp)
      end do
   end subroutine mixed_columns
#ifdef IGCM_FLOAT
end module igcm_icon_columns_float
#else
end module igcm_icon_columns_double
#endif
