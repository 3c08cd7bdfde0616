#include "handshake/failure_detection/startup_monitor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/log.hpp"
#include "env/clock.hpp"
#include "env/file_system.hpp"
#include "env/threads.hpp"

namespace tailrace::handshake {
namespace {

constexpr const char* folder = "/dev/shm";
constexpr double check_seconds = 0.25;
constexpr double first_report_seconds = 5.0;
constexpr double report_backoff = 4.0;  // factor by which the time to the next report grows
constexpr std::size_t most_named = 16;
// All processes of a job start within this time, in clock ticks; an older note is from another job.
constexpr std::uint64_t ticks_of_start = 60'000;

// Identical in all processes of this job on this node, and different in other jobs: made from the launcher's
// name of the job or, if it gives none (MPICH), from the launcher's process.
std::string name_of_job() {
  std::string job;
  for (const char* name : {"PMIX_NAMESPACE", "PMI_JOBID", "SLURM_JOB_ID", "SLURM_STEP_ID"})
    if (const char* const text = std::getenv(name)) job += fmt::format("{}={} ", name, text);
  if (job.empty()) {
    const transport::ProcessId launcher = transport::launcher_process();
    job = fmt::format("{} {} ", launcher.number, launcher.start);
  }
  if (const char* const nodes = std::getenv("TAILRACE_NODES")) job += nodes;
  return fmt::format("{:016x}", std::hash<std::string>()(job + env::node_name()));
}

std::string note_name(const transport::ProcessId& process, const std::string& job, int number) {
  return fmt::format("tailrace-{}-{}-{}-meets-{}-{}", process.pid_space, process.number, process.start, job,
                     number);
}

std::string listed(const std::vector<std::size_t>& ranks) {
  const std::span<const std::size_t> named(ranks.data(), std::min(ranks.size(), most_named));
  return fmt::format("{}{}", fmt::join(named, ", "), ranks.size() > most_named ? ", ..." : "");
}

}  // namespace

LostInStart::LostInStart(int lost, const std::string& how, bool is_seen)
    : Error(ErrorCode::lost, is_seen ? fmt::format("rank {} of the run is gone: {} in start", lost, how)
                                     : fmt::format("rank {} of the run is lost in start: {}", lost, how)),
      rank(lost),
      why(how),
      seen(is_seen) {}

StartupMonitor::StartupMonitor(const comm::GroupMembers& members)
    : members_(members),
      job_(name_of_job()),
      begin_(env::steady_seconds()),
      next_report_(begin_ + first_report_seconds) {
  const int own = members_.numbers[base::index(members_.rank)];
  note_ = fmt::format("{}/{}", folder, note_name(transport::this_process(), job_, own));
  try {
    env::system_files().write(note_, "");
  } catch (const Error&) {  // no shared memory: the run continues without the monitor
    note_.clear();
  }
}

StartupMonitor::~StartupMonitor() {
  if (note_.empty()) return;
  try {
    env::system_files().remove(note_);
  } catch (const Error&) {  // the next server of this user removes the file
  }
}

void StartupMonitor::check() {
  const double now = env::steady_seconds();
  if (now < next_check_ || note_.empty()) return;
  next_check_ = now + check_seconds;
  read_notes();
  for (const auto& [number, process] : arrived_) {
    if (!transport::gone(process)) continue;
    const auto place = std::ranges::find(members_.numbers, number);
    if (place == members_.numbers.end()) continue;
    throw LostInStart(static_cast<int>(place - members_.numbers.begin()),
                      fmt::format("its process {} ended", process.number), true);
  }
  if (now < next_report_) return;
  next_report_ = begin_ + report_backoff * (now - begin_);
  if (!is_reporter()) return;
  for (const std::string& report : {describe_missing(), describe_stopped()})
    if (!report.empty()) base::log_warning(fmt::format("{:.0f} s in start: {}", now - begin_, report));
}

void StartupMonitor::read_notes() {
  const std::string pattern = "-meets-" + job_ + "-";
  const transport::ProcessId own = transport::this_process();
  for (const std::string& name : env::system_files().list(folder)) {
    if (!name.starts_with("tailrace-") || name.find(pattern) == std::string::npos) continue;
    transport::ProcessId process;
    int end = 0;
    if (std::sscanf(name.c_str(), "tailrace-%" SCNu64 "-%" SCNd32 "-%" SCNu64 "-%n", &process.pid_space,
                    &process.number, &process.start, &end) != 3)
      continue;
    if (process.start + ticks_of_start < own.start) continue;
    arrived_[std::atoi(name.c_str() + name.rfind('-') + 1)] = process;
  }
}

bool StartupMonitor::has_arrived(std::size_t rank) const { return arrived_.contains(members_.numbers[rank]); }

bool StartupMonitor::is_stopped(std::size_t rank) const {
  const auto found = arrived_.find(members_.numbers[rank]);
  return found != arrived_.end() && transport::stopped(found->second);
}

// Reports come from the first rank of the node that has arrived and is not stopped.
bool StartupMonitor::is_reporter() const {
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(members_.rank); ++rank)
    if (has_arrived(rank) && !is_stopped(rank)) return false;
  return true;
}

std::string StartupMonitor::describe_missing() const {
  const auto missing = ranks_where([&](std::size_t rank) { return !has_arrived(rank); });
  if (missing.empty()) return "";
  return fmt::format(
      "{} of {} ranks have not called start, as seen from node {} (ranks on other nodes may have): {}; every "
      "rank of the communicator must call start or serve",
      missing.size(), members_.numbers.size(), env::host_name(), listed(missing));
}

std::string StartupMonitor::describe_stopped() const {
  const auto stopped = ranks_where([&](std::size_t rank) { return is_stopped(rank); });
  if (stopped.empty()) return "";
  return fmt::format("waiting for {} {} of the run, stopped by a signal",
                     stopped.size() == 1 ? "rank" : "ranks", listed(stopped));
}

std::vector<std::size_t> StartupMonitor::ranks_where(const std::function<bool(std::size_t)>& is_one) const {
  std::vector<std::size_t> ranks;
  for (std::size_t rank = 0; rank < members_.numbers.size(); ++rank)
    if (is_one(rank)) ranks.push_back(rank);
  return ranks;
}

}  // namespace tailrace::handshake
