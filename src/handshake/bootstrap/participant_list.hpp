// Who has come to `start`: of neighbouring ranks what each says of itself, kept short for what they have in
// common.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "handshake/assignment.hpp"
#include "handshake/bootstrap/strided_runs.hpp"

namespace tailrace::handshake {

struct Hello {
  bool serves = false;
  std::string component;  // of a model rank
  std::string node;
  int domain = -1;     // as in Participant
  int only_core = -1;  // likewise
};

class ParticipantList {
 public:
  static ParticipantList of(const Hello& hello);
  void add(const ParticipantList& next);  // the ranks behind these
  std::size_t size() const { return serve_.size(); }
  std::vector<Participant> participants() const;  // by rank; a node is named by the lowest of its ranks
  std::vector<std::byte> to_bytes() const;
  static ParticipantList from_bytes(std::span<const std::byte> bytes);

 private:
  std::vector<std::string> node_names_, component_names_;  // in the order in which they first come
  StridedRuns nodes_, components_;                         // by rank: which of the names
  StridedRuns serve_, domains_, only_cores_;               // by rank
};

// The first rank of each component, ascending: it tells what is configured.
std::vector<int> speakers_among(const std::vector<Participant>& participants);

}  // namespace tailrace::handshake
