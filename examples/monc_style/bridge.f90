! All calls of Tailrace, like MONC's bridge to its I/O server: at the end of a step it puts those of the fields that the
! model can supply which are wanted.
module bridge
  use mpi_f08
  use tailrace
  use settings, only: rk
  use dynamics, only: model_t
  use registry
  use restart, only: declare_state, put_state
  implicit none
  private
  public :: bridge_t

  type :: bridge_t
    type(tailrace_session) :: io
    type(entry_t), allocatable :: entries(:)
    integer :: record = 0     ! unit of a file that keeps what was put; 0: none
  contains
    procedure :: declare, put_step, finish
  end type bridge_t

contains

  ! Collective over the model's ranks. options: name=value. record: each rank writes what it puts to a file with this name,
  ! a dot and the rank's number; empty: none.
  subroutine declare(self, model, options, record)
    class(bridge_t), intent(inout) :: self
    type(model_t), intent(in) :: model
    character(*), intent(in) :: options(:), record
    character(20) :: number
    integer :: i, cut

    associate (g => model%g)
      call self%io%option('x_size', g%nx)
      call self%io%option('y_size', g%ny)
      call self%io%option('z_size', g%nz)
      call self%io%option('number_q_fields', 0)
      do i = 1, size(options)
        cut = index(options(i), '=')
        if (cut > 1) call self%io%option(options(i)(:cut - 1), trim(options(i)(cut + 1:)))
      end do
      call declare_grids(self%io, model)
      do i = 1, size(self%entries)
        associate (entry => self%entries(i))
          call self%io%field(full_name(entry), grid=grid_of(entry%kind), handle=entry%handle, &
                             type=merge(tailrace_int32, tailrace_float64, entry%kind == 'integer'))
        end associate
      end do
      call declare_state(self%io, 'block')
      call self%io%ready()
      if (record == '') return
      write (number, '(i0)') g%rank
      open (newunit=self%record, file=record//'.'//trim(number), access='stream', form='unformatted', status='replace')
      write (self%record) g%nz, g%nyl, g%nxl, g%y0 - 1, g%x0 - 1
    end associate
  end subroutine declare

  subroutine declare_grids(io, model)
    type(tailrace_session), intent(inout) :: io
    type(model_t), intent(in) :: model
    character(2), parameter :: dims(3) = [character(2) :: 'z', 'y', 'x'], on_zn(3) = [character(2) :: 'zn', 'y', 'x']
    integer :: k
    associate (g => model%g)
      call io%grid('block', dims=dims, shape=[g%nz, g%ny, g%nx], offset=[1, g%y0, g%x0], count=[g%nz, g%nyl, g%nxl])
      call io%grid('block_zn', dims=on_zn, shape=[g%nz, g%ny, g%nx], offset=[1, g%y0, g%x0], count=[g%nz, g%nyl, g%nxl])
      call io%grid('plane', dims=dims(2:), shape=[g%ny, g%nx], offset=[g%y0, g%x0], count=[g%nyl, g%nxl])
      call io%grid('levels', dims=dims(:1), shape=[g%nz])
      call io%grid('contribution', dims=['level'], shape=[g%nz], partial=.true.)
      call io%grid('sum', dims=dims(:0), shape=[integer ::], partial=.true.)
      call io%coordinate('block', 'z', [(k*g%dz, k=1, g%nz)], units='m', attributes=['positive = up'])
      call io%coordinate('levels', 'z', [(k*g%dz, k=1, g%nz)], units='m', attributes=['positive = up'])
      call io%coordinate('block_zn', 'zn', [((k - 0.5_rk)*g%dz, k=1, g%nz)], units='m', attributes=['positive = up'])
    end associate
  end subroutine declare_grids

  function grid_of(kind) result(grid)
    character(*), intent(in) :: kind
    character(:), allocatable :: grid
    select case (kind)
    case ('scalar', 'integer'); grid = ''
    case ('column'); grid = 'plane'
    case default; grid = kind
    end select
  end function grid_of

  function full_name(entry) result(name)
    type(entry_t), intent(in) :: entry
    character(:), allocatable :: name
    name = entry%name
    if (entry%space /= '') name = entry%space//'.'//entry%name
  end function full_name

  ! Puts the state after `step`, which took dt seconds and ended at time: of fields that are written at the end of the run
  ! only, the last step; of the others, what is wanted. If a checkpoint is due, it puts the model's state too.
  subroutine put_step(self, model, step, time, dt, last)
    class(bridge_t), intent(inout) :: self
    type(model_t), intent(in) :: model
    integer, intent(in) :: step
    real(rk), intent(in) :: time, dt
    logical, intent(in) :: last
    real(rk), allocatable :: values(:)
    logical :: wanted
    integer :: i
    call self%io%step(step, time)
    do i = 1, size(self%entries)
      associate (entry => self%entries(i))
        wanted = self%io%wants(entry%handle)
        if (.not. (last .or. wanted)) cycle
        select case (entry%kind)
        case ('block', 'block_zn'); values = [volume(model, entry)]
        case ('plane', 'column'); values = [plane(model, entry)]
        case ('contribution'); values = [contribution(model, entry)]
        case ('sum'); values = [sum(contribution(model, entry))]
        case ('levels'); values = [levels(model, entry)]
        case default; values = [number_of(model, entry%name, step, time, dt)]
        end select
        if (self%record /= 0) write (self%record) i, step, time, size(values), values
        if (entry%kind == 'integer') then
          call self%io%put(entry%handle, nint(values(1)))
        else if (entry%kind == 'scalar' .or. entry%kind == 'sum') then
          call self%io%put(entry%handle, values(1))
        else
          call self%io%put(entry%handle, values)
        end if
      end associate
    end do
    if (.not. self%io%checkpoint_due()) return
    call put_state(self%io, model)
    call self%io%checkpoint()
  end subroutine put_step

  subroutine finish(self)
    class(bridge_t), intent(inout) :: self
    call self%io%finish()
    if (self%record /= 0) close (self%record)
  end subroutine finish
end module bridge
