// The instances of all kernels with a state, and the saving and loading of their states.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "analytics/planning/layout.hpp"
#include "model/state.hpp"

namespace tailrace::analytics::engine::operator_state {

// A kernel has one instance for each block of this server's clients, or one for the whole array at its root.
// Instances outlive steps and plans. Each is used by one thread at a time, since steps run in order if any
// kernel has a state.
class KernelRuns final : public model::Stateful {
 public:
  explicit KernelRuns(const planning::Layout& layout);  // `layout` must outlive this object

  // The instance for `node` of the graph (not bundled) and `client`, an index into this server's clients or
  // work::StepValues::at_root. Null if the node has no state. Any thread.
  KernelRun* find(int node, std::size_t client);

  // docs/formats/state.md describes the arrays. Only while no step is in progress.
  void save(model::StateSaver& saver) const override;
  // A call without a saved state keeps its initial state. Throws Error(resource) if a saved array has another
  // shape or type.
  void load(const model::StateLoader& loader) override;

  std::size_t bytes() const { return bytes_; }

 private:
  struct Block {
    model::Region result;  // the region of the result
    std::unique_ptr<KernelRun> run;
  };
  struct Remembering {
    int node = -1;
    std::string prefix;  // of the names of its arrays
    std::string call;    // its text
    std::vector<Memory> memories;
    std::vector<Block> blocks;  // by client, or one for the whole array; empty if other servers have it
  };
  void add(int node);
  std::vector<Block> blocks_of(int node) const;
  model::Region region_of(const Remembering& of, std::size_t memory, const Block& block) const;
  std::string saved_prefix(const model::StateLoader& loader, const Remembering& of) const;

  const planning::Layout& layout_;
  std::vector<Remembering> all_;  // by node
  std::size_t bytes_ = 0;
};

}  // namespace tailrace::analytics::engine::operator_state
