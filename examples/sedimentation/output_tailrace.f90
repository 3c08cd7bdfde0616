! Output through Tailrace: the servers write while the model computes, and sedimentation.yaml says what.
submodule(output) output_tailrace
  use tailrace
  use tracers, only: table
  implicit none

  type(tailrace_session) :: io

contains

  module procedure way
    way = 'tailrace'
  end procedure way

  module procedure join
    call io%start(world, trim(chosen%configuration), component='sedimentation', model_comm=comm)
    computes = .not. io%is_server()
  end procedure join

  module procedure declare
    integer :: n
    call io%grid('columns', dims=[character(6) :: 'cell', 'height'], shape=[g%columns, g%levels], indexed_dim='cell', &
                 indices=[(n, n=g%first, g%first + g%count - 1)])
    call declare_mesh(g)
    call io%coordinate('columns', 'lon', g%lon, dims=['cell'], units='degrees_east', standard_name='longitude')
    call io%coordinate('columns', 'lat', g%lat, dims=['cell'], units='degrees_north', standard_name='latitude')
    call io%coordinate('columns', 'height', g%heights, units='m', standard_name='height', &
                       attributes=[character(13) :: 'axis = Z', 'positive = up'])
    do n = 1, size(table)
      call io%field(trim(table(n)%name), grid='columns', units='kg kg-1', long_name=trim(table(n)%long_name))
    end do
    call io%ready()
  end procedure declare

  ! Each rank tells the corners of its own triangles.
  subroutine declare_mesh(g)
    type(sphere_t), intent(in) :: g
    logical :: is_used(g%nodes)
    integer, allocatable :: used(:)
    integer :: n
    associate (own => g%corners(:, g%first:g%first + g%count - 1))
      is_used = .false.
      is_used([own]) = .true.
      used = pack([(n, n=1, g%nodes)], is_used)
      call io%mesh('columns', g%node_lon(used), g%node_lat(used), own, global_nodes=g%nodes, node_indices=used)
    end associate
  end subroutine declare_mesh

  module procedure write_fields
    integer :: n
    call io%step(number, time)
    do n = 1, size(table)
      call io%put(trim(table(n)%name), q(:, :, n))
    end do
  end procedure write_fields

  module procedure close_output
    call io%finish()
  end procedure close_output
end submodule output_tailrace
