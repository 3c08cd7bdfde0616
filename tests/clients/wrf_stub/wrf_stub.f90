! Drives the package io_tailrace like WRF: splits servers off behind MPI_Init, makes a communicator for each domain, and
! writes and reads datasets in the order of a script.
!   mpirun -n RANKS wrf_stub [threads]
! With `threads` MPI is started with MPI_THREAD_MULTIPLE, as servers within the ranks need it; else as by WRF.
! In the working directory: wrf.nml with the domains, fields.txt with the variables, and script.txt, whose lines are
!   frame STREAM DATASET DOMAIN DATE SECONDS PATH [open] [close]
!   read DATASET DOMAIN DATE SECONDS PATH
program wrf_stub
  use domains
  use fields
  use mediation
  use mpi
  implicit none
  type(domain_t), allocatable :: all(:)
  type(variable_t), allocatable :: variables(:)
  character(400) :: line
  integer :: communicator, unit, provided, ierr, status, at, stream, number, seconds

  call get_command_argument(1, line)
  if (line == 'threads') call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided, ierr)
  if (line /= 'threads') call MPI_Init(ierr)  ! as WRF
  communicator = MPI_COMM_WORLD
  call ext_tailrace_split(communicator)
  open (newunit=unit, file='wrf.nml', action='read', status='old')
  call read_domains(unit, communicator, all)
  close (unit)
  variables = read_variables('fields.txt')
  call ext_tailrace_ioinit(' ', status)
  open (newunit=unit, file='script.txt', action='read', status='old')
  do
    read (unit, '(a)', iostat=status) line
    if (status /= 0) exit
    at = merge(1, 0, index(line, 'frame ') == 1)
    if (at == 1) stream = whole(2)
    number = whole(3 + at)
    seconds = whole(5 + at)
    if (all(number)%communicator == MPI_COMM_NULL) cycle
    if (at == 1) then
      call write_frame(variables, all(number), number, stream, word(line, ' ', 3), word(line, ' ', 5), seconds, &
                       word(line, ' ', 7), index(line, ' open') > 0, index(line, ' close') > 0)
    else
      call read_frame(variables, all(number), number, word(line, ' ', 2), word(line, ' ', 4), seconds, word(line, ' ', 6))
    end if
  end do
  call ext_tailrace_ioexit(status)
  if (status /= 0) error stop 'ioexit'
  call MPI_Finalize(ierr)

contains

  integer function whole(n)
    integer, intent(in) :: n
    character(:), allocatable :: text
    text = word(line, ' ', n)
    read (text, *) whole
  end function whole
end program wrf_stub
