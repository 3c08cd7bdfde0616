! The procedures of WRF that a package calls. As in WRF they belong to no module.

subroutine wrf_message(text)
  implicit none
  character(*), intent(in) :: text
  print '(2a)', 'HEARD ', text
end subroutine wrf_message

subroutine wrf_error_fatal(text)
  use mpi
  implicit none
  character(*), intent(in) :: text
  integer :: ierr
  print '(2a)', 'FATAL ', text
  flush (6)
  call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
end subroutine wrf_error_fatal
