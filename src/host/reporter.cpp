#include "host/reporter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/bytes.hpp"
#include "base/log.hpp"
#include "base/version.hpp"
#include "env/clock.hpp"
#include "env/threads.hpp"
#include "handshake/connection.hpp"

namespace tailrace::host {
namespace {

const char* name_of(settings::Mode mode) {
  switch (mode) {
    case settings::Mode::dedicated: return "dedicated";
    case settings::Mode::attached: return "attached";
    case settings::Mode::inline_: return "inline";
    case settings::Mode::off: return "off";
  }
  return "";
}

struct Directory {
  std::unique_ptr<env::File> mark;  // on server 0
  bool ours = false;
  std::optional<base::Fault> fault;
};

Directory prepare_directory(comm::Communicator& servers, const std::string& directory) {
  Directory prepared;
  base::ByteWriter said;
  if (servers.rank() == 0) {
    std::optional<base::Fault> fault;
    try {
      prepared.mark = telemetry::prepare_report_directory(env::system_files(), directory);
      if (!prepared.mark)
        base::log_warning(
            fmt::format("{} is the report directory of another session that goes on: this one writes no "
                        "report; give it a servers.report_directory of its own",
                        directory));
    } catch (...) {
      fault = base::current_fault();
    }
    handshake::put_fault(said, fault);
    said.put(prepared.mark != nullptr);
  }
  const auto heard = servers.broadcast(said.bytes(), 0);
  base::ByteReader reader(heard);
  prepared.fault = handshake::get_fault(reader);
  prepared.ours = reader.get<bool>();
  return prepared;
}

// A report that cannot be written is told, and takes nothing with it: the files of the run matter more.
template <class Write>
void try_to_write(const char* what, Write write) {
  try {
    write();
  } catch (const Error& error) {
    base::log_warning(fmt::format("no {}: {}", what, error.what()));
  }
}

}  // namespace

Reporter::Reporter(comm::Communicator& servers, const handshake::Run& run, int threads)
    : run_(run),
      rank_(servers.rank()),
      trace_(run.servers().trace, fmt::format("server {}", servers.rank()), servers.rank()),
      begin_(env::steady_seconds()) {
  counters_.rank = rank_;
  counters_.host = env::host_name();
  counters_.threads = threads;
  report_.info = {.version = std::string(base::version),
                  .configuration = run_.sources.front().front().name,
                  .mode = name_of(run_.servers().mode),
                  .transport = "",
                  .started = env::iso_time(env::system_clock()),
                  .finished = ""};
  const settings::ServersOptions& options = run_.servers();
  if (!options.report) return;
  Directory prepared = prepare_directory(servers, options.report_directory);
  mark_ = std::move(prepared.mark);
  start_fault_ = prepared.fault;
  if (start_fault_ || !prepared.ours) return;
  status_ = std::make_unique<telemetry::Status>(env::system_files(), env::system_clock(),
                                                options.report_directory, rank_, servers.size());
  commit_log_ = std::make_unique<telemetry::CommitLog>(env::system_files(), env::system_clock(),
                                                       options.report_directory, rank_);
}

void Reporter::keep_declarations(const std::string& component, const std::string& json) const {
  try_to_write("declarations in the report directory", [&] {
    env::system_files().write(fmt::format("{}/declared.{}.json", run_.servers().report_directory, component),
                              json);
  });
}

void Reporter::add_client(std::span<const std::byte> counted, std::uint64_t lasted) {
  auto& client = report_.clients.emplace_back(telemetry::ClientCounters::from_bytes(counted));
  // A client counts until it calls finish; what it waits from then on is seen from here, on one clock.
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

void Reporter::write(const std::string& outcome) {
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
    } catch (const Error&) {  // this rank could not be joined: it has said so itself
    }
  }
  std::vector<std::string> names = transport::transport_names();
  std::erase_if(names, [&](const std::string& name) { return !used.contains(name); });
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace tailrace::host
