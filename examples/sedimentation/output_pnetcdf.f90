! Output by all ranks together into one file, with PnetCDF. The tracers of a step are written in one collective call.
submodule(output) output_pnetcdf
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_loc
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi_f08
  use pnetcdf
  use tracers, only: table
  implicit none

  integer, parameter :: big = MPI_OFFSET_KIND
  type(sphere_t) :: of                                    ! the sphere of `declare`
  character(:), allocatable :: name                       ! of the file
  integer :: file, times, variables(size(table))

contains

  module procedure way
    way = 'pnetcdf'
  end procedure way

  module procedure join
    comm = world
    computes = .true.
  end procedure join

  module procedure declare
    integer :: time, height, cell, heights, lon, lat, n
    integer(big) :: first(1), own(1), once(1)
    name = trim(chosen%file)
    of = g                                                ! (PnetCDF takes variables only)
    call check(nf90mpi_create(g%comm%mpi_val, name, ior(nf90_noclobber, nf90_64bit_data), &
                              MPI_INFO_NULL%mpi_val, file))
    call check(nf90mpi_def_dim(file, 'time', nf90mpi_unlimited, time))
    call check(nf90mpi_def_dim(file, 'height', int(g%levels, big), height))
    call check(nf90mpi_def_dim(file, 'cell', int(g%columns, big), cell))
    call check(nf90mpi_def_var(file, 'time', nf90_double, [time], times))
    call check(nf90mpi_put_att(file, times, 'units', 'seconds since 2026-01-01'))
    call check(nf90mpi_def_var(file, 'height', nf90_double, [height], heights))
    call check(nf90mpi_put_att(file, heights, 'units', 'm'))
    call check(nf90mpi_def_var(file, 'lon', nf90_double, [cell], lon))
    call check(nf90mpi_put_att(file, lon, 'units', 'degrees_east'))
    call check(nf90mpi_def_var(file, 'lat', nf90_double, [cell], lat))
    call check(nf90mpi_put_att(file, lat, 'units', 'degrees_north'))
    do n = 1, size(table)
      call check(nf90mpi_def_var(file, trim(table(n)%name), nf90_double, [cell, height, time], variables(n)))
      call check(nf90mpi_put_att(file, variables(n), 'units', 'kg kg-1'))
      call check(nf90mpi_put_att(file, variables(n), 'long_name', trim(table(n)%long_name)))
    end do
    call check(nf90mpi_enddef(file))
    first = g%first
    own = g%count
    once = merge(g%levels, 0, g%rank == 0)                ! one rank writes what all have
    call check(nf90mpi_put_var_all(file, heights, of%heights, start=[1_big], count=once))
    call check(nf90mpi_put_var_all(file, lon, of%lon, start=first, count=own))
    call check(nf90mpi_put_var_all(file, lat, of%lat, start=first, count=own))
  end procedure declare

  module procedure write_fields
    integer :: n, requests(size(table)), statuses(size(table))
    integer(big) :: record
    real(rk) :: times_written(1)
    real(rk), pointer, contiguous :: values(:, :, :)
    record = number
    times_written = time
    ! PnetCDF may swap the bytes of an array while it writes, so its interface is for variables; it swaps them back.
    call c_f_pointer(c_loc(q), values, shape(q))
    call check(nf90mpi_put_var_all(file, times, times_written, start=[record], count=[merge(1_big, 0_big, of%rank == 0)]))
    do n = 1, size(table)
      call check(nf90mpi_iput_var(file, variables(n), values(:, :, n), requests(n), &
                                  start=[int(of%first, big), 1_big, record], &
                                  count=[int(of%count, big), int(of%levels, big), 1_big]))
    end do
    call check(nf90mpi_wait_all(file, size(requests), requests, statuses))
    do n = 1, size(table)
      call check(statuses(n))
    end do
  end procedure write_fields

  module procedure close_output
    call check(nf90mpi_close(file))
  end procedure close_output

  subroutine check(status)
    integer, intent(in) :: status
    if (status == nf90_noerr) return
    write (error_unit, '(4a)') 'sedimentation: ', name, ': ', trim(nf90mpi_strerror(status))
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine check
end submodule output_pnetcdf
