// A model that sleeps between its steps. Each server prints the share of its core that it used meanwhile.
//   sleeper CONFIGURATION SECONDS STEPS
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include "stopwatch.hpp"
#include "tailrace/tailrace.hpp"

namespace {

// The processor time of all threads of the process `id` so far, in nanoseconds.
double processor_nanoseconds(int id) {
  std::ifstream file("/proc/" + std::to_string(id) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  double user = 0, system = 0;
  const char* rest = text.c_str() + text.rfind(')') + 1;
  std::sscanf(rest, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lf %lf", &user, &system);
  return 1e9 * (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  int provided = 0, ranks = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int id = static_cast<int>(getpid());
  std::vector<int> ids(static_cast<std::size_t>(ranks));
  MPI_Allgather(&id, 1, MPI_INT, ids.data(), 1, MPI_INT, MPI_COMM_WORLD);
  {
    auto io = tailrace::Session::start(MPI_Comm_c2f(MPI_COMM_WORLD), argv[1]);
    if (!io.is_server()) {
      io.grid({.name = "line", .dims = {"x"}, .shape = {1000}, .offset = {0}, .count = {1000}});
      const auto field = io.field({.name = "idle", .grid = "line"});
      const std::vector<double> values(1000, 1.0);
      io.ready();
      const double seconds = std::atof(argv[2]);
      for (int step = 1; step <= std::atoi(argv[3]); ++step) {
        io.step(step, step);
        io.put(field, values);
        std::vector<double> before;
        for (const int process : ids) before.push_back(processor_nanoseconds(process));
        const double begin = benchmarks::nanoseconds();
        std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
        const double elapsed = benchmarks::nanoseconds() - begin;
        for (std::size_t rank = 1; rank < ids.size(); ++rank)
          std::printf("server %zu %.6f\n", rank, (processor_nanoseconds(ids[rank]) - before[rank]) / elapsed);
      }
      io.finish();
    }
  }
  MPI_Finalize();
}
