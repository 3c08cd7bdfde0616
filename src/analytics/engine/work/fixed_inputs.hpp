// Inputs that come once and hold for the whole run.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

#include "analytics/engine/work/inputs.hpp"

namespace tailrace::analytics::engine::work {

// keep() from any threads at once, each block once; give() when nothing is being kept.
class FixedInputs {
 public:
  FixedInputs(const planning::Layout& layout, const std::vector<EngineInput>& inputs);

  bool has(int input) const { return numbers_[static_cast<std::size_t>(input)] >= 0; }
  // `client` counts this server's. Copies.
  void keep(int input, std::size_t client, model::DataType type, std::span<const std::byte> payload);
  void give(Inputs& step) const;  // those that came
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct Block {
    std::vector<std::byte> bytes;
    model::DataType type = model::DataType::float64;
    bool came = false;
  };
  struct Fixed {
    int input;
    std::vector<Block> blocks;  // by client
  };
  std::atomic<std::size_t> bytes_{0};
  std::vector<int> numbers_;  // by input: among the fixed ones, or -1
  std::vector<Fixed> fixed_;
};

}  // namespace tailrace::analytics::engine::work
