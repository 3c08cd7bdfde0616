#include "server/reporter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/bytes.hpp"
#include "base/fault_bytes.hpp"
#include "base/file_name.hpp"
#include "base/log.hpp"
#include "base/version.hpp"
#include "env/clock.hpp"
#include "env/open_files.hpp"
#include "env/threads.hpp"
#include "messaging/collectives/broadcast.hpp"
#include "settings/checkpoint.hpp"
#include "settings/option_place.hpp"

namespace tailrace::server {
namespace {

constexpr std::int32_t directory_kind = -3;  // of messages that belong to no component

const char* name_of(settings::Mode mode) {
  switch (mode) {
    case settings::Mode::dedicated: return "dedicated";
    case settings::Mode::attached: return "attached";
    case settings::Mode::inline_: return "inline";
    case settings::Mode::off: return "off";
  }
  return "";
}

// Whether a component may continue from a checkpoint of an earlier job.
bool may_go_on(const handshake::Run& run) {
  return std::ranges::any_of(run.configurations, [](const settings::Configuration& configuration) {
    const auto* options = configuration.sections.find<settings::CheckpointOptions>();
    return options != nullptr && options->is_asked_for && options->restart != settings::Restart::never;
  });
}

// A report that cannot be written causes only a warning: the files of the run matter more.
template <class Write>
void try_to_write(const char* what, Write write) {
  try {
    write();
  } catch (const Error& error) {
    base::log_warning(fmt::format("no {}: {}", what, error.what()));
  }
}

}  // namespace

Reporter::Reporter(int server, const handshake::Run& run, int threads)
    : run_(run),
      rank_(server),
      trace_(run.servers().trace, fmt::format("server {}", server), server),
      awaits_directory_(run.servers().report),
      begin_(env::steady_seconds()) {
  counters_.rank = rank_;
  counters_.host = env::host_name();
  counters_.threads = threads;
  report_.info = {.version = std::string(base::version),
                  .configuration = run_.sources.front().front().name,
                  .mode = name_of(run_.servers().mode),
                  .transport = "",
                  .started = env::iso_time(env::system_clock()),
                  .finished = "",
                  .drained_members = run_.drained.shards,
                  .drained_bytes = run_.drained.bytes};
}

void Reporter::share_directory(messaging::Messenger& messenger) {
  messaging::on_broadcast(messenger, directory_kind, 0, [this](int, messaging::Bytes&& message) {
    base::ByteReader reader(message);
    const auto fault = base::get_fault(reader);
    open(fault, reader.get<bool>());
  });
  if (rank_ != 0 || !awaits_directory_) return;
  const std::string& directory = run_.servers().report_directory;
  std::optional<base::Fault> fault;
  try {
    mark_ = telemetry::prepare_report_directory(env::system_files(), directory, may_go_on(run_));
    if (!mark_)
      base::log_warning(fmt::format(
          "{} is the report directory of another session that is still running ({}); this run writes no "
          "report; give it its own servers.report_directory",
          directory, env::who_writes(directory + "/.session")));
  } catch (const Error& error) {
    const std::string place = settings::option_at_its_place(run_.sources.front(), "servers.report_directory");
    fault = base::Fault{error.code(), fmt::format("{}: {}", place, error.what())};
  }
  base::ByteWriter said;
  base::put_fault(said, fault);
  said.put(mark_ != nullptr);
  messaging::broadcast(messenger, directory_kind, said.take());
}

void Reporter::open(const std::optional<base::Fault>& fault, bool ours) {
  if (!std::exchange(awaits_directory_, false)) return;
  start_fault_ = fault;
  if (start_fault_ || !ours) return;
  const settings::ServersOptions& options = run_.servers();
  const int servers = static_cast<int>(run_.assignment.servers.size());
  try {
    status_ = std::make_unique<telemetry::Status>(env::system_files(), env::system_clock(),
                                                  options.report_directory, rank_, servers);
    commit_log_ = std::make_unique<telemetry::CommitLog>(env::system_files(), env::system_clock(),
                                                         options.report_directory, rank_);
  } catch (...) {
    start_fault_ = base::current_fault();
  }
}

void Reporter::keep_declarations(const std::string& component, const std::string& json) const {
  try_to_write("declarations in the report directory", [&] {
    const std::string name = base::file_name_of(component);
    env::system_files().write(fmt::format("{}/declared.{}.json", run_.servers().report_directory, name),
                              json);
  });
}

void Reporter::add_client(std::span<const std::byte> counted, std::uint64_t lasted) {
  auto& client = report_.clients.emplace_back(telemetry::ClientCounters::from_bytes(counted));
  // A client counts until it calls finish. The server measures the wait that follows, on its own clock.
  client.finish_nanoseconds.set(lasted - std::min(lasted, client.run_nanoseconds.get()));
}

messaging::Bytes Reporter::end(const telemetry::StatusSnapshot& snapshot, const std::string& outcome) {
  counters_.run_nanoseconds.set(static_cast<std::uint64_t>(1e9 * (env::steady_seconds() - begin_)));
  counters_.resident_high_water_bytes.set(env::resident_high_water_bytes());
  telemetry::RunReport own;
  own.clients = std::exchange(report_.clients, {});
  own.servers.push_back(std::move(counters_));
  if (status_) status_->finish(snapshot, outcome);
  return own.to_bytes();
}

void Reporter::merge(std::span<const std::byte> of_a_server) {
  report_.merge(telemetry::RunReport::from_bytes(of_a_server));
}

messaging::TreeAllreduce::Callbacks Reporter::callbacks_of_byes() {
  return {[this](const messaging::Bytes& report) { merge(report); },
          [this] { return rank_ == 0 ? messaging::Bytes{} : merged(); }, [](const messaging::Bytes&) {}};
}

messaging::Bytes Reporter::merged() const { return report_.to_bytes(); }

void Reporter::tell_out_of_range() const {
  for (const telemetry::OutOfRange& one : report_.out_of_range())
    base::log_warning(fmt::format(
        "{}: {} value{} of \"{}\" did not fit {}, or equalled the fill value, and are missing to readers; "
        "the "
        "first at {} s",
        one.path, one.values, one.values == 1 ? "" : "s", one.variable, one.type, one.first_time));
}

void Reporter::write(const std::string& outcome) {
  if (rank_ == 0) tell_out_of_range();
  const std::string& directory = run_.servers().report_directory;
  if (rank_ == 0 && status_) {
    report_.info.finished = env::iso_time(env::system_clock());
    report_.info.seconds = env::steady_seconds() - begin_;
    report_.info.outcome = outcome;
    report_.info.transport = transport_names();
    try_to_write("report", [&] { report_.write(env::system_files(), directory); });
  }
  if (trace_.on() && (status_ || !run_.servers().report))
    try_to_write("trace", [&] {
      trace_.write(env::system_files(), fmt::format("{}/trace.{}.json", directory, rank_));
    });
}

std::string Reporter::transport_names() const {
  if (run_.servers().mode != settings::Mode::dedicated) return "loopback";
  std::set<std::string> used;
  for (std::size_t rank = 0; rank < run_.nodes.size(); ++rank) {
    if (run_.assignment.server_of[rank] < 0) continue;
    try {
      used.insert(handshake::transport_of(run_, static_cast<int>(rank)).name());
    } catch (const Error&) {  // this rank could not be connected, and has reported that itself
    }
  }
  std::vector<std::string> names = transport::transport_names();
  std::erase_if(names, [&](const std::string& name) { return !used.contains(name); });
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace tailrace::server
