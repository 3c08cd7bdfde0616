// Grids as one rank gives them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/declarations.hpp"

namespace tailrace::client {

inline constexpr std::size_t most_dims = 5;

// A grid as one rank sees it.
struct GridArguments {
  std::string name;
  std::vector<std::string> dims;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> offset;  // block: with count; both empty otherwise
  std::vector<std::int64_t> count;
  std::string indexed_dim;  // indexed: with indices
  std::span<const std::int64_t> indices;
  bool partial = false;
};

model::GridKind kind_of(const GridArguments& grid);

// These throw Error(usage) with the name of the grid and what does not fit: names and extents; the block or
// the indices of this rank.
void check_shape(const GridArguments& grid);
model::Region block_region(const GridArguments& grid);
model::Region indexed_region(const GridArguments& grid);

// Whether `given` values of a coordinate are the whole, and not this rank's part. Throws Error(usage) where
// they are neither, or where the grid lacks a dim.
bool is_whole(const model::Grid& grid, const std::vector<std::int64_t>& local_shape,
              const model::Coordinate& coordinate, std::int64_t given);

}  // namespace tailrace::client
