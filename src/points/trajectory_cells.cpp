#include "points/trajectory_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "base/nearest_name.hpp"
#include "base/utf8.hpp"
#include "points/line.hpp"
#include "points/nearest_cell.hpp"
#include "points/nearest_reduction.hpp"
#include "points/reduction.hpp"
#include "points/station_cells.hpp"
#include "points/track.hpp"

namespace tailrace::points {
namespace {

using At = std::vector<double>;

// Beyond the centres of the outermost cells there are no two cells to interpolate between. Up to their edges
// the value is that of the outermost cell.
Shares along(const Line& line, double place, Sampling method) {
  if (method == Sampling::bilinear)
    if (Shares shares = line.between(place); !shares.empty()) return shares;
  return line.nearest(place);
}

// Everything that a reduction needs. It is a copy, since the reduction may outlive the plan.
struct Course {
  Trajectories trajectories;
  std::vector<model::Coordinate> coordinates;  // the two of the plane, then that of the levels, if any
  std::vector<Line> lines;                     // of all coordinates, or only of the levels
  std::vector<std::int64_t>
      steps;  // by line: the distance of neighbouring cells in C order over the consumed dims
  int longitude = -1;
  std::array<Reach, 2> reach;  // if the coordinates are given cell by cell
  std::int64_t cells = 0;

  bool has_level() const { return coordinates.size() == 3; }

  // Shares of cells along rows, columns and levels. Empty outside.
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
    Place place{position_of({at[0], at[1]}, longitude), {}};
    if (has_level()) place.levels = along(lines.front(), at[2], trajectories.method);
    return has_level() && place.levels.empty() ? std::nullopt : std::optional(std::move(place));
  }
};

class Maker {
 public:
  Maker(const TrajectorySearch& search, const model::Declarations& declarations,
        std::vector<std::string>& warnings, config::Problems& problems)
      : search_(search),
        grid_(*search.grid),
        trajectories_(*search.request.trajectories),
        declarations_(declarations),
        warnings_(warnings),
        problems_(problems) {}

  std::shared_ptr<const analytics::Reduction> make() {
    auto course = std::make_shared<Course>();
    course->trajectories = trajectories_;
    course->longitude = search_.plane.longitude;
    for (const model::Coordinate* one : search_.plane.at) course->coordinates.push_back(*one);
    if (search_.level != nullptr) course->coordinates.push_back(*search_.level);
    if (!check_coordinates(*course)) return nullptr;
    if (search_.plane.by_dim) {
      set_lines(*course, 0);
      if (!check_fixes([&](const At& at) { return !course->shares(at).empty(); })) return nullptr;
      return make_reduction(
          MovingPoints{trajectory_dim, std::ssize(trajectories_.all), consumed(), [course](double seconds) {
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
    NearestPoints points;
    points.dim = trajectory_dim;
    points.count = std::ssize(trajectories_.all);
    for (const std::size_t d : search_.plane.dims)
      points.plane.push_back({grid_.dims[d], grid_.shape[d], false});
    if (search_.level != nullptr) points.level = search_.level->dims[0];
    points.position = [longitude = search_.plane.longitude](double first, double second) {
      return position_of({first, second}, longitude);
    };
    points.places_at = [course](double seconds) {
      std::vector<std::optional<Place>> places;
      for (const Trajectory& one : course->trajectories.all) {
        const auto at = place_at(course->trajectories, one, seconds);
        places.push_back(at ? course->place(*at) : std::nullopt);
      }
      return places;
    };
    return make_reduction(std::move(points));
  }

  bool refuse(const config::Location& where, const std::string& key, const std::string& what) {
    problems_.add(where, trajectories_.config_path + key, what);
    return false;
  }

  bool check_coordinates(const Course& course) {
    if (!search_.plane.by_dim && trajectories_.method == Sampling::bilinear)
      return refuse(trajectories_.method_location, ".method",
                    fmt::format("\"bilinear\" needs rows and columns of cells, but \"{}\" and \"{}\" of grid "
                                "\"{}\" are given cell by cell; expected \"nearest\"",
                                search_.plane.at[0]->name, search_.plane.at[1]->name, grid_.name));
    for (std::size_t i = search_.plane.by_dim ? 0 : 2; i < course.coordinates.size(); ++i) {
      const model::Coordinate& one = course.coordinates[i];
      if (one.values.empty())
        return refuse(
            trajectories_.location, "",
            fmt::format("the coordinate \"{}\" of grid \"{}\" has no values", one.name, grid_.name));
      if (const auto complaint = line_complaint(one, static_cast<int>(i) == course.longitude))
        return refuse(trajectories_.location, "",
                      fmt::format("the coordinate \"{}\" of grid \"{}\" is not monotonic: {}", one.name,
                                  grid_.name, *complaint));
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

  // The consumed dims in the order of the grid.
  analytics::Dims consumed() const {
    analytics::Dims dims;
    const std::vector<std::string> names = dims_of(grid_, search_.plane, search_.level);
    for (std::size_t d = 0; d < grid_.dims.size(); ++d)
      if (std::ranges::count(names, grid_.dims[d]) > 0)
        dims.push_back({grid_.dims[d], grid_.shape[d], false});
    return dims;
  }

  // If the coordinates are given in parts, the ranks found their range together. Before that, no position is
  // outside.
  void set_reach(Course& course) const {
    course.cells = 1;
    for (const std::size_t d : search_.plane.dims) course.cells *= grid_.shape[d];
    const std::vector<std::int64_t> fields = fields_of(search_, declarations_);
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < 2; ++i) {
      course.reach[i].add(search_.plane.at[i]->values);
      if (!search_.plane.at[i]->values.empty() && fields == std::vector<std::int64_t>{-1, -1}) continue;
      course.reach[i] = {-infinity, infinity};
      if (!declarations_.found_cells) continue;
      for (const model::FoundCells& found : *declarations_.found_cells)
        if (found.file == search_.request.dataset && found.fields == fields)
          course.reach[i] = {found.reach.at(2 * i), found.reach.at(2 * i + 1)};
    }
  }

  bool check_fixes(const std::function<bool(const At&)>& is_within) {
    std::size_t outside = 0, all = 0;
    const TrackPoint* first = nullptr;
    for (const Trajectory& one : trajectories_.all)
      for (const TrackPoint& point : one.points) {
        ++all;
        if (is_within(point.at)) continue;
        if (outside++ == 0) first = &point;
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

  const TrajectorySearch& search_;
  const model::Grid& grid_;
  const Trajectories& trajectories_;
  const model::Declarations& declarations_;
  std::vector<std::string>& warnings_;
  config::Problems& problems_;
};

}  // namespace

const model::Coordinate* level_of(const Trajectories& trajectories, const model::Grid& grid,
                                  const Plane& plane, config::Problems& problems) {
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

std::vector<std::string> dims_of(const model::Grid& grid, const Plane& plane,
                                 const model::Coordinate* level) {
  std::vector<std::string> dims;
  for (const std::size_t d : plane.dims) dims.push_back(grid.dims[d]);
  if (level != nullptr) dims.push_back(level->dims[0]);
  return dims;
}

std::shared_ptr<const analytics::Reduction> reduction_of(const TrajectorySearch& search,
                                                         const model::Declarations& declarations,
                                                         std::vector<std::string>& warnings,
                                                         config::Problems& problems) {
  return Maker(search, declarations, warnings, problems).make();
}

}  // namespace tailrace::points
