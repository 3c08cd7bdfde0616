! The settings of the user: one namelist group, &sedimentation, read by every rank from the same file.
module settings
  use, intrinsic :: iso_fortran_env, only: real64
  implicit none
  private
  public :: settings_t, read_settings, rk

  integer, parameter :: rk = real64

  type :: settings_t
    integer :: columns = 10848                            ! triangles of the sphere: an even number
    integer :: levels = 40                                ! layers of equal thickness, from the top down
    real(rk) :: top = 20000                               ! m, of the uppermost layer
    integer :: steps = 24
    real(rk) :: dt = 1800                                 ! s
    integer :: substeps = 20                              ! of a step: dt / substeps is the time step of the schemes
    real(rk) :: diffusivity = 5                           ! m2 s-1, vertical
    real(rk) :: velocity = -1                             ! m s-1, downward, of all that falls; below 0: by Stokes' law
    character(256) :: configuration = 'sedimentation.yaml' ! of Tailrace
    character(256) :: coupling = 'coupling.yaml'           ! of YAC
    character(256) :: file = 'sedimentation.nc'            ! that the model writes itself, by netCDF or PnetCDF
  end type settings_t

contains

  ! On a mistake `error` holds a message for the user; otherwise it is empty.
  subroutine read_settings(file_name, chosen, error)
    character(*), intent(in) :: file_name
    type(settings_t), intent(out) :: chosen
    character(:), allocatable, intent(out) :: error
    integer :: columns, levels, steps, substeps, unit, status
    real(rk) :: top, dt, diffusivity, velocity
    character(256) :: configuration, coupling, file, reason
    namelist /sedimentation/ columns, levels, top, steps, dt, substeps, diffusivity, velocity, configuration, coupling, file

    columns = chosen%columns; levels = chosen%levels; top = chosen%top; steps = chosen%steps; dt = chosen%dt
    substeps = chosen%substeps; diffusivity = chosen%diffusivity; velocity = chosen%velocity
    configuration = chosen%configuration; coupling = chosen%coupling; file = chosen%file

    error = ''
    open (newunit=unit, file=file_name, status='old', action='read', iostat=status, iomsg=reason)
    if (status == 0) read (unit, nml=sedimentation, iostat=status, iomsg=reason)
    if (status /= 0) then
      error = trim(file_name)//': '//trim(reason)
      return
    end if
    close (unit)
    chosen = settings_t(columns, levels, top, steps, dt, substeps, diffusivity, velocity, configuration, coupling, file)
    if (columns < 60 .or. mod(columns, 2) /= 0) then
      error = trim(file_name)//': columns must be an even number of at least 60: the triangles of a closed sphere'
    else if (min(levels, steps, substeps) < 1) then
      error = trim(file_name)//': levels, steps and substeps must be at least 1'
    else if (min(top, dt) <= 0 .or. diffusivity < 0) then
      error = trim(file_name)//': top (m) and dt (s) must be positive, and diffusivity (m2 s-1) must not be negative'
    end if
  end subroutine read_settings
end module settings
