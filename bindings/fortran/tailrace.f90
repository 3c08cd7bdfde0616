!> Tailrace for Fortran: hand a model's fields to servers that average and write them while the model computes on.
!!
!!   use tailrace
!!   type(tailrace_session) :: io
!!   call io%start(MPI_COMM_WORLD, "tailrace.yaml", component="bubble", model_comm=comm)
!!   if (io%is_server()) stop                       ! this rank served until the run was over
!!   call io%grid("les", dims=["z","y","x"], shape=[nz,ny,nx], offset=[1,y0,1], count=[nz,nyl,nx])
!!   call io%field("w", grid="les", units="m s-1")
!!   call io%ready()
!!   do while (t < t_end)
!!     call io%step(step, t)
!!     if (io%wants("w")) call io%put("w", w(1:nz, 1:nyl, 1:nx))
!!   end do
!!   call io%finish()
!!
!! Conventions
!! - Dimensions are named in the order of the subscripts, fastest first: w(z,y,x) has dims ["z","y","x"]. Offsets, global
!!   indices and mesh nodes count from 1. (In C, C++, Python and in the file the order is reversed: x, y, z.)
!! - Blanks at the end of character arguments and elements do not count.
!! - Errors: with ierr present it is 0 or one of the tailrace_error codes and errmsg the message (empty where all went well).
!!   Without ierr the message is printed on error_unit, the servers are told that this rank leaves, so that what was
!!   committed stays, and the program ends with error stop 1. (finish is not called then: it is collective, and the
!!   other ranks may be waiting for this one.)
!! - An array section that is put is not copied by the compiler but read in place, with its strides.
!! - A session is used from one thread at a time.
module tailrace
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_f_pointer, c_int, c_int64_t, c_null_char, c_null_ptr, &
                                         c_ptr, c_size_t
  use, intrinsic :: iso_fortran_env, only: error_unit, int32, int64, real32, real64
  use mpi_f08, only: MPI_Comm, MPI_COMM_NULL
  use tailrace_c
  implicit none
  private

  public :: tailrace_session, tailrace_serve, tailrace_version

  !> Types of fields: the `type` of `field`.
  integer, parameter, public :: tailrace_float32 = 0, tailrace_float64 = 1, tailrace_int32 = 2, tailrace_int64 = 3
  !> The values of ierr.
  integer, parameter, public :: tailrace_ok = 0, tailrace_error_usage = 1, tailrace_error_configuration = 2, &
                                tailrace_error_resource = 3, tailrace_error_lost = 4, tailrace_error_full = 5, &
                                tailrace_error_internal = 6

  type :: tailrace_session
    private
    type(c_ptr) :: session = c_null_ptr
    logical :: server = .false.
    logical :: off = .false.
  contains
    !> Collective over comm, an integer or a type(MPI_Comm) of mpi_f08, which is duplicated. On a rank that becomes a
    !! server it returns when the run is over and is_server() is true; model_comm is then MPI_COMM_NULL. Blocks.
    generic :: start => start_f08, start_integer
    procedure :: is_server
    procedure :: is_off
    !> The model ranks of this component, as an integer handle; valid until finish.
    procedure :: model_comm

    !> Declarations, before ready; local. Names, shapes and types must agree over the component's ranks.
    generic :: option => option_character, option_int32, option_int64, option_real32, option_real64
    !> block: offset and count. indexed: indexed_dim and indices. partial=.true.: each rank holds a contribution of the
    !! full shape. None of them: every rank holds the whole (replicated).
    generic :: grid => grid_int32, grid_int64
    !> Values of rank 1 or 2; whole, or this rank's part along decomposed dimensions (told by the size).
    !! attributes: an array of "name = value".
    generic :: coordinate => coordinate_r4, coordinate_r8, coordinate_r4_2, coordinate_r8_2
    !> face_nodes(nodes_per_face, local faces) holds node numbers from 1, padded with 0.
    procedure :: mesh
    !> A field without grid is a scalar. handle: for wants, put, acquire and commit without a look-up of the name.
    procedure :: field
    !> Collective over the component. Checks declarations and configuration together; fails alike on all ranks.
    procedure :: ready

    !> States the model's time: step and time (seconds) strictly, respectively never, go back. Local.
    generic :: step => step_int32, step_int64
    procedure :: handle
    generic :: wants => wants_name, wants_handle
    !> Scalars and arrays of rank 1 to 5 of real32, real64, int32, int64. Copies once and returns; at once where the
    !! field is not wanted.
    generic :: put => put_name, put_handle
    !> Points to the memory that the servers read, to write the local block into; null where the field is not wanted.
    !! One at a time; commit ends it.
    generic :: acquire => acquire_r4_1, acquire_r4_2, acquire_r4_3, acquire_r4_4, &
                          acquire_r8_1, acquire_r8_2, acquire_r8_3, acquire_r8_4
    generic :: commit => commit_name, commit_handle
    !> Collective over the component. Blocks until everything is committed to disk. Afterwards only is_server and
    !! is_off may be called. A second call does nothing.
    procedure :: finish

    procedure, private :: start_f08, start_integer
    procedure, private :: option_character, option_int32, option_int64, option_real32, option_real64
    procedure, private :: grid_int32, grid_int64
    procedure, private :: coordinate_r4, coordinate_r8, coordinate_r4_2, coordinate_r8_2
    procedure, private :: step_int32, step_int64, wants_name, wants_handle, put_name, put_handle
    procedure, private :: acquire_r4_1, acquire_r4_2, acquire_r4_3, acquire_r4_4
    procedure, private :: acquire_r8_1, acquire_r8_2, acquire_r8_3, acquire_r8_4
    procedure, private :: commit_name, commit_handle
    procedure, private :: start_any, grid_any, acquire_any, settle
  end type tailrace_session

  !> A server rank in an MPMD launch; returns when the run is over. Collective with the models' start.
  interface tailrace_serve
    procedure :: serve_f08, serve_integer
  end interface tailrace_serve

