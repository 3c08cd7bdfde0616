#include "pipeline/component_lifecycle.hpp"

#include <utility>

#include "base/bytes.hpp"
#include "base/fault_bytes.hpp"
#include "base/log.hpp"

namespace tailrace::pipeline {

ComponentLifecycle::ComponentLifecycle(ControlChannel& control, int leader, Events events)
    : control_(control),
      leader_(leader),
      events_(std::move(events)),
      closed_(control.messenger(),
              {control.kind(ControlMessage::closed), control.kind(ControlMessage::closed_everywhere),
               control.kind(ControlMessage::closed_directly)},
              {.join =
                   [this](const messaging::Bytes& message) {
                     closing_faults_.insert(closing_faults_.end(), message.begin(), message.end());
                   },
               .all = [this] { return closing_faults_; },
               .over = [this](const messaging::Bytes& message) { receive_faults(message); }}) {
  control_.on_broadcast(ControlMessage::tick, leader, [this](int, messaging::Bytes&& message) {
    base::ByteReader reader(message);
    on_step(reader.get<model::Tick>());
  });
  control_.on_broadcast(ControlMessage::files, leader,
                        [this](int, messaging::Bytes&& message) { on_files(message); });
  control_.on_broadcast(ControlMessage::final_tick, leader,
                        [this](int, messaging::Bytes&&) { on_last_step(); });
  control_.on_broadcast_from_any(ControlMessage::fault,
                                 [this](const messaging::Bytes& message) { receive_faults(message); });
  control_.on_flood_once(ControlMessage::fatal, [this](const messaging::Bytes& message) {
    for (const base::Fault& fault : base::faults_in(message)) on_fault(fault, true);
  });
}

void ComponentLifecycle::start() {
  started_ = true;
  for (const auto& said : std::exchange(deferred_, {})) said();
}

void ComponentLifecycle::announce_step(const model::Tick& tick) {
  if (control_.rank() != leader_) return;
  base::ByteWriter writer;
  writer.put(tick);
  control_.broadcast(ControlMessage::tick, writer.take());
}

void ComponentLifecycle::announce_files(const messaging::Bytes& what) {
  if (control_.rank() == leader_) control_.broadcast(ControlMessage::files, what);
}

bool ComponentLifecycle::announce_last_step() {
  if (control_.rank() != leader_ || fatal_ || std::exchange(last_step_sent_, true)) return false;
  control_.broadcast(ControlMessage::final_tick, messaging::Bytes{});
  return true;
}

void ComponentLifecycle::announce_closed() { closed_.say(base::fault_bytes(control_.told())); }

void ComponentLifecycle::fail(const base::Fault& fault) {
  if (fatal_) return;
  failed_here_ = true;
  control_.flood(ControlMessage::fatal, base::fault_bytes({&fault, 1}));
}

void ComponentLifecycle::mark_failed(int server, const base::Fault& fault) {
  closed_.lose(server);
  if (!fatal_) end_by(fault);
}

void ComponentLifecycle::on_step(const model::Tick& tick) {
  if (!started_) return deferred_.push_back([this, tick] { on_step(tick); });
  if (!fatal_) events_.step(tick);
}

void ComponentLifecycle::on_files(const messaging::Bytes& what) {
  if (!started_) return deferred_.push_back([this, what] { on_files(what); });
  if (!fatal_) events_.files(what);
}

void ComponentLifecycle::on_last_step() {
  if (!started_) return deferred_.push_back([this] { on_last_step(); });
  last_step_received_ = true;
  if (!fatal_) events_.last_step();
}

void ComponentLifecycle::receive_faults(const messaging::Bytes& message) {
  for (const base::Fault& fault : base::faults_in(message))
    if (received_.insert(fault.message).second) on_fault(fault, false);
}

void ComponentLifecycle::on_fault(const base::Fault& fault, bool fatal) {
  if (fatal && !fatal_) {
    if (failed_here_) base::log_error(fault.message);  // once, however many servers there are
    return end_by(fault);
  }
  faults_.push_back(fault);
  events_.fault(fault);
}

void ComponentLifecycle::end_by(const base::Fault& fault) {
  faults_.push_back(fault);
  events_.fault(fault);
  fatal_ = fault;
  events_.fatal(fault);
}

}  // namespace tailrace::pipeline
