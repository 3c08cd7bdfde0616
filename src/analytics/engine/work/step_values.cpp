#include "analytics/engine/work/step_values.hpp"

#include <fmt/format.h>

#include "base/index.hpp"

namespace tailrace::analytics::engine::work {

StepValues::StepValues(const planning::Plan& plan, const std::vector<Value>& known)
    : plan_(plan),
      known_(known),
      clients_(plan.layout().clients.size(), std::vector<Value>(plan.nodes())),
      globals_(plan.nodes()),
      worker_partials_(plan.schedule().phases.size()) {
  for (std::size_t p = 0; p < worker_partials_.size(); ++p)
    for (std::size_t worker = 0; worker < plan.workers(p); ++worker)
      worker_partials_[p].emplace_back(plan.nodes());
}

const Value& StepValues::value(int node, std::size_t client) const {
  const Place place = plan_.place(node);
  if (place == Place::known) return known_[base::index(plan_.members(node).front())];
  return place == Place::global || client == at_root ? globals_[base::index(node)]
                                                     : clients_[client][base::index(node)];
}

Absences StepValues::absences(const std::vector<int>& sources, std::size_t client) const {
  Absences all;
  for (const int source : sources) {
    const Value& found = value(source, client);
    add(all, found.absences);
    if (found.present || !found.absences.empty()) continue;
    for (std::size_t m = 0; m < plan_.members(source).size(); ++m)
      add(all, {{static_cast<int>(m), "it has no value"}});
  }
  return all;
}

Partial& StepValues::partial(WorkerPartials& worker, int node) const {
  auto& partial = worker.partials[base::index(node)];
  if (!partial) {
    const Node& found = plan_.node(node);
    partial = static_cast<const Reduction*>(found.op)->start(found.call);
  }
  partial->begin_step(tick.time);
  return *partial;
}

std::string StepValues::failed(int op, const std::exception& error) {
  std::string why =
      fmt::format("{}: {}", text_of(plan_.layout().graph, plan_.members(op).front()), error.what());
  const base::MutexLock lock(mutex_);
  thrown_.emplace(op, why);
  return why;
}

void StepValues::clear() {
  for (auto& client : clients_)
    for (Value& value : client) value.clear();
  for (Value& value : globals_) value.clear();
  for (auto& workers : worker_partials_)
    for (WorkerPartials& worker : workers) {
      for (const auto& partial : worker.partials)
        if (partial) partial->clear();
      for (Absences& absences : worker.absences) absences.clear();
    }
  const base::MutexLock lock(mutex_);
  thrown_.clear();
}

}  // namespace tailrace::analytics::engine::work
