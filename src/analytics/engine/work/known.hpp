// Values that every server knows before the first step: constants, coordinates and everything computed from
// them only.
#pragma once

#include <vector>

#include "analytics/engine/work/value.hpp"
#include "analytics/planning/layout.hpp"

namespace tailrace::analytics::engine::work {

// By node of the graph (not bundled); empty if a value is not known. Every server computes them: they are
// small and have the same bits everywhere.
std::vector<Value> known_values(const planning::Layout& layout, const std::vector<EngineInput>& inputs);

}  // namespace tailrace::analytics::engine::work
