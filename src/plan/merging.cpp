#include "plan/merging.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "plan/checks.hpp"

namespace tailrace::plan {
namespace {

// Those that are not horizontal, with their extents and where the horizontal ones lie between them.
std::string levels_of(const MergedField& of) {
  std::vector<std::string> words;
  for (std::size_t d = 0; d < of.grid.dims.size(); ++d)
    if (std::ranges::count(of.horizontal.dims, d) == 0)
      words.push_back(fmt::format("{}: {}", of.grid.dims[d], of.grid.shape[d]));
    else if (d == of.horizontal.dims.front())
      words.emplace_back("cells");
  return fmt::format("({})", fmt::join(words, ", "));
}

// The coordinate along one dim that is not horizontal and has other values in the two grids; none: there is
// none.
std::optional<std::string> differing_coordinate(const MergedField& parent, const MergedField& child) {
  for (const model::Coordinate& one : parent.grid.coordinates) {
    const auto other = std::ranges::find(child.grid.coordinates, one.name, &model::Coordinate::name);
    if (other == child.grid.coordinates.end() || one.dims.size() != 1 || other->dims != one.dims) continue;
    const auto dim = std::ranges::find(parent.grid.dims, one.dims.front()) - parent.grid.dims.begin();
    if (std::ranges::count(parent.horizontal.dims, static_cast<std::size_t>(dim)) > 0) continue;
    if (one.values != other->values || one.units != other->units) return one.name;
  }
  return std::nullopt;
}

}  // namespace

void check_merging(const settings::Configuration& configuration, config::Problems& problems) {
  struct Use {
    const regrid::Options* options = nullptr;
    std::set<std::string> fields;
  };
  std::map<std::string, Use> uses;  // by the place of the options, which variables and files may share
  for (const settings::OutputEntry& file : configuration.files)
    for (const settings::VariableEntry& variable : file.variables) {
      if (!variable.regrid || variable.regrid->merges.empty()) continue;
      Use& use = uses[variable.regrid->location.text()];
      use.options = variable.regrid.get();
      for (std::string& name : settings::fields_of(variable, configuration))
        use.fields.insert(std::move(name));
    }
  for (const auto& [place, use] : uses)
    for (const regrid::Merge& merge : use.options->merges)
      if (!use.fields.contains(merge.parent().field))
        problems.add(
            merge.parent().location, use.options->config_path + ".merge",
            fmt::format("no variable with these options is of \"{}\", the parent in this list; expected a "
                        "parent that is written (known: {})",
                        merge.parent().field, fmt::join(use.fields, ", ")));
}

std::span<const regrid::Merge::Name> children_of(const regrid::Options& options, const std::string& field) {
  for (const regrid::Merge& merge : options.merges)
    if (merge.parent().field == field) return std::span(merge.names).subspan(1);
  return {};
}

std::optional<std::string> merge_complaint(const MergedField& parent, const MergedField& child) {
  const auto differ = [&](const std::string& what, std::string_view mine, std::string_view of_child) {
    return fmt::format("\"{}\" has the {} {}, and its child \"{}\" has {}; expected the same",
                       parent.field.name, what, mine, child.field.name, of_child);
  };
  if (parent.field.type != child.field.type)
    return differ("type", model::name_of(parent.field.type), model::name_of(child.field.type));
  if (parent.field.units != child.field.units)
    return differ("unit", "\"" + parent.field.units + "\"", "\"" + child.field.units + "\"");
  if (levels_of(parent) != levels_of(child)) return differ("dimensions", levels_of(parent), levels_of(child));
  if (const auto name = differing_coordinate(parent, child))
    return fmt::format(
        "\"{}\" and its child \"{}\" have different values of \"{}\"; expected the same levels",
        parent.field.name, child.field.name, *name);
  return std::nullopt;
}

std::optional<std::string> merge_complaint(const std::string& parent, const FieldPlan& of_parent,
                                           const std::string& child, const FieldPlan& of_child) {
  for (const auto& [name, plan] : {std::pair{&parent, &of_parent}, std::pair{&child, &of_child}})
    if (plan->once || plan->at_end || plan->also_at_end)
      return fmt::format("\"{}\" is sent {}; expected fields that are sent with a period alone", *name,
                         plan->once     ? "only once"
                         : plan->at_end ? "only at the end of the run"
                                        : "at the end of the run too");
  if (is_multiple(of_parent.cadence, of_child.cadence)) return std::nullopt;
  return fmt::format(
      "\"{}\" is sent {} and its child \"{}\" {}; expected a child that is sent whenever its "
      "parent is",
      parent, of_parent.cadence.sentence(), child, of_child.cadence.sentence());
}

}  // namespace tailrace::plan
