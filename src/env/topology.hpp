// The topology of this machine: its hardware threads, cores and NUMA domains.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tailrace::env {

// Indexed by hardware thread, as numbered by the system and allowed_cpus(); -1 for an unknown one. Empty if
// nothing is known.
struct Topology {
  std::vector<int> domain;  // a number for each NUMA domain
  std::vector<int> core;    // the lowest hardware thread of its core

  bool operator==(const Topology&) const = default;
};

// The library that provides it, such as "hwloc 2.9.0"; empty in a build without hwloc, which has no topology.
std::string topology_source();
// Reads the topology of this machine; takes some milliseconds. Unknown parts are empty, never an error.
Topology read_topology();
// A synthetic topology, from hwloc's notation such as "numa:2 core:4 pu:2"; nothing if that is invalid, or
// without hwloc.
std::optional<Topology> make_topology(const std::string& words);

// The NUMA domain of all these hardware threads; -1 if they are in several, or if it is unknown.
int domain_of(const Topology& topology, std::span<const int> cpus);
// The core of a hardware thread; the thread itself if that is unknown.
int core_of(const Topology& topology, int cpu);
// The core of all these hardware threads; -1 if they are in several.
int only_core_of(const Topology& topology, std::span<const int> cpus);

}  // namespace tailrace::env
