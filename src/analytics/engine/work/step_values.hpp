// What a step holds on one server while it is under way: numbers, by node of the plan.
#pragma once

#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "analytics/engine/work/value.hpp"
#include "analytics/planning/plan.hpp"
#include "base/thread_safety.hpp"
#include "model/block.hpp"

namespace tailrace::analytics::engine::work {

// Partial results of the blocks that one worker goes through, by node.
struct Lane {
  std::vector<std::unique_ptr<Partial>> partials;  // kept from step to step
  std::vector<Absences> absences;                  // of reductions: what some block had nothing for

  explicit Lane(std::size_t nodes) : partials(nodes), absences(nodes) {}
};

// Several workers use one at a time, without a lock: a worker writes the values of its own clients and its
// own lane; what all of them read (globals, what is known) is written only before their phase begins.
// Operators that failed are the exception, and have a mutex.
//
// A node has a slot in every list, used or not: a lookup is an index, and the slots of a step keep their
// memory for the next one that has the same plan.
class StepValues {
 public:
  // In place of a client: what a root sees, which has gathered what it needs of local nodes.
  static constexpr std::size_t at_root = SIZE_MAX;

  // `known`: known_values(). Both must live longer.
  StepValues(const planning::Plan& plan, const std::vector<Value>& known);

  const planning::Plan& plan() const { return plan_; }
  const Value& value(int node, std::size_t client) const;
  Value& of_client(std::size_t client, int node) { return clients_[client][at(node)]; }
  const Value& of_client(std::size_t client, int node) const { return clients_[client][at(node)]; }
  Value& global(int node) { return globals_[at(node)]; }  // at the root, and where it was sent
  const Value& global(int node) const { return globals_[at(node)]; }
  std::vector<Lane>& lanes(std::size_t phase) { return lanes_[phase]; }  // after the phase the first has all

  // What is missing in any of these.
  Absences absences(const std::vector<int>& sources, std::size_t client) const;
  // That of a reduction, begun where it is not yet.
  Partial& partial(Lane& lane, int node) const;
  // Keeps that an operator threw, and says so in words. From any thread.
  std::string failed(int op, const std::exception& error);
  std::map<int, std::string> thrown() const {  // by node
    const base::MutexLock lock(mutex_);
    return thrown_;
  }

  void clear();  // keeps the memory, and `bytes`, which say how much that is

  model::Tick tick;
  std::size_t bytes = 0;  // of blocks that were put

 private:
  static std::size_t at(int index) { return static_cast<std::size_t>(index); }

  const planning::Plan& plan_;
  const std::vector<Value>& known_;
  std::vector<std::vector<Value>> clients_;  // of local nodes; and of inputs as the client put them
  std::vector<Value> globals_;
  std::vector<std::vector<Lane>> lanes_;  // by phase
  mutable base::Mutex mutex_;
  std::map<int, std::string> thrown_ TAILRACE_GUARDED_BY(mutex_);
};

}  // namespace tailrace::analytics::engine::work
