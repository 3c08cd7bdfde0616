#include "handshake/ready.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <thread>

#include "base/bytes.hpp"
#include "base/log.hpp"
#include "env/clock.hpp"
#include "env/file_system.hpp"
#include "handshake/ready/declaration_digest.hpp"
#include "handshake/ready/existing_files.hpp"
#include "handshake/ready/found_cells.hpp"
#include "handshake/ready/mesh_nodes.hpp"
#include "handshake/ready/part_coordinates.hpp"
#include "handshake/ready/ready_report.hpp"
#include "handshake/ready/tree.hpp"
#include "model/message_checks.hpp"
#include "plan/masks.hpp"
#include "plan/naming/apply_overrides.hpp"
#include "plan/plan.hpp"
#include "plan/points.hpp"
#include "plan/restart/description.hpp"
#include "plan/restart/restored.hpp"

namespace tailrace::handshake {
namespace {

// Tag on the component's communicator, for the request of the first rank and for the answer.
constexpr int explain_tag = 3;

constexpr double patience_seconds = 1.5;  // to send the last message of a rank that gives up

// The configuration with the model's options filled in.
settings::Configuration configuration_of(const Started& started, const model::Declarations& declarations) {
  const auto c = static_cast<std::size_t>(started.number);
  return settings::with_options(started.run.configurations[c], started.run.sources[c], declarations.options);
}

bool has_points(const Started& started) {
  return !plan::point_requests(started.run.configurations[static_cast<std::size_t>(started.number)]).empty();
}

std::vector<std::byte> await(comm::Communicator& component, int from, int tag,
                             const std::function<void()>& meanwhile) {
  std::optional<std::vector<std::byte>> message;
  while (!(message = poll(component, from, tag))) meanwhile();
  return std::move(*message);
}

// Throws an Error that names the first difference between the declarations of this rank, the first one, and
// `rank`. Only now does that rank send a digest of each declaration; the reports of all ranks carry a single
// one.
[[noreturn]] void explain(comm::Communicator& component, int rank, const client::Declarer& declarer,
                          const std::function<void()>& meanwhile) {
  send(component, std::vector<std::byte>(1), rank, explain_tag, meanwhile);
  const auto answer = await(component, rank, explain_tag, meanwhile);
  base::ByteReader reader(answer);
  DeclaredThings theirs;
  for (auto count = reader.get<std::int64_t>(); count > 0; --count) {
    std::string name = reader.get_text();
    theirs.emplace_back(std::move(name), reader.get<std::uint64_t>());
  }
  check_same(rank, things_in(declarer.declarations()), theirs);
  throw Error(ErrorCode::internal,
              fmt::format("the declarations of rank {} differ in no thing declared", rank));
}

std::vector<std::byte> explanation(const client::Declarer& declarer) {
  base::ByteWriter writer;
  const DeclaredThings things = things_in(declarer.declarations());
  writer.put(static_cast<std::int64_t>(things.size()));
  for (const auto& [name, digest] : things) {
    writer.put_text(name);
    writer.put(digest);
  }
  return writer.take();
}

// The report of this rank and all ranks below it in the tree. Receives the message of every child, even after
// one has reported a fault, so that none stays unreceived.
ReadyReport gather(Tree& tree, const Started& started, const client::Declarer& declarer,
                   const std::function<void()>& meanwhile) {
  ReadyReport all = ReadyReport::of(declarer, started.component->rank());
  if (has_points(started))
    all.nearest = look_for_stations(declarer, configuration_of(started, declarer.declarations()));
  for (std::size_t child = 0; child < tree.children(); ++child)
    all.add(ReadyReport::from_bytes(receive_from_child(tree, child, meanwhile)));
  return all;
}

base::ByteWriter begin_message_to_servers(const Started& started) {
  base::ByteWriter message;
  message.put(static_cast<std::int32_t>(started.number));
  return message;
}

// The first server forwards it to the others.
Sending send_to_servers(Started& started, std::vector<std::byte> message) {
  return {*started.world, std::move(message), started.run.assignment.servers.front(),
          static_cast<int>(Tag::ready)};
}

void send_and_wait(Started& started, std::vector<std::byte> message, const std::function<void()>& meanwhile,
                   const std::function<void()>& wake) {
  Sending sending = send_to_servers(started, std::move(message));
  while (!sending.done()) {
    wake();
    meanwhile();
  }
}

std::vector<std::byte> verdict(std::optional<base::Fault> fault, const CoordinateParts& joined = {}) {
  // A lost server is reported to all: only the ranks of its node have detected it.
  if (fault && fault->code != ErrorCode::lost)
    fault->message = "ready failed on all ranks; the first rank of the component reports the reason";
  base::ByteWriter writer;
  put_fault(writer, fault);
  for (const std::vector<double>& values : joined) writer.put_all(std::span<const double>(values));
  return writer.take();
}

// Receives the verdict and forwards it down the tree. Appends to `joined` the values of coordinates in parts.
std::optional<base::Fault> receive_verdict(Tree& tree, comm::Communicator& component,
                                           const client::Declarer& declarer, CoordinateParts& joined,
                                           const std::function<void()>& meanwhile) {
  for (;;) {
    if (const auto received = tree.from_parent()) {
      tree.down(*received);
      base::ByteReader reader(*received);
      const auto fault = get_fault(reader);
      while (!fault && !reader.rest().empty()) joined.push_back(reader.get_all<double>());
      return fault;
    }
    if (poll(component, 0, explain_tag)) send(component, explanation(declarer), 0, explain_tag, meanwhile);
    meanwhile();
  }
}

// Redistributes the nodes of meshes that were given in parts: `shared` gets those that this rank owns. Throws
// on the first rank if nodes are missing or inconsistent. Returns the fault that the first rank sent, if any.
std::optional<base::Fault> share_nodes(Tree& tree, comm::Communicator& component,
                                       const client::Declarer& declarer,
                                       std::vector<client::StaticValues>& shared,
                                       const std::function<void()>& meanwhile) {
  NodeExchange exchange(component, declarer.given_nodes());
  if (auto fault = barrier(
          tree, [&] { return exchange.progress(); }, meanwhile))
    return fault;
  std::vector<NodeFindings> findings = exchange.shares().join();
  for (std::size_t child = 0; child < tree.children(); ++child)
    add_findings(findings, receive_from_child(tree, child, meanwhile));
  shared = exchange.shares().values();
  if (tree.is_first())
    refuse_findings(findings, declarer.given_nodes());
  else
    tree.up(findings_message(findings));
  return std::nullopt;
}

// On the first rank: checks the declarations of all ranks. Returns the plan; appends the message to the
// servers.
plan::Plan check_all(Started& started, model::Declarations& declarations, model::Tick begin,
                     const ReadyReport& report, base::ByteWriter& to_servers) {
  if (!(std::abs(begin.time) <= model::latest_time))
    throw Error(
        ErrorCode::usage,
        fmt::format("initial_time is {} s; a model time is a number of at most 2^53 seconds", begin.time));
  model::check_message(declarations, report.decomposition,
                       static_cast<std::size_t>(started.component->size()));
  const settings::Configuration configuration = configuration_of(started, declarations);
  declarations = plan::with_marked_holes(configuration, std::move(declarations));
  model::check_cover(declarations, report.decomposition);
  join_parts(declarations, report.decomposition, report.parts);
  set_digests(declarations, report.digests);
  if (has_points(started))
    set_found_cells(declarations, configuration_of(started, declarations), report.nearest);
  plan::Plan plan = plan_for(started, declarations);
  if (started.restart) plan::check_restart(started.restart->texts, plan, declarations);
  const auto continued = look_at_existing_files(plan, begin, env::system_files());
  for (const std::string& warning : plan.warnings) base::log_warning(warning);
  for (const std::string& detail : plan.details) base::log_info(detail);
  put_fault(to_servers, std::nullopt);
  to_servers.put(begin);
  put_continued(to_servers, continued);
  to_servers.put_text(started.restart ? started.restart->checkpoint : "");
  to_servers.put_all(std::span<const std::byte>(declarations.to_bytes()));
  to_servers.put_all(std::span<const std::byte>(report.decomposition.to_bytes()));
  put_fault(to_servers, std::nullopt);  // of the first server, which compares the names of all components
  return plan;
}

Agreement lead(Started& started, const client::Declarer& declarer, model::Tick begin,
               const std::function<void()>& meanwhile, const std::function<void()>& wake) {
  comm::Communicator& component = *started.component;
  Tree tree(component);
  Agreement agreement;
  std::optional<base::Fault> fault;
  base::ByteWriter to_servers = begin_message_to_servers(started);
  model::Declarations declarations = declarer.declarations();
  try {
    const ReadyReport report = gather(tree, started, declarer, meanwhile);
    TAILRACE_ASSERT(report.differing_rank.value_or(0) < component.size(), "a rank outside the component");
    if (report.differing_rank) explain(component, *report.differing_rank, declarer, meanwhile);
    if (report.fault) throw Error(report.fault->code, report.fault->message);
    agreement.plan = check_all(started, declarations, begin, report, to_servers);
    if (!declarer.given_nodes().empty()) {
      tree.down(verdict(std::nullopt));
      share_nodes(tree, component, declarer, agreement.nodes, meanwhile);
    }
  } catch (...) {
    fault = base::current_fault();
    to_servers = begin_message_to_servers(started);
    put_fault(to_servers, fault);
  }
  try {
    send_and_wait(started, to_servers.take(), meanwhile, wake);
  } catch (...) {  // a server is lost; the other ranks must get this fault
    if (!fault) fault = base::current_fault();
  }
  tree.down(fault ? verdict(fault) : verdict(fault, joined_values(declarations)));
  while (!tree.sent()) meanwhile();
  if (fault) throw Error(fault->code, fault->message);
  return agreement;
}

// A rank that fails here sends its fault up and down the tree, since ranks in both directions wait for its
// messages.
Agreement follow(Started& started, const client::Declarer& declarer, const std::function<void()>& meanwhile) {
  comm::Communicator& component = *started.component;
  Tree tree(component);
  Agreement agreement;
  std::optional<base::Fault> fault;
  CoordinateParts joined;
  try {
    tree.up(gather(tree, started, declarer, meanwhile).to_bytes());
    fault = receive_verdict(tree, component, declarer, joined, meanwhile);
    if (!fault && !declarer.given_nodes().empty()) {
      fault = share_nodes(tree, component, declarer, agreement.nodes, meanwhile);
      if (!fault) fault = receive_verdict(tree, component, declarer, joined, meanwhile);
    }
    while (!fault && !tree.sent()) meanwhile();
  } catch (...) {
    tree.give_up(base::current_fault());
    wait_until_sent(tree, patience_seconds);
    throw;
  }
  if (!fault && !joined.empty()) {
    model::Declarations declarations = declarer.declarations();
    set_joined(declarations, joined);
    agreement.plan = plan_for(started, declarations);
  }
  if (!fault) return agreement;
  wait_until_sent(tree, patience_seconds);
  throw Error(fault->code, fault->message);
}

}  // namespace

plan::Plan plan_for(const Started& started, const model::Declarations& declarations) {
  const settings::Configuration configuration = configuration_of(started, declarations);
  plan::Plan plan = plan::make_plan(configuration, plan::apply_overrides(configuration, declarations));
  if (started.restart) plan::mark_restored(plan, *started.restart->state);
  return plan;
}

Agreement agree_on_declarations(Started& started, const client::Declarer& declarer, model::Tick begin,
                                const std::function<void()>& meanwhile, const std::function<void()>& wake) {
  return started.component->rank() == 0 ? lead(started, declarer, begin, meanwhile, wake)
                                        : follow(started, declarer, meanwhile);
}

void report_never_ready(Started& started, const base::Fault& fault) {
  Tree tree(*started.component);
  tree.give_up(fault);
  std::optional<Sending> sending;
  if (tree.is_first()) {
    base::ByteWriter writer = begin_message_to_servers(started);
    put_fault(writer, fault);
    sending.emplace(send_to_servers(started, writer.take()));
  }
  // In mode inline a server receives it only when its rank ends, so it is not waited for.
  const bool is_inline = started.run.servers().mode == settings::Mode::inline_;
  const double end = env::steady_seconds() + patience_seconds;
  while (env::steady_seconds() < end && !(tree.sent() && (is_inline || !sending || sending->done())))
    std::this_thread::sleep_for(std::chrono::microseconds(200));
}

}  // namespace tailrace::handshake
