! Diffusion of a scalar (Tomita and Satoh 2004, Fluid Dyn. Res. 34, 357).
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
      integer, parameter :: tile = 1024 ! its weights stay in the cache while the levels pass
      integer :: k, l, first

      !$omp parallel do collapse(2) schedule(static)
      do l = 1, s%lall
         do first = flat(s, s%gmin, s%gmin), flat(s, s%gmax, s%gmax), tile
            call part_of_region(s, first, min(first + tile - 1, flat(s, s%gmax, s%gmax)), sgp(l) /= 0, as_published /= 0, &
                                scl(:, :, l), kh(:, :, l), coef_intp(:, :, :, :, l), coef_diff(:, :, :, l), dscl(:, :, l))
         end do
      end do
      if (s%have_pl == 0) return
      do l = 1, poles
         do k = 1, s%kall
            call at_pole(scl_pl(:, k, l), kh_pl(:, k, l), coef_intp_pl(:, :, :, l), coef_diff_pl(:, :, l), dscl_pl(:, k, l))
         end do
      end do
   end subroutine dyn_diffusion

   ! The cells first..last at all levels. The triangles around them begin a row and a point earlier.
   subroutine part_of_region(s, first, last, singular, as_published, scl, kh, c, cd, dscl)
      type(region_shape), intent(in) :: s
      integer, intent(in) :: first, last
      logical, intent(in) :: singular, as_published
      real(wp), intent(in) :: scl(s%n1*s%n1, s%kall), kh(s%n1*s%n1, s%kall)
      real(wp), intent(in) :: c(s%n1*s%n1, 3, 3, 2), cd(s%n1*s%n1, 6, 3)
      real(wp), intent(inout) :: dscl(s%n1*s%n1, s%kall)
      real(wp) :: weight(first - s%n1 - 1:last, 3, 3, 2), vt(first - s%n1 - 1:last, 3, 2)
      integer :: k, corner

      corner = flat(s, s%gmin - 1, s%gmin - 1)
      call combine(c, weight)
      do k = 1, s%kall
         if (first == flat(s, s%gmin, s%gmin)) dscl(1:first - 1, k) = 0
         if (last == flat(s, s%gmax, s%gmax)) dscl(last + 1:, k) = 0
         call at_triangles(scl(:, k))
         if (singular .and. first - s%n1 - 1 == corner) vt(corner, :, ti) = vt(corner + 1, :, tj)
         call at_cells(kh(:, k), dscl(:, k))
      end do

   contains
      ! The factors of the values at the three corners of a triangle.
      subroutine combine(c, weight)
         real(wp), intent(in) :: c(s%n1*s%n1, 3, 3, 2)
         real(wp), intent(inout) :: weight(first - s%n1 - 1:last, 3, 3, 2)
         integer :: t, d, g

         do t = 1, 2
            do d = 1, 3
               do g = first - s%n1 - 1, last
                  weight(g, 1, d, t) = 2*c(g, 1, d, t) - c(g, 2, d, t) - c(g, 3, d, t)
                  weight(g, 2, d, t) = -c(g, 1, d, t) + 2*c(g, 2, d, t) - c(g, 3, d, t)
                  weight(g, 3, d, t) = -c(g, 1, d, t) - c(g, 2, d, t) + 2*c(g, 3, d, t)
               end do
            end do
         end do
      end subroutine combine

      subroutine at_triangles(scl)
         real(wp), intent(in) :: scl(*)
         integer :: d, g, n

         n = s%n1
         do d = 1, 3
            do g = first - n - 1, last
               vt(g, d, ti) = (weight(g, 1, d, ti)*scl(g) + weight(g, 2, d, ti)*scl(g + 1) &
                               + weight(g, 3, d, ti)*scl(g + 1 + n))/3
               vt(g, d, tj) = (weight(g, 1, d, tj)*scl(g) + weight(g, 2, d, tj)*scl(g + 1 + n) &
                               + weight(g, 3, d, tj)*scl(g + n))/3
            end do
         end do
      end subroutine at_triangles

      subroutine at_cells(kh, dscl)
         real(wp), intent(in) :: kh(*)
         real(wp), intent(inout) :: dscl(*)
         integer :: d, f, g, n
         real(wp) :: total

         n = s%n1
         do d = 1, 3
            f = merge(1, d, as_published)
            do g = first, last
               total = 0.5_wp*(kh(g) + kh(g + 1 + n))*cd(g, 1, d)*(vt(g, f, ti) + vt(g, d, tj)) &
                       + 0.5_wp*(kh(g) + kh(g + n))*cd(g, 2, d)*(vt(g, f, tj) + vt(g - 1, d, ti)) &
                       + 0.5_wp*(kh(g) + kh(g - 1))*cd(g, 3, d)*(vt(g - 1, f, ti) + vt(g - 1 - n, d, tj)) &
                       + 0.5_wp*(kh(g) + kh(g - 1 - n))*cd(g, 4, d)*(vt(g - 1 - n, f, tj) + vt(g - 1 - n, d, ti)) &
                       + 0.5_wp*(kh(g) + kh(g - n))*cd(g, 5, d)*(vt(g - 1 - n, f, ti) + vt(g - n, d, tj)) &
                       + 0.5_wp*(kh(g) + kh(g + 1))*cd(g, 6, d)*(vt(g - n, f, tj) + vt(g, d, ti))
               if (d == 1) then
                  dscl(g) = total
               else
                  dscl(g) = dscl(g) + total
               end if
            end do
         end do
      end subroutine at_cells
   end subroutine part_of_region

   pure real(wp) function vector(c1, c2, c3, s1, s2, s3)
      real(wp), intent(in) :: c1, c2, c3, s1, s2, s3

      vector = ((2*c1 - c2 - c3)*s1 + (-c1 + 2*c2 - c3)*s2 + (-c1 - c2 + 2*c3)*s3)/3
   end function vector

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
