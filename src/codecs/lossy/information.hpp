// How many bits of a field carry information: the mutual information of each bit with the same bit of the
// neighbouring value (Kloewer et al. 2021, doi:10.1038/s43588-021-00156-2, as BitInformation.jl computes it).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "codecs/codec.hpp"

namespace tailrace::codecs::lossy {

// By bit, from the sign to the last of the mantissa. Neighbours lie along the last dim of `record`. Pairs
// with a value that is not rounded (fill values, zeros, NaN) are left out, since their bits tell each other.
// Large records are represented by evenly spread rows. Information that could be chance with a probability
// above 1 % counts as 0. `values`: those that `record` describes, float32 or float64.
std::vector<double> information_of_bits(std::span<const std::byte> values, const ChunkDescription& record);

// The fewest bits of the mantissa that keep at least this share of the information, at least one; nothing if
// there is no information, as in a constant field.
std::optional<int> bits_that_keep(double share, std::span<const std::byte> values,
                                  const ChunkDescription& record);

}  // namespace tailrace::codecs::lossy
