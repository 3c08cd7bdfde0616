// A model on the triangles of an icosahedron that puts a field with levels at each step and computes between
// them.
//   icosahedron CONFIGURATION STEPS DIVISIONS LEVELS SWEEPS|waves
// The icosahedron is divided DIVISIONS times: 20 * 4^DIVISIONS triangles. The work of a step is SWEEPS sweeps
// over the field. With `waves` it computes nothing: it puts sums of waves with noise, which it has made
// before, as the field that codecs are compared with. Prints `steps SECONDS PROCESSOR` of the first model
// rank, and `done SECONDS` until files are finished, both from the first step on; and for each rank `used`
// with the seconds of the processor that all its threads used, of a model rank from the first step on.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <map>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "stopwatch.hpp"
#include "tailrace/tailrace.hpp"

namespace {

using Point = std::array<double, 3>;
using Face = std::array<std::int32_t, 3>;

struct Mesh {
  std::vector<Point> nodes;
  std::vector<Face> faces;
};

Point unit(Point p) {
  const double length = std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]);
  return {p[0] / length, p[1] / length, p[2] / length};
}

Mesh icosahedron() {
  // The poles and two rings of five nodes.
  Mesh mesh{{{0, 0, 1}}, {}};
  for (int ring = 0; ring < 2; ++ring)
    for (int i = 0; i < 5; ++i) {
      const double lat = (ring == 0 ? 1 : -1) * std::atan(0.5), lon = (2 * i + ring) * std::numbers::pi / 5;
      mesh.nodes.push_back({std::cos(lat) * std::cos(lon), std::cos(lat) * std::sin(lon), std::sin(lat)});
    }
  mesh.nodes.push_back({0, 0, -1});
  for (std::int32_t i = 0; i < 5; ++i) {
    const std::int32_t a = 1 + i, b = 1 + (i + 1) % 5, c = 6 + i, d = 6 + (i + 1) % 5;
    mesh.faces.insert(mesh.faces.end(), {{0, a, b}, {a, c, b}, {b, c, d}, {11, d, c}});
  }
  return mesh;
}

Mesh divided(const Mesh& mesh) {
  Mesh made{mesh.nodes, {}};
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> middles;
  const auto middle = [&](std::int32_t i, std::int32_t j) {
    const auto [at, is_new] = middles.try_emplace({std::min(i, j), std::max(i, j)}, 0);
    if (is_new) {
      at->second = static_cast<std::int32_t>(made.nodes.size());
      const Point &p = made.nodes[static_cast<std::size_t>(i)], &q = made.nodes[static_cast<std::size_t>(j)];
      made.nodes.push_back(unit({p[0] + q[0], p[1] + q[1], p[2] + q[2]}));
    }
    return at->second;
  };
  for (const auto& [i, j, k] : mesh.faces) {
    const std::int32_t ij = middle(i, j), jk = middle(j, k), ki = middle(k, i);
    made.faces.insert(made.faces.end(), {{i, ij, ki}, {ij, j, jk}, {ki, jk, k}, {ij, jk, ki}});
  }
  return made;
}

// The share of the faces of a model rank, as nodes in degrees and connectivity.
void declare(tailrace::Session& io, const Mesh& mesh, std::int64_t levels, std::int64_t first,
             std::int64_t behind) {
  constexpr double degrees = 180.0 / std::numbers::pi;
  std::vector<double> x, y;
  for (const Point& node : mesh.nodes) {
    x.push_back(std::atan2(node[1], node[0]) * degrees);
    y.push_back(std::asin(node[2]) * degrees);
  }
  std::vector<std::int64_t> cells;
  std::vector<std::int32_t> corners;
  for (std::int64_t cell = first; cell < behind; ++cell) {
    cells.push_back(cell);
    const Face& face = mesh.faces[static_cast<std::size_t>(cell)];
    corners.insert(corners.end(), face.begin(), face.end());
  }
  io.grid({.name = "ico",
           .dims = {"level", "cell"},
           .shape = {levels, static_cast<std::int64_t>(mesh.faces.size())},
           .indexed_dim = "cell",
           .indices = cells});
  std::vector<double> heights;
  for (std::int64_t level = 0; level < levels; ++level) heights.push_back(100.0 * static_cast<double>(level));
  io.coordinate("ico",
                {.name = "level",
                 .units = "m",
                 .standard_name = "height",
                 .attributes = {{"axis", "Z"}, {"positive", "up"}}},
                heights);
  io.mesh("ico", {.node_x = x, .node_y = y, .nodes_per_face = 3, .face_nodes = corners});
}

