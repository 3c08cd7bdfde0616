// The message that goes up the tree in `ready`: the declarations and parts of some consecutive ranks.
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
  int first = 0;                      // the first of these ranks, in the component
  std::optional<base::Fault> fault;   // a rank gave up; the members below are then unset
  std::uint64_t digest = 0;           // digest of the declarations of the first rank
  std::optional<int> differing_rank;  // the first rank with other declarations; those below are then unset
  model::Decomposition decomposition;
  std::vector<CoordinateParts> parts;   // by rank
  std::vector<std::uint64_t> digests;   // of coordinates in parts: sums over these ranks
  std::vector<model::OddValues> odd;    // of the same coordinates: sums over these ranks
  std::vector<NearestOfRanks> nearest;  // to stations

  static ReadyReport of(const client::Declarer& declarer, int rank);  // `nearest` is left empty
  void add(ReadyReport&& next);                                       // appends the ranks that follow these
  std::vector<std::byte> to_bytes() const;
  static ReadyReport from_bytes(std::span<const std::byte> bytes);
};

}  // namespace tailrace::handshake
