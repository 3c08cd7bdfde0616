#include "input/matching.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/nearest_name.hpp"

namespace tailrace::input {
namespace {

constexpr double circle = 360.0;
constexpr double same_part = 1e-3;  // of the distance between two cells: files round coordinates to float32

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::resource, why); }

bool is_one_of(const std::string& text, std::initializer_list<const char*> words) {
  return std::ranges::find(words, text) != words.end();
}

std::string names_of(const std::vector<Dim>& dims) {
  std::string names;
  for (const Dim& dim : dims) names += (names.empty() ? "" : ", ") + dim.name;
  return names.empty() ? "none" : names;
}

double distance(double a, double b, bool is_cyclic) {
  return std::abs(is_cyclic ? std::remainder(a - b, circle) : a - b);
}

// The indices of the file's cells in the order of their coordinates, which are brought to [0, 360) on a
// circle.
class Finder {
 public:
  Finder(const Dim& file, bool is_cyclic) : is_cyclic_(is_cyclic), order_(file.coordinate.size()) {
    for (const double value : file.coordinate) values_.push_back(wrapped(value));
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::ranges::sort(order_, {}, [this](std::size_t i) { return values_[i]; });
  }

  // The index of the nearest cell.
  std::size_t nearest(double value) const {
    const auto after =
        std::ranges::lower_bound(order_, wrapped(value), {}, [this](std::size_t i) { return values_[i]; });
    const std::size_t next = after == order_.end() ? order_.front() : *after;
    const std::size_t before = after == order_.begin() ? order_.back() : *(after - 1);
    return distance(values_[next], value, is_cyclic_) < distance(values_[before], value, is_cyclic_) ? next
                                                                                                     : before;
  }

  double smallest_step() const {
    double step = order_.size() > 1 ? INFINITY : 1.0;
    for (std::size_t i = 1; i < order_.size(); ++i)
      if (const double one = values_[order_[i]] - values_[order_[i - 1]]; one > 0.0)
        step = std::min(step, one);
    return step;
  }

 private:
  double wrapped(double value) const {
    return is_cyclic_ ? value - circle * std::floor(value / circle) : value;
  }

  bool is_cyclic_;
  std::vector<double> values_;
  std::vector<std::size_t> order_;
};

std::vector<std::int64_t> same_order(std::int64_t length) {
  std::vector<std::int64_t> cells(base::index(length));
  std::iota(cells.begin(), cells.end(), std::int64_t{0});
  return cells;
}

std::vector<std::int64_t> cells_of(const Dim& file, const Dim& grid) {
  if (file.coordinate.empty() || grid.coordinate.empty()) {
    if (file.length != grid.length)
      refuse(fmt::format(
          "dim {} has {} cells and {} of the grid {}; expected as many, since {} has no coordinate",
          file.name, file.length, grid.name, grid.length,
          file.coordinate.empty() ? "the file's" : "the grid's"));
    return same_order(grid.length);
  }
  const bool is_cyclic = grid.kind == DimKind::longitude;
  const Finder finder(file, is_cyclic);
  const double same = same_part * finder.smallest_step();
  std::vector<std::int64_t> cells;
  for (const double value : grid.coordinate) {
    const std::size_t nearest = finder.nearest(value);
    if (distance(file.coordinate[nearest], value, is_cyclic) > same)
      refuse(fmt::format(
          "the grid has a cell at {} = {}, and the nearest one of the file is at {}; expected the "
          "same cells",
          grid.name, value, file.coordinate[nearest]));
    cells.push_back(static_cast<std::int64_t>(nearest));
  }
  return cells;
}

// Takes the file's dims one after the other.
class Matcher {
 public:
  Matcher(const std::vector<Dim>& file, const std::vector<Dim>& grid)
      : file_(file), grid_(grid), taken_(file.size(), false) {
    match_.file_dim.assign(grid.size(), Match::none);
    match_.cells.resize(grid.size());
    match_.fixed.assign(file.size(), Match::none);
  }

  void take_time() {
    for (std::size_t f = 0; f < file_.size(); ++f) {
      if (file_[f].kind != DimKind::time || taken_[f]) continue;
      if (match_.time != Match::none)
        refuse(fmt::format("{} and {} are both dims of time; select an index of one of them",
                           file_[base::index(match_.time)].name, file_[f].name));
      match_.time = static_cast<int>(f);
      taken_[f] = true;
    }
  }

  void take_selected(const Selected& selected) {
    for (const auto& [name, index] : selected) {
      const auto found = std::ranges::find(file_, name, &Dim::name);
      if (found == file_.end()) {
        std::vector<std::string> names;
        for (const Dim& dim : file_) names.push_back(dim.name);
        refuse(fmt::format("`select` names the dim {}, which the variable lacks.{}", name,
                           base::name_hint(name, names)));
      }
      if (index < 0 || index >= found->length)
        refuse(fmt::format("`select` asks for index {} (counted from 0) of the dim {}, which has {}", index,
                           name, found->length));
      const auto f = static_cast<std::size_t>(found - file_.begin());
      match_.fixed[f] = index;
      taken_[f] = true;
    }
  }

