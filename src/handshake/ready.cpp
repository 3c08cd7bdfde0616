#include "handshake/ready.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <memory>
#include <thread>

#include "base/bytes.hpp"
#include "base/fault_bytes.hpp"
#include "base/index.hpp"
#include "base/log.hpp"
#include "checkpoint/checkpoint_store.hpp"
#include "env/clock.hpp"
#include "env/file_system.hpp"
#include "handshake/connection.hpp"
#include "handshake/ready/coordinate_forms.hpp"
#include "handshake/ready/declaration_digest.hpp"
#include "handshake/ready/existing_files.hpp"
#include "handshake/ready/found_cells.hpp"
#include "handshake/ready/mesh_nodes.hpp"
#include "handshake/ready/part_coordinates.hpp"
#include "handshake/ready/ready_report.hpp"
#include "handshake/ready/remarks.hpp"
#include "messaging/collectives/polled_tree.hpp"
#include "messaging/sending.hpp"
#include "model/message_checks.hpp"
#include "plan/masks.hpp"
#include "plan/model_clock.hpp"
#include "plan/naming/apply_overrides.hpp"
#include "plan/naming/name_patterns.hpp"
#include "plan/plan.hpp"
#include "plan/points.hpp"
#include "plan/restart/description.hpp"
#include "plan/restart/output_paths.hpp"
#include "plan/restart/restored.hpp"
#include "settings/checkpoint.hpp"

