! How fast particles fall in still air.
module particles
  use settings, only: rk
  use atmosphere, only: atmosphere_t, gravity
  use tracers, only: tracer_t
  implicit none
  private
  public :: terminal_velocity

contains

  ! Stokes' law, with the slip correction of Cunningham: J. H. Seinfeld and S. N. Pandis, Atmospheric Chemistry and Physics
  ! (2016), chapter 9. The viscosity is that of the U.S. Standard Atmosphere (1976).
  elemental real(rk) function fall_speed(diameter, density, temperature, pressure)
    real(rk), intent(in) :: diameter, density             ! of a particle: m, kg m-3
    real(rk), intent(in) :: temperature, pressure         ! of the air: K, Pa
    real(rk), parameter :: molar_mass = 0.0289647_rk, molar_gas_constant = 8.314463_rk, pi = acos(-1.0_rk)
    real(rk) :: viscosity, free_path, knudsen, slip
    viscosity = 1.458e-6_rk*temperature*sqrt(temperature)/(temperature + 110.4_rk)
    free_path = 2*viscosity/(pressure*sqrt(8*molar_mass/(pi*molar_gas_constant*temperature)))
    knudsen = 2*free_path/diameter
    slip = 1 + knudsen*(1.257_rk + 0.4_rk*exp(-1.1_rk/knudsen))
    fall_speed = diameter**2*density*gravity*slip/(18*viscosity)
  end function fall_speed

  pure function terminal_velocity(particle, air) result(velocity)
    type(tracer_t), intent(in) :: particle
    type(atmosphere_t), intent(in) :: air
    real(rk) :: velocity(size(air%mass, 1), size(air%mass, 2))
    velocity = fall_speed(particle%diameter, particle%density, air%temperature, air%pressure)
  end function terminal_velocity
end module particles
