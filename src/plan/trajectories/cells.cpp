#include "plan/trajectories/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "analytics/points/nearest.hpp"
#include "analytics/points/points.hpp"
#include "base/nearest_name.hpp"
#include "base/utf8.hpp"
#include "plan/stations/cells.hpp"
#include "plan/stations/line.hpp"
#include "plan/stations/nearest_cell.hpp"
#include "plan/trajectories/track.hpp"

namespace tailrace::plan::trajectories {
namespace {

using analytics::points::Place;
using analytics::points::Shares;
using settings::Sampling;
using settings::Trajectories;
using settings::Trajectory;

using At = std::vector<double>;

// Beyond the middle of the outermost cells there is nothing to lie between: up to their edges they count
// alone.
Shares along(const stations::Line& line, double place, Sampling method) {
  if (method == Sampling::bilinear)
    if (Shares shares = line.between(place); !shares.empty()) return shares;
  return line.nearest(place);
}

bool is_monotonic(const model::Coordinate& coordinate) {
  return std::ranges::is_sorted(coordinate.values) ||
         std::ranges::is_sorted(coordinate.values, std::greater<>());
}

// What operators keep: the plan may end before them.
struct Course {
  Trajectories trajectories;
  std::vector<model::Coordinate> coordinates;  // two of the plane, and that of the levels, if any
  std::vector<stations::Line> lines;  // of those with a dim of their own: of all, or of the levels only
  std::vector<std::int64_t> steps;    // by line: from cell to cell, in C order over the dims consumed
  int longitude = -1;
  std::array<stations::Reach, 2> reach;  // where cells are given one by one
  std::int64_t cells = 0;

  bool has_level() const { return coordinates.size() == 3; }

  // Of cells along rows, columns and levels; none outside.
  Shares shares(const At& at) const {
    Shares all{{0, 1.0}};
    for (std::size_t i = 0; i < lines.size(); ++i) {
      Shares longer;
      const Shares here = along(lines[i], at[i], trajectories.method);
      for (const auto& one : all)
        for (const auto& next : here)
          longer.push_back({one.cell + next.cell * steps[i], one.weight * next.weight});
      all = std::move(longer);
    }
    return all;
  }

  std::optional<Place> place(const At& at) const {
    for (std::size_t i = 0; i < 2; ++i)
      if (!reach[i].holds(at[i], cells, longitude == static_cast<int>(i))) return std::nullopt;
    Place place{stations::position_of({at[0], at[1]}, longitude), {}};
    if (has_level()) place.levels = along(lines.front(), at[2], trajectories.method);
    return has_level() && place.levels.empty() ? std::nullopt : std::optional(std::move(place));
  }
};

class Maker {
 public:
  Maker(const Way& way, const model::Declarations& declarations, std::vector<std::string>& warnings,
        config::Problems& problems)
      : way_(way),
        grid_(*way.grid),
        trajectories_(*way.file->trajectories),
        declarations_(declarations),
        warnings_(warnings),
        problems_(problems) {}

  std::shared_ptr<const analytics::Reduction> make() {
    auto course = std::make_shared<Course>();
    course->trajectories = trajectories_;
    course->longitude = way_.plane.longitude;
    for (const model::Coordinate* one : way_.plane.at) course->coordinates.push_back(*one);
    if (way_.level != nullptr) course->coordinates.push_back(*way_.level);
    if (!check_coordinates(*course)) return nullptr;
    if (way_.plane.by_dim) {
      set_lines(*course, 0);
      if (!check_fixes([&](const At& at) { return !course->shares(at).empty(); })) return nullptr;
      return analytics::points::make_operator(analytics::points::MovingPoints{
          trajectory_dim, std::ssize(trajectories_.all), consumed(), [course](double seconds) {
            std::vector<Shares> cells;
            for (const Trajectory& one : course->trajectories.all) {
              const auto at = place_at(course->trajectories, one, seconds);
              cells.push_back(at ? course->shares(*at) : Shares{});
            }
            return cells;
          }});
    }
    set_reach(*course);
    set_lines(*course, 2);
    if (!check_fixes([&](const At& at) { return course->place(at).has_value(); })) return nullptr;
    return nearest(std::move(course));
  }

 private:
  std::shared_ptr<const analytics::Reduction> nearest(std::shared_ptr<const Course> course) const {
    analytics::points::NearestPoints points;
    points.dim = trajectory_dim;
    points.count = std::ssize(trajectories_.all);
    for (const std::size_t d : way_.plane.dims)
      points.plane.push_back({grid_.dims[d], grid_.shape[d], false});
    if (way_.level != nullptr) points.level = way_.level->dims[0];
    points.position = [longitude = way_.plane.longitude](double first, double second) {
      return stations::position_of({first, second}, longitude);
    };
    points.places_at = [course](double seconds) {
      std::vector<std::optional<Place>> places;
      for (const Trajectory& one : course->trajectories.all) {
        const auto at = place_at(course->trajectories, one, seconds);
        places.push_back(at ? course->place(*at) : std::nullopt);
      }
      return places;
    };
    return analytics::points::make_operator(std::move(points));
  }

  bool refuse(const config::Location& where, const std::string& key, const std::string& what) {
    problems_.add(where, trajectories_.config_path + key, what);
    return false;
  }

