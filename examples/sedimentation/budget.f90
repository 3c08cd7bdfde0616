! The mass of each tracer, in the air and on the ground: it must stay as it was at the start.
module budget
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi_f08
  use settings, only: rk
  use sphere, only: sphere_t
  use atmosphere, only: atmosphere_t
  use tracers, only: state_t, table
  implicit none
  private
  public :: budget_t, open_budget, check_budget

  real(rk), parameter :: tolerance = 1e-12_rk             ! of the mass at the start: rounding over many steps

  type :: budget_t
    real(rk) :: start(size(table))                        ! kg
    real(rk) :: worst = 0                                 ! largest change so far, as a part of the mass at the start
  end type budget_t

contains

  ! Collective, as check_budget.
  subroutine open_budget(g, air, state, b)
    type(sphere_t), intent(in) :: g
    type(atmosphere_t), intent(in) :: air
    type(state_t), intent(in) :: state
    type(budget_t), intent(out) :: b
    b%start = masses(g, air, state)
  end subroutine open_budget

  ! Ends the job if a tracer has gained or lost mass.
  subroutine check_budget(g, air, state, step, b)
    type(sphere_t), intent(in) :: g
    type(atmosphere_t), intent(in) :: air
    type(state_t), intent(in) :: state
    integer, intent(in) :: step
    type(budget_t), intent(inout) :: b
    real(rk) :: change(size(table))
    integer :: n
    change = abs(masses(g, air, state) - b%start)/b%start
    b%worst = max(b%worst, maxval(change))
    n = findloc(change <= tolerance, .false., 1)          ! (a NaN is not within the tolerance)
    if (n == 0) return
    if (g%rank == 0) then
      write (error_unit, '(3a,es9.2,a,i0)') 'sedimentation: the mass of ', trim(table(n)%name), ' has changed by ', &
        change(n), ' of what it was at the start, at step ', step
      call MPI_Abort(MPI_COMM_WORLD, 1)
    end if
    call MPI_Barrier(g%comm)
  end subroutine check_budget

  function masses(g, air, state) result(kg)
    type(sphere_t), intent(in) :: g
    type(atmosphere_t), intent(in) :: air
    type(state_t), intent(in) :: state
    real(rk) :: kg(size(table)), column(g%count)
    integer :: k, n
    do n = 1, size(table)
      column = state%ground(:, n)
      do k = 1, g%levels
        column = column + air%mass(:, k)*state%q(:, k, n)
      end do
      kg(n) = sum(column*g%area)
    end do
    call MPI_Allreduce(MPI_IN_PLACE, kg, size(kg), MPI_REAL8, MPI_SUM, g%comm)
  end function masses
end module budget
