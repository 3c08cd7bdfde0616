! In place of own_input.f90 where netCDF-Fortran is not installed.
module own_input
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi_f08
  use settings, only: settings_t, rk
  use grid, only: grid_t
  use inputs, only: input_t
  implicit none
  private
  public :: own_input_t, open_inputs, read_inputs_at

  type :: own_input_t
    logical :: is_open = .false.
  end type own_input_t

contains

  ! Ends the job with a message.
  subroutine open_inputs(chosen, g, all_inputs, own)
    type(settings_t), intent(in) :: chosen
    type(grid_t), intent(in) :: g
    type(input_t), intent(in) :: all_inputs(:)
    type(own_input_t), intent(out) :: own
    if (g%rank == 0) then
      write (error_unit, '(a,i0,3a)') 'forced: ', size(all_inputs), " inputs cannot be read with input = '", &
        trim(chosen%input), "': this program was built without netCDF-Fortran (the package libnetcdff-dev)"
      call MPI_Abort(MPI_COMM_WORLD, 1)
    end if
    call MPI_Barrier(g%comm)
    own%is_open = .true.
  end subroutine open_inputs

  subroutine read_inputs_at(g, time, own, all_inputs, is_first)
    type(grid_t), intent(in) :: g
    real(rk), intent(in) :: time
    type(own_input_t), intent(inout) :: own
    type(input_t), intent(inout) :: all_inputs(:)
    logical, intent(in) :: is_first
    error stop 'unreachable: open_inputs ends the job'
  end subroutine read_inputs_at
end module own_input
