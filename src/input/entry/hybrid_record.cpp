#include "input/entry/hybrid_record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/index.hpp"
#include "units/unit_system.hpp"

namespace tailrace::input {
namespace {

constexpr std::size_t most_columns = 64;

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::resource, why); }

std::string text(const VariableHeader& variable, const char* attribute) {
  const std::string* const found = variable.text(attribute);
  return found == nullptr ? "" : *found;
}

// Pressures to Pa; coefficients without units, or of the dimension 1, as they are.
Linear to_pascal(const VariableHeader& term) {
  const std::string units = text(term, "units");
  if (units.empty() || units::unit_system().is_dimensionless(units)) return {};
  return conversion_of(units, "Pa");
}

std::vector<double> converted(std::vector<double> values, const Linear& linear) {
  for (double& value : values) value = value * linear.scale + linear.offset;
  return values;
}

std::shared_ptr<const VariableRecipe> surface_of(FileCoordinates& file, const VariableHeader& surface,
                                                 const LevelsWanted& wanted) {
  Selected own;  // the surface may lack dims of the variable
  for (const auto& [dim, index] : wanted.select)
    if (std::ranges::find(surface.dims, dim) != surface.dims.end()) own[dim] = index;
  const std::vector<AxisDim> dims = file.dims_of(surface);
  VariableRecipe recipe;
  recipe.variable = surface;
  Match match =
      match_dims({dims.begin(), dims.end()}, {wanted.columns.begin(), wanted.columns.end()}, own, false);
  if (wanted.regridding != nullptr) wanted.regridding->restrict(match);
  recipe.match = std::make_shared<Match>(std::move(match));
  recipe.rules = rules_of(surface);
  const Linear linear = to_pascal(surface);
  recipe.rules.factor = linear.scale;
  recipe.rules.shift = linear.offset;
  return shared_with(wanted.surface_before, std::move(recipe));
}

HybridRecipe hybrid_of(FileCoordinates& file, const VariableHeader& coordinate, std::int64_t count,
                       const LevelsWanted& wanted) {
  HybridRecipe recipe{
      HybridLevels(text(coordinate, "standard_name"), text(coordinate, "formula_terms")), {}, {}, {}};
  for (const auto& [term, name] : recipe.formula.variables()) {
    const VariableHeader* const variable = file.find_near(coordinate, name);
    if (variable == nullptr)
      refuse(fmt::format("`formula_terms` of {} names the variable {} as {}, which the file lacks",
                         coordinate.name, name, term));
    if (term == HybridLevels::surface_term) {
      recipe.surface = surface_of(file, *variable, wanted);
      continue;
    }
    auto& values = recipe.terms[term] = converted(file.numbers(*variable), to_pascal(*variable));
    if (values.size() != 1 && static_cast<std::int64_t>(values.size()) != count)
      refuse(fmt::format("{}, the term {} of {}, has {} values; expected one, or {} as there are levels",
                         name, term, coordinate.name, values.size(), count));
  }
  recipe.to_target = conversion_of("Pa", wanted.units);
  return recipe;
}

}  // namespace

LevelsOfFile levels_of(FileCoordinates& file, const VariableHeader& variable, std::size_t vertical,
                       const LevelsWanted& wanted) {
  const VariableHeader* const coordinate = file.coordinate_of(variable, vertical);
  if (coordinate == nullptr)
    refuse(fmt::format("the dim {} has no coordinate, so its levels are not known", variable.dims[vertical]));
  LevelsOfFile levels;
  levels.levels.count = variable.shape[vertical];
  if (coordinate->text("formula_terms") != nullptr) {
    levels.hybrid = hybrid_of(file, *coordinate, levels.levels.count, wanted);
    levels.levels.come_with_records = true;
    return levels;
  }
  const std::string own = text(*coordinate, "units");
  levels.levels.levels =
      converted(file.numbers(*coordinate), own.empty() ? Linear{} : conversion_of(own, wanted.units));
  return levels;
}

void fill_levels(const HybridRecipe& recipe, std::span<const double> surface, std::int64_t levels,
                 std::int64_t inner, std::span<std::byte> result) {
  const std::map<std::string, std::span<const double>> terms(recipe.terms.begin(), recipe.terms.end());
  const std::size_t count = base::index(levels), width = base::index(inner);
  std::vector<double> column(count), block(count * most_columns);
  // A block of columns at a time, so that each level of it is written at once.
  for (std::size_t outer = 0; outer < surface.size(); outer += width)
    for (std::size_t first = 0; first < width; first += most_columns) {
      const std::size_t columns = std::min(most_columns, width - first);
      for (std::size_t c = 0; c < columns; ++c) {
        recipe.formula.levels(terms, surface[outer + first + c], column);
        for (std::size_t k = 0; k < count; ++k)
          block[k * columns + c] = column[k] * recipe.to_target.scale + recipe.to_target.offset;
      }
      for (std::size_t k = 0; k < count; ++k)
        std::memcpy(result.data() + ((outer * count + k * width) + first) * sizeof(double),
                    block.data() + k * columns, columns * sizeof(double));
    }
}

}  // namespace tailrace::input
