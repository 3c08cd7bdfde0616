#include "server/component_info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/bytes.hpp"
#include "base/fault_bytes.hpp"
#include "base/index.hpp"
#include "base/version.hpp"
#include "env/node_memory.hpp"
#include "handshake/connection.hpp"
#include "handshake/ready/existing_files.hpp"
#include "handshake/restart.hpp"
#include "messaging/sending.hpp"
#include "model/message_checks.hpp"
#include "plan/naming/name_patterns.hpp"

namespace tailrace::server {

namespace {

// The servers on this node: all of them are about to allocate what they need.
std::size_t servers_on_node(const handshake::Run& run) {
  const auto count = std::ranges::count_if(run.cpus_on_node, [&](const handshake::CpusOfRank& one) {
    return run.assignment.servers.find(one.rank).has_value();
  });
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(1, count));
}

settings::Configuration configuration_of(const HostedComponent& hosted,
                                         const model::Declarations& declarations) {
  const auto component = base::index(hosted.index);
  return plan::with_patterns(settings::with_options(hosted.run->configurations[component],
                                                    hosted.run->sources[component], declarations.options),
                             declarations);
}

// The part of a `ready` message without a fault that is before the declarations.
struct Head {
  model::Tick begin;
  std::vector<plan::ContinuedAxes> continued;
  std::vector<plan::ExistingFills> fills;
  std::string checkpoint;
};

Head read_head(base::ByteReader& message) {
  Head head;
  head.begin = message.get<model::Tick>();
  head.continued = handshake::get_continued(message);
  head.fills = handshake::get_fills(message);
  head.checkpoint = message.get_text();
  return head;
}

// Replaces the end of the message, where there is no fault yet. Whatever else is wrong with it is found
// later.
void compare_names(std::vector<std::byte>& message, const HostedComponent& hosted,
                   handshake::OutputNames& names) {
  base::ByteReader reader(message);
  static_cast<void>(reader.get<std::int32_t>());  // the component's number
  if (base::get_fault(reader)) return;
  static_cast<void>(read_head(reader));
  const auto declarations = model::Declarations::from_bytes(reader.get_all<std::byte>());
  try {
    names.add(declarations.component, configuration_of(hosted, declarations));
  } catch (...) {
    base::ByteWriter none, fault;
    base::put_fault(none, std::nullopt);
    base::put_fault(fault, base::current_fault());
    const auto end = fault.take();
    message.resize(message.size() - none.take().size());
    message.insert(message.end(), end.begin(), end.end());
  }
}

}  // namespace

pipeline::ComponentInfo read_component_info(base::ByteReader& message, const HostedComponent& hosted,
                                            const std::string& started) {
  const handshake::Run& run = *hosted.run;
  const auto c = base::index(hosted.index);
  pipeline::ComponentInfo info;
  info.number = hosted.number;
  info.is_stream = hosted.is_stream();
  Head head = read_head(message);
  info.begin = head.begin;
  info.continued = std::move(head.continued);
  info.fills = std::move(head.fills);
  if (!head.checkpoint.empty()) info.saved = handshake::open_checkpoint(head.checkpoint).state;
  const auto declarations = message.get_all<std::byte>();
  info.declarations = model::Declarations::from_bytes(declarations);
  const auto decomposition = message.get_all<std::byte>();
  info.decomposition = model::Decomposition::from_bytes(decomposition);
  if (const auto fault = base::get_fault(message)) throw Error(fault->code, fault->message);
  model::check_message(info.declarations, info.decomposition, run.assignment.ranks[c].size());
  info.configuration = configuration_of(hosted, info.declarations);
  if (const auto left = env::memory_left()) info.memory_left = *left / servers_on_node(run);
  info.leader = run.assignment.server_of[base::index(hosted.root)];
  info.history = fmt::format("{} Tailrace {}: component {}, configuration {}", started, base::version,
                             info.declarations.component, run.sources[c].front().name);
  return info;
}

std::optional<std::vector<std::byte>> take_declarations(comm::Communicator& world, const DeclarationsWay& way,
                                                        std::vector<messaging::Sending>& sendings) {
  const auto rank_of = [&way](int server) { return way.run.assignment.servers[base::index(server)]; };
  constexpr int down = static_cast<int>(handshake::Tag::ready);
  const bool is_first = way.place.parent < 0;
  auto come = is_first ? messaging::poll(world, way.hosted.root, way.tag)
                       : messaging::poll(world, rank_of(way.place.parent), down);
  if (come && is_first) {
    const auto number = static_cast<std::int32_t>(way.hosted.number);
    std::memcpy(come->data(), &number, sizeof number);  // a stream's ranks do not know it
    compare_names(*come, way.hosted, way.names);
  }
  if (!come || way.place.children.empty()) return come;
  std::vector<int> children;
  for (const int child : way.place.children) children.push_back(rank_of(child));
  messaging::start_sending(world, *come, children, down, sendings);
  return come;
}

}  // namespace tailrace::server
