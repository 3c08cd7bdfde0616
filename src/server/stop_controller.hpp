// What SIGTERM and SIGINT mean to a server: when it has to stop, and how long that may take.
#pragma once

#include <atomic>
#include <optional>

#include "env/signals.hpp"
#include "pipeline/graceful_shutdown.hpp"
#include "settings/configuration.hpp"

namespace tailrace::server {

// Communication thread, but for model_asks().
class StopController {
 public:
  explicit StopController(const settings::ServersOptions& options) : options_(options) {}  // must live longer

  void heed(const env::StopSignals& signals) { signals_ = &signals; }  // must live longer
  // A model in this process that asks for stop_requested ends by itself, and is given the time. Any thread.
  void model_asks() { model_asks_.store(true, std::memory_order_relaxed); }

  bool look();  // true once, when a signal has come
  bool adopt(
      const pipeline::StopOrder* order);  // of another server; true where it is the first message of it
  const pipeline::StopOrder* order() const { return order_ ? &*order_ : nullptr; }
  int signal() const { return signal_; }  // that this process got; 0: none
  // Whether to leave even though others have not said that they are done. `idle`: nothing is being served.
  bool out_of_time(bool idle) const;

 private:
  const settings::ServersOptions& options_;
  const env::StopSignals* signals_ = nullptr;
  std::atomic<bool> model_asks_{false};
  int signal_ = 0;
  std::optional<pipeline::StopOrder> order_;
  double ordered_at_ = 0.0;
};

}  // namespace tailrace::server
