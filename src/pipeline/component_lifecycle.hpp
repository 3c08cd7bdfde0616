// A component from its first step to its end, as all servers agree on it: the steps that the leader
// announces, the faults of any server, and who has closed.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "messaging/collectives/tree_allreduce.hpp"
#include "model/block.hpp"
#include "pipeline/control/control_channel.hpp"

namespace tailrace::pipeline {

// Communication thread only.
class ComponentLifecycle {
 public:
  // What follows from a message; called in the order of the messages.
  struct Events {
    std::function<void(const model::Tick&)> step;   // the leader's clients have begun it
    std::function<void()> last_step;                // the leader's clients have finished
    std::function<void(const base::Fault&)> fault;  // for the model
    std::function<void(const base::Fault&)> fatal;  // the first that ends the component early
  };
  // `leader`: the server that announces the steps. `messages` must live longer.
  ComponentLifecycle(ControlChannel& control, int leader, Events events);

  // From now on events are called. A server without clients may be started after the leader has spoken: what
  // was said until now is carried out here.
  void start();

  // Only the leader says so; on other servers nothing happens. The last step once; true if that was now.
  void announce_step(const model::Tick& tick);
  bool announce_last_step();
  // Ends the component, with what is complete, on all servers.
  void fail(const base::Fault& fault);
  // To be told with the goodbye, and nothing else: the component has ended early and in order.
  void end_early(const base::Fault& fault) { faults_.push_back(fault); }
  // It will close nothing any more, and is not waited for. Each server is told so by its host.
  void lose(int server, const base::Fault& fault);
  // This server has closed what it writes; once.
  void announce_closed();

  bool last_step_announced() const { return last_step_heard_; }
  bool closed_here() const { return closed_.said(); }
  int closed_servers() const { return closed_.heard(); }  // of which this one has heard
  bool closed_everywhere() const { return closed_.over(); }
  const std::vector<base::Fault>& faults() const { return faults_; }  // of any server so far
  const std::optional<base::Fault>& fatal() const { return fatal_; }  // why the component ended early

 private:
  void on_step(const model::Tick& tick);
  void on_last_step();
  void hear_faults(const messaging::Bytes& message);
  void on_fault(const base::Fault& fault, bool fatal);
  void end_by(const base::Fault& fault);

  ControlChannel& control_;
  int leader_;
  Events events_;
  bool started_ = false, failed_here_ = false;
  std::vector<std::function<void()>> early_;  // what the leader said before start()
  bool last_step_told_ = false, last_step_heard_ = false;
  messaging::Bytes said_;  // with `closed`: the faults of this server and those that it has heard
  messaging::TreeAllreduce closed_;
  std::set<std::string> heard_;  // faults that end nothing: each comes twice, as news and at the end
  std::vector<base::Fault> faults_;
  std::optional<base::Fault> fatal_;
};

}  // namespace tailrace::pipeline
