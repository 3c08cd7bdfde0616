// Grids as declared by one rank.
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
  std::vector<std::int64_t> offset;  // of a block, with count; both empty otherwise
  std::vector<std::int64_t> count;
  std::string indexed_dim;  // of an indexed grid, with indices
  std::span<const std::int64_t> indices;
  bool partial = false;
  int first_index = 0;  // of the caller's language, for messages; offset and indices count from 0
};

model::GridKind kind_of(const GridArguments& grid);

// These throw Error(usage) with the name of the grid and the mismatch: check_shape() for names and extents,
// the others for the block or the indices of this rank.
void check_shape(const GridArguments& grid);
model::Region block_region(const GridArguments& grid);
model::Region indexed_region(const GridArguments& grid);

// The cells that the values of a coordinate may cover: the whole grid, or this rank's part. A rank that holds
// the whole, and a rank without cells that gives no values, may mean either; the other ranks decide.
struct CoordinateForm {
  bool whole = false, part = false;
};
// The form of a coordinate with `given` values. `local_shapes`: of this rank's blocks. Throws Error(usage) if
// it is neither, or if the grid lacks a dimension.
CoordinateForm form_of(const model::Grid& grid, const std::vector<std::vector<std::int64_t>>& local_shapes,
                       const model::Coordinate& coordinate, std::int64_t given);

}  // namespace tailrace::client
