! Measures the cost of a put through the Fortran interface, by handle and by name.
!   put_fortran CONFIGURATION STEPS     (rank 0 is the model, rank 1 the server)
program put_fortran
  use, intrinsic :: iso_fortran_env, only: int64, real64
  use mpi_f08
  use tailrace
  implicit none

  integer, parameter :: fields = 64, count = 125, calls_in_a_row = 1000
  type(tailrace_session) :: io
  type(MPI_Comm) :: comm
  character(256) :: configuration, text
  integer :: provided, steps

  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided)
  call get_command_argument(1, configuration)
  call get_command_argument(2, text)
  read (text, *) steps
  steps = 2*((steps + 1)/2)
  call io%start(MPI_COMM_WORLD, trim(configuration), model_comm=comm)
  if (.not. io%is_server()) call run()
  call MPI_Finalize()

contains

  subroutine run()
    real(real64) :: values(count), cube(0:51, 0:51, 0:51), begin
    real(real64), allocatable :: by_handle(:), by_name(:), halo(:), copy(:)
    real(real64), allocatable :: unused(:), unused_cube(:), unused_name(:), wants_name(:)
    real(real64), allocatable :: dense(:, :, :)
    integer :: handles(fields), interior, nobodys, nobodys_cube, step, i, wanted
    character(16) :: names(fields)

    call io%grid('line', dims=['x'], shape=[count], offset=[1], count=[count])
    do i = 1, fields
      write (names(i), '(a,i0)') 'small_', i - 1
      call declare(trim(names(i)), handles(i))
    end do
    call declare('unused', nobodys)
    call io%grid('other', dims=['f', 'e', 'd'], shape=[50, 50, 50], offset=[1, 1, 1], count=[50, 50, 50])
    call io%field('unused_cube', grid='other', handle=nobodys_cube)
    call io%grid('cube', dims=['c', 'b', 'a'], shape=[50, 50, 50], offset=[1, 1, 1], count=[50, 50, 50])
    call io%field('interior', grid='cube', handle=interior)
    call io%ready()
    allocate (by_handle(fields*(steps/2)), by_name(fields*(steps/2)), dense(50, 50, 50))
    allocate (halo(steps), copy(steps), unused(steps), unused_cube(steps), unused_name(steps), wants_name(steps))
    values = 1
    cube = 1
    wanted = 0
    do step = 1, steps
      call io%step(step, real(step, real64))
      do i = 1, fields
        begin = now()
        if (mod(step, 2) == 0) then
          call io%put(handles(i), values)
          by_handle(i + fields*(step/2 - 1)) = now() - begin
        else
          call io%put(trim(names(i)), values)
          by_name(i + fields*((step - 1)/2)) = now() - begin
        end if
      end do
      begin = now()
      dense = cube(1:50, 1:50, 1:50)
      copy(step) = now() - begin
      begin = now()
      call io%put(interior, cube(1:50, 1:50, 1:50))
      halo(step) = now() - begin
      begin = now()
      do i = 1, calls_in_a_row
        call io%put(nobodys, values)
      end do
      unused(step) = (now() - begin)/calls_in_a_row
      begin = now()
      do i = 1, calls_in_a_row
        call io%put(nobodys_cube, cube(1:50, 1:50, 1:50))
      end do
      unused_cube(step) = (now() - begin)/calls_in_a_row
      begin = now()
      do i = 1, calls_in_a_row
        call io%put('unused', values)
      end do
      unused_name(step) = (now() - begin)/calls_in_a_row
      begin = now()
      do i = 1, calls_in_a_row
        if (io%wants('unused')) wanted = wanted + 1
      end do
      wants_name(step) = (now() - begin)/calls_in_a_row
      call pause_a_little()
    end do
    call io%finish()
    call print_figure('small', by_handle)
    call print_figure('small_by_name', by_name)
    call print_figure('interior_1m', halo)
    call print_figure('interior_copy_1m', copy)
    call print_figure('unused', unused)
    call print_figure('unused_cube', unused_cube)
    call print_figure('unused_by_name', unused_name)
    call print_figure('wants_by_name', wants_name)
    print '(a,i0,es12.4)', 'wanted ', wanted, sum(dense)
  end subroutine run

  subroutine declare(name, handle)
    character(*), intent(in) :: name
    integer, intent(out) :: handle
    call io%field(name, grid='line', handle=handle)
  end subroutine declare

  real(real64) function now()
    integer(int64) :: ticks, rate
    call system_clock(ticks, rate)   ! nanoseconds
    now = 1e9_real64*real(ticks, real64)/real(rate, real64)
  end function now

  ! The server's time.
  subroutine pause_a_little()
    interface
      integer(c_int) function usleep(microseconds) bind(c)
        use, intrinsic :: iso_c_binding, only: c_int
        integer(c_int), value :: microseconds
      end function usleep
    end interface
    integer :: ignored
    ignored = usleep(5000)
  end subroutine pause_a_little

  subroutine print_figure(name, samples)
    character(*), intent(in) :: name
    real(real64), intent(inout) :: samples(:)
    integer :: n
    n = size(samples)
    call sort(samples)
    print '(2a,3f14.1,i8)', 'figure ', name, samples(n/2 + 1), samples(n/10 + 1), samples(n - n/10), n
  end subroutine print_figure

  ! Shell's.
  subroutine sort(x)
    real(real64), intent(inout) :: x(:)
    real(real64) :: value
    integer :: gap, i, j
    gap = size(x)/2
    do while (gap > 0)
      do i = gap + 1, size(x)
        value = x(i)
        j = i
        do while (j > gap)
          if (x(j - gap) <= value) exit
          x(j) = x(j - gap)
          j = j - gap
        end do
        x(j) = value
      end do
      gap = gap/2
    end do
  end subroutine sort
end program put_fortran