  bool check_coordinates(const Course& course) {
    if (!way_.plane.by_dim && trajectories_.method == Sampling::bilinear)
      return refuse(trajectories_.method_location, ".method",
                    fmt::format("\"bilinear\" needs rows and columns of cells, but \"{}\" and \"{}\" of grid "
                                "\"{}\" are given cell by cell; expected \"nearest\"",
                                way_.plane.at[0]->name, way_.plane.at[1]->name, grid_.name));
    for (std::size_t i = way_.plane.by_dim ? 0 : 2; i < course.coordinates.size(); ++i) {
      const model::Coordinate& one = course.coordinates[i];
      if (one.values.empty())
        return refuse(
            trajectories_.location, "",
            fmt::format("the coordinate \"{}\" of grid \"{}\" has no values", one.name, grid_.name));
      if (!is_monotonic(one))
        return refuse(
            trajectories_.location, "",
            fmt::format("the coordinate \"{}\" of grid \"{}\" is not monotonic", one.name, grid_.name));
    }
    return true;
  }

  // From coordinate number `first` on.
  void set_lines(Course& course, std::size_t first) const {
    for (std::size_t i = first; i < course.coordinates.size(); ++i) {
      course.lines.emplace_back(course.coordinates[i], i == static_cast<std::size_t>(course.longitude));
      std::int64_t step = 1;
      bool behind = false;
      for (const analytics::Dim& dim : consumed()) {
        if (behind) step *= dim.extent;
        behind = behind || dim.name == course.coordinates[i].dims[0];
      }
      course.steps.push_back(step);
    }
  }

  // In the order of the grid.
  analytics::Dims consumed() const {
    analytics::Dims dims;
    const std::vector<std::string> names = dims_of(way_);
    for (std::size_t d = 0; d < grid_.dims.size(); ++d)
      if (std::ranges::count(names, grid_.dims[d]) > 0)
        dims.push_back({grid_.dims[d], grid_.shape[d], false});
    return dims;
  }

  // Of coordinates in parts the ranks found it together; before that no position counts as outside.
  void set_reach(Course& course) const {
    course.cells = 1;
    for (const std::size_t d : way_.plane.dims) course.cells *= grid_.shape[d];
    const std::vector<std::int64_t> fields = stations::fields_of(way_.plane);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < 2; ++i) {
      course.reach[i].add(way_.plane.at[i]->values);
      if (!way_.plane.at[i]->values.empty() && fields == std::vector<std::int64_t>{-1, -1}) continue;
      course.reach[i] = {-infinity, infinity};
      if (!declarations_.found_cells) continue;
      for (const model::FoundCells& found : *declarations_.found_cells)
        if (found.file == way_.file->path && found.fields == fields)
          course.reach[i] = {found.reach.at(2 * i), found.reach.at(2 * i + 1)};
    }
  }

  bool check_fixes(const std::function<bool(const At&)>& is_within) {
    std::size_t outside = 0, all = 0;
    const settings::Fix* first = nullptr;
    for (const Trajectory& one : trajectories_.all)
      for (const settings::Fix& fix : one.fixes) {
        ++all;
        if (is_within(fix.at)) continue;
        if (outside++ == 0) first = &fix;
      }
    if (outside == 0) return true;
    const std::string where = fmt::format("outside of grid \"{}\"", grid_.name);
    if (outside == all)
      return refuse(first->location, "",
                    fmt::format("all {} positions lie {}; expected some within it, in its own coordinates",
                                all, where));
    warnings_.push_back(
        fmt::format("{}  {}: {} of {} positions lie {}, beginning with this one; values are missing there",
                    first->location.text(), trajectories_.config_path, outside, all, where));
    return true;
  }

  const Way& way_;
  const model::Grid& grid_;
  const Trajectories& trajectories_;
  const model::Declarations& declarations_;
  std::vector<std::string>& warnings_;
  config::Problems& problems_;
};

}  // namespace

const model::Coordinate* level_of(const settings::OutputEntry& file, const model::Grid& grid,
                                  const stations::Plane& plane, config::Problems& problems) {
  const Trajectories& trajectories = *file.trajectories;
  if (trajectories.vertical.empty() || plane.dims.size() == grid.dims.size()) return nullptr;
  std::vector<std::string> known;
  for (const model::Coordinate& one : grid.coordinates) {
    if (one.dims.size() != 1 || &one == plane.at[0] || &one == plane.at[1] || one.dims == plane.at[0]->dims)
      continue;
    if (one.name == trajectories.vertical || one.standard_name == trajectories.vertical) return &one;
    known.push_back(one.name);
    if (!one.standard_name.empty()) known.push_back(one.standard_name);
  }
  problems.add(trajectories.vertical_location, trajectories.config_path + ".vertical",
               fmt::format("grid \"{}\" has no coordinate \"{}\" along a dimension besides the horizontal "
                           "ones.{}",
                           grid.name, base::quotable(trajectories.vertical),
                           known.empty() ? " (it has none)" : base::name_hint(trajectories.vertical, known)));
  return nullptr;
}

std::vector<std::string> dims_of(const Way& way) {
  std::vector<std::string> dims;
  for (const std::size_t d : way.plane.dims) dims.push_back(way.grid->dims[d]);
  if (way.level != nullptr) dims.push_back(way.level->dims[0]);
  return dims;
}

std::shared_ptr<const analytics::Reduction> operator_of(const Way& way,
                                                        const model::Declarations& declarations,
                                                        std::vector<std::string>& warnings,
                                                        config::Problems& problems) {
  return Maker(way, declarations, warnings, problems).make();
}

}  // namespace tailrace::plan::trajectories
