// Errors of the discrete operators against spherical harmonics on grids of growing resolution, and what the
// identities leave: convergence ROOT LEVEL... [--relax none|spring|centroidal] [--iterations N] One line of
// output for each operator and grid: values separated by blanks, under a line with their names.
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <thread>

#include "operators.hpp"

using namespace igcm::grid;

namespace {

// The harmonics Re (x + iy)^2 z of degree 3 and Re (x + iy)^3 z of degree 4 on the unit sphere, with their
// gradients.
struct Harmonic {
  int degree;
  double value(Vec3 p) const {
    return degree == 3 ? (p.x * p.x - p.y * p.y) * p.z : (p.x * p.x * p.x - 3 * p.x * p.y * p.y) * p.z;
  }
  Vec3 gradient(Vec3 p) const {
    const Vec3 in_space = degree == 3 ? Vec3{2 * p.x * p.z, -2 * p.y * p.z, p.x * p.x - p.y * p.y}
                                      : Vec3{3 * (p.x * p.x - p.y * p.y) * p.z, -6 * p.x * p.y * p.z,
                                             p.x * p.x * p.x - 3 * p.x * p.y * p.y};
    return in_space - (degree * value(p)) * p;
  }
  double laplacian(Vec3 p) const { return -degree * (degree + 1) * value(p); }
};
constexpr Harmonic potential{4}, stream{3};

// On the sphere with the radius of the grid.
struct Analytic {
  double radius;
  Vec3 velocity(Vec3 p) const {
    return (1 / radius) * (potential.gradient(p) + cross(p, stream.gradient(p)));
  }
  Vec3 gradient(Vec3 p) const { return (1 / radius) * potential.gradient(p); }
  double laplacian(Vec3 p) const { return potential.laplacian(p) / (radius * radius); }
  double divergence(Vec3 p) const { return laplacian(p); }
  double curl(Vec3 p) const { return stream.laplacian(p) / (radius * radius); }
};

template <class Value, class Function>
std::vector<Value> sample(const std::vector<Vec3>& positions, const Function& function) {
  std::vector<Value> values;
  values.reserve(positions.size());
  for (const Vec3& p : positions) values.push_back(function(p));
  return values;
}

double square(double value) { return value * value; }
double square(Vec3 value) { return dot(value, value); }

struct Place {
  const std::vector<Vec3>& positions;
  const std::vector<double>& weights;
  const std::vector<std::int8_t>* degrees = nullptr;  // given: pentagons are left out
};

// Errors relative to the exact field: by the norm L2, and the largest by the largest.
template <class Value, class Function>
void report(const Grid& grid, const char* name, const std::vector<Value>& found, const Place& place,
            const Function& exact) {
  double error = 0, size = 0, worst = 0, largest = 0;
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (place.degrees && (*place.degrees)[k] == 5) continue;
    const Value right = exact(place.positions[k]);
    error += place.weights[k] * square(found[k] - right);
    size += place.weights[k] * square(right);
    worst = std::max(worst, square(found[k] - right));
    largest = std::max(largest, square(right));
  }
  std::printf("%-22s %5d %9lld %.4e %.4e\n", name, grid.options.points.side(),
              static_cast<long long>(grid.cells()), std::sqrt(error / size), std::sqrt(worst / largest));
}

std::vector<double> areas_of_edges(const Grid& g) {
  std::vector<double> areas(g.edge_length.size());
  for (std::size_t e = 0; e < areas.size(); ++e) areas[e] = 0.5 * g.edge_length[e] * g.dual_edge_length[e];
  return areas;
}

