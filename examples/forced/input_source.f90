! The interface of a way of input. Each file input_*.f90 is one way; a program is linked with one of them.
module input_source
  use mpi_f08, only: MPI_Comm
  use settings, only: settings_t, rk
  use grid, only: grid_t
  use inputs, only: input_t
  implicit none
  private
  public :: way, join, open_inputs, begin_step, get_inputs, close_inputs

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

    ! Collective over the ranks that compute, as all that follow. Opens the files, or describes the fields. A mistake ends
    ! the job.
    module subroutine open_inputs(chosen, g, all_inputs)
      type(settings_t), intent(in) :: chosen
      type(grid_t), intent(in) :: g
      type(input_t), intent(in) :: all_inputs(:)
    end subroutine open_inputs

    ! The model is at `step`, from 1, which begins `time` seconds after the start.
    module subroutine begin_step(step, time)
      integer, intent(in) :: step
      real(rk), intent(in) :: time
    end subroutine begin_step

    ! The inputs of `time`, that of the present step, or of the start (is_first). Constant ones need not be set again.
    module subroutine get_inputs(g, time, all_inputs, is_first)
      type(grid_t), intent(in) :: g
      real(rk), intent(in) :: time
      type(input_t), intent(inout) :: all_inputs(:)
      logical, intent(in) :: is_first
    end subroutine get_inputs

    module subroutine close_inputs()
    end subroutine close_inputs
  end interface
end module input_source
