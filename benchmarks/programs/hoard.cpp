// A model that puts fields as fast as it can, from ranks that each hold some rows of a plane, and measures
// the memory of all processes of the job and the bytes that they wrote.
//   hoard CONFIGURATIONS STEPS FIELDS ROWS COLUMNS [together] [scattered]
// CONFIGURATIONS has one file for each component, separated by commas; the ranks are dealt to them in turn.
// ROWS counts the rows of a rank. `together`: the ranks wait for each other in each step. `scattered`: the
// cells of a rank are not contiguous.
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tailrace/tailrace.hpp"

namespace {

struct Shape {
  int steps, fields;
  std::int64_t rows, columns;
  bool together, scattered;
};

// The value in bytes of an entry of /proc/ID/status.
double memory(int id, const std::string& what) {
  std::ifstream file("/proc/" + std::to_string(id) + "/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(what + ":")) return 1024.0 * std::atof(line.c_str() + what.size() + 1);
  return 0.0;
}

// The bytes that this process has written to files and other descriptors.
double written() {
  std::ifstream file("/proc/self/io");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("wchar:")) return std::atof(line.c_str() + 6);
  return 0.0;
}

// New values for each step, which compress moderately well.
void fill(std::vector<double>& values, int seed) {
  auto bits = static_cast<std::uint64_t>(seed) * 0x9e3779b97f4a7c15u + 1;
  for (double& value : values) {
    bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
    value = 300.0 + static_cast<double>(bits >> 44) * 1e-6;
  }
}

// The cells of a line are dealt to the ranks in runs of seven.
std::vector<std::int64_t> scattered_cells(int rank, int ranks, std::int64_t count) {
  std::vector<std::int64_t> cells;
  for (std::int64_t cell = 0; cell < ranks * count; ++cell)
    if (cell / 7 % ranks == rank && std::ssize(cells) < count) cells.push_back(cell);
  return cells;
}

void declare_grid(tailrace::Session& io, const Shape& shape, int rank, int ranks) {
  if (!shape.scattered) {
    io.grid({.name = "plane",
             .dims = {"y", "x"},
             .shape = {ranks * shape.rows, shape.columns},
             .offset = {rank * shape.rows, 0},
             .count = {shape.rows, shape.columns}});
    return;
  }
  const std::int64_t cells = shape.rows * shape.columns / 7 * 7;
  const auto own = scattered_cells(rank, ranks, cells);
  io.grid(
      {.name = "plane", .dims = {"cell"}, .shape = {ranks * cells}, .indexed_dim = "cell", .indices = own});
}

void hand_over(tailrace::Session& io, const Shape& shape) {
  int rank = 0, ranks = 0;
  const MPI_Comm model = MPI_Comm_f2c(io.model_comm());
  MPI_Comm_rank(model, &rank);
  MPI_Comm_size(model, &ranks);
  declare_grid(io, shape, rank, ranks);
  std::vector<tailrace::FieldHandle> fields;
  for (int number = 0; number < shape.fields; ++number)
    fields.push_back(io.field({.name = (std::ostringstream() << "f" << number).str(), .grid = "plane"}));
  io.ready();
  const std::int64_t cells = shape.rows * shape.columns;
  std::vector<double> values(static_cast<std::size_t>(shape.scattered ? cells / 7 * 7 : cells));
  for (int step = 1; step <= shape.steps; ++step) {
    fill(values, step * ranks + rank);
    if (shape.together) MPI_Barrier(model);
    io.step(step, step);
    for (const tailrace::FieldHandle field : fields) io.put(field, values);
  }
  io.finish();
}

// Prints a line for each rank.
void tell(const char* what, double own) {
  int rank = 0, ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::vector<double> all(static_cast<std::size_t>(ranks));
  MPI_Gather(&own, 1, MPI_DOUBLE, all.data(), 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  for (int other = 0; rank == 0 && other < ranks; ++other)
    std::printf("%s %d %.0f\n", what, other, all[static_cast<std::size_t>(other)]);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 6) return 2;
  const auto has = [&](const char* word) {
    return std::any_of(argv + 6, argv + argc, [&](const char* one) { return std::strcmp(one, word) == 0; });
  };
  int provided = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const double before = written();
  std::vector<std::string> configurations;
  std::istringstream list(argv[1]);
  for (std::string one; std::getline(list, one, ',');) configurations.push_back(one);
  const auto component = static_cast<std::size_t>(rank) % configurations.size();
  {
    auto io = tailrace::Session::start(MPI_Comm_c2f(MPI_COMM_WORLD), configurations[component],
                                       {.component = "c" + std::to_string(component)});
    if (!io.is_server())
      hand_over(io, {.steps = std::atoi(argv[2]),
                     .fields = std::atoi(argv[3]),
                     .rows = std::atoll(argv[4]),
                     .columns = std::atoll(argv[5]),
                     .together = has("together"),
                     .scattered = has("scattered")});
  }
  tell("memory", memory(static_cast<int>(getpid()), "VmHWM"));
  tell("written", written() - before);
  MPI_Finalize();
}
