! The motion of the tracers: vertical diffusion for all, and the fall of particles. Both are in flux form: what leaves a layer
! enters the next, or the ground, so mass is conserved to rounding.
module schemes
  use mpi_f08
  use settings, only: settings_t, rk
  use sphere, only: sphere_t
  use atmosphere, only: atmosphere_t
  use particles, only: terminal_velocity
  use tracers, only: state_t, table
  implicit none
  private
  public :: schemes_t, make_schemes, advance

  type :: schemes_t
    integer :: substeps
    real(rk), allocatable :: exchanged(:, :)              ! kg m-2 (column, level): air that diffusion swaps with the next
    real(rk), allocatable :: falling(:, :, :)             ! kg m-2 (column, level, particles): air whose particles fall out
    integer, allocatable :: particles(:)                  ! numbers of the tracers that fall
  end type schemes_t

contains

  ! Collective. `error` tells what is not stable, the same on all ranks, or is empty.
  subroutine make_schemes(chosen, g, air, s, error)
    type(settings_t), intent(in) :: chosen
    type(sphere_t), intent(in) :: g
    type(atmosphere_t), intent(in) :: air
    type(schemes_t), intent(out) :: s
    character(:), allocatable, intent(out) :: error
    real(rk) :: seconds, velocity(g%count, g%levels)
    integer :: n, i
    seconds = chosen%dt/chosen%substeps
    s%substeps = chosen%substeps
    s%particles = pack([(n, n=1, size(table))], table%diameter > 0)
    allocate (s%exchanged(g%count, g%levels), source=0.0_rk)   ! nothing crosses the ground
    allocate (s%falling(g%count, g%levels, size(s%particles)))
    s%exchanged(:, :g%levels - 1) = (air%density(:, :g%levels - 1) + air%density(:, 2:))/2 &
                                    *chosen%diffusivity*seconds/g%thickness
    do i = 1, size(s%particles)
      velocity = terminal_velocity(table(s%particles(i)), air)
      if (chosen%velocity >= 0) velocity = chosen%velocity
      s%falling(:, :, i) = air%density*velocity*seconds
    end do
    call check_stability(g, air, s, error)
  end subroutine make_schemes

  ! An explicit scheme needs that no more leaves a layer than is in it.
  subroutine check_stability(g, air, s, error)
    type(sphere_t), intent(in) :: g
    type(atmosphere_t), intent(in) :: air
    type(schemes_t), intent(in) :: s
    character(:), allocatable, intent(out) :: error
    real(rk) :: largest(2)
    character(160) :: text
    integer :: i
    largest(1) = 2*maxval(s%exchanged/air%mass)
    largest(2) = maxval([(maxval(s%falling(:, :, i)/air%mass), i=1, size(s%particles))])
    call MPI_Allreduce(MPI_IN_PLACE, largest, 2, MPI_REAL8, MPI_MAX, g%comm)
    error = ''
    if (maxval(largest) <= 1) return
    write (text, '(a,i0,a,i0)') 'the time step of the schemes is too long for ', g%levels, &
      ' levels: substeps must be at least ', ceiling(s%substeps*maxval(largest))
    error = trim(text)
  end subroutine check_stability

  ! Local: columns do not depend on each other.
  pure subroutine advance(g, air, s, state)
    type(sphere_t), intent(in) :: g
    type(atmosphere_t), intent(in) :: air
    type(schemes_t), intent(in) :: s
    type(state_t), intent(inout) :: state
    integer :: substep, n, i
    do substep = 1, s%substeps
      do n = 1, size(table)
        call mix(g, air%mass, s%exchanged, state%q(:, :, n))
      end do
      do i = 1, size(s%particles)
        associate (n => s%particles(i))
          call fall(g, air%mass, s%falling(:, :, i), state%q(:, :, n), state%ground(:, n))
        end associate
      end do
    end do
  end subroutine advance

  ! Explicit diffusion, of second order in space.
  pure subroutine mix(g, mass, exchanged, q)
    type(sphere_t), intent(in) :: g
    real(rk), intent(in) :: mass(:, :), exchanged(:, :)
    real(rk), intent(inout) :: q(:, :)
    real(rk) :: from_above(g%count), downward(g%count)
    integer :: k
    from_above = 0
    do k = 1, g%levels - 1
      downward = exchanged(:, k)*(q(:, k) - q(:, k + 1))
      q(:, k) = q(:, k) + (from_above - downward)/mass(:, k)
      from_above = downward
    end do
    q(:, g%levels) = q(:, g%levels) + from_above/mass(:, g%levels)
  end subroutine mix

  ! The upwind scheme in flux form, of first order: R. Courant, E. Isaacson and M. Rees, On the solution of nonlinear
  ! hyperbolic differential equations by finite differences, Communications on Pure and Applied Mathematics 5 (1952).
  pure subroutine fall(g, mass, falling, q, ground)
    type(sphere_t), intent(in) :: g
    real(rk), intent(in) :: mass(:, :), falling(:, :)
    real(rk), intent(inout) :: q(:, :), ground(:)
    real(rk) :: from_above(g%count), downward(g%count)
    integer :: k
    from_above = 0
    do k = 1, g%levels
      downward = falling(:, k)*q(:, k)
      q(:, k) = q(:, k) + (from_above - downward)/mass(:, k)
      from_above = downward
    end do
    ground = ground + from_above
  end subroutine fall
end module schemes
