// Fields of child domains that are laid over those of their parents (`merge` of `regrid`).
//
// A child is a field of the same component on a grid of its own, regridded to the parent's target. The two
// are merged sample by sample, before any operation over time: so a window has for each of its samples what
// was known best at that time, and a sample that the child lacks is the parent's.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "config/problems.hpp"
#include "model/declarations.hpp"
#include "plan/plan.hpp"
#include "regrid/options.hpp"
#include "regrid/source_cells.hpp"
#include "settings/configuration.hpp"

namespace tailrace::plan {

// Reports parents that no variable with these options has, whose children would be left out silently.
void check_merging(const settings::Configuration& configuration, config::Problems& problems);

// The children of a field, in the order in which they are laid over it; empty if it has none.
std::span<const regrid::Merge::Name> children_of(const regrid::Options& options, const std::string& field);

struct MergedField {
  const model::Field& field;
  const model::Grid& grid;
  const regrid::HorizontalDims& horizontal;
};
// Find why the values of a child cannot take the place of its parent's, because of another type, unit or
// other levels, or because they are not sent whenever the parent is sampled; none if they can.
std::optional<std::string> merge_complaint(const MergedField& parent, const MergedField& child);
std::optional<std::string> merge_complaint(const std::string& parent, const FieldPlan& of_parent,
                                           const std::string& child, const FieldPlan& of_child);

}  // namespace tailrace::plan
