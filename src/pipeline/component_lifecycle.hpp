// The lifecycle of a component, on which all servers agree: steps, faults, and the end.
//
// The leader broadcasts each step, so all servers commit at the same steps. Any server may report a fault: a
// fault that ends nothing is broadcast, a fatal one is flooded, since several servers may detect it at once.
// The end is an allreduce over all servers (`closed_`): a client must not finish while any server still
// writes the component's files.
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
  // Called in the order of the messages.
  struct Events {
    std::function<void(const model::Tick&)> step;        // the leader's clients have begun this step
    std::function<void()> last_step;                     // the leader's clients have finished
    std::function<void(const messaging::Bytes&)> files;  // they have ended or opened files: OpenedFiles
    std::function<void(const base::Fault&)> fault;       // for the model
    std::function<void(const base::Fault&)> fatal;       // the first that ends the component early
  };
  // `leader`: the server that announces the steps. `control` must live longer.
  ComponentLifecycle(ControlChannel& control, int leader, Events events);

  // From now on events are called. A server without clients may start after the leader's first messages;
  // these are deferred until here.
  void start();

  // These do nothing on servers other than the leader. announce_last_step() returns true the first time.
  void announce_step(const model::Tick& tick);
  void announce_files(const messaging::Bytes& what);
  bool announce_last_step();
  // Ends the component on all servers, with the records that are complete.
  void fail(const base::Fault& fault);
  // Adds a fault that is only reported with the goodbye: the component was shut down early, but gracefully.
  void end_early(const base::Fault& fault) { faults_.push_back(fault); }
  // This server has failed and is no longer waited for. Called on each of the other servers.
  void mark_failed(int server, const base::Fault& fault);
  // This server has closed its files; call once.
  void announce_closed();

  bool last_step_announced() const { return last_step_received_; }
  bool closed_here() const { return closed_.said(); }
  int closed_servers() const { return closed_.heard(); }  // servers known here to have closed
  bool closed_everywhere() const { return closed_.over(); }
  const std::vector<base::Fault>& faults() const { return faults_; }  // of all servers so far
  const std::optional<base::Fault>& fatal() const { return fatal_; }  // why the component ended early

 private:
  void on_step(const model::Tick& tick);
  void on_last_step();
  void on_files(const messaging::Bytes& what);
  void receive_faults(const messaging::Bytes& message);
  void on_fault(const base::Fault& fault, bool fatal);
  void end_by(const base::Fault& fault);

  ControlChannel& control_;
  int leader_;
  Events events_;
  bool started_ = false, failed_here_ = false;
  std::vector<std::function<void()>> deferred_;  // the leader's messages before start()
  bool last_step_sent_ = false, last_step_received_ = false;
  messaging::Bytes closing_faults_;  // sent with `closed`: the faults of this server and of those below it
  messaging::TreeAllreduce closed_;
  std::set<std::string> received_;  // faults that end nothing: each arrives twice, at once and with `closed`
  std::vector<base::Fault> faults_;
  std::optional<base::Fault> fatal_;
};

}  // namespace tailrace::pipeline
