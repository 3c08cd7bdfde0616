// Inputs that arrive once and are valid for the whole run.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>
#include <vector>

#include "analytics/engine/work/inputs.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::engine::work {

// keep() may be called by several threads, once for each block; give() only while no keep() is running.
class FixedInputs {
 public:
  FixedInputs(const planning::Layout& layout, const std::vector<EngineInput>& inputs);

  bool has(int input) const { return numbers_[base::index(input)] >= 0; }
  // Copies the block. `client`: an index into this server's clients.
  void keep(int input, std::size_t client, model::DataType type, std::span<const std::byte> payload);
  void give(Inputs& step) const;  // passes on those that have arrived
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  struct Block {
    std::vector<std::byte> bytes;
    model::DataType type = model::DataType::float64;
    bool arrived = false;
  };
  struct Fixed {
    int input;
    std::vector<Block> blocks;  // by client
  };
  std::atomic<std::size_t> bytes_{0};
  std::vector<int> numbers_;  // by input: index into fixed_, or -1
  std::vector<Fixed> fixed_;
};

}  // namespace tailrace::analytics::engine::work
