// Writes without Tailrace, each rank by itself or all together: write_others CONTENDER BYTES FIELDS STEPS
// Prints `absent REASON` if the library of this machine lacks the feature.
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <map>

#include "write_job.hpp"
#ifdef WITH_NETCDF
#include <netcdf.h>
#if __has_include(<netcdf_par.h>)
#include <netcdf_par.h>
#define WITH_PARALLEL_NETCDF
#endif
#endif

namespace {

using benchmarks::WriteJob;

struct Ranks {
  int rank = 0, ranks = 1;
};

void check(bool fine, const char* what) {
  if (fine) return;
  std::fprintf(stderr, "%s failed\n", what);
  MPI_Abort(MPI_COMM_WORLD, 1);
}

// One file that all ranks have open; each rank writes its part of a contiguous global array.
void write_raw(const WriteJob& job, Ranks of) {
  const auto values = job.values(of.rank);
  const int file = ::open("raw", O_CREAT | O_RDWR, 0666);
  check(file >= 0, "open");
  MPI_Barrier(MPI_COMM_WORLD);
  benchmarks::WriteTimes times;
  for (std::int64_t step = 0; step < job.steps; ++step)
    times.step([&] {
      for (std::int64_t f = 0; f < job.fields; ++f) {
        const std::int64_t place = ((step * job.fields + f) * of.ranks + of.rank) * job.bytes();
        const auto* bytes = reinterpret_cast<const char*>(values[static_cast<std::size_t>(f)].data());
        for (std::int64_t done = 0; done < job.bytes();) {
          const ssize_t put =
              ::pwrite(file, bytes + done, static_cast<std::size_t>(job.bytes() - done), place + done);
          check(put > 0, "pwrite");
          done += put;
        }
      }
    });
  ::close(file);
  times.closed();
}

#ifdef WITH_NETCDF
enum class Layout { file_a_rank, chunked, compressed, contiguous };

void good(int status) { check(status == NC_NOERR, nc_strerror(status)); }

int create(Layout layout, Ranks of) {
  int file = -1;
  if (layout == Layout::file_a_rank) {
    good(nc_create(("rank" + std::to_string(of.rank) + ".nc").c_str(), NC_NETCDF4 | NC_CLOBBER, &file));
    return file;
  }
#ifdef WITH_PARALLEL_NETCDF
  const int status = nc_create_par("whole.nc", NC_NETCDF4 | NC_CLOBBER, MPI_COMM_WORLD, MPI_INFO_NULL, &file);
#else
  const int status = NC_ENOPAR;
#endif
  if (status == NC_ENOPAR) {
    if (of.rank == 0) std::printf("absent this netCDF library has no parallel output\n");
    MPI_Finalize();
    std::exit(0);
  }
  good(status);
  return file;
}

void write_netcdf(const WriteJob& job, Ranks of, Layout layout) {
  const bool alone = layout == Layout::file_a_rank;
  const auto rows = static_cast<std::size_t>(job.rows * (alone ? 1 : of.ranks));
  const auto values = job.values(of.rank);
  const int file = create(layout, of);
  int dims[3];
  const auto length = layout == Layout::contiguous ? static_cast<std::size_t>(job.steps) : NC_UNLIMITED;
  good(nc_def_dim(file, "t", length, &dims[0]));
  good(nc_def_dim(file, "y", rows, &dims[1]));
  good(nc_def_dim(file, "x", benchmarks::row_cells, &dims[2]));
  std::vector<int> variables(static_cast<std::size_t>(job.fields));
  for (int f = 0; f < job.fields; ++f) {
    int& variable = variables[static_cast<std::size_t>(f)];
    good(nc_def_var(file, WriteJob::name(f).c_str(), NC_DOUBLE, 3, dims, &variable));
    const std::size_t chunk[3] = {1, static_cast<std::size_t>(job.rows), benchmarks::row_cells};
    good(layout == Layout::contiguous ? nc_def_var_chunking(file, variable, NC_CONTIGUOUS, nullptr)
                                      : nc_def_var_chunking(file, variable, NC_CHUNKED, chunk));
    if (layout == Layout::compressed) good(nc_def_var_deflate(file, variable, 1, 1, 1));  // as our `zlib`
    good(nc_def_var_fill(file, variable, NC_NOFILL, nullptr));
#ifdef WITH_PARALLEL_NETCDF
    if (!alone) good(nc_var_par_access(file, variable, NC_COLLECTIVE));
#endif
  }
  good(nc_enddef(file));
  MPI_Barrier(MPI_COMM_WORLD);
  benchmarks::WriteTimes times;
  for (int step = 0; step < job.steps; ++step)
    times.step([&] {
      const std::size_t start[3] = {static_cast<std::size_t>(step),
                                    static_cast<std::size_t>(alone ? 0 : job.rows * of.rank), 0};
      const std::size_t count[3] = {1, static_cast<std::size_t>(job.rows), benchmarks::row_cells};
      for (std::size_t f = 0; f < variables.size(); ++f)
        good(nc_put_vara_double(file, variables[f], start, count, values[f].data()));
    });
  good(nc_close(file));
  times.closed();
}
#endif

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  MPI_Init(&argc, &argv);
  const WriteJob job(argv + 2);
  Ranks of;
  MPI_Comm_rank(MPI_COMM_WORLD, &of.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &of.ranks);
  const std::map<std::string, std::function<void()>> contenders{
      {"pwrite", [&] { write_raw(job, of); }},
#ifdef WITH_NETCDF
      {"netcdf", [&] { write_netcdf(job, of, Layout::file_a_rank); }},
      {"netcdf_chunked", [&] { write_netcdf(job, of, Layout::chunked); }},
      {"netcdf_compressed", [&] { write_netcdf(job, of, Layout::compressed); }},
      {"netcdf_contiguous", [&] { write_netcdf(job, of, Layout::contiguous); }},
#endif
  };
  const auto found = contenders.find(argv[1]);
  if (found == contenders.end())
    std::printf("absent no netCDF library for C was found when the benchmarks were built\n");
  else
    found->second();
  MPI_Finalize();
}
