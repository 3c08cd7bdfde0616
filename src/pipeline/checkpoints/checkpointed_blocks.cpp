#include "pipeline/checkpoints/checkpointed_blocks.hpp"

#include <utility>

#include "model/kept_value.hpp"

namespace tailrace::pipeline::checkpoints {

void CheckpointedBlocks::accept(int client, int field, std::span<const std::byte> values) {
  Block block{client, field, {values.begin(), values.end()}};
  const base::MutexLock lock(mutex_);
  bytes_ += values.size();
  blocks_.push_back(std::move(block));
}

std::vector<CheckpointedBlocks::Block> CheckpointedBlocks::take() {
  const base::MutexLock lock(mutex_);
  bytes_ = 0;
  return std::exchange(blocks_, {});
}

void CheckpointedBlocks::hand_over(PieceSender& to) {
  std::vector<Block> blocks = take();
  for (Block& block : blocks) {
    const int grid = blueprint_.field(block.field).grid;
    to.hand_over({model::kept_array(blueprint_.info.declarations, block.field),
                  blueprint_.region(grid, block.client), std::exchange(block.values, {})});
  }
}

void CheckpointedBlocks::drop() { take(); }

std::size_t CheckpointedBlocks::bytes() const {
  const base::MutexLock lock(mutex_);
  return bytes_;
}

}  // namespace tailrace::pipeline::checkpoints
