! Exner pressure and geopotential (igcm/kernels/README.md).
module igcm_geopot
   use igcm_rhombus
   implicit none
   private

   type, bind(c), public :: geopot_constants
      real(wp) :: g, ptop, kappa, cpp, preff
   end type geopot_constants

contains

   ! geopot(:, 1) is input. eta_mass: pk and geopot from ps; eta_lag: from rhodz, and ps too, unless boussinesq.
   subroutine comp_geopot(r, caldyn_eta, boussinesq, k, ps, rhodz, theta, pk, geopot, mass_ak, mass_bk) &
      bind(c, name="igcm_f_comp_geopot")
      type(rhombus), intent(in) :: r
      integer(c_int), value :: caldyn_eta, boussinesq
      type(geopot_constants), intent(in) :: k
      real(wp), intent(inout) :: ps(r%iim*r%jjm), pk(r%iim*r%jjm, r%llm), geopot(r%iim*r%jjm, r%llm + 1)
      real(wp), intent(in) :: rhodz(r%iim*r%jjm, r%llm), theta(r%iim*r%jjm, r%llm), mass_ak(r%llm), mass_bk(r%llm)
      integer, parameter :: chunk = 256 ! columns of a chunk stay in the cache on the way up
      integer :: first, last

      !$omp parallel do schedule(static) private(last)
      do first = r%ij_begin_ext, r%ij_end_ext, chunk
         last = min(first + chunk - 1, r%ij_end_ext)
         if (caldyn_eta == eta_mass) then
            call mass_based(r, k, first, last, ps, rhodz, theta, pk, geopot, mass_ak, mass_bk)
         else if (boussinesq /= 0) then
            call incompressible(r, k, first, last, rhodz, geopot)
         else
            call lagrangian(r, k, first, last, ps, rhodz, theta, pk, geopot)
         end if
      end do
   end subroutine comp_geopot

   subroutine mass_based(r, k, first, last, ps, rhodz, theta, pk, geopot, mass_ak, mass_bk)
      type(rhombus), intent(in) :: r
      type(geopot_constants), intent(in) :: k
      integer, intent(in) :: first, last
      real(wp), intent(in) :: ps(r%iim*r%jjm), mass_ak(r%llm), mass_bk(r%llm)
      real(wp), intent(in) :: rhodz(r%iim*r%jjm, r%llm), theta(r%iim*r%jjm, r%llm)
      real(wp), intent(inout) :: pk(r%iim*r%jjm, r%llm), geopot(r%iim*r%jjm, r%llm + 1)
      real(wp) :: p, x
      integer :: ij, l

      do l = 1, r%llm
         do ij = first, last
            p = k%ptop + mass_ak(l) + mass_bk(l)*ps(ij)
            x = k%cpp*(p/k%preff)**k%kappa
            pk(ij, l) = x
            if (p > 1e-30_wp) geopot(ij, l + 1) = geopot(ij, l) + (k%g*k%kappa)*rhodz(ij, l)*theta(ij, l)*x/p
         end do
      end do
   end subroutine mass_based

   subroutine incompressible(r, k, first, last, rhodz, geopot)
      type(rhombus), intent(in) :: r
      type(geopot_constants), intent(in) :: k
      integer, intent(in) :: first, last
      real(wp), intent(in) :: rhodz(r%iim*r%jjm, r%llm)
      real(wp), intent(inout) :: geopot(r%iim*r%jjm, r%llm + 1)
      integer :: ij, l

      do l = 1, r%llm
         do ij = first, last
            geopot(ij, l + 1) = geopot(ij, l) + k%g*rhodz(ij, l)
         end do
      end do
   end subroutine incompressible

   subroutine lagrangian(r, k, first, last, ps, rhodz, theta, pk, geopot)
      type(rhombus), intent(in) :: r
      type(geopot_constants), intent(in) :: k
      integer, intent(in) :: first, last
      real(wp), intent(in) :: rhodz(r%iim*r%jjm, r%llm), theta(r%iim*r%jjm, r%llm)
      real(wp), intent(inout) :: ps(r%iim*r%jjm), pk(r%iim*r%jjm, r%llm), geopot(r%iim*r%jjm, r%llm + 1)
      real(wp) :: p, x
      integer :: ij, l

      ! pk holds the pressure on the way down.
      do ij = first, last
         pk(ij, r%llm) = k%ptop + (0.5_wp*k%g)*rhodz(ij, r%llm)
      end do
      do l = r%llm - 1, 1, -1
         do ij = first, last
            pk(ij, l) = pk(ij, l + 1) + (0.5_wp*k%g)*(rhodz(ij, l) + rhodz(ij, l + 1))
         end do
      end do
      do ij = first, last
         ps(ij) = pk(ij, 1) + (0.5_wp*k%g)*rhodz(ij, 1)
      end do
      do l = 1, r%llm
         do ij = first, last
            p = pk(ij, l)
            x = k%cpp*(p/k%preff)**k%kappa
            geopot(ij, l + 1) = geopot(ij, l) + (k%g*k%kappa)*rhodz(ij, l)*theta(ij, l)*x/p
            pk(ij, l) = x
         end do
      end do
   end subroutine lagrangian
end module igcm_geopot
