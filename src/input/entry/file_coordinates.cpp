#include "input/entry/file_coordinates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/nearest_name.hpp"
#include "calendar/calendar.hpp"

namespace tailrace::input {
namespace {

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::resource, why); }

std::string text(const VariableHeader& variable, const char* attribute) {
  const std::string* const found = variable.text(attribute);
  return found == nullptr ? "" : *found;
}

std::string group_of(const std::string& name) {
  const auto slash = name.rfind('/');
  return slash == std::string::npos ? "" : name.substr(0, slash + 1);
}

std::string last_part(const std::string& name) { return name.substr(group_of(name).size()); }

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return text;
}

bool is_since(const VariableHeader& variable) {
  return variable.is_number && text(variable, "units").find(" since ") != std::string::npos;
}

bool is_along(const VariableHeader& variable, const std::string& dim) {
  return variable.dims.size() == 1 && variable.dims.front() == dim && variable.is_number;
}

// WRF's times: a text for each record, in a variable of this name.
bool is_times(const VariableHeader& variable, const std::string& dim) {
  return variable.is_text && variable.dims.size() == 2 && variable.dims.front() == dim &&
         last_part(variable.name) == "Times";
}

DimKind kind_of_coordinate(const VariableHeader& coordinate) {
  return kind_of(text(coordinate, "units"), text(coordinate, "standard_name"), text(coordinate, "axis"),
                 text(coordinate, "positive"));
}

// By custom, where the attributes do not tell.
DimKind kind_of_name(const std::string& dim) {
  const std::string name = lower(dim);
  if (name == "time") return DimKind::time;
  if (name == "lat" || name == "latitude") return DimKind::latitude;
  if (name == "lon" || name == "longitude") return DimKind::longitude;
  return DimKind::other;
}

// "2000-01-31_06:00:00", and other forms of ISO 8601.
calendar::Date date_of(std::string text) {
  std::ranges::replace(text, '_', 'T');
  try {
    return calendar::parse_date(text);
  } catch (const Error& error) {
    refuse(fmt::format("Times: {}", error.what()));
  }
}

}  // namespace

FileCoordinates::FileCoordinates(SourceFiles& files, std::size_t file)
    : files_(files), file_(file), header_(files.header(file)) {}

const VariableHeader& FileCoordinates::variable(const std::string& name) const {
  const std::string path = name.substr(std::min(name.find_first_not_of('/'), name.size()));
  const VariableHeader* const found = header_.find(path);
  if (found != nullptr && !found->is_number)
    refuse(fmt::format("{} has the type {}; expected a variable of numbers", path, found->type_name));
  if (found != nullptr) return *found;
  std::vector<std::string> names;
  for (const VariableHeader& one : header_.variables) {
    if (!one.is_number) continue;
    if (last_part(one.name) == last_part(path))
      refuse(fmt::format("there is no variable {}. Did you mean \"{}\"?", path, one.name));
    names.push_back(one.name);
  }
  refuse(fmt::format("there is no variable {}.{}", path, base::name_hint(path, names)));
}

const VariableHeader* FileCoordinates::find_near(const VariableHeader& from, const std::string& name) const {
  for (std::string group = group_of(from.name);;) {
    if (const VariableHeader* const found = header_.find(group + name)) return found;
    if (group.empty()) return nullptr;
    group = group_of(group.substr(0, group.size() - 1));
  }
}

std::vector<const VariableHeader*> FileCoordinates::named_coordinates(const VariableHeader& variable) const {
  std::vector<const VariableHeader*> named;
  std::istringstream names(text(variable, "coordinates"));
  for (std::string name; names >> name;)
    if (const VariableHeader* const one = find_near(variable, name)) named.push_back(one);
  return named;
}

std::vector<const VariableHeader*> FileCoordinates::coordinates_of(const VariableHeader& variable) const {
  std::vector<const VariableHeader*> all = named_coordinates(variable);
  for (const std::string& dim : variable.dims) {
    const VariableHeader* const own = find_near(variable, dim);
    if (own != nullptr && is_along(*own, dim)) all.push_back(own);
  }
  return all;
}

// Some files name the coordinate of time differently from its dim, and nowhere else.
const VariableHeader* FileCoordinates::only_time_along(const VariableHeader& variable,
                                                       const std::string& dim) const {
  const VariableHeader* only = nullptr;
  for (const VariableHeader& one : header_.variables) {
    if (is_times(one, dim)) return &one;
    if (!is_along(one, dim) || !is_since(one) || one.name == variable.name) continue;
    if (only != nullptr)
      refuse(
          fmt::format("{} and {} both give the times along {}; expected that the attribute `coordinates` of "
                      "{} names one",
                      only->name, one.name, dim, variable.name));
    only = &one;
  }
  return only;
}

