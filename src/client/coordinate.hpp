// The properties of a coordinate that a model declares besides its values, such as the bounds of its cells.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/declarations.hpp"

namespace tailrace::client {

struct CoordinateExtras {
  std::span<const double> bounds;  // `vertices` for each value; empty: none
  std::size_t vertices = 0;
  bool computed_bounds = false;  // halfway between the values
  bool scalar = false;           // no dims, one value
};

// Throws Error(usage) if CF does not define `measure`, or if the properties contradict each other. `what`
// begins the messages: grid "les": coordinate "z".
void check_coordinate(const std::string& what, const model::Coordinate& coordinate,
                      const CoordinateExtras& extras);

// Throws Error(usage) if there are not `vertices` bounds for each value, or if two bounds of a cell do not
// enclose its value. Longitudes may turn in between: [330, 30] encloses 0.
void check_bounds(const std::string& what, const model::Coordinate& coordinate,
                  std::span<const double> values, const CoordinateExtras& extras);

// Throws Error(usage) if the grid_mapping_name is not one of CF's appendix F; the message suggests the
// nearest one.
void check_mapping(const std::string& what, const model::GridMapping& mapping);

// A digest of values at the cells of `region`, in its order, within a whole of that shape. The sum of the
// digests of several ranks is the digest of the whole, regardless of the decomposition.
std::uint64_t digest_of_cells(const model::Region& region, std::span<const std::int64_t> shape,
                              std::span<const double> values);
// The digest of a coordinate, from the digests of its values and of its bounds.
inline std::uint64_t with_bounds(std::uint64_t values, std::uint64_t bounds) { return values + 3 * bounds; }

// Bounds halfway between evenly spaced values; those of a latitude in degrees end at the poles. Throws
// Error(usage) if the values are not evenly spaced.
std::vector<double> bounds_between(const model::Coordinate& coordinate, const std::string& what,
                                   std::span<const double> values);

}  // namespace tailrace::client
