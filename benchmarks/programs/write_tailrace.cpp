// Writes through Tailrace: write_tailrace CONFIGURATION BYTES FIELDS STEPS [PAUSE]. PAUSE is a wait in
// milliseconds after each step, as of a model that computes.
#include <mpi.h>

#include <chrono>
#include <thread>

#include "tailrace/tailrace.hpp"
#include "write_job.hpp"

int main(int argc, char** argv) {
  if (argc != 5 && argc != 6) return 2;
  const std::chrono::milliseconds pause(argc == 6 ? std::atoi(argv[5]) : 0);
  const benchmarks::WriteJob job(argv + 2);
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  {
    MPI_Comm model = MPI_COMM_NULL;
    auto io = tailrace::Session::start(MPI_Comm_c2f(MPI_COMM_WORLD), argv[1]);
    if (!io.is_server()) {
      model = MPI_Comm_f2c(io.model_comm());
      int rank = 0, ranks = 0;
      MPI_Comm_rank(model, &rank);
      MPI_Comm_size(model, &ranks);
      io.grid({.name = "plane",
               .dims = {"y", "x"},
               .shape = {job.rows * ranks, benchmarks::row_cells},
               .offset = {job.rows * rank, 0},
               .count = {job.rows, benchmarks::row_cells}});
      std::vector<tailrace::FieldHandle> fields;
      for (int f = 0; f < job.fields; ++f) fields.push_back(io.field({.name = job.name(f), .grid = "plane"}));
      const auto values = job.values(rank);
      io.ready();
      MPI_Barrier(model);
      benchmarks::WriteTimes times;
      for (int step = 1; step <= job.steps; ++step) {
        times.step([&] {
          io.step(step, step);
          for (std::size_t f = 0; f < fields.size(); ++f) io.put(fields[f], values[f]);
        });
        std::this_thread::sleep_for(pause);
      }
      io.finish();
      times.closed();
    }
  }
  MPI_Finalize();
}
