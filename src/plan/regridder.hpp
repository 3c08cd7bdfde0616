// Adds grids, fields and weights for regridded variables to the declarations, while the files are planned.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "config/problems.hpp"
#include "plan/plan.hpp"
#include "plan/regridding.hpp"
#include "settings/configuration.hpp"

namespace tailrace::plan {

// A vector that is regridded in place of one of its components.
struct VectorSource {
  int field = -1;  // the diagnostic with its components along the axes of the Earth
  Projection projection = Projection::none;
  std::string standard_name;  // of the component along true east or north; empty: none is known
};

// A field of a child domain that is laid over one of its parent.
struct ChildSource {
  int field = -1;
  std::optional<VectorSource> vector;
  const regrid::Merge::Name* name = nullptr;
};

class Regridder {
 public:
  // `declarations`: those of the model and of diagnostics. All arguments must live longer.
  Regridder(const settings::Configuration& configuration, const model::Declarations& declarations,
            config::Problems& problems);
  Regridder(const Regridder&) = delete;  // declarations() may be inside

  // Those given, and behind them what was added so far. The reference stays valid; add() and coarsen() move
  // grids and fields.
  const model::Declarations& declarations() const {
    return regridding_ ? regridding_->declarations : declarations_;
  }

  // The index of the RegridPlan of a variable with that field. None if it stays on its own grid: it says no
  // more than its file, and the field has no cells on the Earth. Also none, with a problem, if it cannot be
  // regridded. `vector`: of a field that is a component of one. The plans of children follow it.
  std::optional<int> add(const settings::VariableEntry& variable, int field,
                         const std::optional<VectorSource>& vector, const std::vector<ChildSource>& children);
  // The same for a variable of a coarser level. `finer`: the variable that it is made of.
  int coarsen(const VariablePlan& finer, const regrid::Target& target);

  const RegridPlan& at(int regrid) const { return regridding_->regrids[base::index(regrid)]; }
  const regrid::Target& target_on(int grid) const;  // REQUIRES: the grid of a target
  // Null if nothing is regridded.
  std::shared_ptr<const Regridding> finish();

 private:
  struct Source {
    int grid = -1;
    regrid::HorizontalDims horizontal;
  };
  model::Grid& grid(int index) { return regridding_->declarations.grids[base::index(index)]; }
  model::Field& field(int index) { return regridding_->declarations.fields[base::index(index)]; }
  const TargetGrid& target(int index) const { return regridding_->targets[base::index(index)]; }

  bool stays(const settings::VariableEntry& variable, int field) const;
  // `child`: where the field is named, unless it is the variable's.
  std::optional<regrid::HorizontalDims> horizontal_of(const settings::VariableEntry& variable, int field,
                                                      const regrid::Merge::Name* child = nullptr);
  RegridPlan plan_of(const settings::VariableEntry& variable, int field, const Source& source,
                     const std::optional<VectorSource>& vector);
  std::vector<RegridPlan> plans_of(const std::vector<ChildSource>& children,
                                   const settings::VariableEntry& variable, int parent,
                                   const Source& of_parent, Projection projection);
  std::span<RegridPlan> children_of(std::size_t regrid);
  int weights_of(const Source& source, const regrid::Options& options);
  int target_of(const Source& source, const regrid::Target& to, int weights);
  int cells_of(const Source& source, const regrid::Target& to, int weights);
  int add_target(model::Grid made, const regrid::Target& to, std::size_t first_dim, std::size_t dims);
  void add_static_coordinates(int cells, int weights);
  int add_static(int on, const model::Coordinate& coordinate, TargetCoordinate::Kind kind, int weights);
  int grid_with_corners(int cells, std::int64_t corners);
  int add_field(const model::Field& source, int on, const regrid::Rule& rule);
  int add_fraction(const model::Field& of, int on);
  std::string free_name(const std::string& wished);
  std::int64_t unit_of(const regrid::Target& to) const;
  void find_units();

  const settings::Configuration& configuration_;
  const model::Declarations& declarations_;
  config::Problems& problems_;
  std::shared_ptr<Regridding> regridding_;
  // In how many pieces a target is dealt out, where pyramids need it: the cells or rows of its coarsest
  // level.
  std::vector<std::pair<regrid::Target, std::int64_t>> pieces_;
  std::unordered_set<std::string> names_;  // of all fields
};

// Names the horizontal cells of a grid by a text that is equal for equal cells. Empty if the declarations
// do not tell.
std::string cells_text(const model::Grid& grid, const regrid::HorizontalDims& horizontal);
std::string cells_text(const regrid::Target& target);

}  // namespace tailrace::plan
