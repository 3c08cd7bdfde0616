// A model that saves itself: checkpointer CONFIGURATION BYTES FIELDS STEPS PAUSE, where each rank holds
// FIELDS fields of BYTES and waits PAUSE milliseconds in each step, as a model that computes would. It prints
// for each checkpoint `paid NANOSECONDS` (puts and checkpoint) and `copied NANOSECONDS` (a copy of the same
// bytes into reused memory), and at the end `loop NANOSECONDS`, the time of the calls of all steps.
#include <mpi.h>

#include <chrono>
#include <cstring>
#include <thread>

#include "tailrace/tailrace.hpp"
#include "write_job.hpp"

namespace {

void play(tailrace::Session& io, const benchmarks::WriteJob& job, std::chrono::milliseconds pause) {
  const MPI_Comm model = MPI_Comm_f2c(io.model_comm());
  int rank = 0, ranks = 0;
  MPI_Comm_rank(model, &rank);
  MPI_Comm_size(model, &ranks);
  static_cast<void>(io.restarting());
  io.grid({.name = "plane",
           .dims = {"y", "x"},
           .shape = {job.rows * ranks, benchmarks::row_cells},
           .offset = {job.rows * rank, 0},
           .count = {job.rows, benchmarks::row_cells}});
  std::vector<tailrace::FieldHandle> fields;
  for (int f = 0; f < job.fields; ++f) fields.push_back(io.field({.name = job.name(f), .grid = "plane"}));
  const auto values = job.values(rank);
  std::vector<std::vector<double>> copies = values;
  io.ready();
  MPI_Barrier(model);
  double calls = 0.0;
  for (int step = 1; step <= job.steps; ++step) {
    std::this_thread::sleep_for(pause);
    const double begin = benchmarks::nanoseconds();
    io.step(step, step);
    const bool is_due = io.checkpoint_due();
    const double due = benchmarks::nanoseconds();
    if (is_due) {
      for (std::size_t f = 0; f < fields.size(); ++f) io.put(fields[f], values[f]);
      io.put_value("step", std::vector<std::int64_t>{step});
      io.checkpoint();
    }
    const double end = benchmarks::nanoseconds();
    calls += end - begin;
    if (!is_due) continue;
    for (std::size_t f = 0; f < fields.size(); ++f)
      std::memcpy(copies[f].data(), values[f].data(), static_cast<std::size_t>(job.bytes()));
    std::printf("paid %.0f\ncopied %.0f\n", end - due, benchmarks::nanoseconds() - end);
  }
  std::printf("loop %.0f\n", calls);
  io.finish();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  const std::chrono::milliseconds pause(std::atoi(argv[5]));
  const benchmarks::WriteJob job(argv + 2);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  {
    auto io = tailrace::Session::start(MPI_Comm_c2f(MPI_COMM_WORLD), argv[1]);
    if (!io.is_server()) play(io, job, pause);
  }
  MPI_Finalize();
}
