! The settings of the user: one namelist group, &forced, read by every rank from the same file.
module settings
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: settings_t, read_settings, rk

  integer, parameter :: rk = real64

  type :: settings_t
    character(256) :: configuration = 'forced.yaml' ! of Tailrace
    character(256) :: coupling = 'coupling.yaml'    ! of YAC
    character(256) :: variables = 'variables.txt'   ! the table of the inputs
    character(256) :: folder = 'forcing'            ! of their files, where the model reads them itself
    character(256) :: dump = ''                     ! at the end, rank 0 writes inputs and tracers there as raw float64
    integer :: nx = 128, ny = 64, nz = 90           ! cells: a Gaussian grid, with levels from the top down
    integer :: start(3) = [2001, 7, 1]              ! year, month and day of time 0
    real(rk) :: hours = 12                          ! of model time
    real(rk) :: dt = 1200                           ! s
    integer :: update_every = 3                     ! steps between two updates of the inputs
    integer :: substeps = 20                        ! of the transport in a step: the load of a model with more physics
  end type settings_t

contains

  ! On a mistake `error` holds a message for the user; otherwise it is empty.
  subroutine read_settings(file, chosen, error)
    character(*), intent(in) :: file
    type(settings_t), intent(out) :: chosen
    character(:), allocatable, intent(out) :: error
    character(256) :: configuration, coupling, variables, folder, dump, reason
    integer :: nx, ny, nz, start(3), update_every, substeps, unit, status
    real(rk) :: hours, dt
    namelist /forced/ configuration, coupling, variables, folder, dump, nx, ny, nz, start, hours, dt, update_every, substeps

    configuration = chosen%configuration; coupling = chosen%coupling; variables = chosen%variables
    folder = chosen%folder; dump = chosen%dump; nx = chosen%nx; ny = chosen%ny; nz = chosen%nz
    start = chosen%start; hours = chosen%hours; dt = chosen%dt; update_every = chosen%update_every
    substeps = chosen%substeps

    error = ''
    open (newunit=unit, file=file, status='old', action='read', iostat=status, iomsg=reason)
    if (status == 0) read (unit, nml=forced, iostat=status, iomsg=reason)
    if (status /= 0) then
      error = trim(file)//': '//trim(reason)
      return
    end if
    close (unit)
    chosen = settings_t(configuration, coupling, variables, folder, dump, nx, ny, nz, start, hours, dt, update_every, substeps)
    if (min(nx, ny, nz, update_every, substeps) < 1 .or. min(hours, dt) <= 0) &
      error = trim(file)//': nx, ny, nz, update_every, substeps, hours and dt must be positive'
  end subroutine read_settings
end module settings
