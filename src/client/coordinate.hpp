// What a model says of a coordinate besides its values: the bounds of its cells, and what it is.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/declarations.hpp"

namespace tailrace::client {

struct CoordinateExtras {
  std::span<const double> bounds;  // for each value `vertices`; 0: none
  std::size_t vertices = 0;
  bool computed_bounds = false;  // halfway between the values
  bool scalar = false;           // no dims, one value
};

// Throws Error(usage) where `measure` is not one of CF's, or what is given does not fit each other. `what`
// opens the messages: grid "les": coordinate "z".
void check_coordinate(const std::string& what, const model::Coordinate& coordinate,
                      const CoordinateExtras& extras);

// Throws Error(usage) where there are not `vertices` for each value, or where two stand for a cell that its
// value is not in.
void check_bounds(const std::string& what, const model::Coordinate& coordinate,
                  std::span<const double> values, const CoordinateExtras& extras);

// Throws Error(usage) where it has no grid_mapping_name of CF's appendix F, with the nearest one.
void check_mapping(const std::string& what, const model::GridMapping& mapping);

// Of values at cells of a whole of that shape, in the order of the region: the sum over the parts of several
// ranks is that of the whole, whatever the parts.
std::uint64_t digest_of_cells(const model::Region& region, std::span<const std::int64_t> shape,
                              std::span<const double> values);
// Of a coordinate from those of its values and bounds.
inline std::uint64_t with_bounds(std::uint64_t values, std::uint64_t bounds) { return values + 3 * bounds; }

// Halfway between values that lie evenly. Throws Error(usage) where they do not.
std::vector<double> bounds_between(const std::string& what, std::span<const double> values);

}  // namespace tailrace::client
