#include "plan/restart/restored.hpp"

#include <algorithm>

#include "plan/axis_bank.hpp"
#include "plan/model_clock.hpp"

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
  plan.clock = saved_clock(model::NumberLoader(saved, "axes/"));
}

std::function<bool(const model::Tick&)> checkpoint_schedule(const Plan& plan, model::Tick begin) {
  if (!plan.has_checkpoints) return {};
  if (plan.checkpoint_every.is_never()) return [](const model::Tick&) { return false; };
  const auto clock = std::make_shared<time::Clock>(make_clock(plan, plan.calendar, begin));
  const auto cadence = std::make_shared<time::Cadence>(plan.checkpoint_every, plan.calendar, clock->begin());
  const bool in_steps = plan.checkpoint_every.kind() == time::PeriodKind::steps;
  return [clock, cadence, in_steps, first = clock->begin()](const model::Tick& tick) {
    const model::Tick at = clock->read(tick);
    const bool has_advanced = at.step != first.step && (in_steps || at.time > first.time);
    return cadence->due(at) && has_advanced;
  };
}

}  // namespace tailrace::plan
