#include "server/resources/pinning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/log.hpp"
#include "env/threads.hpp"

namespace tailrace::server {
namespace {

constexpr std::size_t cores_for_one_more = 4;  // of fewer, the workers need each

}  // namespace

ThreadPinning plan_pinning(const std::vector<int>& mine, const std::vector<std::vector<int>>& others,
                           const env::Topology& topology) {
  std::set<int> cores_of_others;
  for (const std::vector<int>& cpus : others)
    for (const int cpu : cpus) cores_of_others.insert(env::core_of(topology, cpu));
  std::map<int, std::vector<int>> own;  // by core
  for (const int cpu : mine) {
    const int core = env::core_of(topology, cpu);
    if (!cores_of_others.contains(core)) own[core].push_back(cpu);
  }
  if (own.empty()) return {};
  ThreadPinning pinning;
  for (const auto& [core, cpus] : own) pinning.work.insert(pinning.work.end(), cpus.begin(), cpus.end());
  std::sort(pinning.work.begin(), pinning.work.end());
  if (own.size() < cores_for_one_more) {
    pinning.communication = pinning.work;
    return pinning;
  }
  pinning.communication = own.begin()->second;
  std::erase_if(pinning.work, [&](int cpu) {
    return std::find(pinning.communication.begin(), pinning.communication.end(), cpu) !=
           pinning.communication.end();
  });
  return pinning;
}

bool on_one_core(const ThreadPinning& pinning) {
  return (pinning.work.empty() ? env::allowed_cpus() : pinning.work).size() == 1;
}

ScopedPinning::ScopedPinning(const ThreadPinning& pinning) {
  if (pinning.communication.empty()) return;
  before_ = env::allowed_cpus();
  if (!env::pin_this_thread(pinning.communication))
    base::log_warning("servers: the system refuses to bind the threads of this server (servers.pin)");
  base::log_info(fmt::format("servers: communication on cores {}, work on {}",
                             fmt::join(pinning.communication, ", "), fmt::join(pinning.work, ", ")));
}

ScopedPinning::~ScopedPinning() {
  if (!before_.empty()) env::pin_this_thread(before_);
}

ThreadPinning pinning_for(const handshake::Run& run, int rank) {
  const settings::ServersOptions& options = run.servers();
  if (options.mode != settings::Mode::dedicated || !options.pin) return {};
  std::vector<int> mine;
  std::vector<std::vector<int>> others;
  for (const handshake::CpusOfRank& other : run.cpus_on_node) {
    if (other.rank == rank)
      mine = other.cpus;
    else
      others.push_back(other.cpus);
  }
  return plan_pinning(mine, others, env::read_topology());
}

}  // namespace tailrace::server
