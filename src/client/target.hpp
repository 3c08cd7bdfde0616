// The arrays into which a model gets fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "client/declarer.hpp"
#include "client/field_source.hpp"

namespace tailrace::client {

// The number of cells that the target takes. Throws Error(usage), with names and shapes, unless it is an
// array for the values of the field on this rank. REQUIRES: the declarer has the field.
std::int64_t check_target(const Target& target, int field, const Declarer& declarer);
// The same for a handle that may be none.
void check_handle(int field, const Declarer& declarer);

// The regions whose values this rank gets, one after the other: its blocks, or the whole of a grid that all
// ranks hold.
std::vector<model::Region> regions_to_get(int field, const Declarer& declarer);

// Copies dense values to the target, according to its strides. REQUIRES: it has strides.
void scatter(const Target& target, std::span<const std::byte> dense);

}  // namespace tailrace::client
