!> In place of MONC's module of this name: its I/O server ranks become servers of Tailrace.
module io_server_mod
  use collections_mod, only: hashmap_type
  use datadefn_mod, only: LONG_STRING_LENGTH
  use mpi, only: MPI_COMM_WORLD
  use tailrace, only: tailrace_serve
  implicit none
  private
  public :: io_server_run

contains

  !> Called by MONC on each server rank; returns when the run is over. Tailrace needs the last argument alone.
  subroutine io_server_run(options_database, io_communicator, provided_threading, total_global_processes, &
                           continuation_run, io_configuration_file)
    type(hashmap_type), intent(inout) :: options_database
    integer, intent(in) :: io_communicator, provided_threading, total_global_processes
    logical, intent(in) :: continuation_run
    character(len=LONG_STRING_LENGTH), intent(in) :: io_configuration_file

    call tailrace_serve(MPI_COMM_WORLD, trim(io_configuration_file))
  end subroutine io_server_run
end module io_server_mod
