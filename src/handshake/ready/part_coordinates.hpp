// Coordinates that each rank gave only for its own cells. Their blocks are sent as static fields; diagnostics
// that refer to their dims need all values, independent of the decomposition.
#pragma once

#include <vector>

#include "client/declarer.hpp"
#include "model/declarations.hpp"

namespace tailrace::handshake {

// This rank's parts, which may be empty, of the one-dimensional coordinates of block grids, and of those of
// indexed grids that have the name of their dim, in the order of the declarations; behind each those of its
// bounds, if these are two for each value.
using CoordinateParts = std::vector<std::vector<double>>;
CoordinateParts coordinate_parts(const client::Declarer& declarer);

// Sets the `values` and `bounds` of these coordinates. `parts`: by rank; the decomposition must cover the
// grids.
void join_parts(model::Declarations& declarations, const model::Decomposition& decomposition,
                const std::vector<CoordinateParts>& parts);

// Digests of this rank's part of every coordinate given in parts, in the order of the declarations. The
// digest is additive: the sum over the ranks is the digest of the whole coordinate. Equal sums identify equal
// coordinates of two grids.
std::vector<std::uint64_t> coordinate_digests(const client::Declarer& declarer);
// The odd values of this rank's part of the same coordinates, and the same for all coordinates from their
// sums over the ranks.
std::vector<model::OddValues> odd_values_in_parts(const client::Declarer& declarer);
void set_odd_values(model::Declarations& declarations, const std::vector<model::OddValues>& sums);
// Sets the digests of coordinates in parts, and of whole coordinates whose name another grid has in parts.
void set_digests(model::Declarations& declarations, const std::vector<std::uint64_t>& sums);

// The first rank alone knows this of the coordinates that were given in parts. It sends it to the others,
// which otherwise would plan something else: expressions see a coordinate of two grids only if it is the
// same on both.
struct JoinedParts {
  std::vector<std::uint64_t> digests;  // as coordinate_digests(), of the whole
  CoordinateParts values;              // as coordinate_parts(), of the whole
};
JoinedParts joined_parts(const model::Declarations& declarations);
void set_joined(model::Declarations& declarations, const JoinedParts& joined);

}  // namespace tailrace::handshake
