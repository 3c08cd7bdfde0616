// Executes the phases of steps together with the other servers.
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

// In a phase, workers compute the blocks, each root gathers what it needs and computes its whole arrays, and
// then broadcasts what blocks of later phases need. A server continues with the next phase as soon as its
// inputs have arrived, and not when all servers have finished this one. Messages are identified by (exchange,
// round), so that they may arrive in any order, and no phase is a barrier.
//
// Runs on the communication thread, except for the work passed to Background.
class PhaseScheduler {
 public:
  struct Calls {
    std::function<bool(const Step&)> may_run;  // an additional condition: it is the step's turn
    std::function<void(Step&)> over;           // called when a step's values are complete
  };
  // `layout` must outlive this object.
  PhaseScheduler(const planning::Layout& layout, EngineServices services, Calls calls);

  void start(Step& step);    // all its blocks have arrived
  void advance(Step& step);  // runs the next phase, if it may run

  bool progress();  // true if anything was done
  std::size_t bytes() const { return messages_.bytes(); }
  std::string describe() const { return messages_.describe(); }
  void finish(std::function<void(const std::string& unmatched)> then);
  operator_state::KernelRuns& memories() { return runs_; }  // only while no step is in progress

 private:
  // One root in a phase of a step, with one gather and one broadcast.
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
  operator_state::KernelRuns runs_;
};

}  // namespace tailrace::analytics::engine