const VariableHeader* FileCoordinates::coordinate_of(const VariableHeader& variable, std::size_t dim) const {
  const std::string& name = variable.dims[dim];
  const VariableHeader* const own = find_near(variable, name);
  if (own != nullptr && is_along(*own, name)) return own;
  std::vector<const VariableHeader*> along;
  for (const VariableHeader* one : named_coordinates(variable))
    if (is_along(*one, name) || is_times(*one, name)) along.push_back(one);
  for (const VariableHeader* one : along)
    if (is_since(*one)) return one;
  if (along.size() == 1) return along.front();
  return only_time_along(variable, name);
}

const std::vector<double>& FileCoordinates::numbers(const VariableHeader& variable) {
  const auto [entry, is_new] = values_.try_emplace(variable.name);
  if (is_new) entry->second = files_.numbers(file_, variable);
  return entry->second;
}

std::vector<AxisDim> FileCoordinates::dims_of(const VariableHeader& variable) {
  std::vector<AxisDim> dims;
  for (std::size_t d = 0; d < variable.dims.size(); ++d) {
    AxisDim& dim = dims.emplace_back();
    dim.name = variable.dims[d];
    dim.length = variable.shape[d];
    const VariableHeader* const coordinate = coordinate_of(variable, d);
    if (coordinate != nullptr)
      dim.kind = is_times(*coordinate, dim.name) ? DimKind::time : kind_of_coordinate(*coordinate);
    if (dim.kind == DimKind::other) dim.kind = kind_of_name(dim.name);
    if (coordinate == nullptr || dim.kind == DimKind::time) continue;
    dim.units = text(*coordinate, "units");
    dim.coordinate = numbers(*coordinate);
    if (dim.kind == DimKind::latitude || dim.kind == DimKind::longitude)
      dim.coordinate = in_degrees(std::move(dim.coordinate), dim.units);
  }
  return dims;
}

const VariableHeader* FileCoordinates::scalar_time(const VariableHeader& variable) const {
  for (const VariableHeader* one : named_coordinates(variable))
    if (one->dims.empty() && is_since(*one)) return one;
  const VariableHeader* const time = find_near(variable, "time");
  return time != nullptr && time->dims.empty() && is_since(*time) ? time : nullptr;
}

TimeAxis FileCoordinates::axis_of_numbers(const VariableHeader& time) {
  TimeAxis axis;
  axis.units = text(time, "units");
  axis.calendar = text(time, "calendar");
  if (axis.units.empty())
    refuse(
        fmt::format("the coordinate {} has no attribute units; expected units such as \"days since "
                    "2000-01-01\" (CF 4.4)",
                    time.name));
  axis.values = numbers(time);
  axis.is_climatology = time.text("climatology") != nullptr;
  const std::string name = text(time, axis.is_climatology ? "climatology" : "bounds");
  const VariableHeader* const bounds = name.empty() ? nullptr : find_near(time, name);
  if (bounds == nullptr && axis.is_climatology)
    refuse(fmt::format("{} names the bounds {}, which the file lacks", time.name, name));
  if (bounds == nullptr) return axis;
  axis.bounds = numbers(*bounds);
  if (axis.bounds.size() != 2 * axis.values.size())
    refuse(fmt::format("{} has {} values; expected two for each of the {} times of {}", bounds->name,
                       axis.bounds.size(), axis.values.size(), time.name));
  return axis;
}

// The dates become seconds since the first one, in the standard calendar: such files do not name another.
TimeAxis FileCoordinates::axis_of_texts(const VariableHeader& time) {
  TimeAxis axis;
  const std::vector<std::string> texts = files_.texts(file_, time);
  if (texts.empty()) return axis;
  const calendar::Calendar standard("standard", date_of(texts.front()));
  axis.units = standard.units();
  axis.calendar = standard.cf_name();
  for (const std::string& one : texts) axis.values.push_back(standard.seconds_of(date_of(one)));
  return axis;
}

std::optional<TimeAxis> FileCoordinates::time_axis(const VariableHeader& variable, int time) {
  if (time == Match::none) {
    const VariableHeader* const scalar = scalar_time(variable);
    if (scalar == nullptr) return std::nullopt;
    return axis_of_numbers(*scalar);
  }
  const std::string& dim = variable.dims[base::index(time)];
  const VariableHeader* const coordinate = coordinate_of(variable, base::index(time));
  if (coordinate == nullptr)
    refuse(
        fmt::format("the dim {} has no coordinate, so the times of its records are not known; expected a "
                    "variable with units such as \"days since 2000-01-01\" (CF 4.4)",
                    dim));
  return is_times(*coordinate, dim) ? axis_of_texts(*coordinate) : axis_of_numbers(*coordinate);
}

}  // namespace tailrace::input
