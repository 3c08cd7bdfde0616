// A model that puts fields as fast as it can and watches the memory of its servers.
//   streamer CONFIGURATION STEPS CELLS
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "tailrace/tailrace.hpp"

namespace {

// The value in bytes of an entry of /proc/ID/status.
double memory(int id, const std::string& what) {
  std::ifstream file("/proc/" + std::to_string(id) + "/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(what + ":")) return 1024.0 * std::atof(line.c_str() + what.size() + 1);
  return 0.0;
}

void print(const char* when, const std::vector<int>& ids) {
  for (std::size_t rank = 1; rank < ids.size(); ++rank)
    std::printf("memory %s %zu %.0f %.0f %.0f\n", when, rank, memory(ids[rank], "VmHWM"),
                memory(ids[rank], "VmRSS"), memory(ids[rank], "RssShmem"));
}

// New values for each step, which compress moderately well.
void fill(std::vector<double>& values, int step) {
  auto bits = static_cast<std::uint64_t>(step) * 0x9e3779b97f4a7c15u + 1;
  for (double& value : values) {
    bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
    value = 300.0 + static_cast<double>(bits >> 44) * 1e-6;
  }
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
      const int steps = std::atoi(argv[2]);
      const std::int64_t cells = std::atoll(argv[3]);
      io.grid({.name = "box", .dims = {"x"}, .shape = {cells}, .offset = {0}, .count = {cells}});
      const auto field = io.field({.name = "q", .grid = "box"});
      io.ready();
      print("start", ids);
      std::vector<double> values(static_cast<std::size_t>(cells));
      for (int step = 1; step <= steps; ++step) {
        fill(values, step);
        io.step(step, step);
        io.put(field, values);
        if (step == steps / 2) print("half", ids);
      }
      io.finish();
    }
    if (!io.is_server()) print("end", ids);
  }
  MPI_Finalize();
}
