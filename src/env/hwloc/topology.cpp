#include "env/topology.hpp"

#include <algorithm>
#include <memory>

#ifdef TAILRACE_WITH_HWLOC
#include <hwloc.h>

#include "base/index.hpp"
#endif

namespace tailrace::env {
namespace {

#ifdef TAILRACE_WITH_HWLOC

struct Destroy {
  void operator()(hwloc_topology* machine) const { hwloc_topology_destroy(machine); }
};
using Machine = std::unique_ptr<hwloc_topology, Destroy>;

// Without caches and devices, whose detection takes most of the time on a large node.
Machine new_machine() {
  hwloc_topology_t made = nullptr;
  if (hwloc_topology_init(&made) != 0) return nullptr;
  Machine machine(made);
  hwloc_topology_set_cache_types_filter(made, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_io_types_filter(made, HWLOC_TYPE_FILTER_KEEP_NONE);
  return machine;
}

// The hardware threads of the n-th object of a type have `number(object)` as their value.
template <class Number>
std::vector<int> values_by_cpu(const Machine& machine, hwloc_obj_type_t type, Number number) {
  std::vector<int> values;
  for (hwloc_obj_t object = nullptr;
       (object = hwloc_get_next_obj_by_type(machine.get(), type, object)) != nullptr;) {
    for (int cpu = hwloc_bitmap_first(object->cpuset); cpu >= 0;
         cpu = hwloc_bitmap_next(object->cpuset, cpu)) {
      const auto place = base::index(cpu);
      if (values.size() <= place) values.resize(place + 1, -1);
      values[place] = number(*object);
    }
  }
  return values;
}

Topology described(const Machine& machine) {
  return {.domain = values_by_cpu(machine, HWLOC_OBJ_NUMANODE,
                                  [](const hwloc_obj& object) { return static_cast<int>(object.os_index); }),
          .core = values_by_cpu(machine, HWLOC_OBJ_CORE,
                                [](const hwloc_obj& object) { return hwloc_bitmap_first(object.cpuset); })};
}

#endif

}  // namespace

#ifdef TAILRACE_WITH_HWLOC

std::string topology_source() {
  const unsigned version = hwloc_get_api_version();
  return "hwloc " + std::to_string(version >> 16) + "." + std::to_string(version >> 8 & 0xff);
}

Topology read_topology() {
  const Machine machine = new_machine();
  if (!machine || hwloc_topology_load(machine.get()) != 0) return {};
  return described(machine);
}

std::optional<Topology> make_topology(const std::string& words) {
  const Machine machine = new_machine();
  if (!machine || hwloc_topology_set_synthetic(machine.get(), words.c_str()) != 0 ||
      hwloc_topology_load(machine.get()) != 0)
    return std::nullopt;
  return described(machine);
}

#else

std::string topology_source() { return ""; }
Topology read_topology() { return {}; }
std::optional<Topology> make_topology(const std::string&) { return std::nullopt; }

#endif

int domain_of(const Topology& topology, std::span<const int> cpus) {
  const auto domain = [&](int cpu) {
    const auto place = base::index(cpu);
    return place < topology.domain.size() ? topology.domain[place] : -1;
  };
  if (cpus.empty()) return -1;
  const int first = domain(cpus.front());
  const bool all = std::all_of(cpus.begin(), cpus.end(), [&](int cpu) { return domain(cpu) == first; });
  return all ? first : -1;
}

int core_of(const Topology& topology, int cpu) {
  const auto place = base::index(cpu);
  return place < topology.core.size() && topology.core[place] >= 0 ? topology.core[place] : cpu;
}

int only_core_of(const Topology& topology, std::span<const int> cpus) {
  if (cpus.empty()) return -1;
  const int first = core_of(topology, cpus.front());
  const bool all = std::ranges::all_of(cpus, [&](int cpu) { return core_of(topology, cpu) == first; });
  return all ? first : -1;
}

}  // namespace tailrace::env
