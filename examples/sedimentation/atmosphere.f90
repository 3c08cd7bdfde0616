! The air in which the tracers are: at rest, colder and denser towards the poles. It does not change.
module atmosphere
  use settings, only: rk
  use sphere, only: sphere_t, pi
  implicit none
  private
  public :: atmosphere_t, make_atmosphere, gravity

  real(rk), parameter :: gravity = 9.80665_rk             ! m s-2
  real(rk), parameter :: gas_constant = 287.05_rk         ! J kg-1 K-1, of dry air
  real(rk), parameter :: surface_pressure = 101325        ! Pa
  real(rk), parameter :: lapse_rate = 6.5e-3_rk           ! K m-1
  real(rk), parameter :: tropopause_temperature = 210     ! K

  ! (column, level) each
  type :: atmosphere_t
    real(rk), allocatable :: temperature(:, :)            ! K
    real(rk), allocatable :: pressure(:, :)               ! Pa
    real(rk), allocatable :: density(:, :)                ! kg m-3
    real(rk), allocatable :: mass(:, :)                   ! kg m-2, of a layer
  end type atmosphere_t

contains

  pure subroutine make_atmosphere(g, air)
    type(sphere_t), intent(in) :: g
    type(atmosphere_t), intent(out) :: air
    real(rk) :: below(g%count), half_layer(g%count)
    integer :: k
    allocate (air%temperature(g%count, g%levels), air%pressure(g%count, g%levels), air%density(g%count, g%levels), &
              air%mass(g%count, g%levels))
    below = surface_pressure                              ! at the lower edge of the layer
    do k = g%levels, 1, -1
      air%temperature(:, k) = max(tropopause_temperature, &
                                  300 - 45*sin(g%lat*pi/180)**2 - lapse_rate*g%heights(k))
      half_layer = exp(-gravity*g%thickness/(2*gas_constant*air%temperature(:, k)))
      air%pressure(:, k) = below*half_layer
      below = air%pressure(:, k)*half_layer
      air%density(:, k) = air%pressure(:, k)/(gas_constant*air%temperature(:, k))
      air%mass(:, k) = air%density(:, k)*g%thickness
    end do
  end subroutine make_atmosphere
end module atmosphere
