// `servers:`, where the servers run and what they may use.
#pragma once

#include <cstddef>
#include <string>

#include "config/section.hpp"
#include "transport/options.hpp"

namespace tailrace::settings {

enum class Mode { dedicated, attached, inline_, off };
enum class Signals { servers, all, none };  // which ranks take SIGTERM and SIGINT
enum class OnServerLoss { stop, go_on };    // what the model does when a server is lost

struct ServersOptions {
  Mode mode = Mode::dedicated;
  int count = 1;       // server ranks taken from the end of the communicator (dedicated)
  int per_node = 0;    // instead of count: the last ranks of each node, of its NUMA domains in turn
  int per_domain = 0;  // instead of count: the last ranks of each NUMA domain
  bool pin = true;     // a dedicated server's threads keep to the cores that it has for itself
  int threads = 0;     // worker threads a server; 0: auto
  transport::BufferOptions buffer;
  std::string transport = "auto";             // or the name of one
  std::size_t memory = std::size_t{1} << 30;  // bound on the data that a server holds
  bool memory_given = false;       // else it bounds what moves, and what a plan must hold comes on top
  double watchdog_seconds = 60.0;  // 0: off
  bool model_uses_hdf5 = true;     // attached: as far as we know
  Signals signals = Signals::servers;
  int stop_signal = 0;          // another one with the same meaning, which all ranks take; 0: none
  double grace_seconds = 20.0;  // from such a signal to the end of the servers
  OnServerLoss on_server_loss = OnServerLoss::stop;
  std::string report_directory = "tailrace_report";
  bool report = true;
  bool trace = false;  // write a trace for Perfetto into the report directory

  bool operator==(const ServersOptions&) const = default;
};

config::Section<ServersOptions> servers_section();

}  // namespace tailrace::settings
