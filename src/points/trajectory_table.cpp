#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/nearest_name.hpp"
#include "base/utf8.hpp"
#include "points/csv.hpp"
#include "points/netcdf_rows.hpp"
#include "points/tables.hpp"
#include "tailrace/error.hpp"

namespace tailrace::points {
namespace {

const ColumnNames& column_names() {
  static const ColumnNames names{{"time", "trajectory", "latitude", "longitude"},
                                 {{"lat", "latitude"},
                                  {"lon", "longitude"},
                                  {"trajectory_id", "trajectory"},
                                  {"trajectory_name", "trajectory"}}};
  return names;
}

class Table {
 public:
  Table(Trajectories& trajectories, const calendar::Calendar& calendar, config::Problems& problems)
      : trajectories_(trajectories), calendar_(calendar), problems_(problems) {}

  void read(const config::SourceFile& source) {
    name_ = std::filesystem::path(source.name).stem().string();
    const auto take_row = [this](std::vector<Cell>& cells) {
      if (has_columns_) return add(cells);
      has_columns_ = true;
      return take_columns(cells);
    };
    if (is_netcdf(source)) {
      if (!read_netcdf(source, take_row)) return;
    } else if (!read_rows(source.name, source.text, path(), problems_, take_row)) {
      return;
    }
    if (trajectories_.all.empty())
      problems_.add(trajectories_.location, path(),
                    fmt::format("expected at least one position in {}", source.name));
  }

 private:
  const std::string& path() const { return trajectories_.config_path; }

  bool read_netcdf(const config::SourceFile& source,
                   const std::function<bool(std::vector<Cell>&)>& take_row) {
    try {
      read_netcdf_rows(source, trajectories_.vertical, calendar_, take_row);
      return has_columns_ && coordinates_.size() >= 2;
    } catch (const Error& error) {
      problems_.add(trajectories_.file_location, path() + ".file",
                    fmt::format("{}: {}", source.name, error.what()));
      return false;
    }
  }

  bool take_columns(std::vector<Cell>& names) {
    if (!normalise_names(names, column_names(), path(), problems_)) return false;
    columns_ = std::ssize(names);
    const auto place_of = [&](const std::string& name) -> std::optional<std::size_t> {
      const auto found = std::ranges::find(names, name, &Cell::text);
      return found == names.end() ? std::nullopt : std::optional(found - names.begin());
    };
    time_ = place_of("time");
    trajectory_ = place_of("trajectory");
    if (!time_)
      return refuse(names.front(), "expected a column `time`: the first line has the names of the columns");
    std::optional<std::size_t> vertical;
    if (!trajectories_.vertical.empty()) {
      vertical = place_of(trajectories_.vertical);
      if (!vertical) return refuse_vertical(names);
    }
    const bool on_sphere = place_of("latitude") && place_of("longitude");
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (i == *time_ || i == trajectory_ || i == vertical) continue;
      if (on_sphere && names[i].text != "latitude" && names[i].text != "longitude") continue;
      coordinates_.push_back(i);
      trajectories_.coordinates.push_back(names[i].text);
    }
    if (trajectories_.coordinates.size() != 2)
      return refuse(
          names.front(),
          fmt::format("expected latitude and longitude, or two coordinates of the model's grid such "
                      "as x and y, but got {}",
                      trajectories_.coordinates.size()));
    if (vertical) coordinates_.push_back(*vertical);
    return true;
  }

  bool refuse(const Cell& at, const std::string& what) {
    problems_.add(at.location, path(), what);
    return false;
  }

  bool refuse_vertical(const std::vector<Cell>& names) {
    std::vector<std::string> known;
    for (const Cell& name : names) known.push_back(name.text);
    problems_.add(
        trajectories_.vertical_location, path() + ".vertical",
        fmt::format("{} has no column \"{}\".{}", names.front().location.file,
                    base::quotable(trajectories_.vertical), base::name_hint(trajectories_.vertical, known)));
    return false;
  }

  // Continues after a line with a mistake, so that all mistakes are reported.
  bool add(const std::vector<Cell>& cells) {
    if (std::ssize(cells) != columns_) {
      refuse(cells.front(), fmt::format("expected {} values, as many as there are columns, but got {}",
                                        columns_, cells.size()));
      return true;
    }
    TrackPoint point{.location = cells.front().location, .time = 0.0, .at = {}};
    const std::optional<double> time = time_of(cells[*time_]);
    for (const std::size_t column : coordinates_)
      point.at.push_back(number_of(cells[column], path(), problems_).value_or(0.0));
    Trajectory& trajectory = trajectory_of(cells);
    if (!time) return true;
    point.time = *time;
    if (!trajectory.points.empty() && point.time <= trajectory.points.back().time)
      problems_.add(cells[*time_].location, path(),
                    fmt::format("expected a time after that of {}, the position before of \"{}\", but got {}",
                                trajectory.points.back().location.text(), base::quotable(trajectory.name),
                                base::quotable(cells[*time_].text)));
    else
      trajectory.points.push_back(std::move(point));
    return true;
  }

  // Trajectories keep the order in which they first occur. The rows of one need not be adjacent.
  Trajectory& trajectory_of(const std::vector<Cell>& cells) {
    const std::string& name = trajectory_ ? cells[*trajectory_].text : name_;
    if (name.empty()) problems_.add(cells.front().location, path(), "a trajectory has no name");
    std::vector<Trajectory>& all = trajectories_.all;
    if (!all.empty() && all.back().name == name) return all.back();
    const auto known = std::ranges::find(all, name, &Trajectory::name);
    return known != all.end() ? *known : all.emplace_back(Trajectory{name, {}});
  }

  std::optional<double> time_of(const Cell& cell) {
    double seconds = 0.0;
    const char* const end = cell.text.data() + cell.text.size();
    const auto [rest, error] = std::from_chars(cell.text.data(), end, seconds);
    if (error == std::errc() && rest == end && std::isfinite(seconds)) return seconds;
    try {
      const calendar::Date date = calendar::parse_date(cell.text);
      if (calendar_.has_months()) {
        calendar::Calendar(calendar_.name(), date);  // throws for a day that it does not have
        return calendar_.seconds_of(date);
      }
      problems_.add(
          cell.location, path(),
          fmt::format("\"{}\" is a date, and `model_time.calendar` is none; expected seconds of model "
                      "time",
                      base::quotable(cell.text)));
    } catch (const Error& problem) {
      problems_.add(cell.location, path(),
                    fmt::format("expected a date such as 2026-03-01T06:00, or seconds of model time: {}",
                                problem.what()));
    }
    return std::nullopt;
  }

  Trajectories& trajectories_;
  const calendar::Calendar& calendar_;
  config::Problems& problems_;
  std::string name_;  // of the only trajectory of a table without names
  bool has_columns_ = false;
  std::ptrdiff_t columns_ = 0;
  std::optional<std::size_t> time_, trajectory_;
  std::vector<std::size_t> coordinates_;  // the vertical one is the last
};

}  // namespace

void read_table(Trajectories& trajectories, const config::Sources& sources,
                const calendar::Calendar& calendar, config::Problems& problems) {
  if (trajectories.file.empty()) return;
  if (const config::SourceFile* source = table_of(trajectories, sources, problems))
    Table(trajectories, calendar, problems).read(*source);
}

}  // namespace tailrace::points
