! Gradient of the three-dimensional divergence, for divergence damping (igcm/kernels/README.md).
module igcm_divdamp
   use igcm_regions
   implicit none
   private

contains

   ! rdgz: 1 / thickness of layers. Layers below kmin - 1 and above kmax + 1 do not exist.
   subroutine dyn_divdamp(s, sgp, rhogvx, rhogvx_pl, rhogvy, rhogvy_pl, rhogvz, rhogvz_pl, rhogw, rhogw_pl, coef_intp, &
                          coef_intp_pl, coef_diff, coef_diff_pl, rgsqrth, rgsqrth_pl, rgam, rgam_pl, rgamh, rgamh_pl, &
                          c2wfact, c2wfact_pl, rdgz, ddivdx, ddivdx_pl, ddivdy, ddivdy_pl, ddivdz, ddivdz_pl) &
      bind(c, name="igcm_f_dyn_divdamp")
      type(region_shape), intent(in) :: s
      integer(c_int), intent(in) :: sgp(s%lall)
      real(wp), intent(in), dimension(s%n1*s%n1, s%kall, s%lall) :: rhogvx, rhogvy, rhogvz, rhogw, rgsqrth, rgam, rgamh
      real(wp), intent(in), dimension(6, s%kall, 2) :: rhogvx_pl, rhogvy_pl, rhogvz_pl, rhogw_pl, rgsqrth_pl, rgam_pl, rgamh_pl
      real(wp), intent(in) :: coef_intp(s%n1*s%n1, 3, 3, 2, s%lall), coef_intp_pl(6, 3, 3, 2)
      real(wp), intent(in) :: coef_diff(s%n1*s%n1, 6, 3, s%lall), coef_diff_pl(5, 3, 2)
      real(wp), intent(in) :: c2wfact(s%n1*s%n1, s%kall, 6, s%lall), c2wfact_pl(6, s%kall, 6, 2), rdgz(s%kall)
      real(wp), intent(inout), dimension(s%n1*s%n1, s%kall, s%lall) :: ddivdx, ddivdy, ddivdz
      real(wp), intent(inout), dimension(6, s%kall, 2) :: ddivdx_pl, ddivdy_pl, ddivdz_pl
      real(wp), allocatable :: w(:, :), v(:, :), tri(:, :)
      integer :: k, l, gall

      gall = s%n1*s%n1
      !$omp parallel private(v, tri)
      allocate (v(gall, 3), tri(gall, 2))
      !$omp single
      allocate (w(gall, s%kall))
      !$omp end single
      do l = 1, s%lall
         !$omp do schedule(static)
         do k = s%kmin, s%kmax + 1
            if (k == s%kmin .or. k == s%kmax + 1) then
               w(:, k) = 0
            else
               call vertical_wind(gall, c2wfact(:, k, :, l), rhogvx(:, k, l), rhogvx(:, k - 1, l), rhogvy(:, k, l), &
                                  rhogvy(:, k - 1, l), rhogvz(:, k, l), rhogvz(:, k - 1, l), rgamh(:, k, l), &
                                  rhogw(:, k, l), rgsqrth(:, k, l), w(:, k))
            end if
         end do
         !$omp end do
         !$omp do schedule(static)
         do k = s%kmin - 1, s%kmax + 1
            if (k < s%kmin .or. k > s%kmax) then
               ddivdx(:, k, l) = 0
               ddivdy(:, k, l) = 0
               ddivdz(:, k, l) = 0
            else
               v(:, 1) = rhogvx(:, k, l)*rgam(:, k, l)
               v(:, 2) = rhogvy(:, k, l)*rgam(:, k, l)
               v(:, 3) = rhogvz(:, k, l)*rgam(:, k, l)
               call at_triangles(s, sgp(l) /= 0, v, w(:, k), w(:, k + 1), rdgz(k), coef_intp(:, :, :, :, l), tri)
               call at_cells(s, coef_diff(:, :, 1, l), tri, ddivdx(:, k, l))
               call at_cells(s, coef_diff(:, :, 2, l), tri, ddivdy(:, k, l))
               call at_cells(s, coef_diff(:, :, 3, l), tri, ddivdz(:, k, l))
            end if
         end do
         !$omp end do
      end do
      deallocate (v, tri)
      !$omp end parallel
      if (s%have_pl == 0) return
      do l = 1, poles
         call at_pole(s, rhogvx_pl(:, :, l), rhogvy_pl(:, :, l), rhogvz_pl(:, :, l), rhogw_pl(:, :, l), &
                      coef_intp_pl(:, :, :, l), coef_diff_pl(:, :, l), rgsqrth_pl(:, :, l), rgam_pl(:, :, l), &
                      rgamh_pl(:, :, l), c2wfact_pl(:, :, :, l), rdgz, ddivdx_pl(:, :, l), ddivdy_pl(:, :, l), &
                      ddivdz_pl(:, :, l))
      end do
   end subroutine dyn_divdamp

   subroutine vertical_wind(gall, c, vx, vx_below, vy, vy_below, vz, vz_below, rgamh, rhogw, rgsqrth, w)
      integer, intent(in) :: gall
      real(wp), intent(in) :: c(:, :), rgamh(gall), rhogw(gall), rgsqrth(gall)
      real(wp), intent(in), dimension(gall) :: vx, vx_below, vy, vy_below, vz, vz_below
      real(wp), intent(inout) :: w(gall)
      integer :: g

      do g = 1, gall
         w(g) = (c(g, 1)*vx(g) + c(g, 2)*vx_below(g) + c(g, 3)*vy(g) + c(g, 4)*vy_below(g) + c(g, 5)*vz(g) &
                 + c(g, 6)*vz_below(g))*rgamh(g) + rhogw(g)*rgsqrth(g)
      end do
   end subroutine vertical_wind

   subroutine at_triangles(s, singular, v, w, w_above, rdgz, c, tri)
      type(region_shape), intent(in) :: s
      logical, intent(in) :: singular
      real(wp), intent(in) :: v(s%n1*s%n1, 3), w(*), w_above(*), rdgz, c(s%n1*s%n1, 3, 3, 2)
      real(wp), intent(inout) :: tri(s%n1*s%n1, 2)
      integer :: g, n

      n = s%n1
      do g = flat(s, s%gmin - 1, s%gmin - 1), flat(s, s%gmax, s%gmax)
         tri(g, ti) = divergence(ti, g + 1, g + 1 + n)
         tri(g, tj) = divergence(tj, g + 1 + n, g + n)
      end do
      if (singular) tri(flat(s, s%gmin - 1, s%gmin - 1), ti) = tri(flat(s, s%gmin, s%gmin - 1), tj)

   contains
      real(wp) function divergence(t, g2, g3)
         integer, intent(in) :: t, g2, g3

         divergence = c(g, 1, 1, t)*v(g, 1) + c(g, 2, 1, t)*v(g2, 1) + c(g, 3, 1, t)*v(g3, 1) &
                      + c(g, 1, 2, t)*v(g, 2) + c(g, 2, 2, t)*v(g2, 2) + c(g, 3, 2, t)*v(g3, 2) &
                      + c(g, 1, 3, t)*v(g, 3) + c(g, 2, 3, t)*v(g2, 3) + c(g, 3, 3, t)*v(g3, 3) &
                      + ((w_above(g) + w_above(g2) + w_above(g3)) - (w(g) + w(g2) + w(g3)))/3*rdgz
      end function divergence
   end subroutine at_triangles

   subroutine at_cells(s, c, tri, ddiv)
      type(region_shape), intent(in) :: s
      real(wp), intent(in) :: c(s%n1*s%n1, 6), tri(s%n1*s%n1, 2)
      real(wp), intent(inout) :: ddiv(s%n1*s%n1)
      integer :: g, n, first, last

      n = s%n1
      first = flat(s, s%gmin, s%gmin)
      last = flat(s, s%gmax, s%gmax)
      ddiv(1:first - 1) = 0
      ddiv(last + 1:) = 0
      do g = first, last
         ddiv(g) = c(g, 1)*(tri(g, ti) + tri(g, tj)) + c(g, 2)*(tri(g, tj) + tri(g - 1, ti)) &
                   + c(g, 3)*(tri(g - 1, ti) + tri(g - 1 - n, tj)) + c(g, 4)*(tri(g - 1 - n, tj) + tri(g - 1 - n, ti)) &
                   + c(g, 5)*(tri(g - 1 - n, ti) + tri(g - n, tj)) + c(g, 6)*(tri(g - n, tj) + tri(g, ti))
      end do
   end subroutine at_cells

   subroutine at_pole(s, rhogvx, rhogvy, rhogvz, rhogw, c, cd, rgsqrth, rgam, rgamh, c2wfact, rdgz, ddivdx, ddivdy, ddivdz)
      type(region_shape), intent(in) :: s
      real(wp), intent(in), dimension(6, s%kall) :: rhogvx, rhogvy, rhogvz, rhogw, rgsqrth, rgam, rgamh
      real(wp), intent(in) :: c(6, 3, 3), cd(5, 3), c2wfact(6, s%kall, 6), rdgz(s%kall)
      real(wp), intent(inout), dimension(6, s%kall) :: ddivdx, ddivdy, ddivdz
      real(wp) :: w(6, s%kmin:s%kmax + 1), v(6, 3), tri(6)
      integer :: k, g, n, p

      w = 0
      do k = s%kmin + 1, s%kmax
         call vertical_wind(6, c2wfact(:, k, :), rhogvx(:, k), rhogvx(:, k - 1), rhogvy(:, k), rhogvy(:, k - 1), &
                            rhogvz(:, k), rhogvz(:, k - 1), rgamh(:, k), rhogw(:, k), rgsqrth(:, k), w(:, k))
      end do
      ddivdx(:, s%kmin - 1:s%kmax + 1) = 0
      ddivdy(:, s%kmin - 1:s%kmax + 1) = 0
      ddivdz(:, s%kmin - 1:s%kmax + 1) = 0
      do k = s%kmin, s%kmax
         v(:, 1) = rhogvx(:, k)*rgam(:, k)
         v(:, 2) = rhogvy(:, k)*rgam(:, k)
         v(:, 3) = rhogvz(:, k)*rgam(:, k)
         do g = 2, 6
            n = next_pl(g)
            tri(g) = c(g, 1, 1)*v(1, 1) + c(g, 2, 1)*v(g, 1) + c(g, 3, 1)*v(n, 1) + c(g, 1, 2)*v(1, 2) &
                     + c(g, 2, 2)*v(g, 2) + c(g, 3, 2)*v(n, 2) + c(g, 1, 3)*v(1, 3) + c(g, 2, 3)*v(g, 3) &
                     + c(g, 3, 3)*v(n, 3) &
                     + ((w(1, k + 1) + w(g, k + 1) + w(n, k + 1)) - (w(1, k) + w(g, k) + w(n, k)))/3*rdgz(k)
         end do
         do g = 2, 6
            p = previous_pl(g)
            ddivdx(1, k) = ddivdx(1, k) + cd(g - 1, 1)*(tri(p) + tri(g))
            ddivdy(1, k) = ddivdy(1, k) + cd(g - 1, 2)*(tri(p) + tri(g))
            ddivdz(1, k) = ddivdz(1, k) + cd(g - 1, 3)*(tri(p) + tri(g))
         end do
      end do
   end subroutine at_pole
end module igcm_divdamp
