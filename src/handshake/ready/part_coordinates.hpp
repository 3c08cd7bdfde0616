// Coordinates that each rank gave for its own cells alone. Their blocks travel as static fields; but what
// diagnostics say of their dims needs all the values, whatever the parts.
#pragma once

#include <vector>

#include "client/declarer.hpp"
#include "model/declarations.hpp"

namespace tailrace::handshake {

// Of one dim of a block grid each, in the order of the declarations: this rank's part, which may be empty.
using CoordinateParts = std::vector<std::vector<double>>;
CoordinateParts coordinate_parts(const client::Declarer& declarer);

// Fills in their `values`. `parts`: of each rank, in rank order; the decomposition covers the grids.
void join_parts(model::Declarations& declarations, const model::Decomposition& decomposition,
                const std::vector<CoordinateParts>& parts);

// The joined values, for the ranks that have only their own parts.
CoordinateParts joined_values(const model::Declarations& declarations);
void set_joined(model::Declarations& declarations, const CoordinateParts& joined);

// Of every coordinate that comes in parts, in the order of the declarations: of this rank's part. Their sums
// over the ranks are those of the whole, by which two grids are found to have the same.
std::vector<std::uint64_t> coordinate_digests(const client::Declarer& declarer);
// Those that are whole get one too where another grid has a coordinate of that name in parts.
void set_digests(model::Declarations& declarations, const std::vector<std::uint64_t>& sums);

}  // namespace tailrace::handshake
