// What is near to what on this machine: its hardware threads, their cores and NUMA domains.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tailrace::env {

// By number of the hardware thread, as the system and allowed_cpus() count them; -1 for one that is not
// known, and empty where nothing is.
struct Topology {
  std::vector<int> domain;  // a number for each NUMA domain
  std::vector<int> core;    // the lowest hardware thread of its core

  bool operator==(const Topology&) const = default;
};

// Who tells of it, as in "hwloc 2.9.0"; empty in a build without hwloc, which knows no topology.
std::string topology_source();
// Of this machine; takes some milliseconds. What cannot be told is empty, never an error.
Topology read_topology();
// Of a machine that does not exist, in hwloc's words, as in "numa:2 core:4 pu:2"; nothing where they make no
// sense, or without hwloc.
std::optional<Topology> make_topology(const std::string& words);

// The NUMA domain in which all of these hardware threads lie; -1 where they lie in several, or it is unknown.
int domain_of(const Topology& topology, std::span<const int> cpus);
// The core of a hardware thread; the thread itself where that is unknown.
int core_of(const Topology& topology, int cpu);
// The core in which all of these hardware threads lie; -1 where they lie in several.
int only_core_of(const Topology& topology, std::span<const int> cpus);

}  // namespace tailrace::env
