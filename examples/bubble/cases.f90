! The two documented cases: what disturbs the neutral atmosphere at the start.
module cases
  use settings, only: settings_t, rk
  use grid, only: grid_t
  use state
  implicit none
  private
  public :: disturb

contains

  ! Sets the interior of the state q, which comes in at rest. Pressure stays hydrostatic (as in both references).
  subroutine disturb(chosen, g, ref, q)
    type(settings_t), intent(in) :: chosen
    type(grid_t), intent(in) :: g
    type(reference_t), intent(in) :: ref
    real(rk), intent(inout) :: q(g%zl:, g%yl:, g%xl:, :)
    real(rk) :: x, y, z, theta
    integer :: i, j, k

    do i = 1, g%nxl
      do j = 1, g%nyl
        do k = 1, g%nz
          x = (g%x0 + i - 1.5_rk)*g%dx
          y = (g%y0 + j - 1.5_rk)*g%dy - 0.5_rk*g%ny*g%dy
          z = (k - 0.5_rk)*g%dz
          if (chosen%x_boundary == 'periodic' .or. chosen%case == 'warm_bubble') x = x - 0.5_rk*g%nx*g%dx
          select case (chosen%case)
          case ('density_current')
            theta = theta_0 + cold_pool(x, z)/ref%exner(k)
          case default
            theta = theta_0 + warm_bubble(x, y, z)
          end select
          if (abs(theta - theta_0) > 0) theta = theta + chosen%noise*pattern(g%x0 + i - 1, g%y0 + j - 1, k)
          q(k, j, i, i_rho) = ref%rho(k)*(theta_0 - theta)/theta
        end do
      end do
    end do
  end subroutine disturb

  ! Straka et al. (1993): 15 K of temperature (not potential temperature) below the surroundings, uniform along y.
  pure function cold_pool(x, z) result(t)
    real(rk), intent(in) :: x, z
    real(rk) :: t, l
    l = sqrt((x/4000)**2 + ((z - 3000)/2000)**2)
    t = 0
    if (l <= 1) t = -7.5_rk*(1 + cos(acos(-1.0_rk)*l))
  end function cold_pool

  ! The bubble of Wicker and Skamarock (1998) and Bryan and Fritsch (2002) as a sphere: 2 K, radius 2 km, 2 km up.
  pure function warm_bubble(x, y, z) result(theta)
    real(rk), intent(in) :: x, y, z
    real(rk) :: theta, l
    l = sqrt(x**2 + y**2 + (z - 2000)**2)/2000
    theta = 0
    if (l <= 1) theta = 2*cos(0.5_rk*acos(-1.0_rk)*l)**2
  end function warm_bubble

  ! A number in [-1, 1) that depends on the global subscripts alone, without any visible order.
  pure function pattern(i, j, k) result(r)
    integer, intent(in) :: i, j, k
    real(rk) :: r
    r = 0.5_rk + i*0.7548776662466927_rk + j*0.5698402909980532_rk + k*0.8191725133961645_rk
    r = r*17.0_rk + real(ieor(ieor(13*i, 101*j), 7*k), rk)*0.6180339887498949_rk
    r = 2*(r - floor(r)) - 1
  end function pattern
end module cases
