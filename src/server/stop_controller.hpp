// The response of a server to SIGTERM and SIGINT: when it has to stop, and how long that may take.
#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "env/signals.hpp"
#include "pipeline/graceful_shutdown.hpp"
#include "settings/configuration.hpp"

namespace tailrace::server {

// The signals that order the run to stop, on a server or (`of_model`) on a rank of a model that is no server.
std::vector<int> stop_signals(const settings::ServersOptions& options, bool of_model);

// Communication thread only, except for model_asks().
class StopController {
 public:
  explicit StopController(const settings::ServersOptions& options) : options_(options) {}  // must live longer

  // Both must live longer.
  void heed(const env::StopSignals& signals) { signals_ = &signals; }
  void heed(const env::EndAnnouncement& announcement) {
    announcement_ = &announcement;
    announcements_ = announcement.times();
  }
  // A model in this process that calls stop_requested ends by itself, and gets the time to do so. Any
  // thread.
  void model_asks() { model_asks_.store(true, std::memory_order_relaxed); }

  bool look();       // true once, after a signal has arrived
  void log() const;  // what the signal that arrived here means
  // Whether the run may end soon (env::EndAnnouncement): for some seconds after each such signal.
  bool is_announced();
  bool adopt(const pipeline::StopOrder* order);  // from another server; true if it is the first order
  const pipeline::StopOrder* order() const { return order_ ? &*order_ : nullptr; }
  int signal() const { return signal_; }  // received by this process; 0: none
  // Whether to leave although other servers have not reported that they are done. `idle`: this server serves
  // no component at the moment.
  bool out_of_time(bool idle) const;

 private:
  const settings::ServersOptions& options_;
  const env::StopSignals* signals_ = nullptr;
  const env::EndAnnouncement* announcement_ = nullptr;
  int announcements_ = 0;
  double announced_at_ = 0.0;  // steady seconds; 0: never
  std::atomic<bool> model_asks_{false};
  int signal_ = 0;
  std::optional<pipeline::StopOrder> order_;
  double ordered_at_ = 0.0;
};

}  // namespace tailrace::server
