// Regions of blocks, and the parts of values with fewer dimensions that belong to them.
#pragma once

#include <span>
#include <vector>

#include "analytics/operator.hpp"
#include "analytics/shape.hpp"
#include "model/region.hpp"

namespace tailrace::analytics::engine::work {

model::Box whole_box(const Shape& shape);
model::Region whole_region(const Shape& shape);
// A region of the same size that begins at 0.
model::Region from_zero(const model::Region& region);
// The part of a whole value of `shape` that belongs to the block `here` of `dims`; whole along dimensions
// that `dims` lacks.
model::Region part_for(const Shape& shape, const Dims& dims, const model::Region& here);
bool covers(const Shape& shape, const Dims& dims, const model::Region& here);  // that part is the whole value
std::vector<double> cut(std::vector<double> whole, const Shape& shape, const model::Region& part);
// The call with the blocks of its arguments in place of the whole arrays.
Call call_within(const Call& call, const std::vector<const model::Region*>& blocks);

}  // namespace tailrace::analytics::engine::work
