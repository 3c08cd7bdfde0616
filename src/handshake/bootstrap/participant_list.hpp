// The properties of consecutive ranks in `start`, run-length encoded: thousands of ranks with equal
// properties take a few bytes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "handshake/assignment.hpp"
#include "handshake/bootstrap/strided_runs.hpp"

namespace tailrace::handshake {

struct Hello {
  bool serves = false;
  std::string component;  // empty for a server
  std::string node;
  int domain = -1;     // as in Participant
  int only_core = -1;  // as in Participant
};

class ParticipantList {
 public:
  static ParticipantList of(const Hello& hello);
  void add(const ParticipantList& next);  // appends the ranks that follow these
  std::size_t size() const { return serve_.size(); }
  std::vector<Participant> participants() const;  // by rank; the number of a node is its lowest rank
  std::vector<std::byte> to_bytes() const;
  static ParticipantList from_bytes(std::span<const std::byte> bytes);

 private:
  std::vector<std::string> node_names_, component_names_;  // in the order of first occurrence
  StridedRuns nodes_, components_;                         // by rank: index into the names
  StridedRuns serve_, domains_, only_cores_;               // by rank
};

// The first rank of each component, ascending: it reads the configuration.
std::vector<int> first_ranks_of_components(const std::vector<Participant>& participants);

}  // namespace tailrace::handshake
