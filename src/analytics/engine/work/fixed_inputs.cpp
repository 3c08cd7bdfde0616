#include "analytics/engine/work/fixed_inputs.hpp"

#include "base/index.hpp"

namespace tailrace::analytics::engine::work {

FixedInputs::FixedInputs(const planning::Layout& layout, const std::vector<EngineInput>& inputs) {
  for (std::size_t input = 0; input < inputs.size(); ++input) {
    const bool is_here = inputs[input].fixed && layout.nodes_of_inputs[input] >= 0 && !layout.clients.empty();
    numbers_.push_back(is_here ? static_cast<int>(fixed_.size()) : -1);
    if (is_here) fixed_.push_back({static_cast<int>(input), std::vector<Block>(layout.clients.size())});
  }
}

void FixedInputs::keep(int input, std::size_t client, model::DataType type,
                       std::span<const std::byte> payload) {
  const int number = numbers_[base::index(input)];
  Block& block = fixed_[base::index(number)].blocks[client];
  block.bytes.assign(payload.begin(), payload.end());
  block.type = type;
  block.arrived = true;
  bytes_.fetch_add(payload.size(), std::memory_order_relaxed);
}

void FixedInputs::give(Inputs& step) const {
  for (const Fixed& fixed : fixed_)
    for (std::size_t client = 0; client < fixed.blocks.size(); ++client) {
      const Block& block = fixed.blocks[client];
      if (block.arrived) step.take_fixed(fixed.input, client, block.type, block.bytes);
    }
}

}  // namespace tailrace::analytics::engine::work
