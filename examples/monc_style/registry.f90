! The fields that MONC's components publish, made from the bubble model: its own fields under MONC's names, and stand-ins
! of the same kind and shape for those that need moisture, radiation or a subgrid scheme.
module registry
  use settings, only: rk
  use state, only: theta_0
  use dynamics, only: model_t
  implicit none
  private
  public :: entry_t, read_registry, volume, plane, contribution, levels, number_of

  type :: entry_t
    character(:), allocatable :: space, name, kind   ! a line of fields.txt
    integer :: variant = 0                           ! of a stand-in: the same for the same name
    integer :: handle = 0                            ! given by Tailrace
  end type entry_t

contains

  subroutine read_registry(file, entries, error)
    character(*), intent(in) :: file
    type(entry_t), allocatable, intent(out) :: entries(:)
    character(:), allocatable, intent(out) :: error
    character(200) :: line, words(3), reason
    type(entry_t) :: next
    integer :: unit, status, i

    error = ''
    allocate (entries(0))
    open (newunit=unit, file=file, status='old', action='read', iostat=status, iomsg=reason)
    if (status /= 0) then
      error = file//': cannot be opened: '//trim(reason)
      return
    end if
    do
      read (unit, '(a)', iostat=status) line
      if (status /= 0) exit
      if (line == '' .or. line(1:1) == '#') cycle
      read (line, *, iostat=status) words
      if (status /= 0) then
        error = file//': "'//trim(line)//'" is not: namespace name kind'
        exit
      end if
      next%space = trim(words(1))
      if (next%space == '-') next%space = ''
      next%name = trim(words(2))
      next%kind = trim(words(3))
      next%variant = size(entries)
      do i = 1, size(entries)
        if (entries(i)%name == next%name) next%variant = entries(i)%variant
      end do
      entries = [entries, next]
    end do
    close (unit)
  end subroutine read_registry

  ! The values in this rank's cells, as (z, y, x).
  function volume(model, entry) result(a)
    type(model_t), intent(in) :: model
    type(entry_t), intent(in) :: entry
    real(rk) :: a(model%g%nz, model%g%nyl, model%g%nxl)
    integer :: k
    associate (g => model%g, f => model%flow, nz => model%g%nz, ny => model%g%nyl, nx => model%g%nxl)
      associate (u => f%u(1:nz, 1:ny, 1:nx), v => f%v(1:nz, 1:ny, 1:nx), w => f%w(1:nz, 1:ny, 1:nx), &
                 th => f%theta(1:nz, 1:ny, 1:nx), p => f%p(1:nz, 1:ny, 1:nx), rho => f%rho(1:nz, 1:ny, 1:nx))
        select case (entry%name)
        case ('u', 'u_nogal', 'zu', 'u_wind_total_local'); a = u
        case ('v', 'v_nogal', 'zv', 'v_wind_total_local'); a = v
        case ('w', 'zw', 'w_wind_total_local'); a = w
        case ('th', 'zth', 'theta_total_local'); a = th
        case ('p'); a = p
        case ('uu_total_local'); a = u*u
        case ('vv_total_local'); a = v*v
        case ('ww_total_local'); a = w*w
        case ('www_total_local'); a = w*w*w
        case ('wwww_total_local'); a = w*w*w*w
        case ('uw_total_local'); a = u*w
        case ('vw_total_local'); a = v*w
        case ('uv_total_local'); a = u*v
        case ('th2_total_local'); a = (th - theta_0)**2
        case ('wke_total_local'); a = 0.5_rk*rho*w*w
        case ('wtheta_ad_total_local'); a = w*(th - theta_0)
        case ('thref_local', 'thinit_local'); a = theta_0
        case ('rho_local', 'rhon_local', 'prefn_local')
          do k = 1, nz
            a(k, :, :) = merge(model%ref%p(k), model%ref%rho(k), entry%name == 'prefn_local')
          end do
        case default
          select case (mod(entry%variant, 5))
          case (0); a = u
          case (1); a = v
          case (2); a = w
          case (3); a = th - theta_0
          case default; a = p
          end select
          a = a*(1 + mod(entry%variant, 11)) + 0.125_rk*mod(entry%variant, 7)
        end select
      end associate
    end associate
  end function volume

  ! The values in this rank's columns, as (y, x).
  function plane(model, entry) result(a)
    type(model_t), intent(in) :: model
    type(entry_t), intent(in) :: entry
    real(rk) :: a(model%g%nyl, model%g%nxl)
    real(rk) :: cells(model%g%nz, model%g%nyl, model%g%nxl)
    select case (entry%name)
    case ('wmax'); a = maxval(model%flow%w(1:model%g%nz, 1:model%g%nyl, 1:model%g%nxl), dim=1)
    case ('wmin'); a = minval(model%flow%w(1:model%g%nz, 1:model%g%nyl, 1:model%g%nxl), dim=1)
    case default
      cells = volume(model, entry)
      a = cells(1 + mod(entry%variant, model%g%nz), :, :)
    end select
  end function plane

  ! The sum over this rank's columns at each level. Each value is first rounded to a multiple of 2**-20: then this sum is
  ! exact, and the sum over all ranks does not depend on the decomposition. (In a model that simply adds, the last bits of
  ! its sums change with the number of ranks.) For the atmosphere at rest each rank returns the profile itself.
  function contribution(model, entry) result(total)
    type(model_t), intent(in) :: model
    type(entry_t), intent(in) :: entry
    real(rk) :: total(model%g%nz)
    real(rk) :: cells(model%g%nz, model%g%nyl, model%g%nxl)
    cells = scale(anint(scale(volume(model, entry), 20)), -20)
    select case (entry%name)
    case ('thref_local', 'thinit_local', 'rho_local', 'rhon_local', 'prefn_local'); total = cells(:, 1, 1)
    case default; total = sum(sum(cells, dim=3), dim=2)
    end select
  end function contribution

  ! A profile that all ranks know.
  function levels(model, entry) result(a)
    type(model_t), intent(in) :: model
    type(entry_t), intent(in) :: entry
    real(rk) :: a(model%g%nz)
    a = model%ref%exner*(1 + entry%variant)
    if (entry%name == 'thref') a = theta_0
  end function levels

  ! A number that all ranks know: after `step`, which took dt seconds and ended at time.
  function number_of(model, name, step, time, dt) result(a)
    type(model_t), intent(in) :: model
    character(*), intent(in) :: name
    integer, intent(in) :: step
    real(rk), intent(in) :: time, dt
    real(rk) :: a
    select case (name)
    case ('time', 'rad_last_time'); a = time
    case ('timestep'); a = step
    case ('dtm', 'dtm_new', 'absolute_new_dtm'); a = dt
    case ('x_resolution'); a = model%g%dx
    case ('y_resolution'); a = model%g%dy
    case ('x_top'); a = model%g%nx*model%g%dx
    case ('y_top'); a = model%g%ny*model%g%dy
    case default; a = 0
    end select
  end function number_of
end module registry
