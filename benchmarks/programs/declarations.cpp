// A model that declares many fields and measures the processor time of `ready`.
//   declarations CONFIGURATION DECLARED
// DECLARED is a file with a line for each option, `option NAME VALUE`, and each field, `KIND NAME`: a `block`
// of the domain, a `plane` of it, a `profile` that all ranks share, a `part` of a profile from each rank, or
// a `number`. Each rank prints
// `rank START DECLARE READY SECONDS`: its processor seconds in the three stages, and the wall time of the
// last. A server prints `server SECONDS`, its processor time until the end of the run.
#include <mpi.h>

#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>

#include "stopwatch.hpp"
#include "tailrace/tailrace.hpp"

namespace {

constexpr std::int64_t levels = 33, rows = 16, columns = 12;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void declare_grids(tailrace::Session& io, int rank, int ranks) {
  const std::int64_t all = columns * ranks, first = columns * rank;
  io.grid({.name = "block",
           .dims = {"x", "y", "z"},
           .shape = {all, rows, levels},
           .offset = {first, 0, 0},
           .count = {columns, rows, levels}});
  io.grid({.name = "plane",
           .dims = {"y", "x"},
           .shape = {rows, all},
           .offset = {0, first},
           .count = {rows, columns}});
  io.grid({.name = "profile", .dims = {"z"}, .shape = {levels}});
  io.grid({.name = "part", .dims = {"level"}, .shape = {levels}, .partial = true});
}

void declare(tailrace::Session& io, const char* path) {
  std::ifstream file(path);
  for (std::string kind, name, value; file >> kind >> name;) {
    if (kind == "option" && file >> value)
      io.option(name, value);
    else
      io.field({.name = name, .grid = kind == "number" ? "" : kind});
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  {
    const double begin = processor_seconds();
    auto io = tailrace::Session::start(MPI_Comm_c2f(MPI_COMM_WORLD), argv[1]);
    if (io.is_server()) {
      std::printf("server %.6f\n", processor_seconds() - begin);
    } else {
      const MPI_Comm comm = MPI_Comm_f2c(io.model_comm());
      int rank = 0, ranks = 0;
      MPI_Comm_rank(comm, &rank);
      MPI_Comm_size(comm, &ranks);
      const double started = processor_seconds();
      declare_grids(io, rank, ranks);
      declare(io, argv[2]);
      const double declared = processor_seconds(), clock = benchmarks::nanoseconds();
      io.ready();
      const double ready = processor_seconds(), seconds = 1e-9 * (benchmarks::nanoseconds() - clock);
      std::printf("rank %.6f %.6f %.6f %.6f\n", started - begin, declared - started, ready - declared,
                  seconds);
      io.step(1, 1.0);
      io.finish();
    }
  }
  MPI_Finalize();
}
