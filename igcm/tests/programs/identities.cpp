// Prints how far the operators miss their identities for arbitrary fields, relative to the size of the terms:
// lines of name and number. #include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

#include "operators.hpp"

using namespace igcm::grid;

namespace {

Field noise(std::size_t length, unsigned seed) {
  std::mt19937 generator(seed);
  Field field(length);
  for (double& value : field) value = static_cast<double>(generator()) / 4294967296.0 - 0.5;
  return field;
}

double largest(const Field& field) {
  double found = 0;
  for (const double value : field) found = std::max(found, std::abs(value));
  return found;
}

// A sum, and the sum of the magnitudes of its terms.
struct Sum {
  long double value = 0, size = 0;
  void add(long double term) {
    value += term;
    size += std::abs(term);
  }
};

Sum integral(const Field& a, const Field& b, const std::vector<double>& area) {
  Sum sum;
  for (std::size_t k = 0; k < a.size(); ++k) sum.add(static_cast<long double>(a[k]) * b[k] * area[k]);
  return sum;
}

void print(const char* name, long double value) { std::printf("%s %.3Le\n", name, value); }

// The sum over cells of s div u, and over edges of u grad s, which weigh with the product of both lengths.
void print_by_parts(const Grid& g, const char* name, const Field& scalar, const Field& divergence,
                    const std::vector<double>& area, const Field& velocity, const Field& gradient) {
  Field both(velocity.size());
  for (std::size_t e = 0; e < both.size(); ++e) both[e] = g.edge_length[e] * g.dual_edge_length[e];
  const Sum left = integral(scalar, divergence, area), right = integral(velocity, gradient, both);
  print(name, std::abs(left.value + right.value) / left.size);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) return 2;
  GridOptions options;
  options.points.root = std::atoi(arguments[1]);
  options.points.bisections = std::atoi(arguments[2]);
  if (std::strcmp(arguments[3], "spring") == 0) options.points.relaxation = Relaxation::spring;
  if (std::strcmp(arguments[3], "centroidal") == 0) options.points.relaxation = Relaxation::centroidal;
  const Grid g = make_grid(options);
  const Field velocity = noise(g.edge_length.size(), 1), cells = noise(g.cell_area.size(), 2);
  const Field vertices = noise(g.dual_area.size(), 3);

  const long double sphere = 4 * 3.14159265358979323846264338327950288L * g.options.radius * g.options.radius;
  const Sum of_cells = integral(Field(cells.size(), 1), Field(cells.size(), 1), g.cell_area);
  const Sum of_hexagons = integral(Field(vertices.size(), 1), Field(vertices.size(), 1), g.dual_area);
  Sum of_kites;
  for (const auto& kites : g.kite_area)
    for (const double kite : kites) of_kites.add(kite);
  print("area.cells", std::abs(of_cells.value / sphere - 1));
  print("area.hexagons", std::abs(of_hexagons.value / sphere - 1));
  print("area.kites", std::abs(of_kites.value / sphere - 1));

  // A derivative of the noise is of the size of the largest one over a cell: of the operator itself.
  {
    using namespace triangles;
    const Field div = divergence(g, velocity), rot = curl(g, velocity);
    print("triangles.div_curl",
          largest(divergence(g, rotated_gradient(g, vertices))) / largest(laplacian(g, cells)));
    print("triangles.curl_grad", largest(curl(g, gradient(g, cells))) / largest(laplacian(g, cells)));
    print_by_parts(g, "triangles.by_parts", cells, div, g.cell_area, velocity, gradient(g, cells));
    // curl and k x grad: u . (k x grad s) = - s curl u
    print_by_parts(g, "triangles.curl_by_parts", vertices, rot, g.dual_area, velocity,
                   rotated_gradient(g, vertices));
    const Sum total = integral(div, Field(div.size(), 1), g.cell_area);
    print("triangles.total_divergence", std::abs(total.value) / total.size);
  }
  {
    using namespace hexagons;
    const Field div = divergence(g, velocity), rot = curl(g, velocity);
    print("hexagons.div_curl",
          largest(divergence(g, rotated_gradient(g, cells))) / largest(laplacian(g, vertices)));
    print("hexagons.curl_grad", largest(curl(g, gradient(g, vertices))) / largest(laplacian(g, vertices)));
    print_by_parts(g, "hexagons.by_parts", vertices, div, g.dual_area, velocity, gradient(g, vertices));
    print_by_parts(g, "hexagons.curl_by_parts", cells, rot, g.cell_area, velocity,
                   rotated_gradient(g, cells));
    const Sum total = integral(div, Field(div.size(), 1), g.dual_area);
    print("hexagons.total_divergence", std::abs(total.value) / total.size);
  }
  const Field constant(vertices.size(), 7.25);
  print("a_grid.constant", largest(a_grid::laplacian(g, constant)) / largest(a_grid::laplacian(g, vertices)));
  double steepest = 0;
  for (const Vec3 slope : a_grid::gradient(g, constant)) steepest = std::max(steepest, norm(slope));
  print("a_grid.constant_gradient", steepest * g.options.radius / g.options.points.side());

  // The eigenvalue that the A grid's Laplacian has for a harmonic of degree 1, which is 2, at the pentagon 0.
  options.centre = Centre::centroid;
  const Grid nicam = make_grid(options);
  Field x;
  for (const Vec3 p : nicam.vertex) x.push_back(p.x);
  print("a_grid.pentagon", -a_grid::laplacian(nicam, x)[0] * options.radius * options.radius / x[0]);
}
