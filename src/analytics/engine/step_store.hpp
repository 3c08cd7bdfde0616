// Creates steps and caches what can be reused: plans, and the memory of finished steps.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "analytics/engine/step.hpp"
#include "analytics/planning/plan.hpp"

namespace tailrace::analytics::engine {

// Used on the communication thread. A run has few sets of diagnostics that are due together (every step,
// every tenth step, ...), so plans are kept until the end. The memory of a large step is kept only while the
// same set is due at consecutive steps; otherwise each set would hold the memory of its largest step.
class StepStore {
 public:
  // Both must outlive this object.
  StepStore(const planning::Layout& layout, const std::vector<work::Value>& known)
      : layout_(layout), known_(known) {}

  // A step that is ready to take blocks. `due`: by diagnostic.
  std::unique_ptr<Step> begin(const std::vector<char>& due);
  void give_back(std::unique_ptr<Step> step);

 private:
  struct Kept {
    Kept(const planning::Layout& layout, const std::vector<char>& due) : plan(layout, due) {}
    planning::Plan plan;
    std::vector<std::unique_ptr<Step>> spare;
  };
  const planning::Layout& layout_;
  const std::vector<work::Value>& known_;
  std::map<std::vector<char>, std::unique_ptr<Kept>> kept_;  // by the set of due diagnostics
  std::map<const planning::Plan*, Kept*> by_plan_;
  Kept* newest_ = nullptr;  // that of the last step begun
};

}  // namespace tailrace::analytics::engine
