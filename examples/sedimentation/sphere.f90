! A sphere of triangles, such as the meshes of ICON and FESOM have, with any even number of columns; and the bands of
! columns that the ranks hold.
!
! The nodes lie on circles of latitude, as many on each as keep the distances alike. Between two circles the triangles form
! a strip. A closed sphere with n nodes has 2 n - 4 triangles (Euler's formula): 10,848 columns have 5,426 nodes.
module sphere
  use mpi_f08
  use settings, only: settings_t, rk
  implicit none
  private
  public :: sphere_t, make_sphere

  real(rk), parameter, public :: pi = acos(-1.0_rk)
  real(rk), parameter :: radius = 6.371e6_rk              ! m

  type :: sphere_t
    integer :: columns, nodes                             ! of the whole sphere
    integer :: levels
    integer :: first, count                               ! this rank's columns: first to first + count - 1
    integer :: rank, ranks
    type(MPI_Comm) :: comm
    integer, allocatable :: counts(:)                     ! of all ranks
    real(rk), allocatable :: node_lon(:), node_lat(:)     ! degrees, of the whole sphere
    integer, allocatable :: corners(:, :)                 ! (3, columns): nodes, counterclockwise from outside
    real(rk), allocatable :: lon(:), lat(:), area(:)      ! degrees, degrees, m2; of this rank's columns
    real(rk), allocatable :: heights(:)                   ! m, the middles of the layers, from the top down
    real(rk) :: thickness                                 ! m, of each layer
  end type sphere_t

contains

  ! Collective over comm. `error` tells what does not fit, the same on all ranks, or is empty.
  subroutine make_sphere(chosen, comm, g, error)
    type(settings_t), intent(in) :: chosen
    type(MPI_Comm), intent(in) :: comm
    type(sphere_t), intent(out) :: g
    character(:), allocatable, intent(out) :: error
    character(120) :: text
    integer :: k
    g%comm = comm
    call MPI_Comm_size(comm, g%ranks)
    call MPI_Comm_rank(comm, g%rank)
    g%columns = chosen%columns
    g%nodes = (chosen%columns + 4)/2
    g%levels = chosen%levels
    g%thickness = chosen%top/chosen%levels
    g%heights = [((chosen%levels - k + 0.5_rk)*g%thickness, k=1, chosen%levels)]
    call share_out(g)
    error = ''
    if (minval(g%counts) == 0) then
      write (text, '(2(i0,a))') g%columns, ' columns are too few for ', g%ranks, ' ranks'
      error = trim(text)
      return
    end if
    call make_mesh(g)
    call measure(g)
  end subroutine make_sphere

  ! Rank r has r + 2 parts of the columns: no two ranks have as many, as where a mesh is cut by the load.
  subroutine share_out(g)
    type(sphere_t), intent(inout) :: g
    integer :: bounds(0:g%ranks), r
    bounds = [(int(real(g%columns, rk)*r*(r + 3)/(g%ranks*(g%ranks + 3))), r=0, g%ranks)]
    g%counts = bounds(1:) - bounds(:g%ranks - 1)
    g%first = bounds(g%rank) + 1
    g%count = g%counts(g%rank + 1)
  end subroutine share_out

  ! The numbers of nodes on the circles between the poles, from north to south.
  pure function nodes_on_circles(nodes) result(counts)
    integer, intent(in) :: nodes
    integer, allocatable :: counts(:)
    integer :: circles, missing, i, at
    ! Circles of the distance d, with 2 pi sin(colatitude) / d nodes each, have 4 pi / d**2 nodes in all.
    circles = max(2, nint(sqrt(pi*(nodes - 2)/4)) - 1)
    counts = [(max(3, nint(2*(circles + 1)*sin(pi*i/(circles + 1)))), i=1, circles)]
    missing = nodes - 2 - sum(counts)
    do i = 1, abs(missing)                                ! rounding: one more, or less, around the equator
      at = modulo(circles/2 + merge(i/2, -(i/2), mod(i, 2) == 0) - 1, circles) + 1
      counts(at) = counts(at) + sign(1, missing)
    end do
  end function nodes_on_circles

  subroutine make_mesh(g)
    type(sphere_t), intent(inout) :: g
    integer, allocatable :: counts(:), starts(:)
    integer :: circle, circles, i, made
    allocate (counts, source=nodes_on_circles(g%nodes))
    circles = size(counts)
    allocate (g%node_lon(g%nodes), g%node_lat(g%nodes), g%corners(3, g%columns), starts(circles))
    g%node_lon([1, g%nodes]) = 0
    g%node_lat([1, g%nodes]) = [90, -90]
    made = 1
    do circle = 1, circles
      starts(circle) = made
      g%node_lon(made + 1:made + counts(circle)) = [(i*360.0_rk/counts(circle), i=0, counts(circle) - 1)]
      g%node_lat(made + 1:made + counts(circle)) = 90 - 180.0_rk*circle/(circles + 1)
      made = made + counts(circle)
    end do
    made = 0
    do i = 0, counts(1) - 1
      call add([1, node(1, i), node(1, i + 1)])
    end do
    do circle = 1, circles - 1
      call add_strip(circle, circle + 1)
    end do
    do i = 0, counts(circles) - 1
      call add([g%nodes, node(circles, i + 1), node(circles, i)])
    end do

  contains

    ! The i-th node of a circle, from 0 eastward, around the globe.
    pure integer function node(of_circle, i)
      integer, intent(in) :: of_circle, i
      node = starts(of_circle) + 1 + modulo(i, counts(of_circle))
    end function node

    subroutine add(triangle)
      integer, intent(in) :: triangle(3)
      made = made + 1
      g%corners(:, made) = triangle
    end subroutine add

    ! Eastward: the next triangle has its base on the circle whose next node is nearer.
    subroutine add_strip(north, south)
      integer, intent(in) :: north, south
      integer :: a, b
      a = 0; b = 0
      do while (a < counts(north) .or. b < counts(south))
        if ((a + 1)*counts(south) <= (b + 1)*counts(north)) then
          call add([node(south, b), node(north, a + 1), node(north, a)])
          a = a + 1
        else
          call add([node(south, b), node(south, b + 1), node(north, a)])
          b = b + 1
        end if
      end do
    end subroutine add_strip
  end subroutine make_mesh

  ! Centres are the directions of the sums of the corners. Areas: A. Van Oosterom and J. Strackee, The Solid Angle of a
  ! Plane Triangle, IEEE Transactions on Biomedical Engineering 30 (1983).
  subroutine measure(g)
    type(sphere_t), intent(inout) :: g
    real(rk) :: p(3, 3), centre(3)
    integer :: column, i
    allocate (g%lon(g%count), g%lat(g%count), g%area(g%count))
    do column = 1, g%count
      do i = 1, 3
        p(:, i) = place(g%corners(i, g%first + column - 1))
      end do
      centre = sum(p, dim=2)
      g%lon(column) = modulo(atan2(centre(2), centre(1))*180/pi, 360.0_rk)
      g%lat(column) = atan2(centre(3), hypot(centre(1), centre(2)))*180/pi
      g%area(column) = 2*radius**2*atan2(dot_product(p(:, 1), cross(p(:, 2), p(:, 3))), &
                                         1 + dot_product(p(:, 1), p(:, 2)) + dot_product(p(:, 2), p(:, 3)) &
                                         + dot_product(p(:, 3), p(:, 1)))
    end do

  contains

    pure function place(node)
      integer, intent(in) :: node
      real(rk) :: place(3), lon, lat
      lon = g%node_lon(node)*pi/180
      lat = g%node_lat(node)*pi/180
      place = [cos(lat)*cos(lon), cos(lat)*sin(lon), sin(lat)]
    end function place

    pure function cross(a, b)
      real(rk), intent(in) :: a(3), b(3)
      real(rk) :: cross(3)
      cross = [a(2)*b(3) - a(3)*b(2), a(3)*b(1) - a(1)*b(3), a(1)*b(2) - a(2)*b(1)]
    end function cross
  end subroutine measure
end module sphere
