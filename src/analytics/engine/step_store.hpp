// Makes steps, and keeps what can be used again: plans, and the memory of finished steps.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "analytics/engine/step.hpp"
#include "analytics/planning/plan.hpp"

namespace tailrace::analytics::engine {

// On the communication thread. A run has few sets of diagnostics that are due together (every step, every
// tenth, ...), so plans are kept for good. A large step's memory is kept only as long as the same set is due
// again and again: otherwise each set of a run would hold its own greatest step.
class StepStore {
 public:
  // Both must live longer.
  StepStore(const planning::Layout& layout, const std::vector<work::Value>& known)
      : layout_(layout), known_(known) {}

  // Ready to take blocks. `due`: by diagnostic.
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
  std::map<std::vector<char>, std::unique_ptr<Kept>> kept_;  // by what is due
  std::map<const planning::Plan*, Kept*> by_plan_;
  Kept* newest_ = nullptr;  // of the last step that began
};

}  // namespace tailrace::analytics::engine
