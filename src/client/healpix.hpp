// A grid of HEALPix cells as a model declares it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "client/grid.hpp"

namespace tailrace::client {

struct HealpixArguments {
  std::string name;
  int level = 0;
  std::string order;  // "nested" or "ring"
  std::vector<std::string> dims =
      {};  // further ones, in front of that of the cells; every rank holds them whole
  std::vector<std::int64_t> shape = {};  // their extents
  std::string cell_dim;
  std::int64_t first = 0, count = 0;         // this rank's cells, if they follow each other
  std::span<const std::int64_t> cells = {};  // otherwise their numbers, from 0
};

// The numbers of this rank's cells. Throws Error(usage), with the name of the grid, for a level, an order or
// cells that HEALPix does not have, or if the range and the list are given both.
std::vector<std::int64_t> cells_of(const HealpixArguments& healpix);

// The grid itself: indexed along the cells. `cells` must live longer.
GridArguments grid_of(const HealpixArguments& healpix, std::span<const std::int64_t> cells);

}  // namespace tailrace::client
