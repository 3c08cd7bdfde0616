! Output by rank 0, as in many models: it gathers each tracer and writes it with netCDF-Fortran, while the others wait.
submodule(output) output_netcdf
  use, intrinsic :: iso_fortran_env, only: error_unit
  use mpi_f08
  use netcdf
  use tracers, only: table
  implicit none

  type(sphere_t) :: of                                    ! the sphere of `declare`
  character(:), allocatable :: name                       ! of the file
  integer :: file, times, variables(size(table))

contains

  module procedure way
    way = 'netcdf'
  end procedure way

  module procedure join
    comm = world
    computes = .true.
  end procedure join

  module procedure declare
    integer :: time, height, cell, heights, lon, lat, n
    real(rk) :: whole(g%columns, 2)
    name = trim(chosen%file)
    of = g
    call gather(reshape([g%lon, g%lat], [g%count, 2]), whole)
    if (g%rank /= 0) return
    call check(nf90_create(name, ior(nf90_noclobber, nf90_64bit_data), file))
    call check(nf90_def_dim(file, 'time', nf90_unlimited, time))
    call check(nf90_def_dim(file, 'height', g%levels, height))
    call check(nf90_def_dim(file, 'cell', g%columns, cell))
    call check(nf90_def_var(file, 'time', nf90_double, [time], times))
    call check(nf90_put_att(file, times, 'units', 'seconds since 2026-01-01'))
    call check(nf90_def_var(file, 'height', nf90_double, [height], heights))
    call check(nf90_put_att(file, heights, 'units', 'm'))
    call check(nf90_def_var(file, 'lon', nf90_double, [cell], lon))
    call check(nf90_put_att(file, lon, 'units', 'degrees_east'))
    call check(nf90_def_var(file, 'lat', nf90_double, [cell], lat))
    call check(nf90_put_att(file, lat, 'units', 'degrees_north'))
    do n = 1, size(table)
      call check(nf90_def_var(file, trim(table(n)%name), nf90_double, [cell, height, time], variables(n)))
      call check(nf90_put_att(file, variables(n), 'units', 'kg kg-1'))
      call check(nf90_put_att(file, variables(n), 'long_name', trim(table(n)%long_name)))
    end do
    call check(nf90_set_fill(file, nf90_nofill, n))
    call check(nf90_enddef(file))
    call check(nf90_put_var(file, heights, g%heights))
    call check(nf90_put_var(file, lon, whole(:, 1)))
    call check(nf90_put_var(file, lat, whole(:, 2)))
  end procedure declare

  module procedure write_fields
    real(rk), allocatable :: whole(:, :)
    integer :: n
    allocate (whole(merge(of%columns, 0, of%rank == 0), of%levels))
    if (of%rank == 0) call check(nf90_put_var(file, times, time, start=[number]))
    do n = 1, size(table)
      call gather(q(:, :, n), whole)
      if (of%rank == 0) call check(nf90_put_var(file, variables(n), whole, start=[1, 1, number], &
                                                count=[of%columns, of%levels, 1]))
    end do
  end procedure write_fields

  module procedure close_output
    if (of%rank == 0) call check(nf90_close(file))
    call MPI_Barrier(of%comm)
  end procedure close_output

  ! Collective. (column, level) of all ranks, on rank 0.
  subroutine gather(part, whole)
    real(rk), intent(in) :: part(:, :)
    real(rk), intent(inout) :: whole(:, :)
    real(rk), allocatable :: received(:)
    integer :: levels, r, first, starts(of%ranks)
    levels = size(part, 2)
    starts = [(levels*sum(of%counts(:r - 1)), r=1, of%ranks)]
    allocate (received(merge(levels*of%columns, 0, of%rank == 0)))
    call MPI_Gatherv(part, size(part), MPI_REAL8, received, levels*of%counts, starts, MPI_REAL8, 0, of%comm)
    if (of%rank /= 0) return
    do r = 1, of%ranks
      first = starts(r)/levels
      whole(first + 1:first + of%counts(r), :) = &
        reshape(received(starts(r) + 1:starts(r) + levels*of%counts(r)), [of%counts(r), levels])
    end do
  end subroutine gather

  ! On rank 0.
  subroutine check(status)
    integer, intent(in) :: status
    if (status == nf90_noerr) return
    write (error_unit, '(4a)') 'sedimentation: ', name, ': ', trim(nf90_strerror(status))
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine check
end submodule output_netcdf
