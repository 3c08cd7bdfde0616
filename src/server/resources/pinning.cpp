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

Pins plan_pins(const std::vector<int>& mine, const std::vector<std::vector<int>>& others,
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
  Pins pins;
  for (const auto& [core, cpus] : own) pins.work.insert(pins.work.end(), cpus.begin(), cpus.end());
  std::sort(pins.work.begin(), pins.work.end());
  if (own.size() < cores_for_one_more) {
    pins.communication = pins.work;
    return pins;
  }
  pins.communication = own.begin()->second;
  std::erase_if(pins.work, [&](int cpu) {
    return std::find(pins.communication.begin(), pins.communication.end(), cpu) != pins.communication.end();
  });
  return pins;
}

bool on_one_core(const Pins& pins) {
  return (pins.work.empty() ? env::allowed_cpus() : pins.work).size() == 1;
}

PinnedHere::PinnedHere(const Pins& pins) {
  if (pins.communication.empty()) return;
  before_ = env::allowed_cpus();
  if (!env::pin_this_thread(pins.communication))
    base::log_warning("servers: the system refuses to bind the threads of this server (servers.pin)");
  base::log_info(fmt::format("servers: communication on cores {}, work on {}",
                             fmt::join(pins.communication, ", "), fmt::join(pins.work, ", ")));
}

PinnedHere::~PinnedHere() {
  if (!before_.empty()) env::pin_this_thread(before_);
}

Pins pins_for(const handshake::Run& run, int rank) {
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
  return plan_pins(mine, others, env::read_topology());
}

}  // namespace tailrace::server
