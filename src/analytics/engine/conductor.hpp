// Takes steps through their phases, together with the other servers.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "analytics/engine.hpp"
#include "analytics/engine/background.hpp"
#include "analytics/engine/step.hpp"
#include "analytics/engine/work/root_run.hpp"
#include "messaging/active_messages/active_messages.hpp"

namespace tailrace::analytics::engine {

// Of a phase: blocks on workers; what each root needs to that root; there its whole arrays; what blocks of
// later phases need from it to all. A server goes on to the next phase as soon as what that one reads is
// there, and not when all have finished this one: messages are named (exchange, round), so nothing here waits
// for an order, and no phase is a barrier.
//
// On the communication thread, but for what it hands to Background.
class Conductor {
 public:
  struct Calls {
    std::function<bool(const Step&)> may_run;  // besides: a step's turn has come
    std::function<void(Step&)> over;           // its values are complete; gives the step back
  };
  // `layout` must live longer.
  Conductor(const planning::Layout& layout, EngineServices services, Calls calls);

  void start(Step& step);  // all its blocks are here
  void go_on(Step& step);  // the next phase, if it may run

  bool progress();  // true if anything moved
  std::size_t bytes() const { return messages_.bytes(); }
  std::string describe() const { return messages_.describe(); }
  void finish(std::function<void(const std::string& unmatched)> then);
  memories::KernelRuns& memories() { return runs_; }  // while no step is under way

 private:
  // A root of a phase of a step: one gather and one broadcast.
  struct RootTask {
    Step& step;
    std::size_t phase;
    std::size_t root;  // in the phase's list
    const planning::RootPlan& plan() const { return step.plan().schedule().phases[phase].roots[root]; }
  };

  bool may_run(const Step& step) const;
  void run_phase(Step& step);
  void run_phase_alone(Step& step);
  void phase_done(Step& step);
  void compute(const RootTask& task, const std::vector<messaging::Bytes>& parts);
  void gathered(const RootTask& task, std::vector<messaging::Bytes>&& parts);
  void run_roots(Step& step);
  void root_done(const RootTask& task);
  void announced(const RootTask& task, const messaging::Bytes& message);
  messaging::Name name(const RootTask& task, int what) const;

  const planning::Layout& layout_;
  Calls calls_;
  messaging::ActiveMessages messages_;
  Background background_;
  memories::KernelRuns runs_;
};

}  // namespace tailrace::analytics::engine
