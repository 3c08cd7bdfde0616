// A model of shallow water on the sphere that writes through Tailrace alone: shallow_water NAMELIST
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

#include "cases.hpp"
#include "output.hpp"
#include "settings.hpp"

using namespace igcm::model;
namespace grid = igcm::grid;

namespace {

double largest(double value, MPI_Comm comm) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm);
  return value;
}
double total(double value, MPI_Comm comm) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_SUM, comm);
  return value;
}

// Half of the shortest distance that a gravity wave on the wind passes in a step; a whole number of steps in
// an hour.
double chosen_step(const Settings& settings, const CGrid& g, const State& state, MPI_Comm comm) {
  if (settings.time_step > 0) return settings.time_step;
  double fastest = 0, rate = 0;
  for (const double u : state.velocity) fastest = std::max(fastest, std::abs(u));
  for (const double h : state.height) rate = std::max(rate, h);
  fastest += std::sqrt(settings.planet.gravity * rate);
  rate = 0;
  for (const double length : g.distance) rate = std::max(rate, fastest / length);
  return 3600 / std::ceil(3600 * 2 * largest(rate, comm));
}

struct Errors {
  double height = 0, wind = 0;
};

// In L2, relative to the exact state, which is the initial one of a steady case.
Errors errors(const CGrid& g, const State& state, const State& exact, MPI_Comm comm) {
  const auto ratio = [&](std::int64_t count, const Field& found, const Field& right, const auto& weight) {
    double error = 0, size = 0;
    for (std::size_t k = 0; k < static_cast<std::size_t>(count); ++k) {
      error += weight(k) * (found[k] - right[k]) * (found[k] - right[k]);
      size += weight(k) * right[k] * right[k];
    }
    return std::sqrt(total(error, comm) / total(size, comm));
  };
  return {ratio(g.own_volumes, state.height, exact.height, [&](std::size_t v) { return g.area[v]; }),
          ratio(g.own_edges, state.velocity, exact.velocity,
                [&](std::size_t e) { return g.wall[e] * g.distance[e]; })};
}

class Progress {
 public:
  Progress(ShallowWater& model, State& state, MPI_Comm comm)
      : model_(model), comm_(comm), start_(sums(state)) {
    MPI_Comm_rank(comm, &rank_);
  }
  void print(double days, State& state) {
    const ShallowWater::Integrals now = sums(state);
    if (!std::isfinite(now.energy))
      throw std::runtime_error("the model has become unstable before day " + std::to_string(days) +
                               "; expected a shorter time_step");
    if (rank_ != 0) return;
    std::printf("day %7.3f  change of mass %+.2e  energy %+.2e  potential enstrophy %+.2e\n", days,
                now.mass / start_.mass - 1, now.energy / start_.energy - 1,
                now.potential_enstrophy / start_.potential_enstrophy - 1);
    std::fflush(stdout);
  }

 private:
  ShallowWater::Integrals sums(State& state) {
    model_.diagnose(state);
    const ShallowWater::Integrals own = model_.integrals(state);
    return {total(own.mass, comm_), total(own.energy, comm_), total(own.potential_enstrophy, comm_)};
  }
  ShallowWater& model_;
  MPI_Comm comm_;
  int rank_ = 0;
  ShallowWater::Integrals start_;
};

void run(const Settings& settings) {
  auto io =
      tailrace::Session::start(MPI_Comm_c2f(MPI_COMM_WORLD), settings.configuration, {.component = "igcm"});
  if (io.is_server()) return;
  MPI_Comm comm = MPI_Comm_f2c(io.model_comm());
  int rank = 0, ranks = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);

  // Mistakes are reported before the grid is made.
  const auto which = make_case(settings.which, settings.planet, settings.grid.radius);
  const grid::PointOptions& points = settings.grid.points;
  if (settings.tracers.levels > 0) check_regions(settings.tracers, points.root << points.bisections, ranks);
  const grid::Sphere sphere(settings.grid);
  const Part part = make_part(sphere, rank, ranks, ShallowWater::rings(settings.mixing));
  const CGrid volumes = make_c_grid(part, settings.mesh);
  State state = initial_state(*which, volumes);
  const State exact = state;
  ShallowWater model(part, volumes, settings.planet, settings.mixing, settings.which.tilt,
                     bottom_of(*which, volumes), settings.stencils, comm);
  const double dt = chosen_step(settings, volumes, state, comm);
  const auto last = static_cast<std::int64_t>(std::llround(settings.days * 86400 / dt));
  if (last < 1)
    throw std::invalid_argument("days: " + std::to_string(settings.days * 86400) +
                                " s are less than half a step of " + std::to_string(dt) + " s");

  std::unique_ptr<Tracers> tracers;
  if (settings.tracers.levels > 0) tracers = std::make_unique<Tracers>(settings.tracers, sphere, part, comm);
  Output output(io, part, model, tracers.get());
  const auto restart = io.restarting();
  io.ready();
  if (restart) output.restore(state);
  std::int64_t step = restart ? restart->step : 0;
  const bool hexagons = settings.mesh == Volumes::hexagons;
  if (rank == 0)
    std::printf("%s: %lld %s, %lld steps of %g s\n", settings.which.name.c_str(),
                static_cast<long long>(hexagons ? part.grid.all_vertices : part.grid.all_cells),
                hexagons ? "hexagons" : "triangles", static_cast<long long>(last), dt);
  Progress progress(model, state, comm);
  const std::int64_t each = std::max<std::int64_t>(last / std::max(settings.progress, 1), 1);
  const std::int64_t first = step;
  const double begun = MPI_Wtime();
  while (step < last) {
    model.advance(state, dt);
    if (tracers) {
      model.diagnose(state);  // for the halo
      tracers->advance(wind_at_points(volumes, state.velocity), dt);
    }
    ++step;
    io.step(step, static_cast<double>(step) * dt);
    output.put(state);
    output.checkpoint(state);
    if (step % each == 0 || step == last) progress.print(static_cast<double>(step) * dt / 86400, state);
  }
  if (rank == 0)
    std::printf("%lld steps in %.3f s\n", static_cast<long long>(last - first), MPI_Wtime() - begun);
  if (which->is_steady()) {
    const Errors found = errors(volumes, state, exact, comm);
    if (rank == 0) std::printf("error in L2: height %.3e  wind %.3e\n", found.height, found.wind);
  }
  io.finish();
}

}  // namespace

int main(int count, char** arguments) {
  MPI_Init(&count, &arguments);
  try {
    if (count > 2) throw std::invalid_argument("usage: shallow_water [NAMELIST], by default igcm.nml");
    run(read_settings(count > 1 ? arguments[1] : "igcm.nml"));
  } catch (const std::exception& reason) {
    std::fprintf(stderr, "shallow_water: %s\n", reason.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
}
