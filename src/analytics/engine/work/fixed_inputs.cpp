#include "analytics/engine/work/fixed_inputs.hpp"

namespace tailrace::analytics::engine::work {

FixedInputs::FixedInputs(const planning::Layout& layout, const std::vector<EngineInput>& inputs) {
  for (std::size_t input = 0; input < inputs.size(); ++input) {
    const bool is_used = layout.nodes_of_inputs[input] >= 0;
    blocks_.emplace_back(inputs[input].fixed && is_used ? layout.clients.size() : 0);
  }
}

void FixedInputs::keep(int input, std::size_t client, model::DataType type,
                       std::span<const std::byte> payload) {
  Block& block = blocks_[static_cast<std::size_t>(input)][client];
  block.bytes.assign(payload.begin(), payload.end());
  block.type = type;
  block.came = true;
  bytes_.fetch_add(payload.size(), std::memory_order_relaxed);
}

void FixedInputs::give(Inputs& step) const {
  for (std::size_t input = 0; input < blocks_.size(); ++input)
    for (std::size_t client = 0; client < blocks_[input].size(); ++client) {
      const Block& block = blocks_[input][client];
      if (block.came) step.take_fixed(static_cast<int>(input), client, block.type, block.bytes);
    }
}

}  // namespace tailrace::analytics::engine::work
