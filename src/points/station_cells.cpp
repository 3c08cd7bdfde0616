#include "points/station_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "points/line.hpp"
#include "points/nearest_cell.hpp"

namespace tailrace::points {
namespace {

constexpr int most_outside = 10;  // stations that are reported one by one

bool is_unknown(const Plane& plane) { return plane.at[0]->values.empty() || plane.at[1]->values.empty(); }

// The nearest cell is one that a rank holds. Between rows and columns a value is missing beside a hole.
bool avoids_holes(const Search& search) {
  const auto& [first, second] = search.plane.at;
  return search.grid->holes_are_missing && search.request.stations != nullptr &&
         search.request.stations->method == Sampling::nearest &&
         !(search.plane.by_dim && (first->field || second->field));
}

bool is_searched(const Search& search) {
  return avoids_holes(search) || (!search.plane.by_dim && is_unknown(search.plane));
}

class Finder {
 public:
  Finder(const Search& search, const model::Declarations& declarations, config::Problems& problems)
      : search_(search),
        dataset_(search.request.dataset),
        stations_(*search.request.stations),
        grid_(*search.grid),
        plane_(search.plane),
        declarations_(declarations),
        problems_(problems) {}

  std::optional<Points> find() {
    points_.dim = station_dim;
    for (const std::size_t d : plane_.dims) points_.plane.push_back({grid_.dims[d], grid_.shape[d], false});
    if (!plane_.by_dim && stations_.method == Sampling::bilinear)
      refuse(stations_.method_location, ".method",
             fmt::format(
                 "\"bilinear\" needs rows and columns of cells, but \"{}\" and \"{}\" of grid \"{}\" are "
                 "given cell by cell; expected \"nearest\"",
                 plane_.at[0]->name, plane_.at[1]->name, grid_.name));
    else if (is_searched(search_))
      take_found();
    else if (plane_.by_dim)
      find_in_rows();
    else
      find_in_list();
    if (outside_ > most_outside)
      refuse(stations_.location, "",
             fmt::format("{} stations lie outside of grid \"{}\"", outside_, grid_.name));
    return sound_ ? std::optional(std::move(points_)) : std::nullopt;
  }

 private:
  bool turns(std::size_t i) const { return plane_.longitude == static_cast<int>(i); }

  void refuse(const config::Location& where, const std::string& key, const std::string& what) {
    problems_.add(where, stations_.config_path + key, what);
    sound_ = false;
  }

  void refuse_outside(const Station& station, std::size_t i, double low, double high, const char* more) {
    sound_ = false;
    if (++outside_ > most_outside) return;
    refuse(station.location, "",
           fmt::format("station \"{}\" lies outside of grid \"{}\": {} is {}, but the grid covers {} to {}{}",
                       base::quotable(station.name), grid_.name, stations_.coordinates[i], station.at[i], low,
                       high, more));
  }

  void find_in_rows() {
    for (std::size_t i = 0; i < 2; ++i)
      if (const auto complaint = line_complaint(*plane_.at[i], turns(i)))
        return refuse(stations_.location, "",
                      fmt::format("the coordinate \"{}\" of grid \"{}\" is not monotonic: {}",
                                  plane_.at[i]->name, grid_.name, *complaint));
    const std::array lines{Line(*plane_.at[0], turns(0)), Line(*plane_.at[1], turns(1))};
    // Cells are numbered in the order of the dims.
    const std::size_t slow = grid_.dims[plane_.dims[0]] == plane_.at[0]->dims[0] ? 0 : 1;
    const std::int64_t step = std::ssize(plane_.at[1 - slow]->values);
    for (const Station& station : stations_.points) {
      Shares& shares = points_.cells.emplace_back();
      const Shares rows = along(lines[slow], station, slow),
                   columns = along(lines[1 - slow], station, 1 - slow);
      for (const auto& row : rows)
        for (const auto& column : columns)
          shares.push_back({row.cell * step + column.cell, row.weight * column.weight});
    }
  }

  Shares along(const Line& line, const Station& station, std::size_t i) {
    const bool nearest = stations_.method == Sampling::nearest;
    Shares shares = nearest ? line.nearest(station.at[i]) : line.between(station.at[i]);
    if (!shares.empty()) return shares;
    const Line::Limits limits = nearest ? line.edges() : line.centres();
    const bool beside = !nearest && !line.nearest(station.at[i]).empty();
    refuse_outside(station, i, limits.low, limits.high,
                   beside ? " between the centres of the outermost cells; `nearest` covers them whole" : "");
    return shares;
  }

