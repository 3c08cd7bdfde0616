! Diffusion of a scalar (ICOATMOS, section 3.2; Tomita and Satoh 2004, Fluid Dyn. Res. 34, 357).
module igcm_diffusion
   use igcm_regions
   implicit none
   private

contains

   ! as_published /= 0: the first vector of each wall gives its x component to the y and z sums too, as in the published
   ! kernel; that is no diffusion operator, and serves comparisons only.
   subroutine dyn_diffusion(s, sgp, as_published, scl, scl_pl, kh, kh_pl, coef_intp, coef_intp_pl, coef_diff, &
                            coef_diff_pl, dscl, dscl_pl) bind(c, name="igcm_f_dyn_diffusion")
      type(region_shape), intent(in) :: s
      integer(c_int), intent(in) :: sgp(s%lall)
      integer(c_int), value :: as_published
      real(wp), intent(in) :: scl(s%n1*s%n1, s%kall, s%lall), kh(s%n1*s%n1, s%kall, s%lall)
      real(wp), intent(in) :: scl_pl(6, s%kall, 2), kh_pl(6, s%kall, 2)
      real(wp), intent(in) :: coef_intp(s%n1*s%n1, 3, 3, 2, s%lall), coef_intp_pl(6, 3, 3, 2)
      real(wp), intent(in) :: coef_diff(s%n1*s%n1, 6, 3, s%lall), coef_diff_pl(5, 3, 2)
      real(wp), intent(inout) :: dscl(s%n1*s%n1, s%kall, s%lall), dscl_pl(6, s%kall, 2)
      real(wp), allocatable :: vt(:, :, :)
      integer :: k, l

      !$omp parallel private(vt)
      allocate (vt(s%n1*s%n1, 3, 2))
      !$omp do collapse(2) schedule(static)
      do l = 1, s%lall
         do k = 1, s%kall
            call at_triangles(s, sgp(l) /= 0, scl(:, k, l), coef_intp(:, :, :, :, l), vt)
            call at_cells(s, as_published /= 0, kh(:, k, l), coef_diff(:, :, :, l), vt, dscl(:, k, l))
         end do
      end do
      !$omp end do
      deallocate (vt)
      !$omp end parallel
      if (s%have_pl == 0) return
      do l = 1, poles
         do k = 1, s%kall
            call at_pole(scl_pl(:, k, l), kh_pl(:, k, l), coef_intp_pl(:, :, :, l), coef_diff_pl(:, :, l), dscl_pl(:, k, l))
         end do
      end do
   end subroutine dyn_diffusion

   pure real(wp) function vector(c1, c2, c3, s1, s2, s3)
      real(wp), intent(in) :: c1, c2, c3, s1, s2, s3

      vector = ((2*c1 - c2 - c3)*s1 + (-c1 + 2*c2 - c3)*s2 + (-c1 - c2 + 2*c3)*s3)/3
   end function vector

   subroutine at_triangles(s, singular, scl, c, vt)
      type(region_shape), intent(in) :: s
      logical, intent(in) :: singular
      real(wp), intent(in) :: scl(*), c(s%n1*s%n1, 3, 3, 2)
      real(wp), intent(inout) :: vt(s%n1*s%n1, 3, 2)
      integer :: d, g, n

      n = s%n1
      do d = 1, 3
         do g = flat(s, s%gmin - 1, s%gmin - 1), flat(s, s%gmax, s%gmax)
            vt(g, d, ti) = vector(c(g, 1, d, ti), c(g, 2, d, ti), c(g, 3, d, ti), scl(g), scl(g + 1), scl(g + 1 + n))
            vt(g, d, tj) = vector(c(g, 1, d, tj), c(g, 2, d, tj), c(g, 3, d, tj), scl(g), scl(g + 1 + n), scl(g + n))
         end do
      end do
      if (singular) vt(flat(s, s%gmin - 1, s%gmin - 1), :, ti) = vt(flat(s, s%gmin, s%gmin - 1), :, tj)
   end subroutine at_triangles

   subroutine at_cells(s, as_published, kh, c, vt, dscl)
      type(region_shape), intent(in) :: s
      logical, intent(in) :: as_published
      real(wp), intent(in) :: kh(*), c(s%n1*s%n1, 6, 3), vt(s%n1*s%n1, 3, 2)
      real(wp), intent(inout) :: dscl(s%n1*s%n1)
      real(wp) :: kappa(6), total
      integer :: g, n, d, f, first, last

      n = s%n1
      first = flat(s, s%gmin, s%gmin)
      last = flat(s, s%gmax, s%gmax)
      dscl(1:first - 1) = 0
      dscl(last + 1:) = 0
      do g = first, last
         kappa(1) = 0.5_wp*(kh(g) + kh(g + 1 + n))
         kappa(2) = 0.5_wp*(kh(g) + kh(g + n))
         kappa(3) = 0.5_wp*(kh(g) + kh(g - 1))
         kappa(4) = 0.5_wp*(kh(g) + kh(g - 1 - n))
         kappa(5) = 0.5_wp*(kh(g) + kh(g - n))
         kappa(6) = 0.5_wp*(kh(g) + kh(g + 1))
         do d = 1, 3
            f = merge(1, d, as_published)
            total = kappa(1)*c(g, 1, d)*(vt(g, f, ti) + vt(g, d, tj)) &
                    + kappa(2)*c(g, 2, d)*(vt(g, f, tj) + vt(g - 1, d, ti)) &
                    + kappa(3)*c(g, 3, d)*(vt(g - 1, f, ti) + vt(g - 1 - n, d, tj)) &
                    + kappa(4)*c(g, 4, d)*(vt(g - 1 - n, f, tj) + vt(g - 1 - n, d, ti)) &
                    + kappa(5)*c(g, 5, d)*(vt(g - 1 - n, f, ti) + vt(g - n, d, tj)) &
                    + kappa(6)*c(g, 6, d)*(vt(g - n, f, tj) + vt(g, d, ti))
            if (d == 1) then
               dscl(g) = total
            else
               dscl(g) = dscl(g) + total
            end if
         end do
      end do
   end subroutine at_cells

   subroutine at_pole(scl, kh, c, cd, dscl)
      real(wp), intent(in) :: scl(6), kh(6), c(6, 3, 3), cd(5, 3)
      real(wp), intent(inout) :: dscl(6)
      real(wp) :: vt(6, 3)
      integer :: v, d, p

      do d = 1, 3
         do v = 2, 6
            vt(v, d) = vector(c(v, 1, d), c(v, 2, d), c(v, 3, d), scl(1), scl(v), scl(next_pl(v)))
         end do
      end do
      dscl = 0
      do v = 2, 6
         p = previous_pl(v)
         dscl(1) = dscl(1) + (cd(v - 1, 1)*(vt(p, 1) + vt(v, 1)) + cd(v - 1, 2)*(vt(p, 2) + vt(v, 2)) &
                              + cd(v - 1, 3)*(vt(p, 3) + vt(v, 3)))*0.5_wp*(kh(1) + kh(v))
      end do
   end subroutine at_pole
end module igcm_diffusion
