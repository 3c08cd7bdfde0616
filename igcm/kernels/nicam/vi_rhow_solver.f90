! Implicit vertical momentum: a tridiagonal system for each column (igcm/kernels/README.md).
module igcm_vi_rhow_solver
   use igcm_regions
   implicit none
   private

   real(wp), parameter :: gravity = 9.80616_wp, rdry = 287.0_wp, cvdry = 717.5_wp

contains

   ! alpha: 1 non-hydrostatic, 0 hydrostatic. rhogw at kmin and kmax+1 are the boundary values.
   subroutine dyn_vi_rhow_solver(s, dt, alpha, rdgzh, afact, bfact, rhogw0, rhogw0_pl, preg0, preg0_pl, rhog0, rhog0_pl, &
                                 srho, srho_pl, sw, sw_pl, spre, spre_pl, mc, mc_pl, ml, ml_pl, mu, mu_pl, rgsgam2, &
                                 rgsgam2_pl, rgsgam2h, rgsgam2h_pl, rgamh, rgamh_pl, rgam, rgam_pl, gsgam2h, gsgam2h_pl, &
                                 rhogw, rhogw_pl) bind(c, name="igcm_f_dyn_vi_rhow_solver")
      type(region_shape), intent(in) :: s
      real(wp), value :: dt, alpha
      real(wp), intent(in), dimension(s%kall) :: rdgzh, afact, bfact
      real(wp), intent(in), dimension(s%n1*s%n1, s%kall, s%lall) :: rhogw0, preg0, rhog0, srho, sw, spre, mc, ml, mu
      real(wp), intent(in), dimension(s%n1*s%n1, s%kall, s%lall) :: rgsgam2, rgsgam2h, rgamh, rgam, gsgam2h
      real(wp), intent(in), dimension(6, s%kall, 2) :: rhogw0_pl, preg0_pl, rhog0_pl, srho_pl, sw_pl, spre_pl
      real(wp), intent(in), dimension(6, s%kall, 2) :: mc_pl, ml_pl, mu_pl
      real(wp), intent(in), dimension(6, s%kall, 2) :: rgsgam2_pl, rgsgam2h_pl, rgamh_pl, rgam_pl, gsgam2h_pl
      real(wp), intent(inout) :: rhogw(s%n1*s%n1, s%kall, s%lall), rhogw_pl(6, s%kall, 2)
      integer, parameter :: chunk = 64 ! the right side and the factors of a chunk stay in the cache
      integer :: l, first, gall

      gall = s%n1*s%n1
      !$omp parallel do collapse(2) schedule(static)
      do l = 1, s%lall
         do first = 1, gall, chunk
            call columns(s, gall, first, min(first + chunk - 1, gall), dt, alpha, rdgzh, afact, bfact, rhogw0(:, :, l), &
                         preg0(:, :, l), rhog0(:, :, l), srho(:, :, l), sw(:, :, l), spre(:, :, l), mc(:, :, l), &
                         ml(:, :, l), mu(:, :, l), rgsgam2(:, :, l), rgsgam2h(:, :, l), rgamh(:, :, l), rgam(:, :, l), &
                         gsgam2h(:, :, l), rhogw(:, :, l))
         end do
      end do
      if (s%have_pl == 0) return
      do l = 1, poles
         call columns(s, 6, 1, 6, dt, alpha, rdgzh, afact, bfact, rhogw0_pl(:, :, l), preg0_pl(:, :, l), &
                      rhog0_pl(:, :, l), srho_pl(:, :, l), sw_pl(:, :, l), spre_pl(:, :, l), mc_pl(:, :, l), &
                      ml_pl(:, :, l), mu_pl(:, :, l), rgsgam2_pl(:, :, l), rgsgam2h_pl(:, :, l), rgamh_pl(:, :, l), &
                      rgam_pl(:, :, l), gsgam2h_pl(:, :, l), rhogw_pl(:, :, l))
      end do
   end subroutine dyn_vi_rhow_solver

   subroutine columns(s, gall, first, last, dt, alpha, rdgzh, afact, bfact, rhogw0, preg0, rhog0, srho, sw, spre, mc, ml, &
                      mu, rgsgam2, rgsgam2h, rgamh, rgam, gsgam2h, rhogw)
      type(region_shape), intent(in) :: s
      integer, intent(in) :: gall, first, last
      real(wp), intent(in) :: dt, alpha, rdgzh(s%kall), afact(s%kall), bfact(s%kall)
      real(wp), intent(in), dimension(gall, s%kall) :: rhogw0, preg0, rhog0, srho, sw, spre, mc, ml, mu
      real(wp), intent(in), dimension(gall, s%kall) :: rgsgam2, rgsgam2h, rgamh, rgam, gsgam2h
      real(wp), intent(inout) :: rhogw(gall, s%kall)
      real(wp), dimension(first:last) :: pre_below, rho_below, beta
      real(wp), dimension(first:last, s%kmin + 1:s%kmax) :: rhs, gam
      real(wp) :: pre, rho, factor
      integer :: g, k

      factor = cvdry/rdry/(dt*dt)
      do k = s%kmin, s%kmax
         do g = first, last
            pre = (preg0(g, k) + dt*spre(g, k))*rgsgam2(g, k)
            rho = (rhog0(g, k) + dt*srho(g, k))*(rgam(g, k)*rgam(g, k))
            if (k > s%kmin) rhs(g, k) = ((rhogw0(g, k)*alpha + dt*sw(g, k))*(rgamh(g, k)*rgamh(g, k)) &
                                         - (pre - pre_below(g))*dt*rdgzh(k) &
                                         - (rho*afact(k) + rho_below(g)*bfact(k))*dt*gravity)*factor
            pre_below(g) = pre
            rho_below(g) = rho
         end do
      end do
      call solve(s, gall, first, last, mc, ml, mu, rgsgam2h, gsgam2h, rhs, gam, beta, rhogw)
   end subroutine columns

   ! Thomas' algorithm; w is scaled with gsgam2h on the way down, when it is no longer needed unscaled.
   subroutine solve(s, gall, first, last, mc, ml, mu, rgsgam2h, gsgam2h, rhs, gam, beta, w)
      type(region_shape), intent(in) :: s
      integer, intent(in) :: gall, first, last
      real(wp), intent(in), dimension(gall, s%kall) :: mc, ml, mu, rgsgam2h, gsgam2h
      real(wp), intent(inout), dimension(first:last, s%kmin + 1:s%kmax) :: rhs, gam
      real(wp), intent(inout) :: beta(first:last), w(gall, s%kall)
      integer :: g, k, bottom, top

      bottom = s%kmin
      top = s%kmax + 1
      do g = first, last
         w(g, bottom) = w(g, bottom)*rgsgam2h(g, bottom)
         w(g, top) = w(g, top)*rgsgam2h(g, top)
         rhs(g, bottom + 1) = rhs(g, bottom + 1) - ml(g, bottom + 1)*w(g, bottom)
         rhs(g, top - 1) = rhs(g, top - 1) - mu(g, top - 1)*w(g, top)
         beta(g) = mc(g, bottom + 1)
         w(g, bottom + 1) = rhs(g, bottom + 1)/beta(g)
      end do
      do k = bottom + 2, top - 1
         do g = first, last
            gam(g, k) = mu(g, k - 1)/beta(g)
            beta(g) = mc(g, k) - ml(g, k)*gam(g, k)
            w(g, k) = (rhs(g, k) - ml(g, k)*w(g, k - 1))/beta(g)
         end do
      end do
      do k = top - 2, bottom + 1, -1
         do g = first, last
            w(g, k) = w(g, k) - gam(g, k + 1)*w(g, k + 1)
            w(g, k + 1) = w(g, k + 1)*gsgam2h(g, k + 1)
         end do
      end do
      do g = first, last
         w(g, bottom) = w(g, bottom)*gsgam2h(g, bottom)
         w(g, bottom + 1) = w(g, bottom + 1)*gsgam2h(g, bottom + 1)
         w(g, top) = w(g, top)*gsgam2h(g, top)
      end do
   end subroutine solve
end module igcm_vi_rhow_solver
