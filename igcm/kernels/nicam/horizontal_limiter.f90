! Horizontal flux limiter (Thuburn 1996, J. Comput. Phys. 123, 74; Miura 2007).
! It has two halves: a model exchanges the halos of qout between them.
module igcm_horizontal_limiter
   use igcm_regions
   implicit none
   private

contains

   include 'comparisons.inc'

   ! First half: qout(:, 1:2), the least and the greatest value that may flow out of each point.
   ! ch: Courant numbers of the six faces; cmask: 1 where the flow through faces 1..3 goes into the point, else 0.
   subroutine bounds(s, sgp, q, q_pl, d, d_pl, ch, ch_pl, cmask, cmask_pl, qout, qout_pl) &
      bind(c, name="igcm_f_dyn_horiz_adv_limiter_bounds")
      type(region_shape), intent(in) :: s
      integer(c_int), intent(in) :: sgp(s%lall)
      real(wp), intent(in) :: q(s%n1*s%n1, s%kall, s%lall), d(s%n1*s%n1, s%kall, s%lall)
      real(wp), intent(in) :: q_pl(6, s%kall, 2), d_pl(6, s%kall, 2), ch_pl(6, s%kall, 2), cmask_pl(6, s%kall, 2)
      real(wp), intent(in), dimension(s%n1*s%n1, s%kall, s%lall, 6) :: ch, cmask
      real(wp), intent(inout) :: qout(s%n1*s%n1, s%kall, s%lall, 2), qout_pl(6, s%kall, 2, 2)
      real(wp), allocatable :: in_min(:, :), in_max(:, :)
      integer :: k, l

      !$omp parallel private(in_min, in_max)
      allocate (in_min(s%n1*s%n1, 6), in_max(s%n1*s%n1, 6))
      !$omp do collapse(2) schedule(static)
      do l = 1, s%lall
         do k = 1, s%kall
            call inflow(s, sgp(l) /= 0, q(:, k, l), cmask(:, k, l, 1), cmask(:, k, l, 2), cmask(:, k, l, 3), in_min, in_max)
            call outflow(s, q(:, k, l), d(:, k, l), ch(:, k, l, 1), ch(:, k, l, 2), ch(:, k, l, 3), ch(:, k, l, 4), &
                         ch(:, k, l, 5), ch(:, k, l, 6), in_min, in_max, qout(:, k, l, 1), qout(:, k, l, 2))
         end do
      end do
      !$omp end do
      deallocate (in_min, in_max)
      !$omp end parallel
      if (s%have_pl == 0) return
      do l = 1, poles
         do k = 1, s%kall
            call pole_outflow(q_pl(:, k, l), d_pl(1, k, l), ch_pl(:, k, l), cmask_pl(:, k, l), qout_pl(:, k, l, 1), &
                              qout_pl(:, k, l, 2))
         end do
      end do
   end subroutine bounds

   ! Second half: limits q_a, the values at faces, with qout of both sides. The bounds of the inflow are computed again:
   ! they would be twelve arrays.
   subroutine apply(s, sgp, q, q_pl, cmask, cmask_pl, qout, qout_pl, q_a, q_a_pl) &
      bind(c, name="igcm_f_dyn_horiz_adv_limiter_apply")
      type(region_shape), intent(in) :: s
      integer(c_int), intent(in) :: sgp(s%lall)
      real(wp), intent(in) :: q(s%n1*s%n1, s%kall, s%lall), q_pl(6, s%kall, 2), cmask_pl(6, s%kall, 2)
      real(wp), intent(in) :: cmask(s%n1*s%n1, s%kall, s%lall, 6)
      real(wp), intent(in) :: qout(s%n1*s%n1, s%kall, s%lall, 2), qout_pl(6, s%kall, 2, 2)
      real(wp), intent(inout) :: q_a(s%n1*s%n1, s%kall, s%lall, 6), q_a_pl(6, s%kall, 2)
      real(wp), allocatable :: in_min(:, :), in_max(:, :)
      integer :: k, l, m, across(3)

      across = [1, s%n1 + 1, s%n1]
      !$omp parallel private(in_min, in_max, m)
      allocate (in_min(s%n1*s%n1, 6), in_max(s%n1*s%n1, 6))
      !$omp do collapse(2) schedule(static)
      do l = 1, s%lall
         do k = 1, s%kall
            call inflow(s, sgp(l) /= 0, q(:, k, l), cmask(:, k, l, 1), cmask(:, k, l, 2), cmask(:, k, l, 3), in_min, in_max)
            do m = 1, 3
               call limit(s, across(m), cmask(:, k, l, m), in_min(:, m), in_max(:, m), in_min(:, m + 3), in_max(:, m + 3), &
                          qout(:, k, l, 1), qout(:, k, l, 2), q_a(:, k, l, m), q_a(:, k, l, m + 3))
            end do
         end do
      end do
      !$omp end do
      deallocate (in_min, in_max)
      !$omp end parallel
      if (s%have_pl == 0) return
      do l = 1, poles
         do k = 1, s%kall
            call pole_limit(q_pl(:, k, l), cmask_pl(:, k, l), qout_pl(:, k, l, 1), qout_pl(:, k, l, 2), q_a_pl(:, k, l))
         end do
      end do
   end subroutine apply

   ! Bounds of what flows in through each face; no bound (+-big) where nothing flows in.
   subroutine inflow(s, singular, q, c1, c2, c3, in_min, in_max)
      type(region_shape), intent(in) :: s
      logical, intent(in) :: singular
      real(wp), intent(in) :: q(*), c1(*), c2(*), c3(*)
      real(wp), intent(inout) :: in_min(s%n1*s%n1, 6), in_max(s%n1*s%n1, 6)
      integer :: j, g, n, first, last

      n = s%n1
      do j = s%gmin - 1, s%gmax
         first = flat(s, s%gmin - 1, j)
         last = flat(s, s%gmax, j)
         if (last - n < 1) then ! the points below have indices that clamp
            do g = first, last
               call faces(1, g, g, 1, c1, 1 - g, 1, 1 + n)
            end do
         else
            call faces(1, first, last, 1, c1, -n, 1, 1 + n)
         end if
         call faces(2, first, last, 1 + n, c2, 1, 1 + n, n)
         call faces(3, first, first, n, c3, 1 + n, n, max(first - 1, 1) - first)
         call faces(3, first + 1, last, n, c3, 1 + n, n, -1)
      end do
      if (singular) then
         g = flat(s, s%gmin - 1, s%gmin - 1)
         call faces(2, g, g, 1 + n, c2, 1 + n, 2 + n, n)
      end if

   contains
      ! Faces m of the points from..to, which are faces m + 3 of the points `across`. Three more candidates stand at
      ! offsets from the points.
      subroutine faces(m, from, to, across, c, o1, o2, o3)
         integer, intent(in) :: m, from, to, across, o1, o2, o3
         real(wp), intent(in) :: c(*)
         real(wp) :: lo, hi
         integer :: g

