! Horizontal tendencies (igcm/kernels/README.md): mass and heat fluxes, the vorticity term of TRiSK (Ringler et al.
! 2010, J. Comput. Phys. 229, 3065), and the gradient of the Bernoulli function.
module igcm_caldyn_horiz
   use igcm_rhombus
   implicit none
   private

contains

   subroutine comp_caldyn_horiz(r, caldyn_conserv, boussinesq, g, ptop, u, rhodz, qu, theta, pk, geopot, hflux, convm, &
                                dtheta_rhodz, du, le, Ai, de, Wee) bind(c, name="igcm_f_comp_caldyn_horiz")
      type(rhombus), intent(in) :: r
      integer(c_int), value :: caldyn_conserv, boussinesq
      real(wp), value :: g, ptop
      real(wp), intent(in) :: u(3*r%iim*r%jjm, r%llm), qu(3*r%iim*r%jjm, r%llm)
      real(wp), intent(in) :: rhodz(r%iim*r%jjm, r%llm), theta(r%iim*r%jjm, r%llm), geopot(r%iim*r%jjm, r%llm + 1)
      real(wp), intent(inout) :: pk(r%iim*r%jjm, r%llm), hflux(3*r%iim*r%jjm, r%llm), du(3*r%iim*r%jjm, r%llm)
      real(wp), intent(inout) :: convm(r%iim*r%jjm, r%llm), dtheta_rhodz(r%iim*r%jjm, r%llm)
      real(wp), intent(in) :: le(3*r%iim*r%jjm), Ai(r%iim*r%jjm), de(3*r%iim*r%jjm), Wee(3*r%iim*r%jjm, 5, 2)
      real(wp), allocatable :: scratch(:)
      integer, parameter :: tile = 512 ! the thirty weights of its cells stay in the cache while the levels pass
      integer :: l, first

      !$omp parallel private(scratch, l)
      allocate (scratch(3*r%iim*r%jjm))
      if (boussinesq /= 0) call pressure(r, g, ptop, rhodz, theta, pk)
      !$omp do schedule(static)
      do l = r%ll_begin, r%ll_end
         call fluxes(r, u(:, l), rhodz(:, l), theta(:, l), le, hflux(:, l), scratch)
         call convergence(r, Ai, hflux(:, l), convm(:, l))
         call convergence(r, Ai, scratch, dtheta_rhodz(:, l))
      end do
      !$omp end do
      !$omp do schedule(static)
      do first = r%ij_begin, r%ij_end, tile
         do l = r%ll_begin, r%ll_end
            call vorticity_term(r, first, min(first + tile - 1, r%ij_end), caldyn_conserv, hflux(:, l), qu(:, l), de, Wee, &
                                du(:, l))
         end do
      end do
      !$omp end do
      !$omp do schedule(static)
      do l = r%ll_begin, r%ll_end
         call bernoulli(r, boussinesq /= 0, u(:, l), geopot(:, l), geopot(:, l + 1), le, Ai, de, pk(:, l), scratch)
         call gradients(r, theta(:, l), pk(:, l), scratch, de, du(:, l))
      end do
      !$omp end do
      deallocate (scratch)
      !$omp end parallel
   end subroutine comp_caldyn_horiz

   subroutine fluxes(r, u, rhodz, theta, le, hflux, heat)
      type(rhombus), intent(in) :: r
      real(wp), intent(in) :: u(*), rhodz(*), theta(*), le(*)
      real(wp), intent(inout) :: hflux(*), heat(*)
      integer(long) :: ij

