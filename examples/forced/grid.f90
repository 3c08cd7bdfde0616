! The Gaussian grid and its blocks, and the ways between blocks and whole arrays on rank 0. Arrays are subscripted
! (x, y, level): eastward from Greenwich, northward, downward.
module grid
  use mpi_f08
  use settings, only: settings_t, rk
  implicit none
  private
  public :: grid_t, make_grid, scatter, gather

  real(rk), parameter, public :: pi = acos(-1.0_rk)

  type :: grid_t
    integer :: nx, ny, nz                           ! of the whole globe
    integer :: nxl, nyl, x0, y0                     ! this rank's cells and the global subscripts of its first one
    integer :: ranks_x, ranks_y, ranks, rank
    integer :: west, east, south, north             ! neighbours; MPI_PROC_NULL beyond the poles
    type(MPI_Comm) :: comm
    real(rk), allocatable :: longitude(:), latitude(:), pressure(:)   ! degrees, degrees, hPa; of the whole globe
  end type grid_t

contains

  ! Every rank of comm comes to the same result. `error` tells what does not fit, or is empty.
  subroutine make_grid(chosen, comm, g, error)
    type(settings_t), intent(in) :: chosen
    type(MPI_Comm), intent(in) :: comm
    type(grid_t), intent(out) :: g
    character(:), allocatable, intent(out) :: error
    character(120) :: text
    integer :: i, ix, iy

    g%nx = chosen%nx; g%ny = chosen%ny; g%nz = chosen%nz
    g%comm = comm
    call MPI_Comm_size(comm, g%ranks)
    call MPI_Comm_rank(comm, g%rank)
    g%ranks_y = best_split(g)
    error = ''
    if (g%ranks_y == 0) then
      write (text, '(3(a,i0),a)') 'cannot cut ', g%nx, ' x ', g%ny, ' columns into blocks for ', g%ranks, ' ranks'
      error = trim(text)
      return
    end if
    g%ranks_x = g%ranks/g%ranks_y
    ix = mod(g%rank, g%ranks_x)
    iy = g%rank/g%ranks_x
    call block_of(g, g%rank, g%x0, g%nxl, g%y0, g%nyl)
    g%west = iy*g%ranks_x + modulo(ix - 1, g%ranks_x)
    g%east = iy*g%ranks_x + modulo(ix + 1, g%ranks_x)
    g%south = merge(g%rank - g%ranks_x, MPI_PROC_NULL, iy > 0)
    g%north = merge(g%rank + g%ranks_x, MPI_PROC_NULL, iy < g%ranks_y - 1)

    g%longitude = [(360.0_rk*(i - 1)/g%nx, i=1, g%nx)]
    g%latitude = gaussian_latitudes(g%ny)
    g%pressure = [(1000*((i - 0.5_rk)/g%nz)**2, i=1, g%nz)]
  end subroutine make_grid

  ! The number of ranks along y that leaves the shortest edges between blocks; 0 if there is none.
  pure integer function best_split(g) result(best)
    type(grid_t), intent(in) :: g
    integer :: py, edge, shortest
    best = 0
    shortest = huge(shortest)
    do py = 1, min(g%ranks, g%ny)
      if (mod(g%ranks, py) /= 0 .or. g%ranks/py > g%nx) cycle
      edge = g%ny*(g%ranks/py) + g%nx*(py - 1)
      if (edge < shortest) then
        shortest = edge
        best = py
      end if
    end do
  end function best_split

  pure subroutine block_of(g, rank, x0, nxl, y0, nyl)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: rank
    integer, intent(out) :: x0, nxl, y0, nyl
    call share(g%nx, g%ranks_x, mod(rank, g%ranks_x), x0, nxl)
    call share(g%ny, g%ranks_y, rank/g%ranks_x, y0, nyl)
  end subroutine block_of

  ! Shares n cells among parts as evenly as possible; the part (from 0) gets count cells from first (from 1) on.
  pure subroutine share(n, parts, part, first, count)
    integer, intent(in) :: n, parts, part
    integer, intent(out) :: first, count
    count = n/parts
    first = part*count + min(part, mod(n, parts)) + 1
    if (part < mod(n, parts)) count = count + 1
  end subroutine share

  ! The zeros of the Legendre polynomial of degree n, by Newton's method, as latitudes in degrees.
  pure function gaussian_latitudes(n) result(latitude)
    integer, intent(in) :: n
    real(rk) :: latitude(n), x, p, before, beyond, slope
    integer :: i, k, round
    do i = 1, n
      x = -cos(pi*(i - 0.25_rk)/(n + 0.5_rk))
      do round = 1, 8
        before = 1
        p = x
        do k = 2, n
          beyond = ((2*k - 1)*x*p - (k - 1)*before)/k
          before = p
          p = beyond
        end do
        slope = n*(x*p - before)/(x*x - 1)
        if (n == 1) slope = 1
        x = x - p/slope
      end do
      latitude(i) = asin(x)*180/pi
    end do
  end function gaussian_latitudes

  ! Collective. Brings the blocks of an array of rank 0 to the ranks.
  subroutine scatter(g, whole, part)
    type(grid_t), intent(in) :: g
    real(rk), intent(in) :: whole(:, :, :)          ! significant on rank 0 only
    real(rk), contiguous, intent(out) :: part(:, :, :)
    real(rk), allocatable :: packed(:)
    integer, allocatable :: counts(:), places(:)
    integer :: rank, x0, nxl, y0, nyl, first
    call find_blocks(g, size(part, 3), counts, places)
    allocate (packed(merge(sum(counts), 0, g%rank == 0)))
    do rank = 0, merge(g%ranks - 1, -1, g%rank == 0)
      call block_of(g, rank, x0, nxl, y0, nyl)
      first = places(rank + 1)
      packed(first + 1:first + counts(rank + 1)) = &
        reshape(whole(x0:x0 + nxl - 1, y0:y0 + nyl - 1, :), [counts(rank + 1)])
    end do
    call MPI_Scatterv(packed, counts, places, MPI_REAL8, part, size(part), MPI_REAL8, 0, g%comm)
  end subroutine scatter

  ! Collective. Puts the blocks of all ranks together on rank 0; elsewhere `whole` has no cells.
  subroutine gather(g, part, whole)
    type(grid_t), intent(in) :: g
    real(rk), contiguous, intent(in) :: part(:, :, :)
    real(rk), allocatable, intent(out) :: whole(:, :, :)
    real(rk), allocatable :: packed(:)
    integer, allocatable :: counts(:), places(:)
    integer :: rank, x0, nxl, y0, nyl, first
    call find_blocks(g, size(part, 3), counts, places)
    allocate (packed(merge(sum(counts), 0, g%rank == 0)))
    call MPI_Gatherv(part, size(part), MPI_REAL8, packed, counts, places, MPI_REAL8, 0, g%comm)
    allocate (whole(merge(g%nx, 0, g%rank == 0), g%ny, size(part, 3)))
    do rank = 0, merge(g%ranks - 1, -1, g%rank == 0)
      call block_of(g, rank, x0, nxl, y0, nyl)
      first = places(rank + 1)
      whole(x0:x0 + nxl - 1, y0:y0 + nyl - 1, :) = &
        reshape(packed(first + 1:first + counts(rank + 1)), [nxl, nyl, size(part, 3)])
    end do
  end subroutine gather

  subroutine find_blocks(g, levels, counts, places)
    type(grid_t), intent(in) :: g
    integer, intent(in) :: levels
    integer, allocatable, intent(out) :: counts(:), places(:)
    integer :: rank, x0, nxl, y0, nyl
    allocate (counts(g%ranks), places(g%ranks))
    do rank = 0, g%ranks - 1
      call block_of(g, rank, x0, nxl, y0, nyl)
      counts(rank + 1) = nxl*nyl*levels
      places(rank + 1) = sum(counts(:rank))
    end do
  end subroutine find_blocks
end module grid
