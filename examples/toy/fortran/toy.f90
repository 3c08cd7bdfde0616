! A blob that the wind carries around a periodic plane: the smallest model with ranks, halos and steps of varying length.
! The same in examples/toy/{c,cpp,fortran,python}.
program toy
  use, intrinsic :: iso_fortran_env, only: real64
  use mpi_f08
  use tailrace
  implicit none
  integer, parameter :: nx = 48, ny = 30
  real(real64), parameter :: spacing = 100.0_real64, u = 80.0_real64, v = 40.0_real64, t_end = 20.0_real64

  type(tailrace_session) :: io
  type(MPI_Comm) :: comm
  integer :: rank, ranks, y0, nyl, step
  real(real64) :: t, dt
  ! Rows 1 to nyl are this rank's; row 0 and column 0 are the halo on the sides that the wind comes from.
  real(real64), allocatable :: h(:, :)
  character(256) :: configuration

  call MPI_Init()
  configuration = "toy.yaml"
  if (command_argument_count() > 0) call get_command_argument(1, configuration)
  call io%start(MPI_COMM_WORLD, configuration, component="toy", model_comm=comm)
  if (.not. io%is_server()) then
    call initial_state()
    call declare()
    t = 0.0_real64
    step = 0
    do while (t < t_end)
      step = step + 1
      dt = 0.2_real64*(1 + mod(step, 3))
      call advance()
      t = t + dt
      call io%step(step, t)
      if (io%wants("h")) call io%put("h", h(1:, 1:))
      if (io%wants("h_max")) call io%put("h_max", largest())
    end do
    call io%finish()
  end if
  call MPI_Finalize()

contains

  subroutine initial_state()
    real(real64) :: x, y, bump
    integer :: i, j

    call MPI_Comm_rank(comm, rank)
    call MPI_Comm_size(comm, ranks)
    y0 = rank*ny/ranks
    nyl = (rank + 1)*ny/ranks - y0
    allocate (h(0:nx, 0:nyl), source=0.0_real64)
    do j = 1, nyl
      do i = 1, nx
        x = ((i - 0.5_real64) - 12.0_real64)/8.0_real64
        y = ((y0 + j - 0.5_real64) - 10.0_real64)/8.0_real64
        bump = 1.0_real64 - (x*x + y*y)
        h(i, j) = merge(bump*bump, 0.0_real64, bump > 0.0_real64)
      end do
    end do
  end subroutine initial_state

  subroutine declare()
    integer :: i

    call io%grid("plane", dims=["x", "y"], shape=[nx, ny], offset=[1, y0 + 1], count=[nx, nyl])
    call io%coordinate("plane", "y", [((i - 0.5_real64)*spacing, i=1, ny)], units="m")
    call io%coordinate("plane", "x", [((i - 0.5_real64)*spacing, i=1, nx)], units="m")
    call io%field("h", grid="plane", units="m", long_name="height of the blob")
    call io%field("h_max", units="m", long_name="largest height")
    call io%ready()
  end subroutine declare

  subroutine fill_halo()
    integer :: north, south

    north = mod(rank + 1, ranks)
    south = mod(rank + ranks - 1, ranks)
    call MPI_Sendrecv(h(:, nyl), nx + 1, MPI_DOUBLE_PRECISION, north, 0, h(:, 0), nx + 1, MPI_DOUBLE_PRECISION, &
                      south, 0, comm, MPI_STATUS_IGNORE)
    h(0, :) = h(nx, :)
  end subroutine fill_halo

  subroutine advance()
    real(real64) :: next(nx, nyl), cx, cy
    integer :: i, j

    cx = u*dt/spacing
    cy = v*dt/spacing
    call fill_halo()
    do j = 1, nyl
      do i = 1, nx
        next(i, j) = (h(i, j) - cx*(h(i, j) - h(i - 1, j))) - cy*(h(i, j) - h(i, j - 1))
      end do
    end do
    h(1:, 1:) = next
  end subroutine advance

  real(real64) function largest()
    real(real64) :: local

    local = maxval(h(1:, 1:))
    call MPI_Allreduce(local, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, comm)
  end function largest

end program toy
