! The staggered (Arakawa C) grid and its blocks: which cells a rank owns, who its neighbours are, where points lie.
! Arrays are subscripted (z, y, x). A velocity with subscript i (j, k) sits on the lower face of cell i (j, k).
module grid
  use mpi_f08
  use settings, only: settings_t, rk
  implicit none
  private
  public :: grid_t, make_grid, halo

  integer, parameter :: halo = 4   ! the fifth-order stencil reaches three points, and velocities need one more density

  type :: grid_t
    integer :: nx, ny, nz                          ! of the whole domain
    real(rk) :: dx, dy, dz
    integer :: nxl, nyl, x0, y0                    ! this rank's cells and the global subscript of its first one
    integer :: zl, zh, yl, yh, xl, xh              ! bounds of arrays with halos
    integer :: ranks_x, ranks_y, rank
    integer :: west, east, south, north            ! neighbours in comm
    logical :: wall_west, wall_east                ! this block ends at a mirror wall
    type(MPI_Comm) :: comm
  end type grid_t

contains

  ! Collective only in that every rank of comm must come to the same result. `error` tells what does not fit.
  subroutine make_grid(chosen, comm, g, error)
    type(settings_t), intent(in) :: chosen
    type(MPI_Comm), intent(in) :: comm
    type(grid_t), intent(out) :: g
    character(:), allocatable, intent(out) :: error
    integer :: ranks, ix, iy
    character(120) :: text

    g%nx = chosen%nx; g%ny = chosen%ny; g%nz = chosen%nz
    g%dx = chosen%dx; g%dy = chosen%dy; g%dz = chosen%dz
    g%comm = comm
    call MPI_Comm_size(comm, ranks)
    call MPI_Comm_rank(comm, g%rank)
    call split(ranks, chosen, g%ranks_y)
    error = ''
    if (g%ranks_y == 0) then
      write (text, '(a,i0,a,i0,a,i0,a)') 'cannot cut ', g%nx, ' x ', g%ny, ' columns into blocks for ', ranks, &
        ' ranks: each needs 4 or more cells along every axis that is cut'
      error = trim(text)
      return
    end if
    g%ranks_x = ranks/g%ranks_y

    ix = mod(g%rank, g%ranks_x)
    iy = g%rank/g%ranks_x
    call share(g%nx, g%ranks_x, ix, g%x0, g%nxl)
    call share(g%ny, g%ranks_y, iy, g%y0, g%nyl)
    g%west = iy*g%ranks_x + modulo(ix - 1, g%ranks_x)
    g%east = iy*g%ranks_x + modulo(ix + 1, g%ranks_x)
    g%south = modulo(iy - 1, g%ranks_y)*g%ranks_x + ix
    g%north = modulo(iy + 1, g%ranks_y)*g%ranks_x + ix
    g%wall_west = chosen%x_boundary == 'wall' .and. ix == 0
    g%wall_east = chosen%x_boundary == 'wall' .and. ix == g%ranks_x - 1

    g%zl = 1 - halo; g%zh = g%nz + halo
    g%yl = 1 - halo; g%yh = g%nyl + halo
    g%xl = 1 - halo; g%xh = g%nxl + halo
  end subroutine make_grid

  ! The number of ranks along y that leaves the shortest edges between blocks; 0 if there is none.
  subroutine split(ranks, chosen, ranks_y)
    integer, intent(in) :: ranks
    type(settings_t), intent(in) :: chosen
    integer, intent(out) :: ranks_y
    integer :: py, px
    real(rk) :: edge, best

    ranks_y = 0
    best = huge(best)
    do py = 1, ranks
      px = ranks/py
      if (px*py /= ranks .or. (chosen%ranks_y /= 0 .and. chosen%ranks_y /= py)) cycle
      if ((px > 1 .and. chosen%nx/px < halo) .or. (py > 1 .and. chosen%ny/py < halo)) cycle
      edge = real(chosen%ny, rk)*(px - 1) + real(chosen%nx, rk)*(py - 1)
      if (edge < best) then
        best = edge
        ranks_y = py
      end if
    end do
  end subroutine split

  ! Shares n cells among parts as evenly as possible; the part (from 0) gets count cells from first (from 1) on.
  pure subroutine share(n, parts, part, first, count)
    integer, intent(in) :: n, parts, part
    integer, intent(out) :: first, count
    count = n/parts
    first = part*count + min(part, mod(n, parts)) + 1
    if (part < mod(n, parts)) count = count + 1
  end subroutine share
end module grid
