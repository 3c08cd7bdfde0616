! The interface of a way of output. Each file output_*.f90 is one way; a program is linked with one of them.
module output
  use mpi_f08, only: MPI_Comm
  use settings, only: settings_t, rk
  use sphere, only: sphere_t
  implicit none
  private
  public :: way, join, declare, write_fields, close_output

  interface
    ! The name of this way.
    module function way()
      character(:), allocatable :: way
    end function way

    ! Collective over world, before all else. comm: the ranks that compute. On a rank that serves it returns when the run is
    ! over, with computes = .false.
    module subroutine join(world, chosen, comm, computes)
      type(MPI_Comm), intent(in) :: world
      type(settings_t), intent(in) :: chosen
      type(MPI_Comm), intent(out) :: comm
      logical, intent(out) :: computes
    end subroutine join

    ! Collective over the ranks that compute, as all that follow. Creates the file, or describes the fields.
    module subroutine declare(chosen, g)
      type(settings_t), intent(in) :: chosen
      type(sphere_t), intent(in) :: g
    end subroutine declare

    ! q (column, level, tracer) at `time`, in seconds from the start. number: of this call, from 1.
    module subroutine write_fields(number, time, q)
      integer, intent(in) :: number
      real(rk), intent(in) :: time
      real(rk), contiguous, target, intent(in) :: q(:, :, :)
    end subroutine write_fields

    ! Returns when all is in the file.
    module subroutine close_output()
    end subroutine close_output
  end interface
end module output
