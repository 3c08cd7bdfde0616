#include "regrid/target_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "model/healpix.hpp"

namespace tailrace::regrid {
namespace {

template <class... Cases>
struct Either : Cases... {
  using Cases::operator()...;
};

model::Coordinate latitude(std::vector<std::string> dims, std::string name) {
  model::Coordinate made;
  made.name = std::move(name);
  made.dims = std::move(dims);
  made.units = "degrees_north";
  made.standard_name = "latitude";
  made.long_name = "latitude";
  return made;
}

model::Coordinate longitude(std::vector<std::string> dims, std::string name) {
  model::Coordinate made;
  made.name = std::move(name);
  made.dims = std::move(dims);
  made.units = "degrees_east";
  made.standard_name = "longitude";
  made.long_name = "longitude";
  return made;
}

// The horizontal part of a grid.
struct Horizontal {
  std::vector<std::string> dims;
  std::vector<std::int64_t> shape;
  std::vector<model::Coordinate> coordinates;
  std::optional<model::GridMapping> mapping;
};

Horizontal of_rows(std::vector<double> lat, std::vector<double> lon, bool to_poles) {
  Horizontal made{{"lat", "lon"}, {std::ssize(lat), std::ssize(lon)}, {}, {}};
  model::Coordinate y = latitude({"lat"}, "lat"), x = longitude({"lon"}, "lon");
  y.attributes["axis"] = "Y";
  x.attributes["axis"] = "X";
  y.bounds = latitude_bounds(lat, to_poles);
  x.bounds = longitude_bounds(lon);
  y.values = std::move(lat);
  x.values = std::move(lon);
  made.coordinates = {std::move(y), std::move(x)};
  return made;
}

Horizontal of(const LatLon& target) { return of_rows(target.lat, target.lon, false); }

Horizontal of(const Gaussian& target) {
  std::vector<double> lon(base::index(4 * target.number));
  for (std::size_t i = 0; i < lon.size(); ++i)
    lon[i] = 360.0 * static_cast<double>(i) / static_cast<double>(lon.size());
  return of_rows(gaussian_latitudes(2 * target.number), std::move(lon), true);
}

Horizontal of(const Healpix& target) {
  return {{"cell"},
          {target.cells()},
          {model::healpix_index("cell")},
          model::healpix_mapping(target.level, target.order == HealpixOrder::nested)};
}

Horizontal of(const GridFile& target) {
  Horizontal made{target.dims, target.shape, {}, {}};
  const auto free = [&](const std::string& name, const std::string& other) {
    return std::ranges::count(target.dims, name) == 0 ? name : other;  // CF 5: it is no coordinate variable
  };
  made.coordinates = {latitude(target.dims, free("lat", "latitude")),
                      longitude(target.dims, free("lon", "longitude"))};
  return made;
}

// Newton's method for a zero of the Legendre polynomial, from Tricomi's estimate (Abramowitz and
// Stegun 22.16.6).
double zero_of_legendre(int degree, int number) {
  const double n = degree;
  double x =
      (1.0 - (n - 1.0) / (8.0 * n * n * n)) * std::cos(std::numbers::pi * (4 * number + 3) / (4 * n + 2));
  for (int repeat = 0; repeat < 10; ++repeat) {
    double before = 1.0, value = x;
    for (int k = 2; k <= degree; ++k)
      before = std::exchange(value, ((2 * k - 1) * x * value - (k - 1) * before) / k);
    const double slope = n * (x * value - before) / (x * x - 1.0);
    const double step = value / slope;
    x -= step;
    if (std::abs(step) < 1e-16) break;
  }
  return x;
}

// The centres' middles, and half a cell outside the outer ones.
std::vector<double> edges(const std::vector<double>& centres) {
  const std::size_t n = centres.size();
  std::vector<double> made(n + 1);
  for (std::size_t i = 1; i < n; ++i) made[i] = (centres[i - 1] + centres[i]) / 2;
  made.front() = centres[0] - (centres[1] - centres[0]) / 2;
  made.back() = centres[n - 1] + (centres[n - 1] - centres[n - 2]) / 2;
  return made;
}

std::vector<double> pairs(const std::vector<double>& edges) {
  std::vector<double> made;
  for (std::size_t i = 1; i < edges.size(); ++i) made.insert(made.end(), {edges[i - 1], edges[i]});
  return made;
}

}  // namespace

std::vector<double> gaussian_latitudes(int rows) {
  TAILRACE_ASSERT(rows > 0 && rows % 2 == 0, "a Gaussian grid has an even number of rows");
  std::vector<double> made(base::index(rows));
  for (int row = 0; row < rows / 2; ++row) {
    const double lat = std::asin(zero_of_legendre(rows, row)) * 180.0 / std::numbers::pi;
    made[base::index(row)] = lat;
    made[base::index(rows - 1 - row)] = -lat;
  }
  return made;
}

std::vector<double> latitude_bounds(const std::vector<double>& centres, bool to_poles) {
  if (centres.size() == 1) return {-90.0, 90.0};
  std::vector<double> made = edges(centres);
  for (double* outer : {&made.front(), &made.back()})
    *outer = to_poles ? std::copysign(90.0, *outer) : std::clamp(*outer, -90.0, 90.0);
  return pairs(made);
}

std::vector<double> longitude_bounds(const std::vector<double>& centres) {
  if (centres.size() == 1) return {centres[0] - 180.0, centres[0] + 180.0};
  return pairs(edges(centres));
}

model::Grid target_grid(const Target& target, const model::Grid& source,
                        const std::vector<std::size_t>& horizontal, const std::string& name) {
  TAILRACE_ASSERT(!horizontal.empty(), "a grid that is regridded has horizontal dims");
  Horizontal made = std::visit([](const auto& one) { return of(one); }, target);
  model::Grid grid;
  grid.name = name;
  grid.kind = model::GridKind::block;
  std::vector<std::string> replaced;
  for (std::size_t d = 0; d < source.dims.size(); ++d) {
    if (std::ranges::count(horizontal, d) == 0) {
      grid.dims.push_back(source.dims[d]);
      grid.shape.push_back(source.shape[d]);
      continue;
    }
    if (replaced.empty()) {
      grid.dims.insert(grid.dims.end(), made.dims.begin(), made.dims.end());
      grid.shape.insert(grid.shape.end(), made.shape.begin(), made.shape.end());
    }
    replaced.push_back(source.dims[d]);
  }
  for (const model::Coordinate& coordinate : source.coordinates)
    if (std::ranges::find_first_of(coordinate.dims, replaced) == coordinate.dims.end() &&
        coordinate.measure.empty())
      grid.coordinates.push_back(coordinate);
  std::ranges::move(made.coordinates, std::back_inserter(grid.coordinates));
  grid.mapping = std::move(made.mapping);
  return grid;
}

std::string text_of(const Target& target) {
  return std::visit(
      Either{[](const LatLon& one) { return fmt::format("lat-lon {} x {}", one.lat.size(), one.lon.size()); },
             [](const Gaussian& one) { return fmt::format("gaussian F{}", one.number); },
             [](const Healpix& one) {
               return fmt::format("healpix level {} {}", one.level,
                                  one.order == HealpixOrder::nested ? "nested" : "ring");
             },
             [](const GridFile& one) { return fmt::format("grid of {}", one.path); }},
      target);
}

std::int64_t unit_of(const Target& target) {
  const std::vector<std::int64_t> shape = shape_of(target);
  return shape.size() == 2 ? shape[1] : 1;
}

std::vector<std::int64_t> shape_of(const Target& target) {
  return std::visit(Either{[](const LatLon& one) {
                             return std::vector{std::ssize(one.lat), std::ssize(one.lon)};
                           },
                           [](const Gaussian& one) {
                             return std::vector{std::int64_t{2} * one.number, std::int64_t{4} * one.number};
                           },
                           [](const Healpix& one) { return std::vector{one.cells()}; },
                           [](const GridFile& one) { return one.shape; }},
                    target);
}

std::int64_t cells_of(const Target& target) {
  const std::vector<std::int64_t> shape = shape_of(target);
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace tailrace::regrid