!GCC$ ivdep
      do ij = r%ij_begin_ext, r%ij_end_ext
         call flux(ij + r%u_right, ij + r%t_right)
         call flux(ij + r%u_lup, ij + r%t_lup)
         call flux(ij + r%u_ldown, ij + r%t_ldown)
      end do

   contains
      subroutine flux(e, n)
         integer(long), intent(in) :: e, n

         hflux(e) = 0.5_wp*(rhodz(ij) + rhodz(n))*u(e)*le(e)
         heat(e) = 0.5_wp*(theta(ij) + theta(n))*hflux(e)
      end subroutine flux
   end subroutine fluxes

   subroutine convergence(r, Ai, flux, conv)
      type(rhombus), intent(in) :: r
      real(wp), intent(in) :: Ai(*), flux(*)
      real(wp), intent(inout) :: conv(*)
      integer(long) :: ij

      do ij = r%ij_begin, r%ij_end
         conv(ij) = -(1/Ai(ij)*(ne(right)*flux(ij + r%u_right) + ne(rup)*flux(ij + r%u_rup) + ne(lup)*flux(ij + r%u_lup) &
                                + ne(left)*flux(ij + r%u_left) + ne(ldown)*flux(ij + r%u_ldown) &
                                + ne(rdown)*flux(ij + r%u_rdown)))
      end do
   end subroutine convergence

   ! The ten partners of an edge: five of its own cell, then five of the other, counter-clockwise after the edge.
   subroutine vorticity_term(r, first, last, caldyn_conserv, hflux, qu, de, Wee, du)
      type(rhombus), intent(in) :: r
      integer, intent(in) :: first, last
      integer(c_int), intent(in) :: caldyn_conserv
      real(wp), intent(in) :: hflux(*), qu(*), de(*), Wee(3*r%iim*r%jjm, 5, 2)
      real(wp), intent(inout) :: du(*)

      associate (r_ => r%u_right, ru => r%u_rup, lu => r%u_lup, l_ => r%u_left, ld => r%u_ldown, rd => r%u_rdown)
         call term(r_, .false., [ru, lu, l_, ld, rd], r%t_right + [ld, rd, r_, ru, lu])
         call term(lu, .true., [l_, ld, rd, r_, ru], r%t_lup + [r_, ru, lu, l_, ld])
         call term(ld, .true., [rd, r_, ru, lu, l_], r%t_ldown + [lu, l_, ld, rd, r_])
      end associate

   contains
      subroutine term(edge, guarded, own, other)
         integer, intent(in) :: edge, own(5), other(5)
         logical, intent(in) :: guarded
         real(wp) :: s
         integer(long) :: ij, e

         if (caldyn_conserv == energy) then
!GCC$ ivdep
            do ij = first, last
               e = ij + edge
               s = weighted(Wee(e, 1, 1), ij + own(1), qu(e)) + weighted(Wee(e, 2, 1), ij + own(2), qu(e)) &
                   + weighted(Wee(e, 3, 1), ij + own(3), qu(e)) + weighted(Wee(e, 4, 1), ij + own(4), qu(e)) &
                   + weighted(Wee(e, 5, 1), ij + own(5), qu(e)) + weighted(Wee(e, 1, 2), ij + other(1), qu(e)) &
                   + weighted(Wee(e, 2, 2), ij + other(2), qu(e)) + weighted(Wee(e, 3, 2), ij + other(3), qu(e)) &
                   + weighted(Wee(e, 4, 2), ij + other(4), qu(e)) + weighted(Wee(e, 5, 2), ij + other(5), qu(e))
               if (.not. guarded .or. de(e) > 1) du(e) = 0.5_wp*s/de(e)
            end do
         else
