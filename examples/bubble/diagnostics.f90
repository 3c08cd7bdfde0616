! Numbers about the state. Sums over ranks are added as integers, which is exact, so no order of adding can show.
module diagnostics
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi_f08
  use settings, only: rk
  use grid, only: grid_t
  use state, only: reference_t, theta_0
  use dynamics, only: model_t
  implicit none
  private
  public :: total_mass, largest_w, coldest, front_position, theta_profile, column_energy, column_w, checksum

contains

  ! Collective. The sum over all ranks to 61 bits of `bound`, which must exceed the sum of magnitudes.
  subroutine exact_sum(g, values, bound, total)
    type(grid_t), intent(in) :: g
    real(rk), intent(in) :: values(:, :, :)         ! to be summed over the second and third subscript
    real(rk), intent(in) :: bound
    real(rk), intent(out) :: total(:)
    integer(int64) :: units(size(total))
    integer :: shift, i, j
    real(rk) :: factor

    shift = 61 - exponent(bound)
    factor = scale(1.0_rk, shift)   ! a product with a power of two is exact
    units = 0
    do i = 1, size(values, 3)
      do j = 1, size(values, 2)
        units = units + int(factor*values(:, j, i), int64)   ! one instruction each; nint would be a call
      end do
    end do
    call MPI_Allreduce(MPI_IN_PLACE, units, size(units), MPI_INTEGER8, MPI_SUM, g%comm)
    total = scale(real(units, rk), -shift)
  end subroutine exact_sum

  ! Collective. kg in the whole domain.
  function total_mass(model) result(mass)
    type(model_t), intent(in) :: model
    real(rk) :: mass, result(1), volume
    real(rk), allocatable :: columns(:, :, :)
    integer :: i, j
    associate (g => model%g)
      volume = g%dx*g%dy*g%dz
      allocate (columns(1, g%nyl, g%nxl))
      do i = 1, g%nxl
        do j = 1, g%nyl
          columns(1, j, i) = volume*sum(model%flow%rho(1:g%nz, j, i))
        end do
      end do
      call exact_sum(g, columns, 2*volume*g%nx*g%ny*sum(model%ref%rho), result)
      mass = result(1)
    end associate
  end function total_mass

  ! Collective. K, horizontal mean of potential temperature at each level; alike on every rank.
  function theta_profile(model) result(profile)
    type(model_t), intent(in) :: model
    real(rk) :: profile(model%g%nz)
    associate (g => model%g)
      call exact_sum(g, model%flow%theta(1:g%nz, 1:g%nyl, 1:g%nxl), 2*theta_0*g%nx*g%ny, profile)
      profile = profile/(real(g%nx, rk)*g%ny)
    end associate
  end function theta_profile

  ! Collective. m s-1, the fastest rise anywhere.
  function largest_w(model) result(w)
    type(model_t), intent(in) :: model
    real(rk) :: w
    associate (g => model%g)
      w = maxval(model%flow%w(1:g%nz, 1:g%nyl, 1:g%nxl))
      call MPI_Allreduce(MPI_IN_PLACE, w, 1, MPI_REAL8, MPI_MAX, g%comm)
    end associate
  end function largest_w

  ! Collective. K, the lowest deviation of potential temperature.
  function coldest(model) result(theta)
    type(model_t), intent(in) :: model
    real(rk) :: theta
    associate (g => model%g)
      theta = minval(model%flow%theta(1:g%nz, 1:g%nyl, 1:g%nxl)) - theta_0
      call MPI_Allreduce(MPI_IN_PLACE, theta, 1, MPI_REAL8, MPI_MIN, g%comm)
    end associate
  end function coldest

  ! Collective. m from the western end: the easternmost place, at the lowest level, where potential temperature rises
  ! eastward through 1 K below its surroundings (linear between cells); 0 if there is none.
  function front_position(model) result(front)
    type(model_t), intent(in) :: model
    real(rk) :: front, here, next
    integer :: i, j
    associate (g => model%g, theta => model%flow%theta)
      front = 0
      do i = 1, g%nxl
        do j = 1, g%nyl
          here = theta(1, j, i) - theta_0
          next = theta(1, j, i + 1) - theta_0
          if (here <= -1 .and. next > -1) &
            front = max(front, (g%x0 + i - 1.5_rk + (-1 - here)/(next - here))*g%dx)
        end do
      end do
      call MPI_Allreduce(MPI_IN_PLACE, front, 1, MPI_REAL8, MPI_MAX, g%comm)
    end associate
  end function front_position

  ! Local. J m-2, kinetic energy over the height of each column, with velocities averaged to the cells' centres.
  function column_energy(model) result(energy)
    type(model_t), intent(in) :: model
    real(rk) :: energy(model%g%nyl, model%g%nxl)
    real(rk) :: cell(model%g%nz)
    integer :: i, j, k
    associate (g => model%g, f => model%flow)
      do i = 1, g%nxl
        do j = 1, g%nyl
          do k = 1, g%nz
            cell(k) = f%rho(k, j, i)*((f%u(k, j, i) + f%u(k, j, i + 1))**2 + (f%v(k, j, i) + f%v(k, j + 1, i))**2 + &
                                      (f%w(k, j, i) + f%w(k + 1, j, i))**2)
          end do
          energy(j, i) = 0.125_rk*g%dz*sum_by_halves(cell)
        end do
      end do
    end associate
  end function column_energy

  ! The sum in the order of a tree, of which processors add several branches at once; less rounding too. Uses values up.
  function sum_by_halves(values) result(total)
    real(rk), intent(inout) :: values(:)
    real(rk) :: total
    integer :: n, half, k
    n = size(values)
    do while (n > 1)
      half = (n + 1)/2
      !GCC$ ivdep
      do k = 1, n - half
        values(k) = values(k) + values(half + k)
      end do
      n = half
    end do
    total = values(1)
  end function sum_by_halves

  ! Local. m s-1, the fastest rise in each column.
  function column_w(model) result(w)
    type(model_t), intent(in) :: model
    real(rk) :: w(model%g%nyl, model%g%nxl)
    w = maxval(model%flow%w(1:model%g%nz, 1:model%g%nyl, 1:model%g%nxl), dim=1)
  end function column_w

  ! Collective. Every bit of the state, each number turned by its global place, combined by exclusive or.
  function checksum(model) result(bits)
    type(model_t), intent(in) :: model
    integer(int64) :: bits, place
    integer :: i, j, k, n
    bits = 0
    associate (g => model%g)
      do n = 1, size(model%q, 4)
        do i = 1, g%nxl
          do j = 1, g%nyl
            do k = 1, g%nz
              place = ((int(n, int64)*g%nx + g%x0 + i)*g%ny + g%y0 + j)*g%nz + k
              bits = ieor(bits, ishftc(transfer(model%q(k, j, i, n), bits), int(modulo(place*31, 61_int64))))
            end do
          end do
        end do
      end do
      call MPI_Allreduce(MPI_IN_PLACE, bits, 1, MPI_INTEGER8, MPI_BXOR, g%comm)
    end associate
  end function checksum
end module diagnostics
