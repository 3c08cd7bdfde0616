!> The C functions that the module tailrace calls: those of tailrace.h and those of glue.cpp. Not for models.
module tailrace_c
  use, intrinsic :: iso_c_binding, only: c_char, c_double, c_int, c_int32_t, c_int64_t, c_null_ptr, c_ptr, c_size_t
  implicit none
  private

  type, bind(c), public :: tailrace_error_c
    integer(c_int) :: code = 0
    type(c_ptr) :: message = c_null_ptr
  end type tailrace_error_c

  public :: tailrace_error_clear_c, tailrace_free_c, tailrace_is_server_c, tailrace_is_off_c, tailrace_model_comm_c
  public :: tailrace_option_string_c, tailrace_option_int_c, tailrace_option_real_c, tailrace_ready_c, tailrace_step_c
  public :: tailrace_handle_c, tailrace_wants_c, tailrace_publish_c, tailrace_finish_c, tailrace_serve_c
  public :: tailrace_stop_requested_c, tailrace_output_lost_c, tailrace_wanted_names_c, tailrace_wants_at_end_c
  public :: tailrace_hdf5_lock, tailrace_hdf5_unlock, tailrace_version_c, strlen_c
  public :: tailrace_start_c, tailrace_grid_c, tailrace_coordinate_c, tailrace_mesh_c, tailrace_field_c, tailrace_put_c
  public :: tailrace_input_c, tailrace_set_attribute_c
  public :: tailrace_open_output_c, tailrace_open_file_c, tailrace_close_file_c, tailrace_written_c
  public :: tailrace_add_block_c, tailrace_put_block_c, tailrace_healpix_grid_c
  public :: tailrace_put_unwanted_c, tailrace_acquire_c, tailrace_grid_mapping_c, tailrace_mesh_location_c

  interface
    subroutine tailrace_error_clear_c(error) bind(c, name="tailrace_error_clear")
      import :: tailrace_error_c
      type(tailrace_error_c), intent(inout) :: error
    end subroutine tailrace_error_clear_c

    subroutine tailrace_free_c(session) bind(c, name="tailrace_free")
      import :: c_ptr
      type(c_ptr), value :: session
    end subroutine tailrace_free_c

    function tailrace_is_server_c(session) bind(c, name="tailrace_is_server") result(yes)
      import :: c_int, c_ptr
      type(c_ptr), value :: session
      integer(c_int) :: yes
    end function tailrace_is_server_c

    function tailrace_is_off_c(session) bind(c, name="tailrace_is_off") result(yes)
      import :: c_int, c_ptr
      type(c_ptr), value :: session
      integer(c_int) :: yes
    end function tailrace_is_off_c

    function tailrace_model_comm_c(session, error) bind(c, name="tailrace_model_comm_fortran") result(comm)
      import :: c_int, c_ptr, tailrace_error_c
      type(c_ptr), value :: session
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: comm
    end function tailrace_model_comm_c

    function tailrace_option_string_c(session, name, value, error) bind(c, name="tailrace_option_string") result(code)
      import :: c_char, c_int, c_ptr, tailrace_error_c
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: name(*), value(*)
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_option_string_c

    function tailrace_option_int_c(session, name, value, error) bind(c, name="tailrace_option_int") result(code)
      import :: c_char, c_int, c_int64_t, c_ptr, tailrace_error_c
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int64_t), value :: value
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_option_int_c

    function tailrace_option_real_c(session, name, value, error) bind(c, name="tailrace_option_real") result(code)
      import :: c_char, c_double, c_int, c_ptr, tailrace_error_c
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: value
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_option_real_c

    function tailrace_wanted_names_c(session, names, error) bind(c, name="tailrace_wanted_names") result(count)
      import :: c_int, c_ptr, tailrace_error_c
      type(c_ptr), value :: session
      type(c_ptr), intent(out) :: names
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: count
    end function tailrace_wanted_names_c

    function tailrace_ready_c(session, error) bind(c, name="tailrace_ready") result(code)
      import :: c_int, c_ptr, tailrace_error_c
      type(c_ptr), value :: session
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_ready_c

    function tailrace_step_c(session, step, time, error) bind(c, name="tailrace_step") result(code)
      import :: c_double, c_int, c_int64_t, c_ptr, tailrace_error_c
      type(c_ptr), value :: session
      integer(c_int64_t), value :: step
      real(c_double), value :: time
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_step_c

    function tailrace_open_file_c(stream, path, error) bind(c, name="tailrace_open_file") result(code)
      import :: c_char, c_int, c_ptr, tailrace_error_c
      type(c_ptr), value :: stream
      character(kind=c_char), intent(in) :: path(*)
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_open_file_c

    function tailrace_close_file_c(stream, error) bind(c, name="tailrace_close_file") result(code)
      import :: c_int, c_ptr, tailrace_error_c
      type(c_ptr), value :: stream
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_close_file_c

    function tailrace_written_c(stream, step, error) bind(c, name="tailrace_written") result(yes)
      import :: c_int, c_int64_t, c_ptr, tailrace_error_c
      type(c_ptr), value :: stream
      integer(c_int64_t), value :: step
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: yes
    end function tailrace_written_c

    function tailrace_handle_c(session, name, error) bind(c, name="tailrace_handle") result(handle)
      import :: c_char, c_int, c_ptr, tailrace_error_c
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: name(*)
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: handle
    end function tailrace_handle_c

    function tailrace_wants_c(session, field, error) bind(c, name="tailrace_wants") result(yes)
      import :: c_int, c_ptr, tailrace_error_c
      type(c_ptr), value :: session
      integer(c_int), value :: field
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: yes
    end function tailrace_wants_c

    function tailrace_wants_at_end_c(session, field, error) bind(c, name="tailrace_wants_at_end") result(yes)
      import :: c_int, c_ptr, tailrace_error_c
      type(c_ptr), value :: session
      integer(c_int), value :: field
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: yes
    end function tailrace_wants_at_end_c

    function tailrace_publish_c(session, field, error) bind(c, name="tailrace_publish") result(code)
      import :: c_int, c_ptr, tailrace_error_c
      type(c_ptr), value :: session
      integer(c_int), value :: field
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_publish_c

    function tailrace_output_lost_c(session) bind(c, name="tailrace_output_lost") result(string)
      import :: c_ptr
      type(c_ptr), value :: session
      type(c_ptr) :: string
    end function tailrace_output_lost_c

    function tailrace_stop_requested_c(session, error) bind(c, name="tailrace_stop_requested") result(yes)
      import :: c_int, c_ptr, tailrace_error_c
      type(c_ptr), value :: session
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: yes
    end function tailrace_stop_requested_c

    function tailrace_finish_c(session, error) bind(c, name="tailrace_finish") result(code)
      import :: c_int, c_ptr, tailrace_error_c
      type(c_ptr), value :: session
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_finish_c

    function tailrace_serve_c(comm, config, error) bind(c, name="tailrace_serve_fortran") result(code)
      import :: c_char, c_int, tailrace_error_c
      integer(c_int), value :: comm
      character(kind=c_char), intent(in) :: config(*)
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_serve_c

    subroutine tailrace_hdf5_lock() bind(c, name="tailrace_hdf5_lock")
    end subroutine tailrace_hdf5_lock

    subroutine tailrace_hdf5_unlock() bind(c, name="tailrace_hdf5_unlock")
    end subroutine tailrace_hdf5_unlock

    function tailrace_version_c() bind(c, name="tailrace_version") result(version)
      import :: c_ptr
      type(c_ptr) :: version
    end function tailrace_version_c

    pure function strlen_c(string) bind(c, name="strlen") result(length)
      import :: c_ptr, c_size_t
      type(c_ptr), value :: string
      integer(c_size_t) :: length
    end function strlen_c
  end interface

  ! The functions of glue.cpp. An empty string is an absent one; a list of names is a string of lines; dimensions are in
  ! the order of subscripts and indices count from 1.
  interface
    function tailrace_start_c(running, comm, config, component, initial_time, initial_step, text, error) &
      bind(c, name="tailrace_glue_start") result(session)
      import :: c_char, c_double, c_int, c_int64_t, c_ptr, tailrace_error_c
      type(c_ptr), value :: running
      integer(c_int), value :: comm
      character(kind=c_char), intent(in) :: config(*), component(*), text(*)
      real(c_double), value :: initial_time
      integer(c_int64_t), value :: initial_step
      type(tailrace_error_c), intent(inout) :: error
      type(c_ptr) :: session
    end function tailrace_start_c

    function tailrace_open_output_c(running, session, comm, name, initial_time, initial_step, text, error) &
      bind(c, name="tailrace_glue_open_output") result(stream)
      import :: c_char, c_double, c_int, c_int64_t, c_ptr, tailrace_error_c
      type(c_ptr), value :: running, session
      integer(c_int), value :: comm
      character(kind=c_char), intent(in) :: name(*), text(*)
      real(c_double), value :: initial_time
      integer(c_int64_t), value :: initial_step
      type(tailrace_error_c), intent(inout) :: error
      type(c_ptr) :: stream
    end function tailrace_open_output_c

    function tailrace_grid_c(session, name, dims, shape_size, shape, offset_size, offset, count_size, count, indexed_dim, &
                             index_count, indices, partial, error) bind(c, name="tailrace_glue_grid") result(code)
      import :: c_char, c_int, c_int64_t, c_ptr, c_size_t, tailrace_error_c
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: name(*), dims(*), indexed_dim(*)
      integer(c_int), value :: shape_size, offset_size, count_size, partial
      integer(c_int64_t), intent(in) :: shape(*)
      integer(c_int64_t), intent(in), optional :: offset(*), count(*), indices(*)
      integer(c_size_t), value :: index_count
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_grid_c

    function tailrace_healpix_grid_c(session, name, level, order, dims, shape_size, shape, first, count, cell_count, cells, &
                                     cell_dim, error) bind(c, name="tailrace_glue_healpix_grid") result(code)
      import :: c_char, c_int, c_int64_t, c_ptr, c_size_t, tailrace_error_c
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: name(*), order(*), dims(*), cell_dim(*)
      integer(c_int), value :: level, shape_size
      integer(c_int64_t), intent(in), optional :: shape(*), cells(*)
      integer(c_int64_t), value :: first, count
      integer(c_size_t), value :: cell_count
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_healpix_grid_c

    function tailrace_add_block_c(session, grid, offset_size, offset, count_size, count, error) &
      bind(c, name="tailrace_glue_add_block") result(code)
      import :: c_char, c_int, c_int64_t, c_ptr, tailrace_error_c
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: grid(*)
      integer(c_int), value :: offset_size, count_size
      integer(c_int64_t), intent(in) :: offset(*), count(*)
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_add_block_c

    function tailrace_coordinate_c(session, grid, name, dims, units, standard_name, long_name, attributes, value_count, &
                                   values, scalar, vertices, bound_count, bounds, computed_bounds, measure, error) &
      bind(c, name="tailrace_glue_coordinate") result(code)
      import :: c_char, c_double, c_int, c_ptr, c_size_t, tailrace_error_c
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: grid(*), name(*), dims(*), units(*), standard_name(*), long_name(*), &
                                            attributes(*), measure(*)
      integer(c_size_t), value :: value_count, vertices, bound_count
      integer(c_int), value :: scalar, computed_bounds
      real(c_double), intent(in) :: values(*)
      real(c_double), intent(in), optional :: bounds(*)
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_coordinate_c

    function tailrace_grid_mapping_c(session, grid, grid_mapping_name, name, attributes, error) &
      bind(c, name="tailrace_glue_grid_mapping") result(code)
      import :: c_char, c_int, c_ptr, tailrace_error_c
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: grid(*), grid_mapping_name(*), name(*), attributes(*)
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_grid_mapping_c

    function tailrace_mesh_c(session, grid, name, x_count, node_x, y_count, node_y, nodes_per_face, face_count, face_nodes, &
                             global_nodes, index_count, node_indices, node_units, error) &
      bind(c, name="tailrace_glue_mesh") result(code)
      import :: c_char, c_double, c_int, c_int32_t, c_int64_t, c_ptr, c_size_t, tailrace_error_c
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: grid(*), name(*), node_units(*)
      integer(c_size_t), value :: x_count, y_count, face_count, index_count
      integer(c_int64_t), value :: nodes_per_face, global_nodes
      integer(c_int64_t), intent(in), optional :: node_indices(*)
      real(c_double), intent(in) :: node_x(*), node_y(*)
      integer(c_int32_t), intent(in) :: face_nodes(*)
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_mesh_c

    function tailrace_mesh_location_c(session, grid, mesh, location, ends, edge_count, edge_nodes, error) &
      bind(c, name="tailrace_glue_mesh_location") result(code)
      import :: c_char, c_int, c_int32_t, c_ptr, c_size_t, tailrace_error_c
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: grid(*), mesh(*), location(*)
      integer(c_size_t), value :: ends, edge_count
      integer(c_int32_t), intent(in), optional :: edge_nodes(*)
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_mesh_location_c

    function tailrace_field_c(session, name, grid, type, units, standard_name, long_name, attributes, fill_value, &
                              error) bind(c, name="tailrace_glue_field") result(handle)
      import :: c_char, c_double, c_int, c_ptr, tailrace_error_c
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: name(*), grid(*), units(*), standard_name(*), long_name(*), attributes(*)
      integer(c_int), value :: type
      real(c_double), intent(in), optional :: fill_value
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: handle
    end function tailrace_field_c

    function tailrace_set_attribute_c(session, field, name, value, number, type, error) &
      bind(c, name="tailrace_glue_set_attribute") result(code)
      import :: c_char, c_int, c_ptr, tailrace_error_c
      type(c_ptr), value :: session, number
      character(kind=c_char), intent(in) :: field(*), name(*), value(*)
      integer(c_int), value :: type
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_set_attribute_c

    function tailrace_input_c(session, name, grid, type, units, optional, fill_value, error) &
      bind(c, name="tailrace_glue_input") result(handle)
      import :: c_char, c_double, c_int, c_ptr, tailrace_error_c
      type(c_ptr), value :: session
      character(kind=c_char), intent(in) :: name(*), grid(*), units(*)
      integer(c_int), value :: type, optional
      real(c_double), intent(in), optional :: fill_value
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: handle
    end function tailrace_input_c

    function tailrace_put_c(session, field, array, error) bind(c, name="tailrace_glue_put") result(code)
      import :: c_int, c_ptr, tailrace_error_c
      type(c_ptr), value :: session
      integer(c_int), value :: field
      type(*), dimension(..), intent(in) :: array
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_put_c

    function tailrace_put_block_c(session, field, block, array, error) bind(c, name="tailrace_glue_put_block") result(code)
      import :: c_int, c_int64_t, c_ptr, tailrace_error_c
      type(c_ptr), value :: session
      integer(c_int), value :: field
      integer(c_int64_t), value :: block
      type(*), dimension(..), intent(in) :: array
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_put_block_c

    function tailrace_put_unwanted_c(session, field) bind(c, name="tailrace_put_unwanted") result(yes)
      import :: c_int, c_ptr
      type(c_ptr), value :: session
      integer(c_int), value :: field
      integer(c_int) :: yes
    end function tailrace_put_unwanted_c

    function tailrace_acquire_c(session, field, type, rank, extents, slot, error) bind(c, name="tailrace_glue_acquire") &
      result(code)
      import :: c_int, c_int64_t, c_ptr, tailrace_error_c
      type(c_ptr), value :: session
      integer(c_int), value :: field, type, rank
      integer(c_int64_t), intent(out) :: extents(*)
      type(c_ptr), intent(out) :: slot
      type(tailrace_error_c), intent(inout) :: error
      integer(c_int) :: code
    end function tailrace_acquire_c
  end interface
end module tailrace_c
