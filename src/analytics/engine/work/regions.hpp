// Regions of blocks, and how values of fewer dimensions are brought to them.
#pragma once

#include <span>
#include <vector>

#include "analytics/operator.hpp"
#include "analytics/shape.hpp"
#include "model/region.hpp"

namespace tailrace::analytics::engine::work {

model::Box whole_box(const Shape& shape);
model::Region whole_region(const Shape& shape);
// As large, as if it were the whole.
model::Region from_zero(const model::Region& region);
// The part of a whole value of `shape` that belongs to a block at `here` of `dims`; dimensions that these
// lack are taken whole.
model::Region part_for(const Shape& shape, const Dims& dims, const model::Region& here);
bool covers(const Shape& shape, const Dims& dims, const model::Region& here);  // that part is everything
std::vector<double> cut(std::vector<double> whole, const Shape& shape, const model::Region& part);
// The call, as if the blocks of its arguments were everything there is.
Call call_within(const Call& call, const std::vector<const model::Region*>& blocks);

}  // namespace tailrace::analytics::engine::work
