! The atmosphere at rest, the state that is stepped forward, and the flow that follows from it.
module state
  use settings, only: rk
  use grid, only: grid_t
  implicit none
  private
  public :: reference_t, flow_t, make_reference, allocate_state, allocate_flow, diagnose
  public :: n_state, i_rho, i_ru, i_rv, i_rw, i_rt
  public :: gravity, gas_constant, c_p, p_surface, theta_0

  ! The constants of Straka et al. (1993), section 2.
  real(rk), parameter :: gravity = 9.81_rk, gas_constant = 287.0_rk, c_p = 1004.0_rk
  real(rk), parameter :: p_surface = 1.0e5_rk, theta_0 = 300.0_rk
  real(rk), parameter :: gamma_ = c_p/(c_p - gas_constant)

  ! The meanings of the last subscript of the state. Density and heat are deviations from the atmosphere at rest.
  integer, parameter :: i_rho = 1, i_ru = 2, i_rv = 3, i_rw = 4, i_rt = 5, n_state = 5

  type :: reference_t
    real(rk), allocatable :: exner(:), p(:), rho(:)   ! at the cells' centres
  end type reference_t

  type :: flow_t
    real(rk), allocatable, dimension(:, :, :) :: u, v, w, theta, p, rho   ! p: deviation; rho and theta: whole
  end type flow_t

contains

  ! Neutral and hydrostatic: theta_0 everywhere, the Exner function falls linearly with height.
  subroutine make_reference(g, ref)
    type(grid_t), intent(in) :: g
    type(reference_t), intent(out) :: ref
    integer :: k
    ref%exner = [(1 - gravity*(k - 0.5_rk)*g%dz/(c_p*theta_0), k=1, g%nz)]
    ref%p = p_surface*ref%exner**(c_p/gas_constant)
    ref%rho = ref%p/(gas_constant*theta_0*ref%exner)
  end subroutine make_reference

  subroutine allocate_state(g, q)
    type(grid_t), intent(in) :: g
    real(rk), allocatable, intent(out) :: q(:, :, :, :)
    allocate (q(g%zl:g%zh, g%yl:g%yh, g%xl:g%xh, n_state), source=0.0_rk)
  end subroutine allocate_state

  subroutine allocate_flow(g, flow)
    type(grid_t), intent(in) :: g
    type(flow_t), intent(out) :: flow
    allocate (flow%u(g%zl:g%zh, g%yl:g%yh, g%xl:g%xh), source=0.0_rk)
    allocate (flow%v, flow%w, flow%theta, flow%p, flow%rho, source=flow%u)
  end subroutine allocate_flow

  ! Velocities, potential temperature and pressure of a state whose halos are filled, three points into the halos.
  ! Every point is computed alike on every owner, so the bits do not depend on the decomposition.
  subroutine diagnose(g, ref, q, flow)
    type(grid_t), intent(in) :: g
    type(reference_t), intent(in) :: ref
    real(rk), intent(in) :: q(g%zl:, g%yl:, g%xl:, :)
    type(flow_t), intent(inout) :: flow
    integer :: i, j, nz, first, last

    nz = g%nz
    first = merge(1, g%yl + 1, g%ranks_y == 1)   ! rows beyond a block that spans y are copies of its own
    last = merge(g%nyl, g%nyl + 3, g%ranks_y == 1)
    do i = g%xl, g%nxl + 3
      do j = first - 1, last
        flow%rho(1:nz, j, i) = ref%rho + q(1:nz, j, i, i_rho)
      end do
    end do
    do i = g%xl + 1, g%nxl + 3
      do j = first, last
        flow%u(1:nz, j, i) = 2*q(1:nz, j, i, i_ru)/(flow%rho(1:nz, j, i - 1) + flow%rho(1:nz, j, i))
        flow%v(1:nz, j, i) = 2*q(1:nz, j, i, i_rv)/(flow%rho(1:nz, j - 1, i) + flow%rho(1:nz, j, i))
        flow%w(2:nz, j, i) = 2*q(2:nz, j, i, i_rw)/(flow%rho(1:nz - 1, j, i) + flow%rho(2:nz, j, i))
        flow%theta(1:nz, j, i) = (ref%rho*theta_0 + q(1:nz, j, i, i_rt))/flow%rho(1:nz, j, i)
        flow%p(1:nz, j, i) = pressure(ref%p, q(1:nz, j, i, i_rt)/(ref%rho*theta_0))
        call mirror(flow%u(:, j, i), g%zl, nz)
        call mirror(flow%v(:, j, i), g%zl, nz)
        call mirror(flow%theta(:, j, i), g%zl, nz)
        flow%w(g%zl:0, j, i) = -flow%w(2 - g%zl:2:-1, j, i)
        flow%w(nz + 2:g%zh, j, i) = -flow%w(nz:2*nz + 2 - g%zh:-1, j, i)
      end do
    end do
    if (g%ranks_y == 1) then
      call wrap(flow%u)
      call wrap(flow%v)
      call wrap(flow%w)
      call wrap(flow%theta)
      call wrap(flow%p)
    end if

  contains

    subroutine wrap(a)
      real(rk), contiguous, intent(inout) :: a(g%zl:, g%yl:, g%xl:)
      integer :: m
      do m = 1, 3
        a(:, 1 - m, :) = a(:, modulo(-m, g%nyl) + 1, :)
        a(:, g%nyl + m, :) = a(:, modulo(m - 1, g%nyl) + 1, :)
      end do
    end subroutine wrap
  end subroutine diagnose

  ! p - p_ref where rho*theta = (rho*theta)_ref (1 + e). The binomial series of (1 + e)**gamma - 1 loses nothing to
  ! cancellation and vectorises; its remainder is below 1e-14 of p_ref for |e| < 0.05, far beyond any sound wave here.
  elemental function pressure(p_ref, e) result(p)
    real(rk), intent(in) :: p_ref, e
    real(rk) :: p
    real(rk), parameter :: c1 = gamma_, c2 = c1*(gamma_ - 1)/2, c3 = c2*(gamma_ - 2)/3, c4 = c3*(gamma_ - 3)/4, &
                           c5 = c4*(gamma_ - 4)/5, c6 = c5*(gamma_ - 5)/6, c7 = c6*(gamma_ - 6)/7, c8 = c7*(gamma_ - 7)/8
    p = p_ref*e*(c1 + e*(c2 + e*(c3 + e*(c4 + e*(c5 + e*(c6 + e*(c7 + e*c8)))))))
  end function pressure

  ! Neither flux nor stress through ground and lid: values at the cells' centres continue as in a mirror.
  pure subroutine mirror(a, zl, nz)
    integer, intent(in) :: zl, nz
    real(rk), intent(inout) :: a(zl:)
    integer :: m
    do m = 1, 1 - zl
      a(1 - m) = a(m)
      a(nz + m) = a(nz + 1 - m)
    end do
  end subroutine mirror
end module state
