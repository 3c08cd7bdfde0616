// Writes with PnetCDF, all ranks together into one classic file: write_pnetcdf BYTES FIELDS STEPS
#include <mpi.h>
#include <pnetcdf.h>

#include "write_job.hpp"

namespace {

void good(int status) {
  if (status == NC_NOERR) return;
  std::fprintf(stderr, "PnetCDF: %s\n", ncmpi_strerror(status));
  MPI_Abort(MPI_COMM_WORLD, 1);
}

void write(const benchmarks::WriteJob& job, int rank, int ranks) {
  const auto values = job.values(rank);
  int file = -1, dims[3];
  good(ncmpi_create(MPI_COMM_WORLD, "whole.nc", NC_CLOBBER | NC_64BIT_DATA, MPI_INFO_NULL, &file));
  good(ncmpi_def_dim(file, "t", NC_UNLIMITED, &dims[0]));
  good(ncmpi_def_dim(file, "y", job.rows * ranks, &dims[1]));
  good(ncmpi_def_dim(file, "x", benchmarks::row_cells, &dims[2]));
  std::vector<int> variables(values.size());
  for (int f = 0; f < job.fields; ++f)
    good(ncmpi_def_var(file, benchmarks::WriteJob::name(f).c_str(), NC_DOUBLE, 3, dims,
                       &variables[static_cast<std::size_t>(f)]));
  good(ncmpi_enddef(file));
  MPI_Barrier(MPI_COMM_WORLD);
  benchmarks::WriteTimes times;
  for (int step = 0; step < job.steps; ++step)
    times.step([&] {
      const MPI_Offset start[3] = {step, job.rows * rank, 0};
      const MPI_Offset count[3] = {1, job.rows, benchmarks::row_cells};
      for (std::size_t f = 0; f < variables.size(); ++f)
        good(ncmpi_put_vara_double_all(file, variables[f], start, count, values[f].data()));
    });
  good(ncmpi_close(file));
  times.closed();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  MPI_Init(&argc, &argv);
  int rank = 0, ranks = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  write(benchmarks::WriteJob(argv + 1), rank, ranks);
  MPI_Finalize();
}
