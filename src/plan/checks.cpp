#include "plan/checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/index.hpp"

namespace tailrace::plan {
namespace {

using time::Period;
using time::PeriodKind;

constexpr double seconds_a_day = 86400.0;

// The bounds on a length of model time; months are 28 to 31 days in every calendar (30 in 360_day).
double shortest_seconds(const Period& period) {
  return period.kind() == PeriodKind::months ? 28 * seconds_a_day * static_cast<double>(period.count())
                                             : period.seconds();
}
double longest_seconds(const Period& period) {
  return period.kind() == PeriodKind::months ? 31 * seconds_a_day * static_cast<double>(period.count())
                                             : period.seconds();
}

bool is_shorter(const Period& every, const Period& cadence) {
  const bool steps = every.kind() == PeriodKind::steps;
  if (steps != (cadence.kind() == PeriodKind::steps)) return false;
  if (every.kind() == cadence.kind() && every.kind() != PeriodKind::seconds)
    return every.count() < cadence.count();
  return longest_seconds(every) < shortest_seconds(cadence) * (1 - 1e-9);
}

}  // namespace

bool is_multiple(const Period& every, const Period& cadence) {
  if (every.kind() != cadence.kind()) return true;
  if (every.kind() != PeriodKind::seconds)
    return every.count() % cadence.count() == 0 && every.offset_count() % cadence.count() == 0;
  const auto is_whole = [](double ratio) {
    return std::abs(ratio - std::round(ratio)) <= 1e-9 * std::abs(ratio);
  };
  return is_whole(every.seconds() / cadence.seconds()) &&
         is_whole(every.offset_seconds() / cadence.seconds());
}

std::optional<std::string> period_complaint(const std::string& field, time::ReductionKind reduction,
                                            const Period& every, const Period& cadence) {
  const std::string sent = fmt::format("the model sends \"{}\" {}", field, cadence.sentence());
  if (is_shorter(every, cadence))
    return fmt::format("no step can meet \"{}\": {}, which is less often", every.sentence(), sent);
  if (!time::needs_window(reduction) && every.kind() == PeriodKind::steps && !is_multiple(every, cadence)) {
    const bool offset_only = every.count() % cadence.count() == 0;
    return fmt::format(
        "no step can meet \"{}\": {}, and {} is not a multiple of {}", every.sentence(), sent,
        offset_only ? fmt::format("the offset of {}", every.offset()) : fmt::format("{}", every.count()),
        cadence.count());
  }
  return std::nullopt;
}

std::optional<std::string> period_warning(const std::string& field, time::ReductionKind reduction,
                                          const Period& every, const Period& cadence) {
  if (time::needs_window(reduction) || is_multiple(every, cadence)) return std::nullopt;
  return fmt::format(
      "snapshots \"{}\" fall between the samples of \"{}\", which are taken {}; each takes the next sample",
      every.sentence(), field, cadence.sentence());
}

std::optional<std::string> chunk_complaint(const std::vector<std::int64_t>& chunk, const model::Grid& grid) {
  std::vector<std::string> dims{"records"};
  dims.insert(dims.end(), grid.dims.begin(), grid.dims.end());
  if (chunk.size() != dims.size())
    return fmt::format("expected {} numbers ({}), because grid \"{}\" has {} dimensions, but got {}",
                       dims.size(), fmt::join(dims, ", "), grid.name, grid.dims.size(), chunk.size());
  for (std::size_t d = 0; d < chunk.size(); ++d) {
    if (chunk[d] < 1) return fmt::format("expected 1 or more along \"{}\", but got {}", dims[d], chunk[d]);
    if (d > 0 && chunk[d] > grid.shape[d - 1])
      return fmt::format("expected at most {} along \"{}\", the extent of grid \"{}\", but got {}",
                         grid.shape[d - 1], dims[d], grid.name, chunk[d]);
  }
  return std::nullopt;
}

std::optional<std::string> danger_complaint(const output::Format& format,
                                            const settings::ServersOptions& servers) {
  if (servers.mode != settings::Mode::attached || !servers.model_uses_hdf5) return std::nullopt;
  const std::string danger = format.danger_beside_model();
  if (danger.empty()) return std::nullopt;
  return fmt::format(
      "{}, and with `mode: attached` a thread of Tailrace uses it beside the model, which crashes a model "
      "that uses HDF5 or netCDF-4 too. Choose `servers: {{mode: dedicated}}`, link a thread-safe HDF5, or, "
      "for a "
      "model that does not use it while it runs, or only between `hdf5_lock` and `hdf5_unlock`, say "
      "`servers: {{model_uses_hdf5: false}}`",
      danger);
}

std::optional<std::string> attributes_complaint(const output::Attributes& own, const model::Field& field,
                                                model::DataType type) {
  model::Attributes all = field.attributes;
  for (const auto& [name, value] : own) all[name] = value;
  return model::attributes_complaint(all, type);
}

std::optional<std::string> coordinates_complaint(const std::vector<model::Coordinate>& own,
                                                 const model::Field& field,
                                                 const model::Declarations& declarations) {
  const auto has = [](const std::vector<model::Coordinate>& coordinates, const std::string& name) {
    return std::ranges::any_of(coordinates, [&](const auto& one) { return one.name == name; });
  };
  const model::Grid& grid = declarations.grids[base::index(field.grid)];
  for (const model::Coordinate& coordinate : own) {
    if (has(grid.coordinates, coordinate.name) || std::ranges::count(grid.dims, coordinate.name) > 0)
      return fmt::format(
          "\"{}\" is a coordinate or dimension of the grid of \"{}\" already; give it another name",
          coordinate.name, field.name);
    if (has(field.coordinates, coordinate.name))
      return fmt::format("\"{}\" has a coordinate \"{}\" already", field.name, coordinate.name);
  }
  return std::nullopt;
}

std::vector<std::string> names_of_parts(const std::string& variable, const model::Grid& grid, int dim) {
  const auto cells = static_cast<std::size_t>(grid.shape[base::index(dim)]);
  std::vector<std::string> words;
  for (const model::Coordinate& coordinate : grid.coordinates) {
    const std::string meanings = model::text_of(coordinate.attributes, "flag_meanings");
    if (coordinate.name != grid.dims[base::index(dim)]) continue;
    std::istringstream text(meanings);
    for (std::string word; text >> word;) words.push_back(word);
  }
  if (words.size() != cells) {
    words.clear();
    for (std::size_t cell = 1; cell <= cells; ++cell) words.push_back(fmt::format("{}", cell));
  }
  for (std::string& word : words) word = fmt::format("{}_{}", variable, word);
  return words;
}

model::DataType default_type(const model::Field& field, time::ReductionKind reduction) {
  const bool whole = model::is_integer(field.type);
  const bool broken = reduction == time::ReductionKind::mean || reduction == time::ReductionKind::std ||
                      reduction == time::ReductionKind::sum ||
                      reduction == time::ReductionKind::valid_fraction;
  return whole && broken ? model::DataType::float64 : field.type;
}

std::optional<std::string> type_warning(const settings::VariableEntry& entry, const model::Field& field) {
  if (!entry.type || entry.pack || !model::is_integer(*entry.type) ||
      model::is_integer(default_type(field, entry.reduction)))
    return std::nullopt;
  return fmt::format(
      "\"{}\" has real values, which {} keeps as whole numbers only; `pack` gives them a scale", field.name,
      model::name_of(*entry.type));
}

}  // namespace tailrace::plan
