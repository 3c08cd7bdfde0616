// Samples of a child domain in the place of those of its parent, on the same part of a target.
#pragma once

#include "model/data_type.hpp"
#include "pipeline/regridding/apply_rows.hpp"

namespace tailrace::pipeline::regridding {

// Each value of the child that is not missing replaces the parent's, and its valid share the parent's share:
// missing are those cells of which the child covers too little (regrid::Rule). `type` and `fill` are of both.
void lay_over(const RegriddedPart& child, model::DataType type, const model::FillValue& fill,
              RegriddedPart& parent);

}  // namespace tailrace::pipeline::regridding
