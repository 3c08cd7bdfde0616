// Saved state on its way to the servers that write it: each array goes to one of them, whichever servers have
// parts of it.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "model/state.hpp"
#include "pipeline/words.hpp"

namespace tailrace::pipeline::checkpoints {

// Communication thread only. What is saved leaves in messages of some MiB; an empty one is a server's last.
class PieceSender final : public model::StateSaver {
 public:
  explicit PieceSender(Words& words);  // must live longer
  void save(const model::StateArray& array, const model::Region& region,
            std::span<const std::byte> values) override;
  void finish();  // once: every owner is told that this server has no more

 private:
  void send(std::size_t owner);

  Words& words_;
  std::vector<base::ByteWriter> bundles_;  // by owner
};

// What is in such a message.
void unpack(std::span<const std::byte> bundle, model::StateSaver& into);

}  // namespace tailrace::pipeline::checkpoints
