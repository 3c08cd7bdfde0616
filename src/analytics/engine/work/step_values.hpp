// The values of a step in progress on one server, by node of the plan.
#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analytics/engine/work/value.hpp"
#include "analytics/planning/plan.hpp"
#include "base/index.hpp"
#include "base/thread_safety.hpp"
#include "model/block.hpp"

namespace tailrace::analytics::engine::work {

// The partial results of the blocks that one worker processes, by node.
struct WorkerPartials {
  std::vector<std::unique_ptr<Partial>> partials;  // kept from step to step
  std::vector<Absences> absences;                  // for reductions: members that some block lacks

  explicit WorkerPartials(std::size_t nodes) : partials(nodes), absences(nodes) {}
};

// Several workers use one object concurrently without a lock: a worker writes only the values of its own
// clients and its own partials, and shared values (global and known ones) are written only before the phase
// begins. Only the failures of operators have a mutex.
//
// Every list has a slot for each node, used or not, so that a lookup is an index. A later step with the same
// plan reuses the memory of the slots.
class StepValues {
 public:
  // A pseudo-client: the values at a root, which has gathered the local nodes that it needs.
  static constexpr std::size_t at_root = SIZE_MAX;

  // `known`: known_values(). Both must outlive this object.
  StepValues(const planning::Plan& plan, const std::vector<Value>& known);

  const planning::Plan& plan() const { return plan_; }
  const Value& value(int node, std::size_t client) const;
  Value& of_client(std::size_t client, int node) { return clients_[client][base::index(node)]; }
  const Value& of_client(std::size_t client, int node) const { return clients_[client][base::index(node)]; }
  Value& global(int node) {
    return globals_[base::index(node)];
  }  // at the root, and on servers that received it
  const Value& global(int node) const { return globals_[base::index(node)]; }
  std::vector<WorkerPartials>& workers(std::size_t phase) {
    return worker_partials_[phase];
  }  // after the phase the first worker has the merged results

  // The members that are missing in any of these.
  Absences absences(const std::vector<int>& sources, std::size_t client) const;
  // The partial result of a reduction, created if necessary.
  Partial& partial(WorkerPartials& worker, int node) const;
  // Records that an operator threw, and returns the message. Any thread.
  std::string failed(int op, const std::exception& error);
  std::map<int, std::string> thrown() const {  // by node
    const base::MutexLock lock(mutex_);
    return thrown_;
  }

  void clear();  // keeps the memory, and `bytes`, its size

  model::Tick tick;
  std::size_t bytes = 0;  // of the blocks from clients

 private:
  const planning::Plan& plan_;
  const std::vector<Value>& known_;
  std::vector<std::vector<Value>> clients_;  // local nodes, and inputs from the client
  std::vector<Value> globals_;
  std::vector<std::vector<WorkerPartials>> worker_partials_;  // by phase
  mutable base::Mutex mutex_;
  std::map<int, std::string> thrown_ TAILRACE_GUARDED_BY(mutex_);
};

}  // namespace tailrace::analytics::engine::work
