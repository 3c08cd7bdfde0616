#include "output/adios2/stream/process/watch.hpp"

#include <unistd.h>

#include <chrono>

#include "output/adios2/stream/process/peers.hpp"
#include "output/adios2/stream/wire.hpp"

namespace tailrace::output::adios2::stream {
namespace {

using namespace std::chrono_literals;

constexpr double patience_without_readers = 3.0;  // seconds

std::int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

}  // namespace

Watch::Watch()
    : thread_([this](const std::stop_token& stop) {
        while (!stop.stop_requested()) {
          std::this_thread::sleep_for(250ms);
          look();
        }
      }) {}

void Watch::begin() { began_ = now(); }

void Watch::look() {
  const std::int64_t began = began_;
  if (began == 0) return;
  const double lasts = 1e-9 * static_cast<double>(now() - began);
  if (lasts > taking_patience_seconds) ::_exit(no_step_taken);
  if (lasts > patience_without_readers && connected_peers() == 0) ::_exit(hangs);
}

}  // namespace tailrace::output::adios2::stream