void report_c_grids(const Grid& g) {
  const Analytic exact{g.options.radius};
  const std::vector<double> of_edges = areas_of_edges(g);
  const Place cells{g.cell_centre, g.cell_area}, edges{g.edge_point, of_edges},
      vertices{g.vertex, g.dual_area};
  const auto velocity = [&](const VectorField& normals) {
    Field field(normals.size());
    for (std::size_t e = 0; e < field.size(); ++e)
      field[e] = dot(exact.velocity(g.edge_point[e]), normals[e]);
    return field;
  };
  // A component of the gradient: the exact one is known edge by edge.
  const auto component_error = [&](const char* name, const Field& found, const VectorField& normals) {
    Field rest(found.size()), whole(found.size());
    for (std::size_t e = 0; e < found.size(); ++e) {
      whole[e] = dot(exact.gradient(g.edge_point[e]), normals[e]);
      rest[e] = found[e];
    }
    std::size_t at = 0;
    report(g, name, rest, edges, [&](Vec3) { return whole[at++]; });
  };
  const auto value = [](Vec3 p) { return potential.value(p); };
  const Field in_cells = sample<double>(g.cell_centre, value), in_hexagons = sample<double>(g.vertex, value);
  const auto div = [&](Vec3 p) { return exact.divergence(p); };
  const auto rot = [&](Vec3 p) { return exact.curl(p); };
  report(g, "triangles.divergence", triangles::divergence(g, velocity(g.primal_normal)), cells, div);
  component_error("triangles.gradient", triangles::gradient(g, in_cells), g.primal_normal);
  report(g, "triangles.curl", triangles::curl(g, velocity(g.primal_normal)), vertices, rot);
  report(g, "triangles.laplacian", triangles::laplacian(g, in_cells), cells, div);
  report(g, "hexagons.divergence", hexagons::divergence(g, velocity(g.dual_normal)), vertices, div);
  component_error("hexagons.gradient", hexagons::gradient(g, in_hexagons), g.dual_normal);
  report(g, "hexagons.curl", hexagons::curl(g, velocity(g.dual_normal)), cells, rot);
  report(g, "hexagons.laplacian", hexagons::laplacian(g, in_hexagons), vertices, div);
}

void report_a_grid(const Grid& g) {
  const Analytic exact{g.options.radius};
  const Place vertices{g.vertex, g.dual_area, &g.degree};
  const auto velocity = sample<Vec3>(g.vertex, [&](Vec3 p) { return exact.velocity(p); });
  const Field scalar = sample<double>(g.vertex, [](Vec3 p) { return potential.value(p); });
  const auto div = [&](Vec3 p) { return exact.divergence(p); };
  report(g, "a_grid.divergence", a_grid::divergence(g, velocity), vertices, div);
  report(g, "a_grid.gradient", a_grid::gradient(g, scalar), vertices,
         [&](Vec3 p) { return exact.gradient(p); });
  report(g, "a_grid.curl", a_grid::curl(g, velocity), vertices, [&](Vec3 p) { return exact.curl(p); });
  report(g, "a_grid.laplacian", a_grid::laplacian(g, scalar), vertices, div);
}

}  // namespace

int main(int count, char** arguments) try {
  GridOptions options;
  options.points.threads = std::thread::hardware_concurrency();
  std::vector<int> levels;
  for (int at = 2; at < count; ++at) {
    const std::string word = arguments[at];
    if (word == "--relax" && at + 1 < count) {
      const std::string how = arguments[++at];
      options.points.relaxation = how == "spring"       ? Relaxation::spring
                                  : how == "centroidal" ? Relaxation::centroidal
                                                        : Relaxation::none;
    } else if (word == "--iterations" && at + 1 < count) {
      options.points.iterations = std::stoi(arguments[++at]);
    } else if (word == "--spring-length" && at + 1 < count) {
      options.points.spring_length = std::stod(arguments[++at]);
    } else {
      levels.push_back(std::stoi(word));
    }
  }
  if (levels.empty()) {
    std::fputs(
        "convergence ROOT LEVEL... [--relax none|spring|centroidal] [--iterations N] [--spring-length B]\n",
        stderr);
    return 2;
  }
  options.points.root = std::stoi(arguments[1]);
  std::printf("%-22s %5s %9s %10s %10s\n", "operator", "side", "cells", "l2", "max");
  for (const int level : levels) {
    options.points.bisections = level;
    options.centre = Centre::circumcentre;
    report_c_grids(make_grid(options));
    options.centre = Centre::centroid;
    report_a_grid(make_grid(options));
  }
  return 0;
} catch (const std::exception& reason) {
  std::fprintf(stderr, "convergence: %s\n", reason.what());
  return 2;
}
