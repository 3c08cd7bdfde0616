#include "client/coordinate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "base/utf8.hpp"
#include "client/readable.hpp"
#include "model/directions.hpp"

namespace tailrace::client {
namespace {

constexpr double even_enough = 1e-6;  // of the spacing: values that were rounded to float32 pass

template <class... Arguments>
[[noreturn]] void refuse(const std::string& what, fmt::format_string<Arguments...> format,
                         Arguments&&... arguments) {
  throw Error(ErrorCode::usage,
              fmt::format("{}: ", what) + fmt::format(format, std::forward<Arguments>(arguments)...));
}

bool is_axis(const model::Coordinate& coordinate) {
  return coordinate.dims == std::vector<std::string>{coordinate.name};
}

// Whether the shorter arc between two longitudes holds a third one.
bool encloses_around(double value, double one, double other) {
  constexpr double circle = 360.0;
  const double before = std::remainder(one - value, circle), behind = std::remainder(other - value, circle);
  return before * behind <= 0.0 && std::abs(before - behind) <= circle / 2;
}

void check_measure(const std::string& what, const model::Coordinate& coordinate) {
  static const std::vector<std::string> measures{"area", "volume"};
  if (coordinate.measure.empty()) return;
  if (std::ranges::find(measures, coordinate.measure) == measures.end())
    refuse(what, "the measure \"{}\" is unknown.{}", coordinate.measure,
           base::name_hint(coordinate.measure, measures));
  if (is_axis(coordinate) || coordinate.dims.empty())
    refuse(what, "with a measure ({}) it needs the dims of the cells that it measures", coordinate.measure);
  if (coordinate.units.empty())
    refuse(what, "with a measure it needs units, such as {}", coordinate.measure == "area" ? "m2" : "m3");
}

class CellDigests {
 public:
  CellDigests(const model::Region& region, std::span<const std::int64_t> shape,
              std::span<const double> values)
      : region_(region), shape_(shape), values_(values) {}

  std::uint64_t sum() {
    add(0, 0);
    return sum_;
  }

 private:
  void add(std::size_t dim, std::int64_t place) {
    if (dim == shape_.size()) {
      const std::array cell{static_cast<std::uint64_t>(place),
                            std::bit_cast<std::uint64_t>(values_[next_++])};
      sum_ += base::digest(std::as_bytes(std::span(cell)));
      return;
    }
    for (const model::Run& run : region_.runs(dim))
      for (std::int64_t i = run.start; i < run.start + run.count; ++i) add(dim + 1, place * shape_[dim] + i);
  }

  const model::Region& region_;
  std::span<const std::int64_t> shape_;
  std::span<const double> values_;
  std::size_t next_ = 0;
  std::uint64_t sum_ = 0;
};

}  // namespace

std::uint64_t digest_of_cells(const model::Region& region, std::span<const std::int64_t> shape,
                              std::span<const double> values) {
  return region.size() == 0 ? 0 : CellDigests(region, shape, values).sum();
}

void check_coordinate(const std::string& what, const model::Coordinate& coordinate,
                      const CoordinateExtras& extras) {
  check_measure(what, coordinate);
  if (extras.scalar && !coordinate.dims.empty())
    refuse(what, "a scalar coordinate has no dims, but {} are given", coordinate.dims.size());
  if (!extras.computed_bounds) return;
  if (extras.vertices > 0) refuse(what, "expected either bounds or computed_bounds, but got both");
  if (coordinate.dims.size() > 1 || extras.scalar)
    refuse(what, "bounds are computed along one dimension only; give them");
}

void check_mapping(const std::string& what, const model::GridMapping& mapping) {
  static const std::vector<std::string> names{"albers_conical_equal_area",
                                              "azimuthal_equidistant",
                                              "geostationary",
                                              "healpix",
                                              "lambert_azimuthal_equal_area",
                                              "lambert_conformal_conic",
                                              "lambert_cylindrical_equal_area",
                                              "latitude_longitude",
                                              "mercator",
                                              "oblique_mercator",
                                              "orthographic",
                                              "polar_stereographic",
                                              "rotated_latitude_longitude",
                                              "sinusoidal",
                                              "stereographic",
                                              "transverse_mercator",
                                              "vertical_perspective"};
  const std::string name = model::text_of(mapping.attributes, "grid_mapping_name");
  if (name.empty()) refuse(what, "grid_mapping_name is missing; expected one of {}", fmt::join(names, ", "));
  if (std::ranges::find(names, name) == names.end())
    refuse(what, "the grid_mapping_name \"{}\" is unknown.{}", base::quotable(name),
           base::name_hint(name, names));
}

void check_bounds(const std::string& what, const model::Coordinate& coordinate,
                  std::span<const double> values, const CoordinateExtras& extras) {
  const std::span<const double> bounds = extras.bounds;
  check_readable(what + ": bounds", bounds);
  const bool is_cell = is_axis(coordinate) || coordinate.dims.empty();
  if (extras.vertices < 2 || (is_cell && extras.vertices != 2))
    refuse(what, "{} bounds for each value; expected {}", extras.vertices,
           is_cell ? "2, the ends of the cell" : "2 or more, the corners of the cell");
  if (extras.vertices * values.size() != bounds.size())
    refuse(what, "it has {} values and {} bounds; {} for each value are expected", values.size(),
           bounds.size(), extras.vertices);
  if (!is_cell) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double one = bounds[2 * i], other = bounds[2 * i + 1];
    if (std::isnan(values[i])) continue;  // a cell without a place
    if (!std::isfinite(one) || !std::isfinite(other))
      refuse(what, "the bounds of the value {} are {} and {}; expected finite numbers", values[i], one,
             other);
    const bool is_within = values[i] >= std::min(one, other) && values[i] <= std::max(one, other);
    if (!is_within && !(model::is_longitude(coordinate) && encloses_around(values[i], one, other)))
      refuse(what, "the value {} is not between its bounds, {} and {}", values[i], one, other);
  }
}

std::vector<double> bounds_between(const model::Coordinate& coordinate, const std::string& what,
                                   std::span<const double> values) {
  const bool has_poles = model::is_latitude(coordinate) && coordinate.units.starts_with("degree");
  if (values.size() < 2) refuse(what, "bounds cannot be computed from one value; give them");
  double pole = std::numeric_limits<double>::infinity();
  if (has_poles) pole = std::max({90.0, std::abs(values.front()), std::abs(values.back())});
  const double spacing = (values.back() - values.front()) / static_cast<double>(values.size() - 1);
  const auto edge = [&](std::size_t i) {  // before value i
    if (i == 0) return values[0] - 0.5 * spacing;
    if (i == values.size()) return values[i - 1] + 0.5 * spacing;
    return 0.5 * (values[i - 1] + values[i]);
  };
  std::vector<double> bounds;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double next = i + 1 < values.size() ? values[i + 1] - values[i] : spacing;
    if (!(std::abs(next - spacing) <= even_enough * std::abs(spacing)) || spacing == 0.0)
      refuse(
          what,
          "computed_bounds expects values that lie evenly, but behind {} comes {}, and {} apart they would "
          "be even; give the bounds",
          values[i], values[std::min(i + 1, values.size() - 1)], spacing);
    for (const double bound : {edge(i), edge(i + 1)}) bounds.push_back(std::clamp(bound, -pole, pole));
  }
  return bounds;
}

}  // namespace tailrace::client
