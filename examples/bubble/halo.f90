! Fills the halos of the state: from neighbours through MPI, within the block where it spans the domain, or by mirror.
module halo_exchange
  use mpi_f08
  use settings, only: rk
  use grid, only: grid_t, halo
  use state, only: n_state, i_ru
  implicit none
  private
  public :: fill_halos

contains

  ! Collective. First x, then y with the halos of x, so that the corners arrive too. Where a block spans y, only the
  ! row next to it is filled: nothing reads more of the state there (diagnose copies the rows of the flow itself).
  subroutine fill_halos(g, q)
    type(grid_t), intent(in) :: g
    real(rk), contiguous, intent(inout) :: q(g%zl:, g%yl:, g%xl:, :)
    integer :: m

    if (g%ranks_x > 1) then
      call swap(g, q, 1, g%nyl, g%nyl, 1, g%nxl, g%nxl, along_x=.true.)
    else
      do m = 1, halo
        q(:, 1:g%nyl, 1 - m, :) = q(:, 1:g%nyl, modulo(-m, g%nxl) + 1, :)
        q(:, 1:g%nyl, g%nxl + m, :) = q(:, 1:g%nyl, modulo(m - 1, g%nxl) + 1, :)
      end do
    end if
    call apply_walls(g, q)
    if (g%ranks_y > 1) then
      call swap(g, q, 1, g%nyl, g%nyl, g%xl, g%xh, g%nxl, along_x=.false.)
    else
      q(:, 0, :, :) = q(:, g%nyl, :, :)
      q(:, g%nyl + 1, :, :) = q(:, 1, :, :)
    end if
  end subroutine fill_halos

  ! Exchanges the strips next to both ends along one axis; [jl, jh] x [il, ih] are the columns that take part.
  subroutine swap(g, q, jl, jh, nyl, il, ih, nxl, along_x)
    type(grid_t), intent(in) :: g
    real(rk), contiguous, intent(inout) :: q(g%zl:, g%yl:, g%xl:, :)
    integer, intent(in) :: jl, jh, nyl, il, ih, nxl
    logical, intent(in) :: along_x

    if (along_x) then
      call shift(q(:, jl:jh, 1:halo, :), g%west, q(:, jl:jh, nxl + 1:nxl + halo, :), g%east, 1)
      call shift(q(:, jl:jh, nxl + 1 - halo:nxl, :), g%east, q(:, jl:jh, 1 - halo:0, :), g%west, 2)
    else
      call shift(q(:, 1:halo, il:ih, :), g%south, q(:, nyl + 1:nyl + halo, il:ih, :), g%north, 3)
      call shift(q(:, nyl + 1 - halo:nyl, il:ih, :), g%north, q(:, 1 - halo:0, il:ih, :), g%south, 4)
    end if

  contains

    subroutine shift(inner, to, outer, from, tag)
      real(rk), intent(in) :: inner(:, :, :, :)
      real(rk), intent(inout) :: outer(:, :, :, :)
      integer, intent(in) :: to, from, tag
      real(rk), allocatable :: sent(:, :, :, :), received(:, :, :, :)
      allocate (sent, source=inner)
      allocate (received, mold=inner)
      call MPI_Sendrecv(sent, size(sent), MPI_REAL8, to, tag, received, size(received), MPI_REAL8, from, tag, &
                        g%comm, MPI_STATUS_IGNORE)
      outer = received
    end subroutine shift
  end subroutine swap

  ! Free-slip walls across x: everything is mirrored, the velocity through the wall changes its sign.
  subroutine apply_walls(g, q)
    type(grid_t), intent(in) :: g
    real(rk), contiguous, intent(inout) :: q(g%zl:, g%yl:, g%xl:, :)
    integer :: m, n

    do n = 1, n_state
      if (g%wall_west) then
        if (n == i_ru) q(:, 1:g%nyl, 1, n) = 0
        do m = 1, halo
          if (n == i_ru) then
            q(:, 1:g%nyl, 1 - m, n) = -q(:, 1:g%nyl, 1 + m, n)
          else
            q(:, 1:g%nyl, 1 - m, n) = q(:, 1:g%nyl, m, n)
          end if
        end do
      end if
      if (g%wall_east) then
        if (n == i_ru) q(:, 1:g%nyl, g%nxl + 1, n) = 0
        do m = 1, halo
          if (n /= i_ru) then
            q(:, 1:g%nyl, g%nxl + m, n) = q(:, 1:g%nyl, g%nxl + 1 - m, n)
          else if (m < halo) then
            q(:, 1:g%nyl, g%nxl + 1 + m, n) = -q(:, 1:g%nyl, g%nxl + 1 - m, n)
          end if
        end do
      end if
    end do
  end subroutine apply_walls
end module halo_exchange
