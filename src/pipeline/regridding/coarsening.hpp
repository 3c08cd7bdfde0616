// The levels of a pyramid: the record of a variable on a part of a target becomes that of the variable on the
// next coarser one. The children of a cell lie on the same part (plan::TargetGrid::unit), so no message is
// needed.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "pipeline/blueprint.hpp"
#include "pipeline/sampling/output_variable.hpp"
#include "plan/regridding.hpp"

namespace tailrace::pipeline::regridding {

struct CoarseRecord {
  std::size_t count;
  std::unique_ptr<double[]> values;
  std::unique_ptr<bool[]> valid;

  explicit CoarseRecord(std::size_t cells)
      : count(cells),
        values(std::make_unique_for_overwrite<double[]>(cells)),
        valid(std::make_unique_for_overwrite<bool[]>(cells)) {}
  std::span<const double> value_span() const { return {values.get(), count}; }
  std::span<const bool> valid_span() const { return {valid.get(), count}; }
};

// `record`: the finer variable's record of the part as its file stores it; packed values are unpacked. A cell
// is made of its children as RegridPlan::coarsening has it; sums run in their order, row by row. It is
// missing where the valid share of them is less than the coverage, or none is valid.
CoarseRecord coarsen(const Blueprint& blueprint, const sampling::OutputVariable& finer,
                     const sampling::OutputVariable& coarser, int part, std::span<const std::byte> record);

}  // namespace tailrace::pipeline::regridding
