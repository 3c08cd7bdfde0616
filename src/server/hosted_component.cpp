#include "server/hosted_component.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.hpp"
#include "base/fault_bytes.hpp"
#include "env/clock.hpp"

namespace tailrace::server {

void HostedComponent::start(const sinks::SinkServices& services) {
  std::ranges::sort(links, {}, &Link::client);
  if (!links.empty())
    intake = std::make_unique<Intake>(component->info().declarations.component, std::move(links),
                                      IntakeServices{.executor = services.executor,
                                                     .receiver = *component,
                                                     .counters = services.counters,
                                                     .trace = services.trace});
  if (regrid) component->give_weights(regrid->take());
  regrid.reset();
  component->start(clients, intake.get());
  begin_nanoseconds = env::steady_nanoseconds();
  state = State::running;
}

bool HostedComponent::progress() {
  const bool took = component->takes_in() && intake->progress();
  const bool gave = input && input->progress(client_times());
  return component->progress() || took || gave;
}

ClientTimes HostedComponent::client_times() const {
  const double begin = component->info().begin.time;
  if (!intake) return {begin, begin, component->over()};
  const auto time_of = [begin](const model::Tick& tick) {
    return tick.step == model::static_step ? begin : tick.time;
  };
  return {time_of(intake->tick()), time_of(intake->first_tick()),
          intake->finished() || component->cut() || component->fatal().has_value() || component->over()};
}

bool HostedComponent::drop_rest() { return component && component->cut() && intake && intake->progress(); }

// The ranks of a stream may have another order than in the run.
void HostedComponent::set_clients(int server) {
  auto all = handshake::clients_of(run->assignment, server, base::index(index));
  std::ranges::sort(all);
  for (const auto& [client, rank] : all) {
    clients.push_back(client);
    ranks.push_back(rank);
  }
  invited.assign(clients.size(), 0);
}

std::string HostedComponent::describe(int servers) const {
  switch (state) {
    case State::awaited: return fmt::format("\n    component \"{}\" has not called ready yet", name());
    case State::connecting:
      return fmt::format("\n    component \"{}\" is being connected: {} of {} servers are set up", name(),
                         set_up->heard(), servers) +
             (input ? input->describe() : "") + (regrid ? regrid->describe() : "");
    case State::running:
      return (intake ? intake->describe() : "") + component->describe() + (input ? input->describe() : "");
    case State::over: break;
  }
  return "";
}

std::unique_ptr<messaging::TreeAllreduce> allreduce_of_set_up(messaging::Messenger& messenger,
                                                              HostedComponent& hosted) {
  using pipeline::ControlMessage;
  const auto hear = [&hosted](const messaging::Bytes& message) {
    base::ByteReader reader(message);
    const auto fault = base::get_fault(reader);
    if (fault && !hosted.fault) hosted.fault = fault;
  };
  const auto say = [&hosted] {
    base::ByteWriter writer;
    base::put_fault(writer, hosted.fault);
    return writer.take();
  };
  const auto kind = [&hosted](ControlMessage message) { return pipeline::kind_of(hosted.number, message); };
  return std::make_unique<messaging::TreeAllreduce>(
      messenger,
      messaging::TreeAllreduce::Kinds{kind(ControlMessage::set_up), kind(ControlMessage::set_up_everywhere),
                                      kind(ControlMessage::set_up_directly)},
      messaging::TreeAllreduce::Callbacks{hear, say, hear});
}

}  // namespace tailrace::server