  void find_in_list() {
    const auto& [first, second] = plane_.at;
    const CellSearch search({first->values, second->values}, plane_.longitude);
    std::array<Reach, 2> reaches;
    for (std::size_t i = 0; i < 2; ++i) reaches[i].add(plane_.at[i]->values);
    for (const Station& station : stations_.points) {
      for (std::size_t i = 0; i < 2; ++i) check_reach(station, i, reaches[i], std::ssize(first->values));
      points_.cells.push_back({{search.nearest({station.at[0], station.at[1]}).cell, 1.0}});
    }
  }

  void take_found() {
    if (!declarations_.found_cells) return points_.cells.assign(stations_.points.size(), {{0, 1.0}});
    const std::vector<std::int64_t> fields = points::fields_of(search_, declarations_);
    for (const model::FoundCells& found : *declarations_.found_cells)
      if (found.file == dataset_ && found.fields == fields) return take(found);
    refuse(
        stations_.location, "",
        fmt::format("the coordinates \"{}\" and \"{}\" of grid \"{}\" are given in parts, in which stations "
                    "cannot be found; expected both whole",
                    plane_.at[0]->name, plane_.at[1]->name, grid_.name));
  }

  void take(const model::FoundCells& found) {
    std::int64_t size = 1;
    for (const analytics::Dim& dim : points_.plane) size *= dim.extent;
    TAILRACE_ASSERT(found.cells.size() == stations_.points.size() && found.reach.size() == 4,
                    "the ranks searched for other stations");
    for (std::size_t s = 0; s < found.cells.size(); ++s) {
      TAILRACE_ASSERT(found.cells[s] < size, "the cell is not on the grid");
      if (found.cells[s] < 0)
        return refuse(
            stations_.location, "",
            fmt::format("no cell of grid \"{}\" has a place: \"{}\" and \"{}\" have no usable values",
                        grid_.name, plane_.at[0]->name, plane_.at[1]->name));
      points_.cells.push_back({{found.cells[s], 1.0}});
      for (std::size_t i = 0; i < 2; ++i)
        check_reach(stations_.points[s], i, {found.reach[2 * i], found.reach[2 * i + 1]}, size);
    }
  }

  void check_reach(const Station& station, std::size_t i, const Reach& reach, std::int64_t cells) {
    if (!reach.holds(station.at[i], cells, turns(i))) refuse_outside(station, i, reach.low, reach.high, "");
  }

  const Search& search_;
  const std::string& dataset_;
  const Stations& stations_;
  const model::Grid& grid_;
  const Plane& plane_;
  const model::Declarations& declarations_;
  config::Problems& problems_;
  Points points_;
  bool sound_ = true;
  int outside_ = 0;
};

}  // namespace

std::vector<std::int64_t> fields_of(const Search& search, const model::Declarations& declarations) {
  std::vector<std::int64_t> fields;
  for (const model::Coordinate* coordinate : search.plane.at)
    fields.push_back(coordinate->field.value_or(-1));
  if (avoids_holes(search))
    fields.push_back(std::ranges::find(declarations.grids, search.grid->name, &model::Grid::name) -
                     declarations.grids.begin());
  return fields;
}

std::vector<Search> searches(const std::vector<Request>& requests, const model::Declarations& declarations) {
  std::vector<Search> all;
  for (const Request& request : requests) {
    const PointSet& points = request.points();
    if (points.coordinates.empty()) continue;
    for (const model::Grid& grid : declarations.grids) {
      auto plane = plane_of(grid, points.coordinates);
      if (!plane) continue;
      Search search{request, &grid, std::move(*plane)};
      const auto is_same = [&](const Search& known) {
        return &known.request.points() == &points &&
               fields_of(known, declarations) == fields_of(search, declarations);
      };
      if (is_searched(search) && std::ranges::none_of(all, is_same)) all.push_back(std::move(search));
    }
  }
  return all;
}

std::optional<Points> cells_of(const Search& search, const model::Declarations& declarations,
                               config::Problems& problems) {
  return Finder(search, declarations, problems).find();
}

}  // namespace tailrace::points
