#include "plan/restart/restored.hpp"

#include <algorithm>

namespace tailrace::plan {
namespace {

RestoredFile restored_file(const DatasetPlan& file, const model::StateLoader& saved) {
  const std::string name = "files/" + file.entry.path + "/";
  RestoredFile restored;
  std::vector<std::int64_t> begins;
  std::int64_t commits = 0;
  bool is_new = false;
  model::NumberLoader clock(saved, name + "clock/");
  clock("committed", restored.records);
  clock("begins", begins);
  clock("part", restored.part);
  model::NumberLoader(saved, name + "sink/")("commits", commits);
  if (file.entry.has_many_files()) model::NumberLoader(saved, name + "part/")("is_new", is_new);
  for (std::size_t axis = 0; axis < restored.records.size() && axis < begins.size(); ++axis)
    restored.records[axis] -= begins[axis];
  const bool has_records = std::ranges::any_of(restored.records, [](std::int64_t n) { return n > 0; });
  restored.is_empty = file.axes.empty() || is_new || (commits == 0 && !has_records);
  return restored;
}

}  // namespace

void mark_restored(Plan& plan, const model::StateLoader& saved) {
  for (DatasetPlan& file : plan.files) {
    file.is_unsaved = !saved.find("files/" + file.entry.path + "/clock/committed");
    if (!file.is_unsaved) file.restored = restored_file(file, saved);
  }
}

std::function<bool(const model::Tick&)> checkpoint_schedule(const Plan& plan, model::Tick begin) {
  if (!plan.has_checkpoints) return {};
  if (plan.checkpoint_every.is_never()) return [](const model::Tick&) { return false; };
  const auto cadence = std::make_shared<time::Cadence>(plan.checkpoint_every, plan.calendar, begin);
  const bool in_steps = plan.checkpoint_every.kind() == time::PeriodKind::steps;
  return [cadence, in_steps, begin](const model::Tick& tick) {
    const bool has_advanced = tick.step != begin.step && (in_steps || tick.time > begin.time);
    return cadence->due(tick) && has_advanced;
  };
}

}  // namespace tailrace::plan
