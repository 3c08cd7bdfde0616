// One stream of values that are regridded: the samples of a field for all variables that share its
// RegridPlan, or the records of one variable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/blueprint.hpp"
#include "pipeline/regridding/cell_exchange.hpp"
#include "pipeline/regridding/weights.hpp"
#include "pipeline/sampling/output_variables.hpp"
#include "plan/regridding.hpp"

namespace tailrace::pipeline::regridding {

// Constant after construction.
struct Exchange {
  const plan::RegridPlan* plan = nullptr;
  sampling::OutputVariable* variable = nullptr;      // of records; null of samples
  std::vector<sampling::OutputVariable*> variables;  // of samples, on the target; of a child its parent's
  std::vector<sampling::OutputVariable*> fractions;  // the same for the valid share
  // Numbers of those whose samples are laid over its own, in this order; they have the same parts of the
  // target.
  std::vector<std::size_t> children;
  Conversion conversion;     // of what this server sends
  bool may_lack = false;     // values may be missing
  bool is_computed = false;  // by diagnostics: this server may have any part
  const Weights* weights = nullptr;
  const CellExchange* cells = nullptr;
  // For a component of a vector: how many levels two of the three components of one cell are apart, in the
  // levels of the source; 0: the field is no vector.
  std::int64_t component_step = 0;
  std::int64_t levels() const {
    return cells->dims().levels / (component_step > 0 ? 3 : 1);
  }                        // of the target
  std::int64_t inner = 1;  // product of the dims of the target's grid behind the horizontal ones
  std::string name;        // for messages: "w_mean" of a.zarr

  bool is_of_samples() const { return variable == nullptr; }
  bool is_child() const { return plan->is_child; }
  // Whether this server has cells of the target.
  bool makes_values() const { return !weights->parts.empty(); }
  bool wants_fractions() const {
    return is_of_samples() ? !fractions.empty() : variable->companion != nullptr;
  }
};

// The horizontal dims of the source of some weights, which all grids have that share these.
std::vector<std::string> horizontal_names(const model::Declarations& declarations,
                                          const plan::WeightsPlan& weights);

// All exchanges of a component, in the same order on all servers, with what they share.
struct Exchanges {
  // All must live longer. `weights` as plan::Regridding::weights.
  Exchanges(const Blueprint& blueprint, sampling::OutputVariables& output_variables,
            const std::vector<Weights>& weights);

  std::vector<Exchange> all;
  std::vector<std::vector<std::size_t>> of_field;  // of samples, by source field
  std::map<std::size_t, std::size_t> of_variable;  // of records, by number of the output variable
  std::map<std::pair<int, int>, std::unique_ptr<CellExchange>> cells;  // by weights and source grid
};

}  // namespace tailrace::pipeline::regridding
