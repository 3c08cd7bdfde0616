// The report at the end of a run: the merged counters of all clients and servers, as report.json
// (docs/formats/report.md). Each server adds its clients and itself; server 0 merges the reports of the
// others and writes the file.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "env/file_system.hpp"
#include "telemetry/counters.hpp"

namespace tailrace::telemetry {

struct RunInfo {
  std::string version;        // of Tailrace
  std::string configuration;  // path
  std::string mode;           // dedicated, attached, inline
  std::string transport;      // shm, mpi, loopback, or several with a comma
  std::string started;        // wall time, ISO 8601
  std::string finished;
  double seconds = 0.0;              // wall time between them
  std::string outcome = "complete";  // or what went wrong, one sentence
  // Checkpoints of earlier jobs that this one found in burst buffers and drained.
  std::uint64_t drained_members = 0, drained_bytes = 0;
};

class RunReport {
 public:
  RunInfo info;
  std::vector<ClientCounters> clients;
  std::vector<ServerCounters> servers;

  void merge(RunReport&& other);            // adds its clients and servers, and keeps the own info
  std::vector<std::byte> to_bytes() const;  // without info
  static RunReport from_bytes(std::span<const std::byte> bytes);

  std::vector<OutOfRange> out_of_range() const;  // by path and variable; over all servers

  std::string json() const;
  // Creates the directory; writes <directory>/report.json. Throws Error(resource).
  void write(env::FileSystem& files, const std::string& directory) const;
};

}  // namespace tailrace::telemetry
