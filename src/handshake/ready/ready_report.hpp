// What neighbouring ranks of a component declare and hold: the word that goes up the tree in `ready`.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "client/declarer.hpp"
#include "handshake/ready/found_cells.hpp"
#include "handshake/ready/part_coordinates.hpp"
#include "model/declarations.hpp"

namespace tailrace::handshake {

struct ReadyReport {
  int first = 0;                     // of the ranks, in the component
  std::optional<base::Fault> fault;  // of one that cannot go on; what follows is of no use then
  std::uint64_t digest = 0;          // of what the first of them declares
  std::optional<int> stranger;       // the first that declares something else; nor then
  model::Decomposition decomposition;
  std::vector<CoordinateParts> parts;   // by rank
  std::vector<std::uint64_t> digests;   // of coordinates in parts: the sums of these ranks
  std::vector<NearestOfRanks> nearest;  // to stations

  static ReadyReport of(const client::Declarer& declarer, int rank);  // without what is nearest to stations
  void add(ReadyReport&& next);                                       // the ranks behind these
  std::vector<std::byte> to_bytes() const;
  static ReadyReport from_bytes(std::span<const std::byte> bytes);
};

}  // namespace tailrace::handshake
