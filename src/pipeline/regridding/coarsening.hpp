// The levels of a pyramid: the record of a variable on a part of a target becomes that of the variable on the
// next coarser one. The children of a cell lie on the same part (plan::TargetGrid::unit), so no message is
// needed.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "pipeline/blueprint.hpp"
#include "pipeline/sampling/output_variable.hpp"
#include "plan/regridding.hpp"

namespace tailrace::pipeline::regridding {

struct CoarseRecord {
  std::vector<double> values;
  std::unique_ptr<bool[]> valid;
  std::span<const bool> valid_span() const { return {valid.get(), values.size()}; }
};

// `record`: the finer variable's record of the part as its file stores it; packed values are unpacked. A
// coarse cell is the minimum or maximum of its children where the records are minima or maxima, of integer
// snapshots the value that covers most (the lowest if there are several), and otherwise their mean, weighted
// by plan::TargetGrid::row_areas. Sums run in the order of the children: row by row. It is missing where the
// valid share of its children is less than the coverage of the plan, or none.
CoarseRecord coarsen(const Blueprint& blueprint, const sampling::OutputVariable& finer,
                     const sampling::OutputVariable& coarser, int part, std::span<const std::byte> record);

}  // namespace tailrace::pipeline::regridding
