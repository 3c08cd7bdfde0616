#include "env/faults.hpp"

#include <signal.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "base/log.hpp"
#include "env/threads.hpp"

namespace tailrace::env {
namespace {

struct Settings {
  std::string rank, place, way;
  long time = 1;  // the fault occurs at this visit of the place
};

Settings read_settings() {
  const char* const text = std::getenv("TAILRACE_FAULT_AT");
  if (!text || !*text) return {};
  std::string parts[4];
  std::string rest(text);
  for (std::string& part : parts) {
    const auto colon = rest.find(':');
    part = rest.substr(0, colon);
    rest = colon == std::string::npos ? "" : rest.substr(colon + 1);
  }
  if (parts[2].empty()) {
    base::log_warning(
        "TAILRACE_FAULT_AT is not of the form <rank>:<place>:<way>[:<time>], such as 3:welcome:kill");
    return {};
  }
  if (parts[0] != rank_of_launcher()) return {};
  return {parts[0], parts[1], parts[2], parts[3].empty() ? 1 : std::atol(parts[3].c_str())};
}

const Settings& settings() {
  static const Settings read = read_settings();
  return read;
}

}  // namespace

const bool faults_on = !settings().place.empty();

void fail_here(const char* place) {
  static std::atomic<long> passed{0};
  const Settings& wanted = settings();
  if (wanted.place != place || passed.fetch_add(1) + 1 != wanted.time) return;
  base::log_warning("fault at " + wanted.place + ": " + wanted.way + " of rank " + wanted.rank);
  if (wanted.way == "kill") ::raise(SIGKILL);
  if (wanted.way == "stop") ::raise(SIGSTOP);
  if (wanted.way == "exit") std::_Exit(7);
  if (wanted.way == "throw") throw Error(ErrorCode::internal, "a fault at " + wanted.place);
}

}  // namespace tailrace::env
