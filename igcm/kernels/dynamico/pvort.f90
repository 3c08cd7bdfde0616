! Potential vorticity (Dubos et al. 2015, Geosci. Model Dev. 8, 3131).
module igcm_pvort
   use igcm_rhombus
   implicit none
   private

contains

   ! caldyn_eta = eta_mass: rhodz from ps, and theta; eta_lag: theta from the given rhodz.
   subroutine comp_pvort(r, caldyn_eta, g, ps, u, theta_rhodz, rhodz, theta, qu, qv, Av, de, Riv2, fv, mass_dak, mass_dbk) &
      bind(c, name="igcm_f_comp_pvort")
      type(rhombus), intent(in) :: r
      integer(c_int), value :: caldyn_eta
      real(wp), value :: g
      real(wp), intent(in) :: ps(r%iim*r%jjm), u(3*r%iim*r%jjm, r%llm), theta_rhodz(r%iim*r%jjm, r%llm)
      real(wp), intent(inout) :: rhodz(r%iim*r%jjm, r%llm), theta(r%iim*r%jjm, r%llm)
      real(wp), intent(inout) :: qu(3*r%iim*r%jjm, r%llm), qv(2*r%iim*r%jjm, r%llm)
      real(wp), intent(in) :: Av(2*r%iim*r%jjm), de(3*r%iim*r%jjm), Riv2(r%iim*r%jjm, 6), fv(2*r%iim*r%jjm)
      real(wp), intent(in) :: mass_dak(r%llm), mass_dbk(r%llm)
      integer :: l

      !$omp parallel do schedule(static)
      do l = r%ll_begin, r%ll_end
         if (caldyn_eta == eta_mass) then
            call mass_of_layer(r, g, mass_dak(l), mass_dbk(l), ps, theta_rhodz(:, l), rhodz(:, l), theta(:, l))
         else
            call theta_of_layer(r, theta_rhodz(:, l), rhodz(:, l), theta(:, l))
         end if
         call at_vertices(r, u(:, l), rhodz(:, l), Av, de, Riv2, fv, qv(:, l))
         call at_edges(r, qv(:, l), qu(:, l))
      end do
   end subroutine comp_pvort

   subroutine mass_of_layer(r, g, dak, dbk, ps, theta_rhodz, rhodz, theta)
      type(rhombus), intent(in) :: r
      real(wp), intent(in) :: g, dak, dbk, ps(*), theta_rhodz(*)
      real(wp), intent(inout) :: rhodz(*), theta(*)
      real(wp) :: m
      integer :: ij

      do ij = r%ij_begin_ext, r%ij_end_ext
         m = (dak + ps(ij)*dbk)/g
         rhodz(ij) = m
         theta(ij) = 0
         if (m > 0) theta(ij) = theta_rhodz(ij)/m
      end do
   end subroutine mass_of_layer

   subroutine theta_of_layer(r, theta_rhodz, rhodz, theta)
      type(rhombus), intent(in) :: r
      real(wp), intent(in) :: theta_rhodz(*), rhodz(*)
      real(wp), intent(inout) :: theta(*)
      integer :: ij

      do ij = r%ij_begin_ext, r%ij_end_ext
         theta(ij) = theta_rhodz(ij)/rhodz(ij)
      end do
   end subroutine theta_of_layer

   subroutine at_vertices(r, u, rhodz, Av, de, Riv2, fv, qv)
      type(rhombus), intent(in) :: r
      real(wp), intent(in) :: u(*), rhodz(*), Av(*), de(*), fv(*), Riv2(r%iim*r%jjm, 6)
      real(wp), intent(inout) :: qv(*)
      real(wp) :: eta, h
      integer :: ij, a, b, c, v

      do ij = r%ij_begin_ext, r%ij_end_ext
         a = ij + r%u_rup
         b = ij + r%t_rup + r%u_left
         c = ij + r%u_lup
         v = ij + r%z_up
         eta = 1/Av(v)*(ne(rup)*u(a)*de(a) + ne(left)*u(b)*de(b) - ne(lup)*u(c)*de(c))
         h = Riv2(ij, v_up)*rhodz(ij) + Riv2(ij + r%t_rup, v_ldown)*rhodz(ij + r%t_rup) &
             + Riv2(ij + r%t_lup, v_rdown)*rhodz(ij + r%t_lup)
         qv(v) = 0
         if (h > 0) qv(v) = (eta + fv(v))/h

         a = ij + r%u_ldown
         b = ij + r%t_ldown + r%u_right
         c = ij + r%u_rdown
         v = ij + r%z_down
         eta = 1/Av(v)*(ne(ldown)*u(a)*de(a) + ne(right)*u(b)*de(b) - ne(rdown)*u(c)*de(c))
         h = Riv2(ij, v_down)*rhodz(ij) + Riv2(ij + r%t_ldown, v_rup)*rhodz(ij + r%t_ldown) &
             + Riv2(ij + r%t_rdown, v_lup)*rhodz(ij + r%t_rdown)
         qv(v) = 0
         if (h > 0) qv(v) = (eta + fv(v))/h
      end do
   end subroutine at_vertices

   subroutine at_edges(r, qv, qu)
      type(rhombus), intent(in) :: r
      real(wp), intent(in) :: qv(*)
      real(wp), intent(inout) :: qu(*)
      integer :: ij

      do ij = r%ij_begin, r%ij_end
         qu(ij + r%u_right) = 0.5_wp*(qv(ij + r%z_rdown) + qv(ij + r%z_rup))
         qu(ij + r%u_lup) = 0.5_wp*(qv(ij + r%z_up) + qv(ij + r%z_lup))
         qu(ij + r%u_ldown) = 0.5_wp*(qv(ij + r%z_ldown) + qv(ij + r%z_down))
      end do
   end subroutine at_edges
end module igcm_pvort
