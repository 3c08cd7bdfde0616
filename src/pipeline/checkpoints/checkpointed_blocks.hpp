// The blocks of the checkpointed fields, from the put to the snapshot.
#pragma once

#include <span>
#include <vector>

#include "base/thread_safety.hpp"
#include "model/block.hpp"
#include "model/state.hpp"
#include "pipeline/blueprint.hpp"
#include "pipeline/checkpoints/pieces.hpp"

namespace tailrace::pipeline::checkpoints {

class CheckpointedBlocks {
 public:
  explicit CheckpointedBlocks(const Blueprint& blueprint) : blueprint_(blueprint) {}  // must live longer

  void accept(int client, int field, std::span<const std::byte> values);  // from any thread; copies
  void hand_over(PieceSender& to);  // passes on all blocks without a copy
  void drop();
  std::size_t bytes() const;

 private:
  struct Block {
    int client, field;
    std::vector<std::byte> values;
  };
  std::vector<Block> take();

  const Blueprint& blueprint_;
  mutable base::Mutex mutex_;
  std::vector<Block> blocks_ TAILRACE_GUARDED_BY(mutex_);
  std::size_t bytes_ TAILRACE_GUARDED_BY(mutex_) = 0;
};

}  // namespace tailrace::pipeline::checkpoints
