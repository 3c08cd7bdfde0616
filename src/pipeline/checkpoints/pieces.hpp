// Sends pieces of the saved state to the servers that write it. Each array has one owner, no matter which
// servers hold parts.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "model/state.hpp"
#include "pipeline/control/control_channel.hpp"
#include "plan/plan.hpp"

namespace tailrace::pipeline::checkpoints {

// The server that writes an array, by its name.
using Owners = std::map<std::string, std::size_t>;
// Owners of the checkpointed fields, balanced so that each server writes about the same number of bytes.
// Identical on all servers.
Owners owners_of_fields(const plan::Plan& plan, const model::Declarations& declarations, int servers);

// A piece of an array that may be passed on without a copy.
struct OwnPiece {
  model::StateArray array;
  model::Region region;
  std::vector<std::byte> values;
};

// Communication thread only. Sends messages of some MiB.
class PieceSender final : public model::StateSaver {
 public:
  // Both must live longer. `owners`: those of the largest arrays; the owner of any other array is a hash of
  // its name.
  PieceSender(ControlChannel& control, const Owners& owners, std::function<void(OwnPiece&&)> keep);
  void save(const model::StateArray& array, const model::Region& region,
            std::span<const std::byte> values) override;
  void hand_over(OwnPiece&& piece);  // as save(), but passes the piece to `keep` if this server is the owner
  std::size_t finish();              // once, at the end: sends the rest, and returns the number of messages

 private:
  std::size_t owner_of(const std::string& array) const;
  void send(std::size_t owner);

  ControlChannel& control_;
  const Owners& owners_;
  std::function<void(OwnPiece&&)> keep_;
  std::vector<base::ByteWriter> bundles_;  // by owner
  std::size_t sent_ = 0;
};

// Saves the pieces of such a message into `into`.
void unpack(std::span<const std::byte> bundle, model::StateSaver& into);

}  // namespace tailrace::pipeline::checkpoints
