! The settings of the user: one namelist group, &bubble, read by every rank from the same file.
module settings
  use, intrinsic :: iso_fortran_env, only: real64, iostat_end
  implicit none
  private
  public :: settings_t, read_settings, rk

  integer, parameter :: rk = real64

  type :: settings_t
    character(32) :: case = 'density_current'   ! or 'warm_bubble'
    integer :: nx = 128, ny = 4, nz = 32        ! cells
    real(rk) :: dx = 200, dy = 800, dz = 200    ! m
    real(rk) :: t_end = 900                     ! s of model time
    integer :: steps = huge(1)                  ! the run ends behind this one at the latest
    real(rk) :: cfl = 0.8_rk                    ! of the step allowed by sound and wind together; below 0.866
    real(rk) :: viscosity = 75                  ! m2 s-1, for momentum and heat
    character(16) :: x_boundary = 'wall'        ! mirror walls at both ends, or 'periodic'
    real(rk) :: noise = 0                       ! K, amplitude of a fixed pattern that breaks the symmetries
    integer :: ranks_y = 0                      ! ranks along y; 0: the model chooses
    real(rk) :: log_every = 100                 ! s of model time between two lines of the log
  end type settings_t

contains

  ! Reads the settings. On a mistake `error` holds a message for the user that names the file and all wrong values.
  subroutine read_settings(file, chosen, error)
    character(*), intent(in) :: file
    type(settings_t), intent(out) :: chosen
    character(:), allocatable, intent(out) :: error
    character(32) :: case
    character(16) :: x_boundary
    character(256) :: reason
    integer :: nx, ny, nz, ranks_y, steps, unit, status
    real(rk) :: dx, dy, dz, t_end, cfl, viscosity, noise, log_every
    namelist /bubble/ case, nx, ny, nz, dx, dy, dz, t_end, cfl, viscosity, x_boundary, noise, ranks_y, log_every, steps

    case = chosen%case; nx = chosen%nx; ny = chosen%ny; nz = chosen%nz
    dx = chosen%dx; dy = chosen%dy; dz = chosen%dz; t_end = chosen%t_end; cfl = chosen%cfl
    steps = chosen%steps; viscosity = chosen%viscosity; x_boundary = chosen%x_boundary; noise = chosen%noise
    ranks_y = chosen%ranks_y; log_every = chosen%log_every

    error = ''
    open (newunit=unit, file=file, status='old', action='read', iostat=status, iomsg=reason)
    if (status /= 0) then
      error = trim(file)//': cannot be opened: '//trim(reason)
      return
    end if
    read (unit, nml=bubble, iostat=status, iomsg=reason)
    close (unit)
    if (status == iostat_end) reason = 'the group &bubble ... / is missing or not closed'
    if (status /= 0) then
      error = trim(file)//': '//trim(reason)//'. &bubble knows: case, nx, ny, nz, dx, dy, dz, t_end, cfl, '// &
              'viscosity, x_boundary, noise, ranks_y, log_every, steps'
      return
    end if
    chosen = settings_t(case, nx, ny, nz, dx, dy, dz, t_end, steps, cfl, viscosity, x_boundary, noise, ranks_y, log_every)
    call check(chosen, file, error)
  end subroutine read_settings

  subroutine check(chosen, file, error)
    type(settings_t), intent(in) :: chosen
    character(*), intent(in) :: file
    character(:), allocatable, intent(inout) :: error

    call expect(any(chosen%case == [character(15) :: 'density_current', 'warm_bubble']), &
                "case = '"//trim(chosen%case)//"': expected 'density_current' or 'warm_bubble'")
    call expect(any(chosen%x_boundary == [character(8) :: 'wall', 'periodic']), &
                "x_boundary = '"//trim(chosen%x_boundary)//"': expected 'wall' or 'periodic'")
    call expect(chosen%nx >= 4 .and. chosen%ny >= 1 .and. chosen%nz >= 4, 'nx and nz must be 4 or more, ny 1 or more')
    call expect(min(chosen%dx, chosen%dy, chosen%dz) > 0, 'dx, dy and dz must be positive (m)')
    call expect(chosen%t_end > 0, 't_end must be positive (s)')
    call expect(chosen%cfl > 0 .and. chosen%cfl <= 0.85_rk, 'cfl must be above 0 and at most 0.85: beyond, sound is unstable')
    call expect(chosen%viscosity >= 0, 'viscosity must not be negative (m2 s-1)')
    call expect(chosen%nz*chosen%dz < 20000, 'nz*dz must stay below 20 km: the neutral atmosphere ends at 30 km')
    call expect(chosen%ranks_y >= 0, 'ranks_y must not be negative (0: the model chooses)')
    call expect(chosen%log_every > 0, 'log_every must be positive (s)')

  contains

    subroutine expect(holds, otherwise)
      logical, intent(in) :: holds
      character(*), intent(in) :: otherwise
      if (holds) return
      if (len(error) > 0) error = error//new_line('a')
      error = error//trim(file)//': '//otherwise
    end subroutine expect
  end subroutine check
end module settings