double processor_seconds(clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// Eight waves of 24 to 200 cells, another phase for each level and record, and noise of 1e-3, in [-10, 55].
class Waves {
 public:
  Waves(const Mesh& mesh, std::int64_t levels, std::int64_t first, std::int64_t behind) {
    const double cell = std::sqrt(4.0 * std::numbers::pi / static_cast<double>(mesh.faces.size()));
    std::vector<Wave> waves;
    for (std::int64_t face = first; face < behind; ++face)
      for (int k = 0; k < count; ++k) waves.push_back(wave(middle(mesh, face), cell, k));
    for (int record = 0; record < different; ++record)
      for (std::int64_t level = 0; level < levels; ++level)
        add_level(waves, 0.7 * static_cast<double>(level) + 0.3 * record,
                  records_[static_cast<std::size_t>(record)]);
  }
  const std::vector<float>& of_step(int step) const {
    return records_[static_cast<std::size_t>(step % different)];
  }

 private:
  static constexpr int different = 3, count = 8;
  // At one place, without the phase of a level.
  struct Wave {
    float sine, cosine;
  };

  static Point middle(const Mesh& mesh, std::int64_t face) {
    Point sum{};
    for (const std::int32_t node : mesh.faces[static_cast<std::size_t>(face)])
      for (std::size_t d = 0; d < 3; ++d) sum[d] += mesh.nodes[static_cast<std::size_t>(node)][d];
    return unit(sum);
  }
  static double cells_of(int k) { return 24.0 * std::pow(200.0 / 24.0, k / (count - 1.0)); }
  static Wave wave(const Point& at, double cell, int k) {
    const double angle = 2.4 * k;
    const double along = std::cos(angle) * at[0] + std::sin(angle) * at[1] + std::cos(2.0 * angle) * at[2];
    const double phase = 2.0 * std::numbers::pi / (cells_of(k) * cell) * along + k;
    return {static_cast<float>(std::sin(phase)), static_cast<float>(std::cos(phase))};
  }
  void add_level(const std::vector<Wave>& waves, double phase, std::vector<float>& values) {
    double all = 0.0;
    for (int k = 0; k < count; ++k) all += cells_of(k);
    std::array<float, count> size{};
    for (int k = 0; k < count; ++k)
      size[static_cast<std::size_t>(k)] = static_cast<float>(32.5 * cells_of(k) / all);
    const auto sine = static_cast<float>(std::sin(phase)), cosine = static_cast<float>(std::cos(phase));
    for (std::size_t at = 0; at < waves.size(); at += count) {
      float sum = 22.5f;
      for (std::size_t k = 0; k < count; ++k)
        sum += size[k] * (waves[at + k].sine * cosine + waves[at + k].cosine * sine);
      values.push_back(sum + 1e-3f * noise());
    }
  }
  float noise() {  // in [-1, 1)
    bits_ ^= bits_ << 13, bits_ ^= bits_ >> 7, bits_ ^= bits_ << 17;
    return static_cast<float>(static_cast<std::int64_t>(bits_) >> 39) * 0x1p-24f;
  }

  std::array<std::vector<float>, different> records_;
  std::uint64_t bits_ = 1;
};

// `sweeps`: negative for waves.
void run(tailrace::Session& io, const Mesh& mesh, int steps, std::int64_t levels, int sweeps) {
  int rank = 0, ranks = 0;
  const MPI_Comm comm = MPI_Comm_f2c(io.model_comm());
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &ranks);
  const auto faces = static_cast<std::int64_t>(mesh.faces.size());
  const std::int64_t first = faces * rank / ranks, behind = faces * (rank + 1) / ranks;
  declare(io, mesh, levels, first, behind);
  const auto field = io.field({.name = "t", .grid = "ico", .type = tailrace::Type::float32});
  io.ready();
  std::vector<float> values(static_cast<std::size_t>(levels * (behind - first)), 280.0f);
  std::optional<Waves> waves;
  if (sweeps < 0) waves.emplace(mesh, levels, first, behind);
  const double begin = benchmarks::nanoseconds(), used = processor_seconds();
  const double used_by_all = processor_seconds(CLOCK_PROCESS_CPUTIME_ID);
  for (int step = 1; step <= steps; ++step) {
    for (int sweep = 0; sweep < sweeps; ++sweep)
      for (std::size_t i = 0; i < values.size(); ++i)
        values[i] = 280.0f + 0.9f * (values[i] - 280.0f) +
                    static_cast<float>((i + static_cast<std::size_t>(step)) % 97) * 0.1f;
    io.step(step, 600.0 * step);
    io.put(field, waves ? waves->of_step(step) : values);
  }
  if (rank == 0)
    std::printf("steps %.6f %.6f\n", 1e-9 * (benchmarks::nanoseconds() - begin), processor_seconds() - used);
  io.finish();
  if (rank == 0) std::printf("done %.6f\n", 1e-9 * (benchmarks::nanoseconds() - begin));
  std::printf("used %.6f\n", processor_seconds(CLOCK_PROCESS_CPUTIME_ID) - used_by_all);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  {
    auto io = tailrace::Session::start(MPI_Comm_c2f(MPI_COMM_WORLD), argv[1]);
    if (!io.is_server()) {
      Mesh mesh = icosahedron();
      for (int i = 0; i < std::atoi(argv[3]); ++i) mesh = divided(mesh);
      const int sweeps = std::strcmp(argv[5], "waves") == 0 ? -1 : std::atoi(argv[5]);
      run(io, mesh, std::atoi(argv[2]), std::atoll(argv[4]), sweeps);
    } else {
      std::printf("used %.6f\n", processor_seconds(CLOCK_PROCESS_CPUTIME_ID));
    }
  }
  MPI_Finalize();
}
