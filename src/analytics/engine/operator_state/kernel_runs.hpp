// The runs of kernels that remember earlier steps, with what they remember.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "analytics/planning/layout.hpp"
#include "model/state.hpp"

namespace tailrace::analytics::engine::memories {

// One for each block of this server's clients, or one for the whole, at its root. They outlive steps and
// plans. Each is used by one thread at a time: steps are taken in order where anything remembers.
class KernelRuns final : public model::Stateful {
 public:
  explicit KernelRuns(const planning::Layout& layout);  // which must live longer

  // `node` of the graph (not bundled); `client` counts this server's, or is work::StepValues::at_root. Null
  // where the node remembers nothing. Any thread.
  KernelRun* find(int node, std::size_t client);

  // Names and meaning: docs/formats/state.md. While no step is under way.
  void save(model::StateSaver& saver) const override;
  // A call that had no memory before begins anew. Throws Error(resource) where one is of another shape or
  // type.
  void load(const model::StateLoader& loader) override;

  std::size_t bytes() const { return bytes_; }

 private:
  struct Block {
    model::Region result;  // where the result of the run lies
    std::unique_ptr<KernelRun> run;
  };
  struct Remembering {
    int node = -1;
    std::string prefix;  // of its arrays' names
    std::string call;    // as it is written
    std::vector<Memory> memories;
    std::vector<Block> blocks;  // by client, or the whole alone; empty where it lies on other servers
  };
  void add(int node);
  std::vector<Block> blocks_of(int node) const;
  model::Region region_of(const Remembering& of, std::size_t memory, const Block& block) const;
  std::string saved_prefix(const model::StateLoader& loader, const Remembering& of) const;

  const planning::Layout& layout_;
  std::vector<Remembering> all_;  // by node
  std::size_t bytes_ = 0;
};

}  // namespace tailrace::analytics::engine::memories
