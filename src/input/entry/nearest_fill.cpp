#include "input/entry/nearest_fill.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "base/index.hpp"
#include "input/entry/axis_dim.hpp"
#include "model/directions.hpp"

namespace tailrace::input {
namespace {

using Point = std::array<double, 3>;

constexpr std::size_t most_kept = std::size_t{8} << 20;  // cells of all levels whose sources are kept

double distance(const Point& a, const Point& b) {
  const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return x * x + y * y + z * z;
}

// A tree of points (k-d tree): the middle one of a range is its root, and the halves lie on the two sides of
// it along one axis, which changes from level to level.
class PointTree {
 public:
  PointTree(const std::vector<Point>& points, std::vector<std::uint32_t> members)
      : points_(points), members_(std::move(members)) {
    build(0, members_.size(), 0);
  }

  std::uint32_t nearest(const Point& place) const {
    Best best;
    search(place, 0, members_.size(), 0, best);
    return best.member;
  }

 private:
  struct Best {
    double distance = std::numeric_limits<double>::infinity();
    std::uint32_t member = std::numeric_limits<std::uint32_t>::max();
  };

  void build(std::size_t begin, std::size_t end, std::size_t axis) {
    if (end - begin < 2) return;
    const std::size_t middle = begin + (end - begin) / 2;
    const auto at = [this](std::size_t i) { return members_.begin() + static_cast<std::ptrdiff_t>(i); };
    std::nth_element(at(begin), at(middle), at(end), [&](std::uint32_t a, std::uint32_t b) {
      return points_[a][axis] != points_[b][axis] ? points_[a][axis] < points_[b][axis] : a < b;
    });
    build(begin, middle, (axis + 1) % 3);
    build(middle + 1, end, (axis + 1) % 3);
  }

  void search(const Point& place, std::size_t begin, std::size_t end, std::size_t axis, Best& best) const {
    if (begin == end) return;
    const std::size_t middle = begin + (end - begin) / 2;
    const std::uint32_t member = members_[middle];
    const double here = distance(points_[member], place);
    if (here < best.distance || (here == best.distance && member < best.member)) best = {here, member};
    const double side = place[axis] - points_[member][axis];
    const std::size_t next = (axis + 1) % 3;
    side < 0.0 ? search(place, begin, middle, next, best) : search(place, middle + 1, end, next, best);
    if (side * side > best.distance) return;
    side < 0.0 ? search(place, middle + 1, end, next, best) : search(place, begin, middle, next, best);
  }

