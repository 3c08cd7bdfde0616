! The inputs of the model, from the table in variables.txt: a line for each.
module inputs
  use settings, only: settings_t, rk
  use grid, only: grid_t
  implicit none
  private
  public :: input_t, read_inputs

  type :: input_t
    character(32) :: name, units
    character(8) :: grid                            ! 'volume', or 'surface' for one level
    character(8) :: rule                            ! 'linear', 'previous' or 'none': constant
    character(32) :: variable                       ! in the file NAME.nc
    character(16) :: missing                        ! the value where the file has none, or '-'
    real(rk), allocatable :: values(:, :, :)        ! this rank's cells: (x, y, level)
  end type input_t

contains

  ! `error` holds a message for the user, or is empty.
  subroutine read_inputs(chosen, g, all_inputs, error)
    type(settings_t), intent(in) :: chosen
    type(grid_t), intent(in) :: g
    type(input_t), allocatable, intent(out) :: all_inputs(:)
    character(:), allocatable, intent(out) :: error
    type(input_t) :: one
    character(256) :: line, reason
    integer :: unit, status

    allocate (all_inputs(0))
    error = ''
    open (newunit=unit, file=chosen%variables, status='old', action='read', iostat=status, iomsg=reason)
    do while (status == 0)
      read (unit, '(a)', iostat=status, iomsg=reason) line
      if (is_iostat_end(status)) exit
      if (status == 0 .and. line(1:1) /= '#' .and. len_trim(line) > 0) then
        read (line, *, iostat=status, iomsg=reason) one%name, one%grid, one%units, one%rule, one%variable, one%missing
        if (status /= 0) reason = trim(reason)//': '//line
        all_inputs = [all_inputs, one]
      end if
    end do
    if (.not. is_iostat_end(status)) then
      error = trim(chosen%variables)//': '//trim(reason)
      return
    end if
    close (unit)
    call allocate_values()

  contains

    subroutine allocate_values()
      integer :: i
      do i = 1, size(all_inputs)
        allocate (all_inputs(i)%values(g%nxl, g%nyl, merge(g%nz, 1, all_inputs(i)%grid == 'volume')), source=0.0_rk)
      end do
    end subroutine allocate_values
  end subroutine read_inputs
end module inputs
