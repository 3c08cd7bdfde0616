// Saved state on its way to the servers that write it: each array goes to one of them, whichever servers have
// parts of it.
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

// By name of an array: the server that writes it.
using Owners = std::map<std::string, std::size_t>;
// The model's fields in a checkpoint, so that each server writes about as many bytes. The same on all
// servers.
Owners owners_of_fields(const plan::Plan& plan, const model::Declarations& declarations, int servers);

// A part of an array that this server writes itself: handed over without a copy.
struct OwnPiece {
  model::StateArray array;
  model::Region region;
  std::vector<std::byte> values;
};

// Communication thread only. What is saved leaves in messages of some MiB.
class PieceSender final : public model::StateSaver {
 public:
  // Both must live longer. `owners`: of the largest arrays; who owns another follows from its name.
  PieceSender(ControlChannel& control, const Owners& owners, std::function<void(OwnPiece&&)> keep);
  void save(const model::StateArray& array, const model::Region& region,
            std::span<const std::byte> values) override;
  void hand_over(OwnPiece&& piece);  // the same; `keep` gets it where this server is the owner
  std::size_t finish();              // once, at the end: how many messages left

 private:
  std::size_t owner_of(const std::string& array) const;
  void send(std::size_t owner);

  ControlChannel& control_;
  const Owners& owners_;
  std::function<void(OwnPiece&&)> keep_;
  std::vector<base::ByteWriter> bundles_;  // by owner
  std::size_t sent_ = 0;
};

// What is in such a message.
void unpack(std::span<const std::byte> bundle, model::StateSaver& into);

}  // namespace tailrace::pipeline::checkpoints
