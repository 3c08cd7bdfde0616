! Vertical flux limiter (Thuburn 1996, J. Comput. Phys. 123, 74).
module igcm_vertical_limiter
   use igcm_regions
   implicit none
   private

contains

   include 'comparisons.inc'

   ! Limits q_h, the values at half levels kmin+1..kmax. ck: Courant numbers of the lower (1) and the upper (2) face.
   subroutine dyn_vert_adv_limiter(s, q, q_pl, d, d_pl, ck, ck_pl, q_h, q_h_pl) bind(c, name="igcm_f_dyn_vert_adv_limiter")
      type(region_shape), intent(in) :: s
      real(wp), intent(in) :: q(s%n1*s%n1, s%kall, s%lall), d(s%n1*s%n1, s%kall, s%lall)
      real(wp), intent(in) :: ck(s%n1*s%n1, s%kall, s%lall, 2)
      real(wp), intent(in) :: q_pl(6, s%kall, 2), d_pl(6, s%kall, 2), ck_pl(6, s%kall, 2, 2)
      real(wp), intent(inout) :: q_h(s%n1*s%n1, s%kall, s%lall), q_h_pl(6, s%kall, 2)
      integer, parameter :: chunk = 512
      integer :: l, first, gall

      gall = s%n1*s%n1
      !$omp parallel do collapse(2) schedule(static)
      do l = 1, s%lall
         do first = 1, gall, chunk
            call columns(s, gall, first, min(first + chunk - 1, gall), .false., q(:, :, l), d(:, :, l), ck(:, :, l, 1), &
                         ck(:, :, l, 2), q_h(:, :, l))
         end do
      end do
      if (s%have_pl == 0) return
      do l = 1, poles
         call columns(s, 6, 1, 6, .true., q_pl(:, :, l), d_pl(:, :, l), ck_pl(:, :, l, 1), ck_pl(:, :, l, 2), q_h_pl(:, :, l))
      end do
   end subroutine dyn_vert_adv_limiter

   subroutine columns(s, gall, first, last, pole, q, d, ck1, ck2, q_h)
      type(region_shape), intent(in) :: s
      integer, intent(in) :: gall, first, last
      logical, intent(in) :: pole
      real(wp), intent(in), dimension(gall, s%kall) :: q, d, ck1, ck2
      real(wp), intent(inout) :: q_h(gall, s%kall)
      real(wp), dimension(first:last) :: least_below, most_below
      real(wp) :: fl, fu, ql, qu, xl, xu, lo, hi, c_in, c_out, pmin, pmax, z, low, high
      integer :: g, k

      do k = s%kmin, s%kmax
         do g = first, last
            fl = 0.5_wp - sign(0.5_wp, ck1(g, k))
            fu = 0.5_wp + sign(0.5_wp, ck1(g, k + 1))
            ql = least(q(g, k), q(g, k - 1)) + (1 - fl)*big
            qu = least(q(g, k), q(g, k + 1)) + (1 - fu)*big
            xl = greatest(q(g, k), q(g, k - 1)) + (1 - fl)*(-big)
            xu = greatest(q(g, k), q(g, k + 1)) + (1 - fu)*(-big)
            lo = least(least(ql, qu), q(g, k))
            hi = greatest(greatest(xl, xu), q(g, k))
            c_in = fl*ck1(g, k) + fu*ck2(g, k)
            c_out = (1 - fl)*ck1(g, k) + (1 - fu)*ck2(g, k)
            if (pole) then
               pmin = fl*(ck1(g, k)*ql) + fu*(ck2(g, k)*qu)
               pmax = fl*(ck1(g, k)*xl) + fu*(ck2(g, k)*xu)
            else
               pmin = fl*ck1(g, k)*ql + fu*ck2(g, k)*qu
               pmax = fl*ck1(g, k)*xl + fu*ck2(g, k)*xu
            end if
            z = zero_flux(c_out)
            low = (q(g, k) - hi + hi*(c_in + c_out - d(g, k)) - pmax)/(c_out + z)*(1 - z) + q(g, k)*z
            high = (q(g, k) - lo + lo*(c_in + c_out - d(g, k)) - pmin)/(c_out + z)*(1 - z) + q(g, k)*z
            if (k > s%kmin) q_h(g, k) = fl*greatest(least(q_h(g, k), most_below(g)), least_below(g)) &
                                        + (1 - fl)*greatest(least(q_h(g, k), high), low)
            least_below(g) = low
            most_below(g) = high
         end do
      end do
   end subroutine columns
end module igcm_vertical_limiter
