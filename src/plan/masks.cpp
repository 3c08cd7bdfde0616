#include "plan/masks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/index.hpp"
#include "base/nearest_name.hpp"
#include "config/read.hpp"
#include "settings/diagnostics.hpp"

namespace tailrace::plan {
namespace {

using GridEntries = std::vector<GridEntry>;

config::Type grid_type() {
  using namespace config;
  return section({
      {.name = "mask",
       .type = text(),
       .description =
           "A fixed field (`every: once`) of this grid or of its last dimensions. Where it is 0, or "
           "missing, all fields of the grid are missing. The model puts it before any of them.",
       .example = "sea"},
      {.name = "holes",
       .type = choice({"refuse", "missing"}),
       .description =
           "Cells that no rank holds. `refuse`: `ready` fails. `missing`: all fields of the grid, and "
           "coordinates that the ranks give in parts, are missing there, for models that leave out "
           "processors on land.",
       .example = "missing",
       .default_value = "refuse"},
  });
}

GridEntries read(const config::Value& value, config::Problems&) {
  GridEntries grids;
  for (const auto& entry : value.entries()) {
    GridEntry grid{.name = entry.key, .location = entry.location, .mask = {}};
    if (const config::Value* mask = entry.value.find("mask"))
      grid.mask = {.name = mask->text(), .location = mask->location()};
    if (const config::Value* holes = entry.value.find("holes")) {
      grid.holes_are_missing = holes->text() == "missing";
      grid.holes_location = holes->location();
    }
    grids.push_back(std::move(grid));
  }
  return grids;
}

const settings::FieldGroup* group_of(const std::vector<settings::FieldGroup>& groups,
                                     const std::string& field) {
  const auto holds = [&](const settings::FieldGroup& group) {
    return std::ranges::any_of(group.fields,
                               [&](const settings::ListedName& listed) { return listed.name == field; });
  };
  const auto found = std::ranges::find_if(groups, holds);
  return found == groups.end() ? nullptr : &*found;
}

bool is_computed(const config::Sections& all, const std::string& name) {
  return std::ranges::any_of(all.get<std::vector<settings::DiagnosticEntry>>(),
                             [&](const settings::DiagnosticEntry& entry) { return entry.name == name; });
}

std::string path_of(const GridEntry& grid) { return "grids." + grid.name + ".mask"; }

void check(const GridEntries& grids, const config::Sections& all, config::Problems& problems) {
  const auto& groups = all.get<std::vector<settings::FieldGroup>>();
  for (const GridEntry& grid : grids) {
    if (grid.mask.name.empty() || settings::is_open(grid.mask.name)) continue;
    const settings::FieldGroup* group = group_of(groups, grid.mask.name);
    if (group != nullptr && !group->once)
      problems.add(grid.mask.location, path_of(grid),
                   fmt::format("\"{}\" is sent {}; expected a fixed field, of a group with `every: once`",
                               grid.mask.name, group->every.sentence()));
    if (group != nullptr) continue;
    if (is_computed(all, grid.mask.name))
      problems.add(grid.mask.location, path_of(grid),
                   fmt::format("\"{}\" is computed by the servers; expected a field that the model puts once",
                               grid.mask.name));
    else
      settings::ListedNames(all).expect(grid.mask, path_of(grid), problems);
  }
}

const config::SectionRegistration registration{grids_section};

// A grid that ranks declared, or one of its parts (client/declarer), which are called NAME[...].
bool belongs_to(const model::Grid& grid, const std::string& name) {
  return grid.name == name || grid.name.starts_with(name + "[");
}

std::optional<std::string> complaint_about_holes(const model::Grid& grid) {
  if (grid.mesh || grid.place)
    return fmt::format("grid \"{}\" belongs to a mesh, of which some rank holds each cell", grid.name);
  if (grid.kind == model::GridKind::block || grid.kind == model::GridKind::indexed) return std::nullopt;
  return fmt::format("grid \"{}\" is whole on every rank, so it has no holes", grid.name);
}

// True if a cell of the mask applies to one cell of the grid; false if it applies to all cells along the
// first dims.
bool lies_on(const model::Grid& mask, const model::Grid& grid) {
  const auto is_end_of = [](const auto& end, const auto& whole) {
    return end.size() <= whole.size() && std::equal(end.rbegin(), end.rend(), whole.rbegin());
  };
  return mask.kind == grid.kind && is_end_of(mask.dims, grid.dims) && is_end_of(mask.shape, grid.shape) &&
         mask.indexed_dim == grid.indexed_dim;
}

std::optional<std::string> complaint(const GridEntry& entry, const model::Grid& grid, int mask,
                                     const model::Declarations& declarations) {
  const model::Field& field = declarations.fields[base::index(mask)];
  const model::Grid& on = declarations.grids[base::index(field.grid)];
  if (field.is_input)
    return fmt::format("\"{}\" is an input of the model; expected a field that the model puts", field.name);
  if (grid.kind == model::GridKind::partial)
    return fmt::format("each rank holds a contribution to grid \"{}\", not a part, so it has no mask",
                       grid.name);
  if (lies_on(on, grid)) return std::nullopt;
  return fmt::format(
      "\"{}\" lies on grid \"{}\" ({}); expected a field of grid \"{}\" ({}), or of one with the last of "
      "these dimensions that the ranks share in the same way",
      entry.mask.name, on.name, fmt::join(on.dims, ", "), grid.name, fmt::join(grid.dims, ", "));
}

void mark_as_masked(model::Field& field) {
  field.fill_value = model::default_fill(field.type);
  field.is_only_masked = true;
}

}  // namespace

config::Section<GridEntries> grids_section() {
  return {.option = {.name = "grids",
                     .type = config::map("grid", grid_type()),
                     .description = "The options that apply to all fields of a grid of the model.",
                     .example = "{ocean: {mask: sea, holes: missing}}"},
          .read = read,
          .check = check};
}

model::Declarations with_marked_holes(const settings::Configuration& configuration,
                                      model::Declarations declarations) {
  const auto* entries = configuration.sections.find<GridEntries>();
  if (entries == nullptr) return declarations;
  for (const GridEntry& entry : *entries)
    for (model::Grid& grid : declarations.grids)
      if (entry.holes_are_missing && belongs_to(grid, entry.name) &&
          (grid.kind == model::GridKind::block || grid.kind == model::GridKind::indexed))
        grid.holes_are_missing = true;
  return declarations;
}

model::Declarations with_fill_values(const settings::Configuration& configuration,
                                     model::Declarations declarations) {
  const auto* entries = configuration.sections.find<GridEntries>();
  if (entries == nullptr) return declarations;
  declarations = with_marked_holes(configuration, std::move(declarations));
  for (model::Field& field : declarations.fields)
    if (declarations.grids[base::index(field.grid)].holes_are_missing && !field.is_input && !field.fill_value)
      mark_as_masked(field);
  for (const GridEntry& entry : *entries) {
    if (entry.mask.name.empty() || !declarations.find_field(entry.mask.name)) continue;
    for (model::Field& field : declarations.fields)
      if (declarations.grids[base::index(field.grid)].name == entry.name && field.is_put() &&
          field.name != entry.mask.name && !field.fill_value)
        mark_as_masked(field);
  }
  return declarations;
}

std::vector<int> masks_of(const settings::Configuration& configuration,
                          const model::Declarations& declarations, config::Problems& problems,
                          std::vector<std::string>& warnings) {
  const auto* entries = configuration.sections.find<GridEntries>();
  std::vector<int> masks(declarations.grids.size(), -1);
  if (entries == nullptr) return masks;
  for (const GridEntry& entry : *entries) {
    const auto grid = declarations.find_grid(entry.name);
    if (!grid) {
      const std::vector<std::string> known = declarations.grid_names();
      problems.add(entry.location, "grids." + entry.name,
                   fmt::format("the model declares no grid \"{}\".{}", entry.name,
                               base::name_hint(entry.name, known)));
      continue;
    }
    if (entry.holes_are_missing)
      if (const auto what = complaint_about_holes(declarations.grids[base::index(*grid)]))
        problems.add(entry.holes_location, "grids." + entry.name + ".holes", *what);
    if (entry.mask.name.empty()) continue;
    const auto mask = declarations.find_field(entry.mask.name);
    if (!mask) {  // or else `fields` has complained
      warnings.push_back(
          fmt::format("{}  {}: the model declares no field \"{}\"; being optional, it masks nothing",
                      entry.mask.location.text(), path_of(entry), entry.mask.name));
      continue;
    }
    const auto at = base::index(*grid);
    if (const auto what = complaint(entry, declarations.grids[at], *mask, declarations))
      problems.add(entry.mask.location, path_of(entry), *what);
    masks[at] = *mask;
  }
  return masks;
}

}  // namespace tailrace::plan