contains

  ! --- errors ---------------------------------------------------------------------------------------------------

  !> Hands an error to the caller, or ends the program with it. (errmsg is set by each procedure itself: gfortran 12 loses
  !! the length of a deferred-length argument that is optional and passed on.)
  subroutine settle(self, error, ierr)
    class(tailrace_session), intent(inout) :: self
    type(tailrace_error_c), intent(inout) :: error
    integer, intent(out), optional :: ierr

    if (present(ierr)) ierr = error%code
    if (error%code == tailrace_ok) return
    if (.not. present(ierr)) then
      write (error_unit, '(a)') "tailrace: " // text(error%message)
      flush (error_unit)
      call tailrace_free_c(self%session)
      self%session = c_null_ptr
      error stop 1
    end if
    call tailrace_error_clear_c(error)
  end subroutine settle

  function text(string) result(copy)
    type(c_ptr), intent(in) :: string
    character(:), allocatable :: copy
    character(kind=c_char), pointer :: characters(:)
    integer(c_size_t) :: length, i

    copy = ""
    if (.not. c_associated(string)) return
    length = strlen_c(string)
    call c_f_pointer(string, characters, [length])
    copy = repeat(" ", int(length))
    do i = 1, length
      copy(i:i) = characters(i)
    end do
  end function text

  ! --- the life of a session ------------------------------------------------------------------------------------

  subroutine start_f08(self, comm, config, component, model_comm, initial_time, initial_step, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: config
    character(*), intent(in), optional :: component
    type(MPI_Comm), intent(out), optional :: model_comm
    real(real64), intent(in), optional :: initial_time
    integer, intent(in), optional :: initial_step
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer :: model

    call self%start_any(comm%MPI_VAL, config, component, model, initial_time, initial_step, error)
    if (present(model_comm)) model_comm%MPI_VAL = model
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine start_f08

  subroutine start_integer(self, comm, config, component, model_comm, initial_time, initial_step, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    integer, intent(in) :: comm
    character(*), intent(in) :: config
    character(*), intent(in), optional :: component
    integer, intent(out), optional :: model_comm
    real(real64), intent(in), optional :: initial_time
    integer, intent(in), optional :: initial_step
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer :: model

    call self%start_any(comm, config, component, model, initial_time, initial_step, error)
    if (present(model_comm)) model_comm = model
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine start_integer

  subroutine start_any(self, comm, config, component, model, initial_time, initial_step, error)
    class(tailrace_session), intent(inout) :: self
    integer, intent(in) :: comm
    character(*), intent(in) :: config
    character(*), intent(in), optional :: component
    integer, intent(out) :: model
    real(real64), intent(in), optional :: initial_time
    integer, intent(in), optional :: initial_step
    type(tailrace_error_c), intent(inout) :: error
    real(real64) :: time
    integer(c_int64_t) :: step
    type(c_ptr) :: session

    time = 0.0_real64
    step = 0
    if (present(initial_time)) time = initial_time
    if (present(initial_step)) step = initial_step
    model = MPI_COMM_NULL%MPI_VAL
    session = tailrace_start_c(self%session, comm, c_string(config), c_string(component), time, step, error)
    if (error%code /= tailrace_ok) return
    self%session = session
    self%server = tailrace_is_server_c(self%session) /= 0
    self%off = tailrace_is_off_c(self%session) /= 0
    if (self%server) return
    model = tailrace_model_comm_c(self%session, error)
  end subroutine start_any

  pure logical function is_server(self)
    class(tailrace_session), intent(in) :: self
    is_server = self%server
  end function is_server

  pure logical function is_off(self)
    class(tailrace_session), intent(in) :: self
    is_off = self%off
  end function is_off

  integer function model_comm(self, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error

    model_comm = tailrace_model_comm_c(self%session, error)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end function model_comm

  subroutine ready(self, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_ready_c(self%session, error)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine ready

  subroutine finish(self, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    if (present(ierr)) ierr = tailrace_ok
    if (.not. c_associated(self%session)) return
    code = tailrace_finish_c(self%session, error)
    call tailrace_free_c(self%session)
    self%session = c_null_ptr
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine finish

  ! --- declarations ---------------------------------------------------------------------------------------------

  subroutine option_character(self, name, value, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    character(*), intent(in) :: name, value
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_option_string_c(self%session, c_string(name), c_string(value), error)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine option_character

  subroutine option_int32(self, name, value, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer(int32), intent(in) :: value
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_option_int_c(self%session, c_string(name), int(value, int64), error)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine option_int32

  subroutine option_int64(self, name, value, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer(int64), intent(in) :: value
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_option_int_c(self%session, c_string(name), value, error)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine option_int64

  subroutine option_real32(self, name, value, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    character(*), intent(in) :: name
    real(real32), intent(in) :: value
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_option_real_c(self%session, c_string(name), real(value, real64), error)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine option_real32

  subroutine option_real64(self, name, value, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    character(*), intent(in) :: name
    real(real64), intent(in) :: value
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_option_real_c(self%session, c_string(name), value, error)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine option_real64

  subroutine grid_int32(self, name, dims, shape, offset, count, indexed_dim, indices, partial, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    character(*), intent(in) :: name
    character(*), intent(in) :: dims(:)
    integer(int32), intent(in) :: shape(:)
    integer(int32), intent(in), optional :: offset(:), count(:), indices(:)
    character(*), intent(in), optional :: indexed_dim
    logical, intent(in), optional :: partial
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    integer(int64), allocatable :: offset_(:), count_(:), indices_(:)
    type(tailrace_error_c) :: error

    ! What stays unallocated counts as absent.
    if (present(offset)) allocate (offset_, source=int(offset, int64))
    if (present(count)) allocate (count_, source=int(count, int64))
    if (present(indices)) allocate (indices_, source=int(indices, int64))
    call self%grid_any(name, dims, int(shape, int64), offset_, count_, indexed_dim, indices_, partial, error)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine grid_int32

  subroutine grid_int64(self, name, dims, shape, offset, count, indexed_dim, indices, partial, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    character(*), intent(in) :: name
    character(*), intent(in) :: dims(:)
    integer(int64), intent(in) :: shape(:)
    integer(int64), intent(in), optional :: offset(:), count(:), indices(:)
    character(*), intent(in), optional :: indexed_dim
    logical, intent(in), optional :: partial
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error

    call self%grid_any(name, dims, shape, offset, count, indexed_dim, indices, partial, error)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine grid_int64

  subroutine grid_any(self, name, dims, shape, offset, count, indexed_dim, indices, partial, error)
    class(tailrace_session), intent(inout) :: self
    character(*), intent(in) :: name
    character(*), intent(in) :: dims(:)
    integer(int64), intent(in) :: shape(:)
    integer(int64), intent(in), optional :: offset(:), count(:), indices(:)
    character(*), intent(in), optional :: indexed_dim
    logical, intent(in), optional :: partial
    integer(c_size_t) :: index_count
    integer(c_int) :: partial_
    type(tailrace_error_c), intent(inout) :: error
    integer(c_int) :: code

    index_count = 0
    if (present(indices)) index_count = size(indices, kind=c_size_t)
    partial_ = 0
    if (present(partial)) partial_ = merge(1, 0, partial)
    code = tailrace_grid_c(self%session, c_string(name), c_lines(dims), size(shape, kind=c_int), shape, &
                           size_of(offset), offset, size_of(count), count, c_string(indexed_dim), &
                           index_count, indices, partial_, error)
  end subroutine grid_any

  subroutine coordinate_r8(self, grid, name, values, units, dims, standard_name, long_name, attributes, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    character(*), intent(in) :: grid, name
    real(real64), intent(in) :: values(:)
    character(*), intent(in), optional :: units, dims(:), standard_name, long_name, attributes(:)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_coordinate_c(self%session, c_string(grid), c_string(name), c_lines(dims), c_string(units), &
                                 c_string(standard_name), c_string(long_name), c_lines(attributes), &
                                 size(values, kind=c_size_t), values, error)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine coordinate_r8

  subroutine coordinate_r4(self, grid, name, values, units, dims, standard_name, long_name, attributes, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    character(*), intent(in) :: grid, name
    real(real32), intent(in) :: values(:)
    character(*), intent(in), optional :: units, dims(:), standard_name, long_name, attributes(:)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_coordinate_c(self%session, c_string(grid), c_string(name), c_lines(dims), c_string(units), &
                                 c_string(standard_name), c_string(long_name), c_lines(attributes), &
                                 size(values, kind=c_size_t), real(values, real64), error)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine coordinate_r4

  subroutine coordinate_r8_2(self, grid, name, values, units, dims, standard_name, long_name, attributes, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    character(*), intent(in) :: grid, name
    real(real64), intent(in) :: values(:, :)
    character(*), intent(in), optional :: units, dims(:), standard_name, long_name, attributes(:)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_coordinate_c(self%session, c_string(grid), c_string(name), c_lines(dims), c_string(units), &
                                 c_string(standard_name), c_string(long_name), c_lines(attributes), &
                                 size(values, kind=c_size_t), reshape(values, [size(values)]), error)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine coordinate_r8_2

  subroutine coordinate_r4_2(self, grid, name, values, units, dims, standard_name, long_name, attributes, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    character(*), intent(in) :: grid, name
    real(real32), intent(in) :: values(:, :)
    character(*), intent(in), optional :: units, dims(:), standard_name, long_name, attributes(:)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_coordinate_c(self%session, c_string(grid), c_string(name), c_lines(dims), c_string(units), &
                                 c_string(standard_name), c_string(long_name), c_lines(attributes), &
                                 size(values, kind=c_size_t), reshape(real(values, real64), [size(values)]), error)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine coordinate_r4_2

  subroutine mesh(self, grid, node_x, node_y, face_nodes, name, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    character(*), intent(in) :: grid
    real(real64), intent(in) :: node_x(:), node_y(:)
    integer(int32), intent(in) :: face_nodes(:, :)
    character(*), intent(in), optional :: name
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_mesh_c(self%session, c_string(grid), c_string(name), size(node_x, kind=c_size_t), node_x, &
                           size(node_y, kind=c_size_t), node_y, size(face_nodes, 1, kind=c_int64_t), &
                           size(face_nodes, 2, kind=c_size_t), face_nodes, error)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine mesh

  subroutine field(self, name, grid, type, units, standard_name, long_name, attributes, handle, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    character(*), intent(in) :: name
    character(*), intent(in), optional :: grid
    integer, intent(in), optional :: type
    character(*), intent(in), optional :: units, standard_name, long_name, attributes(:)
    integer, intent(out), optional :: handle
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: type_, handle_

    type_ = tailrace_float64
    if (present(type)) type_ = type
    handle_ = tailrace_field_c(self%session, c_string(name), c_string(grid), type_, c_string(units), &
                               c_string(standard_name), c_string(long_name), c_lines(attributes), error)
    if (present(handle)) handle = handle_
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine field

  ! --- the time loop --------------------------------------------------------------------------------------------

  subroutine step_int32(self, step, time, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    integer(int32), intent(in) :: step
    real(real64), intent(in) :: time
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_step_c(self%session, int(step, int64), time, error)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine step_int32

  subroutine step_int64(self, step, time, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    integer(int64), intent(in) :: step
    real(real64), intent(in) :: time
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_step_c(self%session, step, time, error)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine step_int64

  integer function handle(self, name, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error

    handle = tailrace_handle_c(self%session, c_string(name), error)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end function handle

  logical function wants_name(self, name, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: field

    wants_name = .false.
    field = tailrace_handle_c(self%session, c_string(name), error)
    if (error%code == tailrace_ok) wants_name = tailrace_wants_c(self%session, field, error) == 1
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end function wants_name

  logical function wants_handle(self, field, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    integer, intent(in) :: field
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error

    wants_handle = tailrace_wants_c(self%session, field, error) == 1
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end function wants_handle

  subroutine put_name(self, name, array, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    character(*), intent(in) :: name
    type(*), dimension(..), intent(in) :: array
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code, field

    field = tailrace_handle_c(self%session, c_string(name), error)
    if (error%code == tailrace_ok) then
      if (tailrace_put_unwanted_c(self%session, field) == 0) code = tailrace_put_c(self%session, field, array, error)
    end if
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine put_name

  subroutine put_handle(self, field, array, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    integer, intent(in) :: field
    type(*), dimension(..), intent(in) :: array
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    ! Asked apart, because describing an array to C costs more than all else.
    if (tailrace_put_unwanted_c(self%session, field) == 0) code = tailrace_put_c(self%session, field, array, error)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine put_handle

  subroutine acquire_r4_1(self, field, array, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    integer, intent(in) :: field
    real(real32), pointer, intent(out) :: array(:)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(c_ptr) :: slot
    integer(c_int64_t) :: extents(1)
    type(tailrace_error_c) :: error

    nullify (array)
    call self%acquire_any(field, tailrace_float32, slot, extents, error)
    if (c_associated(slot)) call c_f_pointer(slot, array, extents)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine acquire_r4_1

  subroutine acquire_r4_2(self, field, array, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    integer, intent(in) :: field
    real(real32), pointer, intent(out) :: array(:, :)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(c_ptr) :: slot
    integer(c_int64_t) :: extents(2)
    type(tailrace_error_c) :: error

    nullify (array)
    call self%acquire_any(field, tailrace_float32, slot, extents, error)
    if (c_associated(slot)) call c_f_pointer(slot, array, extents)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine acquire_r4_2

  subroutine acquire_r4_3(self, field, array, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    integer, intent(in) :: field
    real(real32), pointer, intent(out) :: array(:, :, :)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(c_ptr) :: slot
    integer(c_int64_t) :: extents(3)
    type(tailrace_error_c) :: error

    nullify (array)
    call self%acquire_any(field, tailrace_float32, slot, extents, error)
    if (c_associated(slot)) call c_f_pointer(slot, array, extents)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine acquire_r4_3

  subroutine acquire_r4_4(self, field, array, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    integer, intent(in) :: field
    real(real32), pointer, intent(out) :: array(:, :, :, :)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(c_ptr) :: slot
    integer(c_int64_t) :: extents(4)
    type(tailrace_error_c) :: error

    nullify (array)
    call self%acquire_any(field, tailrace_float32, slot, extents, error)
    if (c_associated(slot)) call c_f_pointer(slot, array, extents)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine acquire_r4_4

  subroutine acquire_r8_1(self, field, array, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    integer, intent(in) :: field
    real(real64), pointer, intent(out) :: array(:)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(c_ptr) :: slot
    integer(c_int64_t) :: extents(1)
    type(tailrace_error_c) :: error

    nullify (array)
    call self%acquire_any(field, tailrace_float64, slot, extents, error)
    if (c_associated(slot)) call c_f_pointer(slot, array, extents)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine acquire_r8_1

  subroutine acquire_r8_2(self, field, array, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    integer, intent(in) :: field
    real(real64), pointer, intent(out) :: array(:, :)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(c_ptr) :: slot
    integer(c_int64_t) :: extents(2)
    type(tailrace_error_c) :: error

    nullify (array)
    call self%acquire_any(field, tailrace_float64, slot, extents, error)
    if (c_associated(slot)) call c_f_pointer(slot, array, extents)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine acquire_r8_2

  subroutine acquire_r8_3(self, field, array, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    integer, intent(in) :: field
    real(real64), pointer, intent(out) :: array(:, :, :)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(c_ptr) :: slot
    integer(c_int64_t) :: extents(3)
    type(tailrace_error_c) :: error

    nullify (array)
    call self%acquire_any(field, tailrace_float64, slot, extents, error)
    if (c_associated(slot)) call c_f_pointer(slot, array, extents)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine acquire_r8_3

  subroutine acquire_r8_4(self, field, array, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    integer, intent(in) :: field
    real(real64), pointer, intent(out) :: array(:, :, :, :)
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(c_ptr) :: slot
    integer(c_int64_t) :: extents(4)
    type(tailrace_error_c) :: error

    nullify (array)
    call self%acquire_any(field, tailrace_float64, slot, extents, error)
    if (c_associated(slot)) call c_f_pointer(slot, array, extents)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine acquire_r8_4

  !> The slot, or a null pointer, and the extents in the order of Fortran.
  subroutine acquire_any(self, field, type, slot, extents, error)
    class(tailrace_session), intent(inout) :: self
    integer, intent(in) :: field, type
    type(c_ptr), intent(out) :: slot
    integer(c_int64_t), intent(out) :: extents(:)
    type(tailrace_error_c), intent(inout) :: error
    integer(c_int) :: code

    slot = c_null_ptr
    code = tailrace_acquire_c(self%session, field, type, size(extents, kind=c_int), extents, slot, error)
  end subroutine acquire_any

  subroutine commit_name(self, name, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    character(*), intent(in) :: name
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code, field

    field = tailrace_handle_c(self%session, c_string(name), error)
    if (error%code == tailrace_ok) code = tailrace_commit_c(self%session, field, error)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine commit_name

  subroutine commit_handle(self, field, ierr, errmsg)
    class(tailrace_session), intent(inout) :: self
    integer, intent(in) :: field
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_commit_c(self%session, field, error)
    if (present(errmsg)) errmsg = text(error%message)
    call self%settle(error, ierr)
  end subroutine commit_handle

  ! --- servers, version -----------------------------------------------------------------------------------------

  subroutine serve_f08(comm, config, ierr, errmsg)
    type(MPI_Comm), intent(in) :: comm
    character(*), intent(in) :: config
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_session) :: none
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_serve_c(comm%MPI_VAL, c_string(config), error)
    if (present(errmsg)) errmsg = text(error%message)
    call none%settle(error, ierr)
  end subroutine serve_f08

  subroutine serve_integer(comm, config, ierr, errmsg)
    integer, intent(in) :: comm
    character(*), intent(in) :: config
    integer, intent(out), optional :: ierr
    character(:), allocatable, intent(out), optional :: errmsg
    type(tailrace_session) :: none
    type(tailrace_error_c) :: error
    integer(c_int) :: code

    code = tailrace_serve_c(comm, c_string(config), error)
    if (present(errmsg)) errmsg = text(error%message)
    call none%settle(error, ierr)
  end subroutine serve_integer

  function tailrace_version() result(version)
    character(:), allocatable :: version
    version = text(tailrace_version_c())
  end function tailrace_version

  ! --- strings --------------------------------------------------------------------------------------------------

  !> Ended as C does it, without trailing blanks; absent is empty.
  pure function c_string(string) result(ended)
    character(*), intent(in), optional :: string
    character(:, c_char), allocatable :: ended

    ended = c_null_char
    if (present(string)) ended = trim(string) // c_null_char
  end function c_string

  !> The elements as the lines of one C string.
  pure function c_lines(strings) result(ended)
    character(*), intent(in), optional :: strings(:)
    character(:, c_char), allocatable :: ended
    integer :: i

    ended = ""
    if (present(strings)) then
      do i = 1, size(strings)
        ended = ended // trim(strings(i)) // new_line("a")
      end do
    end if
    ended = ended // c_null_char
  end function c_lines

  !> -1 where absent.
  pure integer(c_int) function size_of(array)
    integer(int64), intent(in), optional :: array(:)

    size_of = -1
    if (present(array)) size_of = size(array, kind=c_int)
  end function size_of

end module tailrace
