! Thirteen tracers, six gases and seven aerosols, of which four fall.
module tracers
  use settings, only: rk
  use sphere, only: sphere_t, pi
  implicit none
  private
  public :: tracer_t, state_t, make_state, table

  type :: tracer_t
    character(16) :: name
    character(40) :: long_name
    real(rk) :: diameter                                  ! m, of a particle; 0: it does not fall
    real(rk) :: density                                   ! kg m-3, of a particle
  end type tracer_t

  type(tracer_t), parameter :: table(13) = [ &
    tracer_t('O3', 'ozone', 0, 0), &
    tracer_t('CO', 'carbon monoxide', 0, 0), &
    tracer_t('SO2', 'sulphur dioxide', 0, 0), &
    tracer_t('NO2', 'nitrogen dioxide', 0, 0), &
    tracer_t('HNO3', 'nitric acid', 0, 0), &
    tracer_t('NH3', 'ammonia', 0, 0), &
    tracer_t('sulphate', 'sulphate aerosol', 0, 0), &
    tracer_t('black_carbon', 'black carbon aerosol', 0, 0), &
    tracer_t('organic_carbon', 'organic carbon aerosol', 0, 0), &
    tracer_t('dust', 'mineral dust', 5e-6_rk, 2650), &
    tracer_t('sea_salt', 'sea salt aerosol', 8e-6_rk, 2200), &
    tracer_t('ash', 'volcanic ash', 12e-6_rk, 2400), &
    tracer_t('pollen', 'pollen', 20e-6_rk, 1000)]

  type :: state_t
    real(rk), allocatable :: q(:, :, :)                   ! kg kg-1 (column, level, tracer)
    real(rk), allocatable :: ground(:, :)                 ! kg m-2 (column, tracer): what has reached the ground
  end type state_t

contains

  ! A layer of each tracer, at a height and with waves around the globe of its own.
  pure subroutine make_state(g, state)
    type(sphere_t), intent(in) :: g
    type(state_t), intent(out) :: state
    real(rk) :: middle, depth
    integer :: k, n
    allocate (state%q(g%count, g%levels, size(table)))
    allocate (state%ground(g%count, size(table)), source=0.0_rk)
    depth = g%levels*g%thickness
    do n = 1, size(table)
      middle = depth*(0.35_rk + 0.025_rk*n)
      do k = 1, g%levels
        state%q(:, k, n) = 1e-9_rk*n*(1 + 0.5_rk*cos(g%lat*pi/180)**2*sin(n*g%lon*pi/180)) &
                           *exp(-((g%heights(k) - middle)/(0.1_rk*depth))**2)
      end do
    end do
  end subroutine make_state
end module tracers
