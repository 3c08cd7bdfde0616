! Tracers that the wind carries and that relax towards the inputs: a load for the
! processors in which every input counts, not a model of chemistry.
module tracers
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi_f08
  use settings, only: rk
  use grid, only: grid_t, pi
  use inputs, only: input_t
  implicit none
  private
  public :: tracers_t, make_tracers, advance, checksum

  integer, parameter :: count = 4
  real(rk), parameter :: radius = 6.371e6_rk         ! m
  real(rk), parameter :: largest_step = 0.4_rk       ! of a cell: near the poles cells are narrow
  real(rk), parameter :: relaxation = 86400          ! s, divided by the number of the input

  type :: tracers_t
    real(rk), allocatable :: q(:, :, :, :)           ! (0:nxl+1, 0:nyl+1, nz, count): a halo of one cell
    real(rk), allocatable :: next(:, :, :, :)
  end type tracers_t

contains

  subroutine make_tracers(g, t)
    type(grid_t), intent(in) :: g
    type(tracers_t), intent(out) :: t
    allocate (t%q(0:g%nxl + 1, 0:g%nyl + 1, g%nz, count), source=0.0_rk)
    allocate (t%next, mold=t%q)
  end subroutine make_tracers

  ! Collective. A step of dt seconds, in which the inputs `u` and `v` (m s-1) carry the tracers in `substeps`.
  subroutine advance(g, all_inputs, dt, substeps, t)
    type(grid_t), intent(in) :: g
    type(input_t), intent(in) :: all_inputs(:)
    real(rk), intent(in) :: dt
    integer, intent(in) :: substeps
    type(tracers_t), intent(inout) :: t
    integer :: n
    do n = 1, size(all_inputs)
      call relax(g, all_inputs(n)%values, dt*n/relaxation/size(all_inputs), mod(n, g%nz) + 1, &
                 t%q(:, :, :, mod(n, count) + 1))
    end do
    associate (u => all_inputs(findloc(all_inputs%name, 'u', 1)), v => all_inputs(findloc(all_inputs%name, 'v', 1)))
      do n = 1, substeps
        call fill_halos(g, t%q)
        call carry(g, u%values, v%values, dt/substeps, t)
      end do
    end associate
  end subroutine advance

  ! Towards an input: on all levels, or that of the surface on one.
  pure subroutine relax(g, values, part, level, q)
    type(grid_t), intent(in) :: g
    real(rk), intent(in) :: values(:, :, :), part
    integer, intent(in) :: level
    real(rk), intent(inout) :: q(0:, 0:, :)
    integer :: k, first
    first = merge(1, level, size(values, 3) == g%nz)
    do k = first, first + size(values, 3) - 1
      q(1:g%nxl, 1:g%nyl, k) = q(1:g%nxl, 1:g%nyl, k) + part*(values(:, :, k - first + 1) - q(1:g%nxl, 1:g%nyl, k))
    end do
  end subroutine relax

  ! First-order upwind along both horizontal axes.
  pure subroutine carry(g, u, v, dt, t)
    type(grid_t), intent(in) :: g
    real(rk), intent(in) :: u(:, :, :), v(:, :, :), dt
    type(tracers_t), intent(inout) :: t
    integer :: i, j, k, n
    real(rk) :: per_x, per_y, a, b
    per_y = dt/(radius*pi/g%ny)
    do n = 1, count
      do k = 1, g%nz
        do j = 1, g%nyl
          per_x = dt/(radius*cos(g%latitude(g%y0 + j - 1)*pi/180)*2*pi/g%nx)
          do i = 1, g%nxl
            a = min(max(u(i, j, k)*per_x, -largest_step), largest_step)
            b = min(max(v(i, j, k)*per_y, -largest_step), largest_step)
            t%next(i, j, k, n) = t%q(i, j, k, n) &
              - max(a, 0.0_rk)*(t%q(i, j, k, n) - t%q(i - 1, j, k, n)) - min(a, 0.0_rk)*(t%q(i + 1, j, k, n) - t%q(i, j, k, n)) &
              - max(b, 0.0_rk)*(t%q(i, j, k, n) - t%q(i, j - 1, k, n)) - min(b, 0.0_rk)*(t%q(i, j + 1, k, n) - t%q(i, j, k, n))
          end do
        end do
      end do
    end do
    t%q(1:g%nxl, 1:g%nyl, :, :) = t%next(1:g%nxl, 1:g%nyl, :, :)
  end subroutine carry

  ! Collective. Periodic in x; beyond a pole the last row is repeated. No corner is needed.
  subroutine fill_halos(g, q)
    type(grid_t), intent(in) :: g
    real(rk), intent(inout) :: q(0:, 0:, :, :)
    q(:, 0, :, :) = q(:, 1, :, :)
    q(:, g%nyl + 1, :, :) = q(:, g%nyl, :, :)
    call shift(q(1, :, :, :), g%west, q(g%nxl + 1, :, :, :), g%east)
    call shift(q(g%nxl, :, :, :), g%east, q(0, :, :, :), g%west)
    call shift(q(:, 1, :, :), g%south, q(:, g%nyl + 1, :, :), g%north)
    call shift(q(:, g%nyl, :, :), g%north, q(:, 0, :, :), g%south)

  contains

    subroutine shift(inner, to, outer, from)
      real(rk), intent(in) :: inner(:, :, :)
      real(rk), intent(inout) :: outer(:, :, :)
      integer, intent(in) :: to, from
      real(rk), allocatable :: sent(:, :, :), received(:, :, :)
      allocate (sent, source=inner)
      allocate (received, source=outer)             ! it stays as it is beyond a pole
      call MPI_Sendrecv(sent, size(sent), MPI_REAL8, to, 1, received, size(received), MPI_REAL8, from, 1, &
                        g%comm, MPI_STATUS_IGNORE)
      outer = received
    end subroutine shift
  end subroutine fill_halos

  ! Collective. A digest of the bits of all tracers, the same for any number of ranks.
  integer(int64) function checksum(g, t) result(bits)
    type(grid_t), intent(in) :: g
    type(tracers_t), intent(in) :: t
    integer(int64) :: place
    integer :: i, j, k, n
    bits = 0
    do n = 1, count
      do k = 1, g%nz
        do j = 1, g%nyl
          do i = 1, g%nxl
            place = ((int(n, int64)*g%nz + k)*g%ny + g%y0 + j)*g%nx + g%x0 + i
            bits = ieor(bits, ishftc(transfer(t%q(i, j, k, n), bits), int(modulo(place*31, 61_int64))))
          end do
        end do
      end do
    end do
    call MPI_Allreduce(MPI_IN_PLACE, bits, 1, MPI_INTEGER8, MPI_BXOR, g%comm)
  end function checksum
end module tracers