  // Each dim of the grid takes the only dim of the file that `fits`.
  template <class Fits>
  void take(const char* how, const Fits& fits) {
    for (std::size_t g = 0; g < grid_.size(); ++g) {
      if (match_.file_dim[g] != Match::none) continue;
      for (std::size_t f = 0; f < file_.size(); ++f) {
        if (taken_[f] || !fits(file_[f], grid_[g])) continue;
        if (match_.file_dim[g] != Match::none)
          refuse(fmt::format(
              "dims {} and {} of the file both fit {} of the grid {}; select an index of one of them",
              file_[base::index(match_.file_dim[g])].name, file_[f].name, grid_[g].name, how));
        match_.file_dim[g] = static_cast<int>(f);
      }
      if (match_.file_dim[g] != Match::none) taken_[base::index(match_.file_dim[g])] = true;
    }
  }

  // The rest fits in order, if it has the same lengths.
  void take_rest() {
    std::vector<std::size_t> file_rest, grid_rest;
    for (std::size_t f = 0; f < file_.size(); ++f)
      if (!taken_[f] && file_[f].kind == DimKind::other) file_rest.push_back(f);
    for (std::size_t g = 0; g < grid_.size(); ++g)
      if (match_.file_dim[g] == Match::none) grid_rest.push_back(g);
    const bool fit = file_rest.size() == grid_rest.size() &&
                     std::ranges::equal(file_rest, grid_rest, [&](std::size_t f, std::size_t g) {
                       return file_[f].length == grid_[g].length;
                     });
    for (std::size_t i = 0; fit && i < file_rest.size(); ++i) {
      match_.file_dim[grid_rest[i]] = static_cast<int>(file_rest[i]);
      taken_[file_rest[i]] = true;
    }
  }

  // A dim with one cell needs no selection.
  void drop_single() {
    for (std::size_t f = 0; f < file_.size(); ++f)
      if (!taken_[f] && file_[f].length == 1) {
        match_.fixed[f] = 0;
        taken_[f] = true;
      }
  }

  Match finish(bool interpolates) {
    for (std::size_t f = 0; f < file_.size(); ++f)
      if (!taken_[f])
        refuse(fmt::format(
            "dim {} of the file ({} cells) is none of the grid's ({}); choose an index by `select`{}",
            file_[f].name, file_[f].length, names_of(grid_), hint(file_[f])));
    for (std::size_t g = 0; g < grid_.size(); ++g) {
      if (match_.file_dim[g] == Match::none || (interpolates && grid_[g].kind == DimKind::vertical)) continue;
      match_.cells[g] = cells_of(file_[base::index(match_.file_dim[g])], grid_[g]);
    }
    return std::move(match_);
  }

 private:
  // A dim of the grid without a coordinate may be meant, such as that of levels.
  std::string hint(const Dim& file) const {
    if (file.kind == DimKind::other) return {};
    for (std::size_t g = 0; g < grid_.size(); ++g)
      if (match_.file_dim[g] == Match::none && grid_[g].kind == DimKind::other &&
          grid_[g].length == file.length)
        return fmt::format(", or give {} of the grid a coordinate with its units or axis if it is the same",
                           grid_[g].name);
    return {};
  }

  const std::vector<Dim>& file_;
  const std::vector<Dim>& grid_;
  std::vector<bool> taken_;
  Match match_;
};

}  // namespace

DimKind kind_of(const std::string& units, const std::string& standard_name, const std::string& axis,
                const std::string& positive) {
  if (units.find(" since ") != std::string::npos || standard_name == "time" || axis == "T")
    return DimKind::time;
  if (is_one_of(units, {"degrees_north", "degree_north", "degree_N", "degrees_N", "degreeN", "degreesN"}) ||
      is_one_of(standard_name, {"latitude", "grid_latitude"}))
    return DimKind::latitude;
  if (is_one_of(units, {"degrees_east", "degree_east", "degree_E", "degrees_E", "degreeE", "degreesE"}) ||
      is_one_of(standard_name, {"longitude", "grid_longitude"}))
    return DimKind::longitude;
  const bool is_pressure = is_one_of(units, {"Pa", "hPa", "mbar", "millibar", "bar", "dbar", "kPa"});
  const bool has_vertical_name =
      is_one_of(standard_name, {"altitude", "height", "depth", "air_pressure", "model_level_number"}) ||
      (standard_name.starts_with("atmosphere_") && standard_name.ends_with("_coordinate"));
  if (axis == "Z" || !positive.empty() || is_pressure || has_vertical_name) return DimKind::vertical;
  return DimKind::other;
}

Match match_dims(const std::vector<Dim>& file, const std::vector<Dim>& grid, const Selected& selected,
                 bool interpolates) {
  Matcher matcher(file, grid);
  matcher.take_selected(selected);
  matcher.take_time();
  matcher.take("by its kind",
               [](const Dim& f, const Dim& g) { return f.kind != DimKind::other && f.kind == g.kind; });
  matcher.take("by its name", [](const Dim& f, const Dim& g) { return f.name == g.name; });
  matcher.take_rest();
  matcher.drop_single();
  return matcher.finish(interpolates);
}

}  // namespace tailrace::input
