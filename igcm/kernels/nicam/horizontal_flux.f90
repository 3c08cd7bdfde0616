! Horizontal mass fluxes and the centres of swept areas (Miura 2007, Mon. Wea. Rev. 135, 4038).
module igcm_horizontal_flux
   use igcm_regions
   implicit none
   private

   integer, parameter :: rarea = 2, w1 = 3, w2 = 4, w3 = 5, hnx = 1, hny = 2, hnz = 3

contains

   subroutine dyn_horiz_adv_flux(s, sgp, dt, rho, rho_pl, vx, vx_pl, vy, vy_pl, vz, vz_pl, gmtr_p, gmtr_p_pl, gmtr_t, &
                                 gmtr_t_pl, gmtr_a, gmtr_a_pl, xr, xr_pl, flx, flx_pl, xc, xc_pl) &
      bind(c, name="igcm_f_dyn_horiz_adv_flux")
      type(region_shape), intent(in) :: s
      integer(c_int), intent(in) :: sgp(s%lall)
      real(wp), value :: dt
      real(wp), intent(in), dimension(s%n1*s%n1, s%kall, s%lall) :: rho, vx, vy, vz
      real(wp), intent(in), dimension(6, s%kall, 2) :: rho_pl, vx_pl, vy_pl, vz_pl
      real(wp), intent(in) :: gmtr_p(s%n1*s%n1, s%lall, 8), gmtr_p_pl(6, 2, 8)
      real(wp), intent(in) :: gmtr_t(s%n1*s%n1, s%lall, 2, 5), gmtr_t_pl(6, 2, 5)
      real(wp), intent(in) :: gmtr_a(s%n1*s%n1, s%lall, 3, 12), gmtr_a_pl(6, 2, 18)
      real(wp), intent(in) :: xr(s%n1*s%n1, s%lall, 3, 3), xr_pl(6, 2, 3)
      real(wp), intent(inout) :: flx(s%n1*s%n1, s%kall, s%lall, 6), flx_pl(6, s%kall, 2)
      real(wp), intent(inout) :: xc(s%n1*s%n1, s%kall, s%lall, 3, 3), xc_pl(6, s%kall, 2, 3)
      real(wp), allocatable :: tri(:, :, :)
      integer :: k, l

      !$omp parallel private(tri)
      allocate (tri(s%n1*s%n1, 2, 4))
      !$omp do collapse(2) schedule(static)
      do l = 1, s%lall
         do k = 1, s%kall
            call at_triangles(s, sgp(l) /= 0, l, gmtr_t, rho(:, k, l), tri(:, :, 1))
            call at_triangles(s, sgp(l) /= 0, l, gmtr_t, vx(:, k, l), tri(:, :, 2))
            call at_triangles(s, sgp(l) /= 0, l, gmtr_t, vy(:, k, l), tri(:, :, 3))
            call at_triangles(s, sgp(l) /= 0, l, gmtr_t, vz(:, k, l), tri(:, :, 4))
            call clear_halo(s, k, l, flx, xc)
            call walls(s, k, l, ai, tri(:, tj, :), -s%n1, tri(:, ti, :), 0, 1, s%gmin - 1, s%gmin, dt, gmtr_p, &
                       gmtr_a, xr, flx, xc)
            call walls(s, k, l, aij, tri(:, ti, :), 0, tri(:, tj, :), 0, s%n1 + 1, s%gmin - 1, s%gmin - 1, dt, gmtr_p, &
                       gmtr_a, xr, flx, xc)
            call walls(s, k, l, aj, tri(:, tj, :), 0, tri(:, ti, :), -1, s%n1, s%gmin, s%gmin - 1, dt, gmtr_p, &
                       gmtr_a, xr, flx, xc)
            if (sgp(l) /= 0) flx(flat(s, s%gmin, s%gmin), k, l, 6) = 0
         end do
      end do
      !$omp end do
      deallocate (tri)
      !$omp end parallel
      if (s%have_pl == 0) return
      do l = 1, poles
         do k = 1, s%kall
            call at_pole(dt, rho_pl(:, k, l), vx_pl(:, k, l), vy_pl(:, k, l), vz_pl(:, k, l), gmtr_p_pl(1, l, rarea), &
                         gmtr_t_pl(:, l, :), gmtr_a_pl(:, l, :), xr_pl(:, l, :), flx_pl(:, k, l), xc_pl(:, k, l, :))
         end do
      end do
   end subroutine dyn_horiz_adv_flux

   subroutine at_triangles(s, singular, l, w, q, tri)
      type(region_shape), intent(in) :: s
      logical, intent(in) :: singular
      integer, intent(in) :: l
      real(wp), intent(in) :: w(s%n1*s%n1, s%lall, 2, 5), q(*)
      real(wp), intent(inout) :: tri(s%n1*s%n1, 2)
      integer :: j, g, n

      n = s%n1
      do j = s%gmin - 1, s%gmax
         do g = flat(s, s%gmin - 1, j), flat(s, s%gmax, j)
            tri(g, ti) = q(g)*w(g, l, ti, w1) + q(g + 1)*w(g, l, ti, w2) + q(g + 1 + n)*w(g, l, ti, w3)
            tri(g, tj) = q(g)*w(g, l, tj, w1) + q(g + 1 + n)*w(g, l, tj, w2) + q(g + n)*w(g, l, tj, w3)
         end do
      end do
      if (singular) tri(flat(s, s%gmin - 1, s%gmin - 1), ti) = tri(flat(s, s%gmin, s%gmin - 1), tj)
   end subroutine at_triangles

   subroutine clear_halo(s, k, l, flx, xc)
      type(region_shape), intent(in) :: s
      integer, intent(in) :: k, l
      real(wp), intent(inout) :: flx(s%n1*s%n1, s%kall, s%lall, 6), xc(s%n1*s%n1, s%kall, s%lall, 3, 3)
      integer :: j

      do j = 1, s%n1
         if (j < s%gmin .or. j > s%gmax) then
            call clear(flat(s, 1, j), flat(s, s%n1, j))
         else
            call clear(flat(s, 1, j), flat(s, s%gmin - 1, j))
            call clear(flat(s, s%gmax + 1, j), flat(s, s%n1, j))
         end if
      end do

   contains
      subroutine clear(first, last)
         integer, intent(in) :: first, last

         flx(first:last, k, l, :) = 0
         xc(first:last, k, l, :, :) = 0
      end subroutine clear
   end subroutine clear_halo

   ! The walls of one kind; the values of their two triangles are those of a and b at offsets from the point. The cell
   ! across is `across` further.
   subroutine walls(s, k, l, wall, a, offset_a, b, offset_b, across, i_first, j_first, dt, gmtr_p, gmtr_a, xr, flx, xc)
      type(region_shape), intent(in) :: s
      integer, intent(in) :: k, l, wall, offset_a, offset_b, across, i_first, j_first
      real(wp), intent(in) :: a(:, :), b(:, :), dt, gmtr_p(s%n1*s%n1, s%lall, 8), gmtr_a(s%n1*s%n1, s%lall, 3, 12)
      real(wp), intent(in) :: xr(s%n1*s%n1, s%lall, 3, 3)
      real(wp), intent(inout) :: flx(s%n1*s%n1, s%kall, s%lall, 6), xc(s%n1*s%n1, s%kall, s%lall, 3, 3)
      real(wp) :: rho2, vx2, vy2, vz2, r, f
      integer :: j, g, p, q

      do j = j_first, s%gmax
         do g = flat(s, i_first, j), flat(s, s%gmax, j)
            p = g + offset_a
            q = g + offset_b
            rho2 = a(p, 1) + b(q, 1)
            vx2 = a(p, 2) + b(q, 2)
            vy2 = a(p, 3) + b(q, 3)
            vz2 = a(p, 4) + b(q, 4)
            r = 1/max(rho2, eps)
            f = 0.5_wp*(vx2*gmtr_a(g, l, wall, hnx) + vy2*gmtr_a(g, l, wall, hny) + vz2*gmtr_a(g, l, wall, hnz))
            flx(g, k, l, wall) = f*gmtr_p(g, l, rarea)*dt
            flx(g + across, k, l, wall + 3) = -f*gmtr_p(g + across, l, rarea)*dt
            xc(g, k, l, wall, 1) = xr(g, l, wall, 1) - vx2*r*dt*0.5_wp
            xc(g, k, l, wall, 2) = xr(g, l, wall, 2) - vy2*r*dt*0.5_wp
            xc(g, k, l, wall, 3) = xr(g, l, wall, 3) - vz2*r*dt*0.5_wp
         end do
      end do
   end subroutine walls

   ! Entry 1 of flx and xc is left as it is.
   subroutine at_pole(dt, rho, vx, vy, vz, rarea_pole, t, a, xr, flx, xc)
      real(wp), intent(in) :: dt, rho(6), vx(6), vy(6), vz(6), rarea_pole, t(6, 5), a(6, 18), xr(6, 3)
      real(wp), intent(inout) :: flx(6), xc(6, 3)
      real(wp) :: tri(6, 4), rho2, vx2, vy2, vz2, r, f
      integer :: v, p

      do v = 2, 6
         tri(v, 1) = rho(1)*t(v, w1) + rho(v)*t(v, w2) + rho(next_pl(v))*t(v, w3)
         tri(v, 2) = vx(1)*t(v, w1) + vx(v)*t(v, w2) + vx(next_pl(v))*t(v, w3)
         tri(v, 3) = vy(1)*t(v, w1) + vy(v)*t(v, w2) + vy(next_pl(v))*t(v, w3)
         tri(v, 4) = vz(1)*t(v, w1) + vz(v)*t(v, w2) + vz(next_pl(v))*t(v, w3)
      end do
      do v = 2, 6
         p = previous_pl(v)
         rho2 = tri(p, 1) + tri(v, 1)
         vx2 = tri(p, 2) + tri(v, 2)
         vy2 = tri(p, 3) + tri(v, 3)
         vz2 = tri(p, 4) + tri(v, 4)
         r = 1/max(rho2, eps)
         f = 0.5_wp*(vx2*a(v, hnx) + vy2*a(v, hny) + vz2*a(v, hnz))
         flx(v) = f*rarea_pole*dt
         xc(v, 1) = xr(v, 1) - vx2*r*dt*0.5_wp
         xc(v, 2) = xr(v, 2) - vy2*r*dt*0.5_wp
         xc(v, 3) = xr(v, 3) - vz2*r*dt*0.5_wp
      end do
   end subroutine at_pole
end module igcm_horizontal_flux
