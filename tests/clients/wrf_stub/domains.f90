!> The domains of the stand-in for WRF: their ranks, and the patches and memory of a dimension on this rank, as WRF has them.
module domains
  use mpi
  implicit none
  private
  public :: domain_t, extent_t, read_domains, extent_of

  integer, parameter :: halo = 3

  type :: domain_t
    integer :: e_we = 0, e_sn = 0, e_vert = 0          ! extents at the faces of the cells, as WRF counts
    integer :: communicator = MPI_COMM_NULL            ! MPI_COMM_NULL: this rank has no part of it
    integer :: mesh(2) = 1, place(2) = 0               ! ranks in x and y, and this one among them, from 0
  end type domain_t

  !> A dimension of an array: the whole domain, the memory and the patch of this rank.
  type :: extent_t
    integer :: domain(2) = 1, memory(2) = 1, patch(2) = 1
    logical :: at_start = .true., at_end = .true.      ! whether the patch touches this edge of the domain
  end type extent_t

contains

  !> Collective over `communicator`. The ranks of domain n are count(n) from first(n), from 0; mesh(:, n) has their mesh.
  subroutine read_domains(unit, communicator, all)
    integer, intent(in) :: unit, communicator
    type(domain_t), allocatable, intent(out) :: all(:)
    integer :: domains, e_we(3), e_sn(3), e_vert(3), first(3), mesh_x(3), mesh_y(3)
    integer :: n, rank, color, split, ierr
    namelist /wrf/ domains, e_we, e_sn, e_vert, first, mesh_x, mesh_y
    read (unit, nml=wrf)
    call MPI_Comm_rank(communicator, rank, ierr)
    allocate (all(domains))
    do n = 1, domains
      all(n)%e_we = e_we(n); all(n)%e_sn = e_sn(n); all(n)%e_vert = e_vert(n)
      all(n)%mesh = [mesh_x(n), mesh_y(n)]
      color = MPI_UNDEFINED
      if (rank >= first(n) .and. rank < first(n) + product(all(n)%mesh)) color = 0
      call MPI_Comm_split(communicator, color, rank, split, ierr)
      if (color == MPI_UNDEFINED) cycle
      call MPI_Cart_create(split, 2, [mesh_y(n), mesh_x(n)], [.false., .false.], .false., all(n)%communicator, ierr)
      call MPI_Cart_coords(all(n)%communicator, rank - first(n), 2, all(n)%place(2:1:-1), ierr)
    end do
  end subroutine read_domains

  !> By the name of the dimension; "*24" is a dimension of this extent without a name.
  type(extent_t) function extent_of(domain, name) result(made)
    type(domain_t), intent(in) :: domain
    character(*), intent(in) :: name
    integer :: faces
    logical :: is_staggered
    is_staggered = index(name, '_stag') > 0
    if (name(1:1) == '*') then
      read (name(2:), *) faces
      made = whole(faces)
    else if (index(name, 'west_east') == 1) then
      made = split(domain%e_we, 1)
    else if (index(name, 'south_north') == 1) then
      made = split(domain%e_sn, 2)
    else if (index(name, 'bottom_top') == 1) then
      made = whole(domain%e_vert - merge(0, 1, is_staggered))
      made%memory(2) = domain%e_vert
    else
      made = whole(merge(5, 4, name == 'bdy_width'))  ! else soil layers
    end if
  contains
    type(extent_t) function whole(n) result(part)
      integer, intent(in) :: n
      part%domain(2) = n; part%memory(2) = n; part%patch(2) = n
    end function whole

    type(extent_t) function split(e, axis) result(part)
      integer, intent(in) :: e, axis
      integer :: cells
      cells = e - 1
      part%domain(2) = merge(e, cells, is_staggered)
      part%patch(1) = 1 + cells*domain%place(axis)/domain%mesh(axis)
      part%patch(2) = cells*(domain%place(axis) + 1)/domain%mesh(axis)
      part%at_start = domain%place(axis) == 0
      part%at_end = domain%place(axis) + 1 == domain%mesh(axis)
      part%memory = part%patch + [-halo, halo + 1]
      if (part%at_end .and. is_staggered) part%patch(2) = e
    end function split
  end function extent_of
end module domains