!GCC$ ivdep
            do ij = first, last
               e = ij + edge
               s = Wee(e, 1, 1)*hflux(ij + own(1)) + Wee(e, 2, 1)*hflux(ij + own(2)) + Wee(e, 3, 1)*hflux(ij + own(3)) &
                   + Wee(e, 4, 1)*hflux(ij + own(4)) + Wee(e, 5, 1)*hflux(ij + own(5)) + Wee(e, 1, 2)*hflux(ij + other(1)) &
                   + Wee(e, 2, 2)*hflux(ij + other(2)) + Wee(e, 3, 2)*hflux(ij + other(3)) &
                   + Wee(e, 4, 2)*hflux(ij + other(4)) + Wee(e, 5, 2)*hflux(ij + other(5))
               if (.not. guarded .or. de(e) > 1) du(e) = qu(e)*s/de(e)
            end do
         end if
      end subroutine term

      real(wp) function weighted(w, partner, q)
         real(wp), intent(in) :: w, q
         integer(long), intent(in) :: partner

         weighted = w*hflux(partner)*(q + qu(partner))
      end function weighted
   end subroutine vorticity_term

   ! Hydrostatic pressure of a Boussinesq fluid, from the top down. All threads of the team call it.
   subroutine pressure(r, g, ptop, rhodz, theta, pk)
      type(rhombus), intent(in) :: r
      real(wp), intent(in) :: g, ptop, rhodz(r%iim*r%jjm, r%llm), theta(r%iim*r%jjm, r%llm)
      real(wp), intent(inout) :: pk(r%iim*r%jjm, r%llm)
      integer(long) :: ij
      integer :: l

      !$omp do schedule(static)
      do ij = r%ij_begin_ext, r%ij_end_ext
         pk(ij, r%llm) = ptop + (0.5_wp*g)*theta(ij, r%llm)*rhodz(ij, r%llm)
      end do
      !$omp end do
      do l = r%llm - 1, 1, -1
         !$omp do schedule(static)
         do ij = r%ij_begin_ext, r%ij_end_ext
            pk(ij, l) = pk(ij, l + 1) + (0.5_wp*g)*(theta(ij, l)*rhodz(ij, l) + theta(ij, l + 1)*rhodz(ij, l + 1))
         end do
         !$omp end do
      end do
   end subroutine pressure

   ! B = potential + kinetic energy; the latter in the interior only. Boussinesq: B from the pressure, then pk becomes
   ! the potential at full levels.
   subroutine bernoulli(r, boussinesq, u, geopot_below, geopot_above, le, Ai, de, pk, b)
      type(rhombus), intent(in) :: r
      logical, intent(in) :: boussinesq
      real(wp), intent(in) :: u(*), geopot_below(*), geopot_above(*), le(*), Ai(*), de(*)
      real(wp), intent(inout) :: pk(*), b(*)
      real(wp) :: kinetic
      integer(long) :: ij

      do ij = r%ij_begin_ext, r%ij_end_ext
         if (boussinesq) then
            b(ij) = pk(ij)
            pk(ij) = 0.5_wp*(geopot_below(ij) + geopot_above(ij))
         else
            b(ij) = 0.5_wp*(geopot_below(ij) + geopot_above(ij))
         end if
      end do
!GCC$ ivdep
      do ij = r%ij_begin, r%ij_end
         kinetic = 1/(4*Ai(ij))*(square(ij + r%u_right) + square(ij + r%u_rup) + square(ij + r%u_lup) &
                                 + square(ij + r%u_left) + square(ij + r%u_ldown) + square(ij + r%u_rdown))
         if (Ai(ij) > 1e-30_wp) b(ij) = b(ij) + kinetic
      end do

   contains
      real(wp) function square(e)
         integer(long), intent(in) :: e

         square = le(e)*de(e)*(u(e)*u(e))
      end function square
   end subroutine bernoulli

   subroutine gradients(r, theta, pk, b, de, du)
      type(rhombus), intent(in) :: r
      real(wp), intent(in) :: theta(*), pk(*), b(*), de(*)
      real(wp), intent(inout) :: du(*)

      call gradient(r%u_right, r%t_right, ne(right))
      call gradient(r%u_lup, r%t_lup, ne(lup))
      call gradient(r%u_ldown, r%t_ldown, ne(ldown))

   contains
      subroutine gradient(edge, neighbour, sign_of)
         integer, intent(in) :: edge, neighbour
         real(wp), intent(in) :: sign_of
         real(wp) :: other
         integer(long) :: ij, e, n

         other = -sign_of
!GCC$ ivdep
         do ij = r%ij_begin, r%ij_end
            e = ij + edge
            n = ij + neighbour
            if (de(e) > 1) du(e) = du(e) + 1/de(e)*(0.5_wp*(theta(ij) + theta(n))*(sign_of*pk(ij) + other*pk(n)) &
                                                    + sign_of*b(ij) + other*b(n))
         end do
      end subroutine gradient
   end subroutine gradients
end module igcm_caldyn_horiz