  const std::vector<Point>& points_;
  std::vector<std::uint32_t> members_;
};

// Calls `visit` with the indices along all dims, in C order.
template <class Visit>
void for_each_cell(const std::vector<std::int64_t>& shape, const std::vector<std::size_t>& dims,
                   const Visit& visit) {
  std::vector<std::int64_t> at(shape.size(), 0);
  std::int64_t count = 1;
  for (const std::size_t d : dims) count *= shape[d];
  for (std::int64_t i = 0; i < count; ++i) {
    visit(at);
    for (std::size_t k = dims.size(); k-- > 0;) {
      if (++at[dims[k]] < shape[dims[k]]) break;
      at[dims[k]] = 0;
    }
  }
}

// The coordinate of one direction: the one with most dims, since that of a curvilinear grid has two.
const model::Coordinate* coordinate_of(const model::Grid& grid, bool (*is_it)(const model::Coordinate&)) {
  const model::Coordinate* found = nullptr;
  for (const model::Coordinate& one : grid.coordinates)
    if (is_it(one) && !one.values.empty() && (found == nullptr || one.dims.size() > found->dims.size()))
      found = &one;
  return found;
}

// The value of a coordinate at a cell of the grid.
double value_at(const model::Grid& grid, const model::Coordinate& coordinate,
                const std::vector<double>& degrees, const std::vector<std::int64_t>& cell) {
  std::size_t index = 0;
  for (std::size_t d = 0; d < grid.dims.size(); ++d)
    if (std::ranges::find(coordinate.dims, grid.dims[d]) != coordinate.dims.end())
      index = index * base::index(grid.shape[d]) + base::index(cell[d]);
  return degrees[index];
}

}  // namespace

NearestFill::NearestFill(const model::Grid& grid, std::vector<std::int64_t> shape, int vertical) {
  const std::vector<AxisDim> dims = dims_of(grid);
  const model::Coordinate* const latitude = coordinate_of(grid, model::is_latitude);
  const model::Coordinate* const longitude = coordinate_of(grid, model::is_longitude);
  const bool on_sphere = latitude != nullptr && longitude != nullptr;
  std::vector<std::size_t> of_cells, of_levels;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const auto has = [&](const model::Coordinate* one) {
      return std::ranges::find(one->dims, grid.dims[d]) != one->dims.end();
    };
    const bool is_level = on_sphere ? !has(latitude) && !has(longitude)
                                    : static_cast<int>(d) == vertical || dims[d].kind == DimKind::vertical;
    (is_level ? of_levels : of_cells).push_back(d);
  }
  const auto offset = [&](const std::vector<std::int64_t>& cell) {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) at = at * shape[d] + cell[d];
    return at;
  };
  for_each_cell(shape, of_levels, [&](const auto& cell) { levels_.push_back(offset(cell)); });
  std::vector<double> lat, lon;
  if (on_sphere) {
    lat = in_degrees(latitude->values, latitude->units);
    lon = in_degrees(longitude->values, longitude->units);
  }
  for_each_cell(shape, of_cells, [&](const auto& cell) {
    cells_.push_back(offset(cell));
    Point& point = points_.emplace_back(Point{});
    if (on_sphere) {
      const double north = value_at(grid, *latitude, lat, cell) * std::numbers::pi / 180.0;
      const double east = value_at(grid, *longitude, lon, cell) * std::numbers::pi / 180.0;
      point = {std::cos(north) * std::cos(east), std::cos(north) * std::sin(east), std::sin(north)};
    } else {
      for (std::size_t k = 0; k < std::min<std::size_t>(of_cells.size(), 3); ++k)
        point[k] = static_cast<double>(cell[of_cells[of_cells.size() - 1 - k]]);
    }
  });
  sources_.resize(cells_.size() * levels_.size() <= most_kept ? levels_.size() : 1);
}

void NearestFill::find(Sources& sources) const {
  sources.fills.clear();
  std::vector<std::uint32_t> valid;
  const auto has_place = [this](std::uint32_t i) { return std::isfinite(points_[i][0] + points_[i][2]); };
  const auto count = static_cast<std::uint32_t>(sources.missing.size());
  for (std::uint32_t i = 0; i < count; ++i)
    if (sources.missing[i] == 0 && has_place(i)) valid.push_back(i);
  if (valid.empty()) return;
  const PointTree tree(points_, std::move(valid));
  for (std::uint32_t i = 0; i < count; ++i)
    if (sources.missing[i] != 0 && has_place(i)) sources.fills.emplace_back(i, tree.nearest(points_[i]));
}

template <class Value>
std::int64_t NearestFill::fill_level(Value* level, Sources& sources) {
  std::vector<std::uint8_t> missing(cells_.size());
  for (std::size_t i = 0; i < cells_.size(); ++i) missing[i] = std::isnan(level[cells_[i]]) ? 1 : 0;
  const std::int64_t count = std::ranges::count(missing, 1);
  if (count == 0) return 0;
  if (missing != sources.missing) {
    sources.missing = std::move(missing);
    find(sources);
  }
  for (const auto& [cell, source] : sources.fills) level[cells_[cell]] = level[cells_[source]];
  return count - static_cast<std::int64_t>(sources.fills.size());
}

template <class Value>
std::int64_t NearestFill::fill(std::span<Value> values) {
  std::int64_t missing = 0;
  for (std::size_t l = 0; l < levels_.size(); ++l)
    missing += fill_level(values.data() + levels_[l], sources_[std::min(l, sources_.size() - 1)]);
  return missing;
}

template std::int64_t NearestFill::fill(std::span<float>);
template std::int64_t NearestFill::fill(std::span<double>);

}  // namespace tailrace::input
