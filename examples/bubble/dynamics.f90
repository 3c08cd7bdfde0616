! One time step: three Runge-Kutta stages (Wicker and Skamarock 2002) of the compressible equations in flux form, with
! fifth-order upwind-biased transport and constant viscosity. Sound is stepped explicitly with everything else.
module dynamics
  use mpi_f08
  use settings, only: rk
  use grid, only: grid_t
  use state
  use halo_exchange, only: fill_halos
  implicit none
  private
  public :: model_t, make_model, advance, stable_step

  type :: model_t
    type(grid_t) :: g
    type(reference_t) :: ref
    type(flow_t) :: flow                                         ! belongs to q, halos included
    real(rk), allocatable :: q(:, :, :, :)                       ! the state
    real(rk), allocatable, private :: old(:, :, :, :), tendency(:, :, :, :)
    real(rk) :: viscosity, cfl
  end type model_t

contains

  ! The atmosphere at rest; the caller disturbs model%q and then calls advance with dt = 0 once.
  subroutine make_model(g, viscosity, cfl, model)
    type(grid_t), intent(in) :: g
    real(rk), intent(in) :: viscosity, cfl
    type(model_t), intent(out) :: model
    model%g = g
    model%viscosity = viscosity
    model%cfl = cfl
    call make_reference(g, model%ref)
    call allocate_state(g, model%q)
    call allocate_flow(g, model%flow)
    allocate (model%tendency(g%nz, g%nyl, g%nxl, n_state), source=0.0_rk)
    allocate (model%old, source=model%tendency)
  end subroutine make_model

  ! Collective. Steps the state forward by dt seconds and brings halos and flow up to date (dt = 0: only that).
  subroutine advance(model, dt)
    type(model_t), intent(inout) :: model
    real(rk), intent(in) :: dt
    integer :: stage

    associate (g => model%g)
      if (dt > 0) model%old = model%q(1:g%nz, 1:g%nyl, 1:g%nxl, :)
    end associate
    do stage = 3, 1, -1
      if (dt > 0) then
        call compute_tendencies(model)
        call update(model, dt/stage)
      end if
      call fill_halos(model%g, model%q)
      call diagnose(model%g, model%ref, model%q, model%flow)
      if (.not. dt > 0) exit
    end do
  end subroutine advance

  subroutine update(model, dt)
    type(model_t), intent(inout) :: model
    real(rk), intent(in) :: dt
    associate (g => model%g)
      model%q(1:g%nz, 1:g%nyl, 1:g%nxl, :) = model%old + dt*model%tendency
    end associate
  end subroutine update

  ! Collective. The longest stable step: a maximum over all ranks, which is exact in any order. 0 if the state is lost.
  function stable_step(model) result(dt)
    type(model_t), intent(in) :: model
    real(rk) :: dt
    real(rk) :: rate, largest, sound, c_p_over_c_v, diffusive
    integer :: i, j, k

    associate (g => model%g, f => model%flow)
      c_p_over_c_v = c_p/(c_p - gas_constant)
      sound = sqrt(1/g%dx**2 + 1/g%dy**2 + 1/g%dz**2)
      largest = 0
      do i = 1, g%nxl
        do j = 1, g%nyl
          do k = 1, g%nz
            rate = sound*sqrt(c_p_over_c_v*(model%ref%p(k) + f%p(k, j, i))/f%rho(k, j, i)) + &
                   abs(f%u(k, j, i))/g%dx + abs(f%v(k, j, i))/g%dy + abs(f%w(k, j, i))/g%dz
            if (rate > largest) largest = rate
            if (.not. rate < huge(rate)) largest = huge(rate)   ! not a number
          end do
        end do
      end do
      call MPI_Allreduce(MPI_IN_PLACE, largest, 1, MPI_REAL8, MPI_MAX, g%comm)
      diffusive = model%viscosity*sound**2/0.6_rk
      dt = 0
      if (largest < huge(largest)) dt = model%cfl/max(largest, diffusive)
    end associate
  end function stable_step

  subroutine compute_tendencies(model)
    type(model_t), intent(inout) :: model
    associate (g => model%g, q => model%q, f => model%flow, t => model%tendency, nu => model%viscosity)
      call divergence(g, q(:, :, :, i_ru), q(:, :, :, i_rv), q(:, :, :, i_rw), t(:, :, :, i_rho))
      call transport(g, nu, f%theta, q, f%rho, 0, 0, 0, t(:, :, :, i_rt))
      call transport(g, nu, f%u, q, f%rho, 0, 0, 1, t(:, :, :, i_ru))
      call transport(g, nu, f%v, q, f%rho, 0, 1, 0, t(:, :, :, i_rv))
      call transport(g, nu, f%w, q, f%rho, 1, 0, 0, t(:, :, :, i_rw))
      call add_forces(g, f%p, q(:, :, :, i_rho), t)
    end associate
  end subroutine compute_tendencies

  ! Mass: what flows out through the faces. Neighbours subtract and add the same numbers, so none is lost.
  subroutine divergence(g, ru, rv, rw, tendency)
    type(grid_t), intent(in) :: g
    real(rk), contiguous, intent(in), dimension(g%zl:, g%yl:, g%xl:) :: ru, rv, rw
    real(rk), contiguous, intent(out) :: tendency(:, :, :)
    integer :: i, j, k
    do i = 1, g%nxl
      do j = 1, g%nyl
        do k = 1, g%nz
          tendency(k, j, i) = -((ru(k, j, i + 1) - ru(k, j, i))/g%dx + (rv(k, j + 1, i) - rv(k, j, i))/g%dy + &
                                (rw(k + 1, j, i) - rw(k, j, i))/g%dz)
        end do
      end do
    end do
  end subroutine divergence

  ! Transport of a by the mass fluxes in q, plus diffusion: -div(flux*a) + rho*viscosity*laplacian(a). The volume
  ! around a is that of a cell shifted by half a cell down z, y or x where sz, sy or sx is 1 (for w, v and u).
  subroutine transport(g, viscosity, a, q, rho, sz, sy, sx, tendency)
    type(grid_t), intent(in) :: g
    real(rk), intent(in) :: viscosity
    real(rk), contiguous, intent(in), dimension(g%zl:, g%yl:, g%xl:) :: a, rho
    real(rk), contiguous, intent(in) :: q(g%zl:, g%yl:, g%xl:, :)
    integer, intent(in) :: sz, sy, sx
    real(rk), contiguous, intent(out) :: tendency(:, :, :)
    real(rk) :: west(g%nz, g%nyl), east(g%nz), south(g%nz), north(g%nz), below(g%nz + 1)
    real(rk) :: rdx, rdy, rdz, rdx2, rdy2, rdz2
    integer :: i, j, k

    rdx = 1/g%dx; rdy = 1/g%dy; rdz = 1/g%dz
    rdx2 = rdx**2; rdy2 = rdy**2; rdz2 = rdz**2
    do j = 1, g%nyl
      call flux_x(1, j, west(:, j))
    end do
    do i = 1, g%nxl
      call flux_y(i, 1, south)
      do j = 1, g%nyl
        call flux_x(i + 1, j, east)
        call flux_y(i, j + 1, north)
        call flux_z(i, j, below)
        do k = 1, g%nz
          tendency(k, j, i) = -((east(k) - west(k, j))*rdx + (north(k) - south(k))*rdy + (below(k + 1) - below(k))*rdz) &
            + viscosity*(0.5_rk*(rho(k - sz, j - sy, i - sx) + rho(k, j, i)))*( &
                (a(k, j, i + 1) - 2*a(k, j, i) + a(k, j, i - 1))*rdx2 + &
                (a(k, j + 1, i) - 2*a(k, j, i) + a(k, j - 1, i))*rdy2 + &
                (a(k + 1, j, i) - 2*a(k, j, i) + a(k - 1, j, i))*rdz2)
        end do
        west(:, j) = east
        south = north
      end do
    end do

  contains

    pure subroutine flux_x(i, j, flux)
      integer, intent(in) :: i, j
      real(rk), intent(out) :: flux(:)
      integer :: k
      do k = 1, g%nz
        flux(k) = upwind5(0.5_rk*(q(k - sz, j - sy, i - sx, i_ru) + q(k, j, i, i_ru)), &
                          a(k, j, i - 3), a(k, j, i - 2), a(k, j, i - 1), a(k, j, i), a(k, j, i + 1), a(k, j, i + 2))
      end do
    end subroutine flux_x

    pure subroutine flux_y(i, j, flux)
      integer, intent(in) :: i, j
      real(rk), intent(out) :: flux(:)
      integer :: k
      do k = 1, g%nz
        flux(k) = upwind5(0.5_rk*(q(k - sz, j - sy, i - sx, i_rv) + q(k, j, i, i_rv)), &
                          a(k, j - 3, i), a(k, j - 2, i), a(k, j - 1, i), a(k, j, i), a(k, j + 1, i), a(k, j + 2, i))
      end do
    end subroutine flux_y

    pure subroutine flux_z(i, j, flux)
      integer, intent(in) :: i, j
      real(rk), intent(out) :: flux(:)
      integer :: k
      do k = 1, g%nz + 1
        flux(k) = upwind5(0.5_rk*(q(k - sz, j - sy, i - sx, i_rw) + q(k, j, i, i_rw)), &
                          a(k - 3, j, i), a(k - 2, j, i), a(k - 1, j, i), a(k, j, i), a(k + 1, j, i), a(k + 2, j, i))
      end do
    end subroutine flux_z
  end subroutine transport

  ! The flux of a with the mass flux m through the face between a3 and a4, upwind-biased by the sign of m.
  pure function upwind5(m, a1, a2, a3, a4, a5, a6) result(flux)
    real(rk), intent(in) :: m, a1, a2, a3, a4, a5, a6
    real(rk) :: flux
    flux = m*(37*(a4 + a3) - 8*(a5 + a2) + (a6 + a1))*(1/60.0_rk) - &
           abs(m)*(10*(a4 - a3) - 5*(a5 - a2) + (a6 - a1))*(1/60.0_rk)
  end function upwind5

  ! Pressure gradient and buoyancy, as deviations from the atmosphere at rest, which therefore stays exactly at rest.
  subroutine add_forces(g, p, rho, tendency)
    type(grid_t), intent(in) :: g
    real(rk), contiguous, intent(in), dimension(g%zl:, g%yl:, g%xl:) :: p, rho
    real(rk), contiguous, intent(inout) :: tendency(:, :, :, :)
    integer :: i, j, k
    do i = 1, g%nxl
      do j = 1, g%nyl
        do k = 1, g%nz
          tendency(k, j, i, i_ru) = tendency(k, j, i, i_ru) - (p(k, j, i) - p(k, j, i - 1))/g%dx
          tendency(k, j, i, i_rv) = tendency(k, j, i, i_rv) - (p(k, j, i) - p(k, j - 1, i))/g%dy
          tendency(k, j, i, i_rw) = tendency(k, j, i, i_rw) - (p(k, j, i) - p(k - 1, j, i))/g%dz &
                                    - gravity*(0.5_rk*(rho(k - 1, j, i) + rho(k, j, i)))
        end do
        tendency(1, j, i, i_rw) = 0   ! the ground
      end do
    end do
  end subroutine add_forces
end module dynamics