!GCC$ ivdep
         do g = from, to
            lo = least(least(least(q(g), q(g + o1)), q(g + o2)), q(g + o3))
            hi = greatest(greatest(greatest(q(g), q(g + o1)), q(g + o2)), q(g + o3))
            in_min(g, m) = c(g)*lo + (1 - c(g))*big
            in_min(g + across, m + 3) = c(g)*big + (1 - c(g))*lo
            in_max(g, m) = c(g)*hi + (1 - c(g))*(-big)
            in_max(g + across, m + 3) = c(g)*(-big) + (1 - c(g))*hi
         end do
      end subroutine faces
   end subroutine inflow

   subroutine outflow(s, q, d, ch1, ch2, ch3, ch4, ch5, ch6, in_min, in_max, qout_min, qout_max)
      type(region_shape), intent(in) :: s
      real(wp), intent(in), dimension(s%n1*s%n1) :: q, d, ch1, ch2, ch3, ch4, ch5, ch6
      real(wp), intent(in) :: in_min(s%n1*s%n1, 6), in_max(s%n1*s%n1, 6)
      real(wp), intent(inout), dimension(s%n1*s%n1) :: qout_min, qout_max
      real(wp) :: lo, hi, m1, m2, m3, m4, m5, m6, c_in, c_out, pmin, pmax, z
      integer :: j, g

      do j = 1, s%n1
         if (j < s%gmin .or. j > s%gmax) then
            call keep(flat(s, 1, j), flat(s, s%n1, j))
            cycle
         end if
         call keep(flat(s, 1, j), flat(s, s%gmin - 1, j))
         call keep(flat(s, s%gmax + 1, j), flat(s, s%n1, j))
         do g = flat(s, s%gmin, j), flat(s, s%gmax, j)
            lo = least(least(least(q(g), in_min(g, 1)), in_min(g, 2)), in_min(g, 3))
            lo = least(least(least(lo, in_min(g, 4)), in_min(g, 5)), in_min(g, 6))
            hi = greatest(greatest(greatest(q(g), in_max(g, 1)), in_max(g, 2)), in_max(g, 3))
            hi = greatest(greatest(greatest(hi, in_max(g, 4)), in_max(g, 5)), in_max(g, 6))
            m1 = least(ch1(g), 0.0_wp)
            m2 = least(ch2(g), 0.0_wp)
            m3 = least(ch3(g), 0.0_wp)
            m4 = least(ch4(g), 0.0_wp)
            m5 = least(ch5(g), 0.0_wp)
            m6 = least(ch6(g), 0.0_wp)
            c_in = m1 + m2 + m3 + m4 + m5 + m6
            c_out = ch1(g) - m1 + ch2(g) - m2 + ch3(g) - m3 + ch4(g) - m4 + ch5(g) - m5 + ch6(g) - m6
            pmin = m1*in_min(g, 1) + m2*in_min(g, 2) + m3*in_min(g, 3) + m4*in_min(g, 4) + m5*in_min(g, 5) + m6*in_min(g, 6)
            pmax = m1*in_max(g, 1) + m2*in_max(g, 2) + m3*in_max(g, 3) + m4*in_max(g, 4) + m5*in_max(g, 5) + m6*in_max(g, 6)
            z = zero_flux(c_out)
            qout_min(g) = (q(g) - pmax - hi*(1 - c_in - c_out + d(g)))/(c_out + z)*(1 - z) + q(g)*z
            qout_max(g) = (q(g) - pmin - lo*(1 - c_in - c_out + d(g)))/(c_out + z)*(1 - z) + q(g)*z
         end do
      end do

   contains
      subroutine keep(first, last)
         integer, intent(in) :: first, last

         qout_min(first:last) = q(first:last)
         qout_max(first:last) = q(first:last)
      end subroutine keep
   end subroutine outflow

   ! q_m and q_opposite: the faces m of points and m + 3 of the points across, which are the same faces.
   subroutine limit(s, across, c, in_min, in_max, least_opposite, most_opposite, qout_min, qout_max, q_m, q_opposite)
      type(region_shape), intent(in) :: s
      integer, intent(in) :: across
      real(wp), intent(in), dimension(*) :: c, in_min, in_max, least_opposite, most_opposite, qout_min, qout_max
      real(wp), intent(inout), dimension(*) :: q_m, q_opposite
      real(wp) :: a
      integer :: j, g, h

      do j = s%gmin - 1, s%gmax
         do g = flat(s, s%gmin - 1, j), flat(s, s%gmax, j)
            h = g + across
            a = c(g)*least(greatest(q_m(g), in_min(g)), in_max(g)) &
                + (1 - c(g))*least(greatest(q_m(g), least_opposite(h)), most_opposite(h))
            q_m(g) = c(g)*greatest(least(a, qout_max(h)), qout_min(h)) + (1 - c(g))*greatest(least(a, qout_max(g)), qout_min(g))
            q_opposite(h) = q_m(g)
         end do
      end do
   end subroutine limit

   ! The bounds of the faces between a pole and its ring: into the pole (1) and into the ring (2).
   subroutine pole_inflow(q, c, in_min, in_max)
      real(wp), intent(in) :: q(6), c(6)
      real(wp), intent(out) :: in_min(6, 2), in_max(6, 2)
      real(wp) :: lo, hi
      integer :: v

      do v = 2, 6
         lo = least(least(least(q(1), q(v)), q(previous_pl(v))), q(next_pl(v)))
         hi = greatest(greatest(greatest(q(1), q(v)), q(previous_pl(v))), q(next_pl(v)))
         in_min(v, 1) = c(v)*lo + (1 - c(v))*big
         in_min(v, 2) = c(v)*big + (1 - c(v))*lo
         in_max(v, 1) = c(v)*hi + (1 - c(v))*(-big)
         in_max(v, 2) = c(v)*(-big) + (1 - c(v))*hi
      end do
   end subroutine pole_inflow

   subroutine pole_outflow(q, d, ch, c, qout_min, qout_max)
      real(wp), intent(in) :: q(6), d, ch(6), c(6)
      real(wp), intent(inout) :: qout_min(6), qout_max(6)
      real(wp) :: in_min(6, 2), in_max(6, 2), lo, hi, c_in, c_out, pmin, pmax, z
      integer :: v

      call pole_inflow(q, c, in_min, in_max)
      lo = q(1)
      hi = q(1)
      c_in = 0
      c_out = 0
      pmin = 0
      pmax = 0
      do v = 2, 6
         lo = least(lo, in_min(v, 1))
         hi = greatest(hi, in_max(v, 1))
         c_in = c_in + c(v)*ch(v)
         c_out = c_out - c(v)*ch(v) + ch(v)
         pmin = pmin + c(v)*ch(v)*in_min(v, 1)
         pmax = pmax + c(v)*ch(v)*in_max(v, 1)
      end do
      z = zero_flux(c_out)
      qout_min = 0
      qout_max = 0
      qout_min(1) = (q(1) - pmax - hi*(1 - c_in - c_out + d))/(c_out + z)*(1 - z) + q(1)*z
      qout_max(1) = (q(1) - pmin - lo*(1 - c_in - c_out + d))/(c_out + z)*(1 - z) + q(1)*z
   end subroutine pole_outflow

   subroutine pole_limit(q, c, qout_min, qout_max, q_a)
      real(wp), intent(in) :: q(6), c(6), qout_min(6), qout_max(6)
      real(wp), intent(inout) :: q_a(6)
      real(wp) :: in_min(6, 2), in_max(6, 2), a
      integer :: v

      call pole_inflow(q, c, in_min, in_max)
      do v = 2, 6
         a = c(v)*least(greatest(q_a(v), in_min(v, 1)), in_max(v, 1)) &
             + (1 - c(v))*least(greatest(q_a(v), in_min(v, 2)), in_max(v, 2))
         q_a(v) = c(v)*greatest(least(a, qout_max(v)), qout_min(v)) + (1 - c(v))*greatest(least(a, qout_max(1)), qout_min(1))
      end do
   end subroutine pole_limit
end module igcm_horizontal_limiter