namespace tailrace::handshake {
namespace {

// Tag on the component's communicator, for the request of the first rank and for the answer.
constexpr int explain_tag = 3;

constexpr double patience_seconds = 1.5;  // to send the last message of a rank that gives up

// The configuration with the model's options filled in.
settings::Configuration configuration_of(const Started& started, const model::Declarations& declarations) {
  const auto c = base::index(started.number);
  return plan::with_patterns(
      settings::with_options(started.run.configurations[c], started.run.sources[c], declarations.options),
      declarations);
}

bool has_points(const Started& started) {
  return !plan::point_requests(started.run.configurations[base::index(started.number)]).empty();
}

std::vector<std::byte> await(comm::Communicator& component, int from, int tag,
                             const std::function<void()>& meanwhile) {
  std::optional<std::vector<std::byte>> message;
  while (!(message = messaging::poll(component, from, tag))) meanwhile();
  return std::move(*message);
}

// Throws an Error that names the first difference between the declarations of this rank, the first one, and
// `rank`. Only now does that rank send a digest of each declaration; the reports of all ranks carry a single
// one.
[[noreturn]] void explain(comm::Communicator& component, int rank, const client::Declarer& declarer,
                          const std::function<void()>& meanwhile) {
  messaging::send(component, std::vector<std::byte>(1), rank, explain_tag, meanwhile);
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
ReadyReport gather(messaging::PolledTree& tree, const Started& started, const client::Declarer& declarer,
                   const std::function<void()>& meanwhile) {
  ReadyReport all = ReadyReport::of(declarer, started.component->rank());
  if (has_points(started))
    all.nearest = look_for_stations(declarer, configuration_of(started, declarer.declarations()));
  for (std::size_t child = 0; child < tree.children(); ++child)
    all.add(ReadyReport::from_bytes(messaging::receive_from_child(tree, child, meanwhile)));
  return all;
}

base::ByteWriter begin_message_to_servers(const Started& started) {
  base::ByteWriter message;
  message.put(static_cast<std::int32_t>(started.number));
  return message;
}

// The first server forwards it to the others.
messaging::Sending send_to_servers(Started& started, std::vector<std::byte> message) {
  return {*started.world, std::move(message), started.run.assignment.servers.front(),
          message_tag(Tag::ready, started.place, started.components)};
}

void send_and_wait(Started& started, std::vector<std::byte> message, const std::function<void()>& meanwhile,
                   const std::function<void()>& wake) {
  messaging::Sending sending = send_to_servers(started, std::move(message));
  while (!sending.done()) {
    wake();
    meanwhile();
  }
}

std::vector<std::byte> verdict(std::optional<base::Fault> fault, const JoinedParts& joined = {}) {
  if (fault) fault = shared_fault(std::move(*fault), "ready", false);
  base::ByteWriter writer;
  put_fault(writer, fault);
  writer.put_all(std::span<const std::uint64_t>(joined.digests));
  for (const std::vector<double>& values : joined.values) writer.put_all(std::span<const double>(values));
  return writer.take();
}

// Receives the verdict and forwards it down the tree. The last one has what all ranks need of the coordinates
// in parts.
std::optional<base::Fault> receive_verdict(messaging::PolledTree& tree, comm::Communicator& component,
                                           const client::Declarer& declarer, JoinedParts& joined,
                                           const std::function<void()>& meanwhile) {
  for (;;) {
    if (const auto received = tree.from_parent()) {
      tree.down(*received);
      base::ByteReader reader(*received);
      const auto fault = get_fault(reader);
      if (fault) return fault;
      joined.digests = reader.get_all<std::uint64_t>();
      while (!reader.rest().empty()) joined.values.push_back(reader.get_all<double>());
      return fault;
    }
    if (messaging::poll(component, 0, explain_tag))
      messaging::send(component, explanation(declarer), 0, explain_tag, meanwhile);
    meanwhile();
  }
}

// Redistributes the nodes of meshes that were given in parts: `shared` gets those that this rank owns. Throws
// on the first rank if nodes are missing or inconsistent. Returns the fault that the first rank sent, if any.
std::optional<base::Fault> share_nodes(messaging::PolledTree& tree, comm::Communicator& component,
                                       const client::Declarer& declarer,
                                       std::vector<client::StaticValues>& shared,
                                       const std::function<void()>& meanwhile) {
  NodeExchange exchange(component, declarer.given_nodes());
  if (auto fault = messaging::barrier(
          tree, [&] { return exchange.progress(); }, meanwhile))
    return fault;
  std::vector<NodeFindings> findings = exchange.shares().join();
  for (std::size_t child = 0; child < tree.children(); ++child)
    add_findings(findings, messaging::receive_from_child(tree, child, meanwhile));
  shared = exchange.shares().values();
  if (tree.is_first())
    refuse_findings(findings, declarer.given_nodes());
  else
    tree.up(findings_message(findings));
  return std::nullopt;
}

// The run directory that the checkpoints name, if this one is a copy of it: the original still exists, with
// checkpoints of its own.
std::string original_of(const std::string& recorded, const std::string& checkpoints) {
  namespace fs = std::filesystem;
  std::error_code is_none;
  if (recorded.empty() || fs::path(checkpoints).is_absolute()) return "";
  const fs::path there = fs::path(recorded) / checkpoints;
  const bool is_other = fs::exists(there, is_none) && !fs::equivalent(there, checkpoints, is_none);
  return is_other && !is_none ? recorded : "";
}

EarlierJobs earlier_jobs(const Started& started, const model::Declarations& declarations,
                         const plan::Plan& plan, const model::Tick& begin) {
  const auto configuration = configuration_of(started, declarations);
  const auto* options = configuration.sections.find<settings::CheckpointOptions>();
  if (options == nullptr || !options->is_asked_for) return {};
  EarlierJobs earlier;
  earlier.checkpoints = checkpoint::checkpoints_path(options->directory, declarations.component);
  earlier.location = options->location;
  earlier.files = checkpoint::read_run_files(env::system_files(), earlier.checkpoints);
  plan::OutputPaths paths = plan::output_paths(plan, begin);
  earlier.output = {std::filesystem::current_path().string(), std::move(paths.series),
                    std::move(paths.files)};
  if (started.restart) earlier.step = started.restart->at.step;
  earlier.begins_unasked = !started.restart && options->restart == settings::Restart::auto_;
  earlier.original = original_of(earlier.files.directory, earlier.checkpoints);
  return earlier;
}

// The next job must know that this run made its files, even if this job is killed before its first
// checkpoint. A job that still runs keeps its list; the servers then refuse this one.
void note_output(const EarlierJobs& earlier) {
  if (earlier.checkpoints.empty()) return;
  env::FileSystem& files = env::system_files();
  make_checkpoints_directory(earlier.checkpoints, earlier.location);
  if (checkpoint::holder_of(files, earlier.checkpoints).empty())
    checkpoint::note_output(files, earlier.checkpoints, earlier.output);
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
  set_odd_values(declarations, report.odd);
  if (has_points(started))
    set_found_cells(declarations, configuration_of(started, declarations), report.nearest);
  plan::Plan plan = plan_for(started, declarations);
  if (started.restart) plan::check_restart(started.restart->texts, plan, declarations);
  begin = plan::make_clock(plan, plan.calendar, begin).begin();
  const EarlierJobs earlier = earlier_jobs(started, declarations, plan, begin);
  const auto continued = look_at_existing_files(plan, begin, env::system_files(), earlier);
  note_output(earlier);
  const Told told = told_at_start(plan.warnings, started.run.sources[base::index(started.number)]);
  for (const std::string& warning : told.warnings) base::log_warning(warning);
  for (const std::string& detail : told.details) base::log_info(detail);
  for (const std::string& detail : plan.details) base::log_info(detail);
  put_fault(to_servers, std::nullopt);
  to_servers.put(begin);
  put_continued(to_servers, continued);
  put_fills(to_servers, fills_of_existing_files(plan, begin, continued));
  to_servers.put_text(started.restart ? started.restart->checkpoint : "");
  to_servers.put_all(std::span<const std::byte>(declarations.to_bytes()));
  to_servers.put_all(std::span<const std::byte>(report.decomposition.to_bytes()));
  put_fault(to_servers, std::nullopt);  // of the first server, which compares the names of all components
  return plan;
}

Agreement lead(Started& started, client::Declarer& declarer, model::Tick begin,
               const std::function<void()>& meanwhile, const std::function<void()>& wake) {
  comm::Communicator& component = *started.component;
  messaging::PolledTree tree(component);
  Agreement agreement;
  std::optional<base::Fault> fault;
  base::ByteWriter to_servers = begin_message_to_servers(started);
  model::Declarations declarations;
  try {
    settle_coordinates(tree, component, declarer, meanwhile);
    declarations = declarer.declarations();
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
  tree.down(fault ? verdict(fault) : verdict(fault, joined_parts(declarations)));
  while (!tree.sent()) meanwhile();
  if (fault) throw Error(fault->code, fault->message);
  agreement.declarations = std::move(declarations);
  return agreement;
}

// A rank that fails here sends its fault up and down the tree, since ranks in both directions wait for its
// messages.
Agreement follow(Started& started, client::Declarer& declarer, const std::function<void()>& meanwhile) {
  comm::Communicator& component = *started.component;
  messaging::PolledTree tree(component);
  Agreement agreement;
  std::optional<base::Fault> fault;
  JoinedParts joined;
  try {
    fault = settle_coordinates(tree, component, declarer, meanwhile);
    if (!fault) {
      tree.up(gather(tree, started, declarer, meanwhile).to_bytes());
      fault = receive_verdict(tree, component, declarer, joined, meanwhile);
    }
    if (!fault && !declarer.given_nodes().empty()) {
      fault = share_nodes(tree, component, declarer, agreement.nodes, meanwhile);
      if (!fault) fault = receive_verdict(tree, component, declarer, joined, meanwhile);
    }
    while (!fault && !tree.sent()) meanwhile();
  } catch (...) {
    tree.give_up(base::current_fault());
    messaging::wait_until_sent(tree, patience_seconds);
    throw;
  }
  if (fault) {
    messaging::wait_until_sent(tree, patience_seconds);
    throw Error(fault->code, fault->message);
  }
  agreement.declarations = declarer.declarations();
  set_joined(agreement.declarations, joined);
  return agreement;
}

}  // namespace

plan::Plan plan_for(const Started& started, const model::Declarations& declarations) {
  const settings::Configuration configuration = configuration_of(started, declarations);
  plan::Plan plan = plan::make_plan(configuration, plan::apply_overrides(configuration, declarations));
  if (started.restart) plan::mark_restored(plan, *started.restart->state);
  return plan;
}

Agreement agree_on_declarations(Started& started, client::Declarer& declarer, model::Tick begin,
                                const std::function<void()>& meanwhile, const std::function<void()>& wake) {
  return started.component->rank() == 0 ? lead(started, declarer, begin, meanwhile, wake)
                                        : follow(started, declarer, meanwhile);
}

base::Fault shared_fault(base::Fault fault, std::string_view call, bool is_first_rank) {
  if (!is_first_rank && fault.code != ErrorCode::lost)
    fault.message =
        fmt::format("{} failed on all ranks; the first rank of the component reports the reason", call);
  return fault;
}

void report_never_ready(Started& started, const base::Fault& fault) {
  messaging::PolledTree tree(*started.component);
  tree.give_up(fault);
  std::optional<messaging::Sending> sending;
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
