#include "transport/registry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <map>

#include "base/nearest_name.hpp"

namespace tailrace::transport {
namespace {

constexpr std::uint32_t invitation_mark = 0x54525601;

// Constructed at its first use, because registrations are static objects of other files.
std::map<std::string, std::unique_ptr<const Transport>>& registry() {
  static std::map<std::string, std::unique_ptr<const Transport>> transports;
  return transports;
}

int place_of(const std::string& name) { return find_transport(name)->cost().value_or(INT_MAX); }

const Transport& cheapest(const Pair& pair) {
  for (const std::string& name : transport_names()) {
    const Transport& transport = *find_transport(name);
    if (transport.cost() && !transport.obstacle(pair)) return transport;
  }
  throw Error(ErrorCode::configuration,
              fmt::format("no transport joins rank {} with its server, rank {}", pair.inviter, pair.invitee));
}

// Null if the bytes are not an invitation, or one in the other direction.
const Transport* transport_in(base::ByteReader& invitation, Sender sender) {
  if (invitation.get<std::uint32_t>() != invitation_mark) return nullptr;
  const Transport* transport = find_transport(invitation.get_text());
  return transport != nullptr && invitation.get<Sender>() == sender ? transport : nullptr;
}

[[noreturn]] void refuse(int inviter, const char* what) {
  throw Error(ErrorCode::internal,
              fmt::format("rank {} sent something that is not an invitation to {}", inviter, what));
}

}  // namespace

TransportRegistration::TransportRegistration(std::unique_ptr<const Transport> transport) {
  const std::string name = transport->name();
  const bool added = registry().emplace(name, std::move(transport)).second;
  TAILRACE_ASSERT(added, "two transports are called " + name);
}

const Transport* find_transport(const std::string& name) {
  const auto found = registry().find(name);
  return found == registry().end() ? nullptr : found->second.get();
}

std::vector<std::string> transport_names() {
  std::vector<std::string> names;
  for (const auto& [name, transport] : registry()) names.push_back(name);
  std::stable_sort(names.begin(), names.end(),
                   [](const std::string& a, const std::string& b) { return place_of(a) < place_of(b); });
  return names;
}

std::vector<std::string> transport_choices() {
  std::vector<std::string> choices = transport_names();
  choices.insert(choices.begin(), "auto");
  return choices;
}

const Transport& choose_transport(const std::string& name, const Pair& pair) {
  if (name == "auto") return cheapest(pair);
  const Transport* transport = find_transport(name);
  if (transport == nullptr)
    throw Error(ErrorCode::configuration, fmt::format("transport \"{}\" is unknown.{}", name,
                                                      base::name_hint(name, transport_names())));
  if (const auto obstacle = transport->obstacle(pair))
    throw Error(ErrorCode::configuration,
                fmt::format("servers.transport: {} is asked for, but {}", name, *obstacle));
  return *transport;
}

base::ByteWriter begin_invitation(const std::string& transport, Sender sender) {
  base::ByteWriter writer;
  writer.put(invitation_mark);
  writer.put_text(transport);
  writer.put(sender);
  return writer;
}

std::string to_invitation(const base::ByteWriter& writer) {
  return {reinterpret_cast<const char*>(writer.bytes().data()), writer.bytes().size()};
}

std::unique_ptr<Consumer> accept(const std::string& invitation, comm::Communicator& communicator, int inviter,
                                 Doorbell& doorbell) {
  base::ByteReader reader(std::as_bytes(std::span(invitation)));
  const Transport* transport = transport_in(reader, Sender::inviter);
  if (transport == nullptr) refuse(inviter, "receive");
  return transport->accept(reader, communicator, inviter, doorbell);
}

std::unique_ptr<Producer> accept_producer(const std::string& invitation, comm::Communicator& communicator,
                                          int inviter) {
  base::ByteReader reader(std::as_bytes(std::span(invitation)));
  const Transport* transport = transport_in(reader, Sender::invitee);
  if (transport == nullptr) refuse(inviter, "send");
  return transport->accept_producer(reader, communicator, inviter);
}

}  // namespace tailrace::transport
