// Writes with ADIOS2 (BP5). Each rank writes its own file, because the library from PyPI is built without
// MPI: write_adios BYTES FIELDS STEPS
#include <adios2.h>
#include <mpi.h>

#include "write_job.hpp"

namespace {

void write(const benchmarks::WriteJob& job, int rank) {
  const auto values = job.values(rank);
  adios2::ADIOS adios;
  adios2::IO io = adios.DeclareIO("write");
  io.SetEngine("BP5");
  const adios2::Dims shape{static_cast<std::size_t>(job.rows),
                           static_cast<std::size_t>(benchmarks::row_cells)};
  std::vector<adios2::Variable<double>> variables;
  for (int f = 0; f < job.fields; ++f)
    variables.push_back(io.DefineVariable<double>(benchmarks::WriteJob::name(f), shape, {0, 0}, shape));
  adios2::Engine file = io.Open("rank" + std::to_string(rank) + ".bp", adios2::Mode::Write);
  MPI_Barrier(MPI_COMM_WORLD);
  benchmarks::WriteTimes times;
  for (int step = 0; step < job.steps; ++step)
    times.step([&] {
      file.BeginStep();
      for (std::size_t f = 0; f < variables.size(); ++f) file.Put(variables[f], values[f].data());
      file.EndStep();
    });
  file.Close();
  times.closed();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  write(benchmarks::WriteJob(argv + 1), rank);
  MPI_Finalize();
}
