! The fields from which a run restarts: the state, whose halos and flow follow from it.
module restart
  use tailrace
  use settings, only: rk
  use dynamics, only: model_t
  use state, only: n_state
  implicit none
  private
  public :: declare_state, put_state, get_state

  character(*), parameter :: names(n_state) = [character(9) :: 'state_rho', 'state_ru', 'state_rv', 'state_rw', 'state_rt']
  character(*), parameter :: units(n_state) = [character(10) :: 'kg m-3', 'kg m-2 s-1', 'kg m-2 s-1', 'kg m-2 s-1', 'kg K m-3']

contains

  ! Before ready, on a grid of the model's cells.
  subroutine declare_state(io, grid)
    type(tailrace_session), intent(inout) :: io
    character(*), intent(in) :: grid
    integer :: i
    do i = 1, n_state
      call io%field(trim(names(i)), grid=grid, units=trim(units(i)))
    end do
  end subroutine declare_state

  ! Behind the puts of a step at which a checkpoint is due.
  subroutine put_state(io, model)
    type(tailrace_session), intent(inout) :: io
    type(model_t), intent(in) :: model
    integer :: i
    associate (g => model%g)
      do i = 1, n_state
        call io%put(trim(names(i)), model%q(1:g%nz, 1:g%nyl, 1:g%nxl, i))
      end do
    end associate
  end subroutine put_state

  ! After ready; the caller then calls advance with dt = 0 once.
  subroutine get_state(io, model)
    type(tailrace_session), intent(inout) :: io
    type(model_t), intent(inout) :: model
    integer :: i
    associate (g => model%g)
      do i = 1, n_state
        call io%get(trim(names(i)), model%q(1:g%nz, 1:g%nyl, 1:g%nxl, i))
      end do
    end associate
  end subroutine get_state
end module restart
