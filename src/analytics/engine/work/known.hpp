// Values that every server knows before the first step: constants, coordinates and what is computed from
// them.
#pragma once

#include <vector>

#include "analytics/engine/work/value.hpp"
#include "analytics/planning/layout.hpp"

namespace tailrace::analytics::engine::work {

// By node of the graph (not bundled); empty where a value is not known. Every server computes them for
// itself: they are small, and the same everywhere to the bit.
std::vector<Value> known_values(const planning::Layout& layout, const std::vector<EngineInput>& inputs);

}  // namespace tailrace::analytics::engine::work
