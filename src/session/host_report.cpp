// The second part of Host: what it leaves in the report directory.
#include <fmt/format.h>

#include "base/bytes.hpp"
#include "base/version.hpp"
#include "env/threads.hpp"
#include "session/host.hpp"

namespace tailrace::session {
namespace {

const char* name_of(Mode mode) {
  switch (mode) {
    case Mode::dedicated: return "dedicated";
    case Mode::attached: return "attached";
    case Mode::inline_: return "inline";
    case Mode::off: return "off";
  }
  return "";
}

}  // namespace

// Server 0 speaks for all: a report directory that cannot be written is known to every server before the
// models hear it.
void Host::prepare_report(comm::Communicator& servers) {
  counters_.rank = servers.rank();
  counters_.host = env::host_name();
  counters_.threads = executor_.threads();
  report_.info = {.version = std::string(base::version),
                  .configuration = run_.sources.front().front().name,
                  .mode = name_of(run_.servers().mode),
                  .transport = "",
                  .started = env::iso_time(env::system_clock()),
                  .finished = ""};
  const ServersOptions& options = run_.servers();
  if (!options.report) return;
  base::ByteWriter said;
  if (servers.rank() == 0) {
    std::optional<base::Fault> fault;
    try {
      telemetry::prepare_report_directory(env::system_files(), options.report_directory);
    } catch (...) {
      fault = base::current_fault();
    }
    put_fault(said, fault);
  }
  const auto heard = servers.broadcast(said.bytes(), 0);
  base::ByteReader reader(heard);
  start_fault_ = get_fault(reader);
  if (start_fault_) return;
  status_ = std::make_unique<telemetry::Status>(env::system_files(), env::system_clock(),
                                                options.report_directory, servers.rank(), servers.size());
  commit_log_ = std::make_unique<telemetry::CommitLog>(env::system_files(), env::system_clock(),
                                                       options.report_directory, servers.rank());
}

void Host::write_report() {
  const ServersOptions& options = run_.servers();
  if (messenger_.rank() == 0 && status_) {
    report_.info.finished = env::iso_time(env::system_clock());
    report_.info.seconds = env::steady_seconds() - begin_;
    report_.info.outcome = outcome();
    report_.info.transport = transport_names();
    report_.write(env::system_files(), options.report_directory);
  }
  if (trace_.on())
    trace_.write(env::system_files(),
                 fmt::format("{}/trace.{}.json", options.report_directory, messenger_.rank()));
}

std::string Host::transport_names() const {
  if (run_.servers().mode != Mode::dedicated) return "loopback";
  bool shm = false, mpi = false;
  for (std::size_t rank = 0; rank < run_.nodes.size(); ++rank) {
    const int server = run_.placement.server_of[rank];
    if (server < 0) continue;
    (uses_shared_memory(run_, static_cast<int>(rank)) ? shm : mpi) = true;
  }
  return shm && mpi ? "shm, mpi" : shm ? "shm" : "mpi";
}

}  // namespace tailrace::session
