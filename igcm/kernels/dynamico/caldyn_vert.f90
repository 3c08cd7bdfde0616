! Vertical mass flux and transport (igcm/kernels/README.md).
module igcm_caldyn_vert
   use igcm_rhombus
   implicit none
   private

contains

   ! omp_begin..omp_end are the cells whose convm is summed; all else is done for the whole interior.
   subroutine comp_caldyn_vert(r, omp_begin, omp_end, g, u, theta, rhodz, bp, convm, wflux, wwuu, dps, dtheta_rhodz, du) &
      bind(c, name="igcm_f_comp_caldyn_vert")
      type(rhombus), intent(in) :: r
      integer(c_int), value :: omp_begin, omp_end
      real(wp), value :: g
      real(wp), intent(in) :: u(3*r%iim*r%jjm, r%llm), theta(r%iim*r%jjm, r%llm), rhodz(r%iim*r%jjm, r%llm), bp(r%llm + 1)
      real(wp), intent(inout) :: convm(r%iim*r%jjm, r%llm), wflux(r%iim*r%jjm, r%llm + 1)
      real(wp), intent(inout) :: wwuu(3*r%iim*r%jjm, r%llm + 1), dps(r%iim*r%jjm)
      real(wp), intent(inout) :: dtheta_rhodz(r%iim*r%jjm, r%llm), du(3*r%iim*r%jjm, r%llm)
      integer :: ij, l

      !$omp parallel private(ij, l)
      do l = r%llm - 1, 1, -1
         !$omp do schedule(static)
         do ij = omp_begin, omp_end
            convm(ij, l) = convm(ij, l) + convm(ij, l + 1)
         end do
         !$omp end do
      end do
      !$omp do schedule(static)
      do ij = r%ij_begin, r%ij_end
         dps(ij) = convm(ij, 1)*g
      end do
      !$omp end do nowait
      !$omp do schedule(static)
      do l = 2, r%llm
         do ij = r%ij_begin, r%ij_end
            wflux(ij, l) = bp(l)*convm(ij, 1) - convm(ij, l)
         end do
         call momentum(r, wflux(:, l), u(:, l - 1), u(:, l), wwuu(:, l))
      end do
      !$omp end do
      !$omp do schedule(static)
      do l = 1, r%llm
         if (l < r%llm) then
            do ij = r%ij_begin, r%ij_end
               dtheta_rhodz(ij, l) = dtheta_rhodz(ij, l) - 0.5_wp*(wflux(ij, l + 1)*(theta(ij, l) + theta(ij, l + 1)))
            end do
         end if
         if (l > 1) then
            do ij = r%ij_begin, r%ij_end
               dtheta_rhodz(ij, l) = dtheta_rhodz(ij, l) + 0.5_wp*(wflux(ij, l)*(theta(ij, l - 1) + theta(ij, l)))
            end do
         end if
         call tendency(r, wwuu(:, l), wwuu(:, l + 1), rhodz(:, l), du(:, l))
      end do
      !$omp end do
      !$omp end parallel
   end subroutine comp_caldyn_vert

   subroutine momentum(r, wflux, u_below, u, wwuu)
      type(rhombus), intent(in) :: r
      real(wp), intent(in) :: wflux(*), u_below(*), u(*)
      real(wp), intent(inout) :: wwuu(*)
      integer :: ij

!GCC$ ivdep
      do ij = r%ij_begin, r%ij_end
         call edge(ij + r%u_right, ij + r%t_right)
         call edge(ij + r%u_lup, ij + r%t_lup)
         call edge(ij + r%u_ldown, ij + r%t_ldown)
      end do

   contains
      subroutine edge(e, n)
         integer, intent(in) :: e, n

         wwuu(e) = 0.5_wp*(wflux(ij) + wflux(n))*(u(e) - u_below(e))
      end subroutine edge
   end subroutine momentum

   subroutine tendency(r, wwuu_below, wwuu_above, rhodz, du)
      type(rhombus), intent(in) :: r
      real(wp), intent(in) :: wwuu_below(*), wwuu_above(*), rhodz(*)
      real(wp), intent(inout) :: du(*)
      integer :: ij

!GCC$ ivdep
      do ij = r%ij_begin, r%ij_end
         call edge(ij + r%u_right, ij + r%t_right)
         call edge(ij + r%u_lup, ij + r%t_lup)
         call edge(ij + r%u_ldown, ij + r%t_ldown)
      end do

   contains
      subroutine edge(e, n)
         integer, intent(in) :: e, n

         du(e) = du(e) - (wwuu_above(e) + wwuu_below(e))/(rhodz(ij) + rhodz(n))
      end subroutine edge
   end subroutine tendency
end module igcm_caldyn_vert
