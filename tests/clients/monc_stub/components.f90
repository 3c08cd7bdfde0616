! The bubble model as MONC's state and components: its fields in arrays with halos, and as published fields those of the
! example with MONC's bridge (examples/monc_style). With q fields there are some more, of every type and rank.
module components
  use, intrinsic :: iso_fortran_env, only: real64
  use collections_mod, only: c_add_string, c_get_string, c_size
  use dynamics, only: model_t
  use grids_mod, only: vertical_grid_configuration_type
  use monc_component_mod
  use prognostics_mod, only: prognostic_field_type
  use published_fields, only: published, supply
  use q_indices_mod, only: set_q_index
  use registry, only: contribution, entry_t, levels, plane, volume
  use state_mod, only: model_state_type
  implicit none
  private
  public :: model, entries, make_state, fill_state

  integer, parameter :: halo = 2
  character(12), parameter :: extras(*) = [character(12) :: 'rank_number', 'half', 'pairs', 'box', 'tesseract', 'q_flux', &
                                           'switched_off']
  type(model_t), target :: model
  type(entry_t), allocatable, target :: entries(:)

contains

  subroutine make_state(state, q_fields)
    type(model_state_type), intent(inout) :: state
    integer, intent(in) :: q_fields
    character(20), parameter :: names(*) = [character(20) :: 'vapour', 'cloud liquid mass', 'rain', 'unused', 'ice']
    integer :: i, k

    associate (g => model%g, of => state%global_grid%configuration%vertical, local => state%local_grid)
      state%global_grid%size = [g%nz, g%ny, g%nx]
      state%global_grid%resolution = [g%dz, g%dy, g%dx]
      state%global_grid%top = state%global_grid%size*state%global_grid%resolution
      local%size = [g%nz, g%nyl, g%nxl]
      local%start = [1, g%y0, g%x0]
      local%end = local%start + local%size - 1
      local%local_domain_start_index = [1, halo + 1, halo + 1]
      local%local_domain_end_index = local%local_domain_start_index + local%size - 1
      of%z = [(k*g%dz, k=1, g%nz)]
      of%zn = [((k - 0.5_real64)*g%dz, k=1, g%nz)]
    end associate
    state%number_q_fields = q_fields
    allocate (state%q(q_fields), state%zq(q_fields))
    do i = 1, size(names)
      if (i <= q_fields + merge(1, 0, q_fields > 3) .and. names(i) /= 'unused') call set_q_index(i, trim(names(i)))
    end do
    call c_add_string(published, achar(0)//'unset')
    call c_add_string(published, '')
    do i = 1, size(entries)
      if (.not. is_own(entries(i))) call publish(entries(i)%name)
    end do
    call publish('q_means')
    do i = 1, merge(size(extras), 0, q_fields > 0)
      call publish(extras(i))
    end do
    if (q_fields > 0) call c_add_string(published, 'half')  ! a second component has a field of that name
    supply => supply_published
  end subroutine make_state

  subroutine publish(name)
    character(*), intent(in) :: name
    integer :: i
    do i = 1, c_size(published)
      if (c_get_string(published, i) == name) return
    end do
    call c_add_string(published, name)
  end subroutine publish

  ! Fields in MONC's state.
  logical function is_own(entry)
    type(entry_t), intent(in) :: entry
    is_own = entry%space == 'checkpoint' .or. entry%space == '3d_fieldsns'
  end function is_own

  subroutine fill_state(state)
    type(model_state_type), target, intent(inout) :: state
    type(vertical_grid_configuration_type), pointer :: of
    integer :: i, j

    of => state%global_grid%configuration%vertical
    do i = 1, size(entries)
      if (.not. is_own(entries(i))) cycle
      select case (entries(i)%name)
      case ('u', 'u_nogal'); call fill(state%u, volume(model, entries(i)))
      case ('v', 'v_nogal'); call fill(state%v, volume(model, entries(i)))
      case ('w'); call fill(state%w, volume(model, entries(i)))
      case ('th'); call fill(state%th, volume(model, entries(i)))
      case ('p'); call fill(state%p, volume(model, entries(i)))
      case ('zu'); call fill(state%zu, volume(model, entries(i)))
      case ('zv'); call fill(state%zv, volume(model, entries(i)))
      case ('zw'); call fill(state%zw, volume(model, entries(i)))
      case ('zth'); call fill(state%zth, volume(model, entries(i)))
      case ('sth_lw'); call fill(state%sth_lw, volume(model, entries(i)))
      case ('sth_sw'); call fill(state%sth_sw, volume(model, entries(i)))
      case ('thref'); of%thref = levels(model, entries(i))
      case ('olubar'); of%olubar = levels(model, entries(i))
      case ('olvbar'); of%olvbar = levels(model, entries(i))
      case ('olthbar'); of%olthbar = levels(model, entries(i))
      case ('olzubar'); of%olzubar = levels(model, entries(i))
      case ('olzvbar'); of%olzvbar = levels(model, entries(i))
      case ('olzthbar'); of%olzthbar = levels(model, entries(i))
      case ('w_up'); of%w_up = levels(model, entries(i))
      case ('w_dwn'); of%w_dwn = levels(model, entries(i))
      end select
    end do
    do i = 1, state%number_q_fields
      call fill(state%q(i), cells(state, i))
      call fill(state%zq(i), -cells(state, i))
    end do
    if (state%number_q_fields > 0) then
      of%olqbar = reshape([((10.0_real64*i + j, j=1, model%g%nz), i=1, state%number_q_fields)], &
                          [model%g%nz, state%number_q_fields])
      of%olzqbar = -of%olqbar
    end if
  end subroutine fill_state

  ! Halos have values that must not occur in any file.
  subroutine fill(field, values)
    type(prognostic_field_type), intent(inout) :: field
    real(real64), intent(in) :: values(:, :, :)
    integer :: n(3)

    n = shape(values)
    if (.not. allocated(field%data)) allocate (field%data(n(1), n(2) + 2*halo, n(3) + 2*halo), source=-1e30_real64)
    field%data(:, halo + 1:halo + n(2), halo + 1:halo + n(3)) = values
    field%active = .true.
  end subroutine fill

  ! A number that encodes the place (from 0) in the whole domain, the step and the q field.
  function cells(state, field) result(values)
    type(model_state_type), intent(in) :: state
    integer, intent(in) :: field
    real(real64), allocatable :: values(:, :, :)
    integer :: i, j, k

    associate (g => model%g)
      allocate (values(g%nz, g%nyl, g%nxl))
      do i = 1, g%nxl
        do j = 1, g%nyl
          do k = 1, g%nz
            values(k, j, i) = k - 1 + 100*(j + g%y0 - 2) + 10000*(i + g%x0 - 2) + 1000000*field + 0.001_real64*state%timestep
          end do
        end do
      end do
    end associate
  end function cells

  subroutine supply_published(state, name, information, value)
    type(model_state_type), target, intent(inout) :: state
    character(*), intent(in) :: name
    type(component_field_information_type), intent(out) :: information
    type(component_field_value_type), intent(out) :: value
    integer :: i

    information = component_field_information_type(-1, -1, huge(1), -1, .false.)  ! MONC defines it where it is enabled
    if (name == 'switched_off') return
    information%enabled = .true.
    information%data_type = COMPONENT_DOUBLE_DATA_TYPE
    information%number_dimensions = 0
    do i = 1, size(entries)
      if (entries(i)%name == name .and. .not. is_own(entries(i))) exit
    end do
    if (i > size(entries)) then
      call supply_extra(state, name, information, value)
    else
      select case (entries(i)%kind)
      case ('contribution'); value%real_1d_array = contribution(model, entries(i))
      case ('sum'); value%scalar_real = sum(contribution(model, entries(i)))
      case ('column', 'plane'); value%real_2d_array = plane(model, entries(i))
      case default; value%real_3d_array = volume(model, entries(i))
      end select
    end if
    information%field_type = COMPONENT_ARRAY_FIELD_TYPE
    if (allocated(value%real_1d_array)) call tell(shape(value%real_1d_array))
    if (allocated(value%real_2d_array)) call tell(shape(value%real_2d_array))
    if (allocated(value%real_3d_array)) call tell(shape(value%real_3d_array))
    if (allocated(value%real_4d_array)) call tell(shape(value%real_4d_array))
    if (information%number_dimensions == 0) information%field_type = COMPONENT_SCALAR_FIELD_TYPE
  contains
    subroutine tell(extents)
      integer, intent(in) :: extents(:)
      information%number_dimensions = size(extents)
      information%dimension_sizes(:size(extents)) = extents
    end subroutine tell
  end subroutine supply_published

  ! For shapes outside of the domain, each rank's share is its number (from 1) times that of the element.
  subroutine supply_extra(state, name, information, value)
    type(model_state_type), intent(in) :: state
    character(*), intent(in) :: name
    type(component_field_information_type), intent(inout) :: information
    type(component_field_value_type), intent(inout) :: value
    real(real64) :: share
    integer :: i

    share = model%g%rank + 1
    select case (name)
    case ('rank_number')
      information%data_type = COMPONENT_INTEGER_DATA_TYPE
      value%scalar_int = model%g%rank + 1
    case ('half'); value%scalar_real = 0.5_real64*share
    case ('q_means'); allocate (value%real_2d_array(model%g%nz, state%number_q_fields), source=share)
    case ('pairs'); value%real_2d_array = reshape([(share*i, i=1, 2*5)], [5, 2])
    case ('box'); value%real_3d_array = reshape([(share*i, i=1, 2*3*5)], [5, 2, 3])
    case ('tesseract'); value%real_4d_array = reshape([(share*i, i=1, 2*3*5*7)], [5, 2, 3, 7])
    case ('q_flux')
      allocate (value%real_4d_array(model%g%nz, model%g%nyl, model%g%nxl, state%number_q_fields))
      do i = 1, state%number_q_fields
        value%real_4d_array(:, :, :, i) = 2*cells(state, i)
      end do
    end select
  end subroutine supply_extra
end module components
