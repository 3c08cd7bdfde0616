// A model that hands over many small fields at each step, as large-eddy models do for their statistics, and
// measures the processor time of the server.
//   diagnostics CONFIGURATION SCALARS PLANES SHORT LONG STEPS MICROSECONDS [ROUNDS]
// SCALARS fields are single numbers of a rank, PLANES blocks of 2 by 2 columns, SHORT profiles of 5 levels
// and LONG ones of 33, each rank's own contribution. A step takes MICROSECONDS of arithmetic (0: none), or
// the number of ROUNDS that another run printed. Output: `server SECONDS`, its processor time; `model SECONDS
// SECONDS ROUNDS`, the time of the loop and of the loop with `finish`; `steps NANOSECONDS...`, each step.
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "stopwatch.hpp"
#include "tailrace/tailrace.hpp"

namespace {

constexpr std::int64_t levels_short = 5, levels_long = 33, plane = 2;

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

struct Kind {
  std::string name;
  int fields;
  std::size_t values;
};

class Model {
 public:
  Model(tailrace::Session& io, int rank, int ranks, const std::vector<Kind>& kinds) : io_(io), rank_(rank) {
    const std::int64_t wide = plane * ranks;
    io_.option("columns", plane * wide);
    io_.grid({.name = "scalar", .dims = {}, .shape = {}, .partial = true});
    io_.grid({.name = "plane",
              .dims = {"y", "x"},
              .shape = {wide, plane},
              .offset = {plane * rank, 0},
              .count = {plane, plane}});
    io_.grid({.name = "short", .dims = {"level"}, .shape = {levels_short}, .partial = true});
    io_.grid({.name = "long", .dims = {"z"}, .shape = {levels_long}, .partial = true});
    for (const Kind& kind : kinds)
      for (int i = 0; i < kind.fields; ++i) {
        fields_.push_back(io_.field({.name = kind.name + "_" + std::to_string(i), .grid = kind.name}));
        sizes_.push_back(kind.values);
      }
    io_.ready();
  }

  void step(int step) {
    io_.step(step, step);
    for (std::size_t f = 0; f < fields_.size(); ++f) {
      if (!io_.wants(fields_[f])) continue;
      for (std::size_t i = 0; i < sizes_[f]; ++i)
        values_[i] = 300.0 + 0.001 * static_cast<double>(step + rank_) + 1e-5 * static_cast<double>(f * i);
      io_.put(fields_[f], std::span<const double>(values_, sizes_[f]));
    }
  }

 private:
  tailrace::Session& io_;
  int rank_;
  std::vector<tailrace::FieldHandle> fields_;
  std::vector<std::size_t> sizes_;
  double values_[levels_long] = {};
};

// The number of rounds of arithmetic that take the given time, so that the work is always the same.
double arithmetic(long rounds) {
  double x = 0.5;
  for (long i = 0; i < rounds; ++i) x = 3.7 * x * (1.0 - x);
  return x;
}

long rounds_for(double microseconds) {
  constexpr long rounds = 1000000;
  double least = 1e300;
  for (int i = 0; i < 5; ++i) {
    const double begin = benchmarks::nanoseconds();
    if (arithmetic(rounds) < 0) return 0;
    least = std::min(least, benchmarks::nanoseconds() - begin);
  }
  return static_cast<long>(microseconds * 1e3 / least * rounds);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 8 && argc != 9) return 2;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  {
    auto io = tailrace::Session::start(MPI_Comm_c2f(MPI_COMM_WORLD), argv[1]);
    if (io.is_server()) {
      std::printf("server %.6f\n", processor_seconds());
    } else {
      const MPI_Comm comm = MPI_Comm_f2c(io.model_comm());
      int rank = 0, ranks = 0;
      MPI_Comm_rank(comm, &rank);
      MPI_Comm_size(comm, &ranks);
      const std::vector<Kind> kinds = {{"scalar", std::atoi(argv[2]), 1},
                                       {"plane", std::atoi(argv[3]), plane * plane},
                                       {"short", std::atoi(argv[4]), levels_short},
                                       {"long", std::atoi(argv[5]), levels_long}};
      Model model(io, rank, ranks, kinds);
      const int steps = std::atoi(argv[6]);
      const long rounds = argc == 9 ? std::atol(argv[8]) : rounds_for(std::atof(argv[7]));
      std::vector<double> ends;
      ends.reserve(static_cast<std::size_t>(steps));
      const double begin = benchmarks::nanoseconds();
      double sum = 0;
      for (int step = 1; step <= steps; ++step) {
        sum += arithmetic(rounds);
        model.step(step);
        ends.push_back(benchmarks::nanoseconds());
      }
      const double looped = benchmarks::nanoseconds();
      io.finish();
      const double ended = benchmarks::nanoseconds();
      if (rank == 0) {
        std::printf("model %.6f %.6f %ld %g\nsteps", (looped - begin) * 1e-9, (ended - begin) * 1e-9, rounds,
                    sum);
        double last = begin;
        for (const double end : ends) std::printf(" %.0f", end - std::exchange(last, end));
        std::printf("\n");
      }
    }
  }
  MPI_Finalize();
}
