#include "analytics/engine/step_store.hpp"

#include <utility>

namespace tailrace::analytics::engine {
namespace {

// The memory of a step larger than this is reused only if the next step has the same due diagnostics.
constexpr std::size_t worth_freeing = std::size_t{4} << 20;

}  // namespace

std::unique_ptr<Step> StepStore::begin(const std::vector<char>& due) {
  auto& slot = kept_[due];
  if (!slot) {
    slot = std::make_unique<Kept>(layout_, due);
    by_plan_[&slot->plan] = slot.get();
  }
  Kept& kept = *slot;
  if (newest_ != nullptr && newest_ != &kept)
    std::erase_if(newest_->spare, [](const auto& step) { return step->values.bytes > worth_freeing; });
  newest_ = &kept;
  std::unique_ptr<Step> step;
  if (kept.spare.empty()) {
    step = std::make_unique<Step>(kept.plan, known_);
  } else {
    step = std::move(kept.spare.back());
    kept.spare.pop_back();
  }
  step->values.bytes = 0;
  step->inputs.open();
  return step;
}

void StepStore::give_back(std::unique_ptr<Step> step) {
  Kept& kept = *by_plan_.at(&step->plan());
  step->values.clear();
  step->ended = step->running = step->root_running = false;
  step->phase = 0;
  if (&kept == newest_ || step->values.bytes <= worth_freeing) kept.spare.push_back(std::move(step));
}

}  // namespace tailrace::analytics::engine
