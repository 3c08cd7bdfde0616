#include "decomposition.hpp"

#include <algorithm>
#include <functional>
#include <numeric>

namespace player {
namespace {

std::vector<std::int64_t> range(std::int64_t begin, std::int64_t end) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(std::max<std::int64_t>(0, end - begin)));
  std::iota(values.begin(), values.end(), begin);
  return values;
}

std::vector<std::int64_t> cut(std::int64_t extent, int part, int parts, bool overlap, bool hole) {
  const std::int64_t begin = extent * part / parts;
  const std::int64_t end = extent * (part + 1) / parts;
  return range(std::max<std::int64_t>(0, begin - (overlap ? 1 : 0)), end - (hole ? 1 : 0));
}

// The largest divisor of `ranks` not above its square root: ranks along the first of two split dims.
int first_extent(int ranks) {
  int found = 1;
  for (int candidate = 1; candidate * candidate <= ranks; ++candidate) {
    if (ranks % candidate == 0) found = candidate;
  }
  return found;
}

std::vector<std::int64_t> deal(std::int64_t extent, int rank, int ranks) {
  std::vector<std::int64_t> mine;
  for (std::int64_t cell = 0; cell < extent; ++cell) {
    if ((cell + cell / 4 + cell / 11) % ranks == rank) mine.push_back(cell);
  }
  if (rank % 2 == 1) std::reverse(mine.begin(), mine.end());
  return mine;
}

// The last block comes first, so that their order is not that of the cells.
void cut_into_blocks(Part& part, std::size_t dim, std::int64_t blocks) {
  const std::vector<std::int64_t> all = part.indices[dim];
  const auto extent = static_cast<std::int64_t>(all.size());
  const Part whole = part;
  for (std::int64_t block = blocks; block-- > 0;) {
    Part one = whole;
    one.indices[dim].assign(all.begin() + extent * block / blocks,
                            all.begin() + extent * (block + 1) / blocks);
    if (block + 1 == blocks)
      part.indices = one.indices;
    else
      part.further.push_back(std::move(one));
  }
}

}  // namespace

std::vector<std::int64_t> Part::count() const {
  std::vector<std::int64_t> counts;
  for (const auto& list : indices) counts.push_back(static_cast<std::int64_t>(list.size()));
  return counts;
}

std::int64_t Part::size() const {
  const auto counts = count();
  return std::accumulate(counts.begin(), counts.end(), std::int64_t{1}, std::multiplies<>());
}

std::vector<std::int64_t> Part::global_positions(const std::vector<std::int64_t>& shape) const {
  std::vector<std::int64_t> positions{0};
  for (std::size_t dim = 0; dim < shape.size(); ++dim) {
    std::vector<std::int64_t> longer;
    longer.reserve(positions.size() * indices[dim].size());
    for (const std::int64_t position : positions) {
      for (const std::int64_t index : indices[dim]) longer.push_back(position * shape[dim] + index);
    }
    positions = std::move(longer);
  }
  for (const Part& block : further) {
    const auto more = block.global_positions(shape);
    positions.insert(positions.end(), more.begin(), more.end());
  }
  return positions;
}

Part decompose(const Grid& grid, int rank, int ranks, const Fault& fault) {
  const bool overlap = fault.kind == "overlap" && fault.rank == rank;
  const bool hole = fault.kind == "hole" && fault.rank == rank;
  const int across = grid.split.size() > 1 ? first_extent(ranks) : 1;
  Part part;
  for (std::size_t dim = 0; dim < grid.dims.size(); ++dim) {
    const std::int64_t extent = grid.shape[dim];
    const auto split = std::find(grid.split.begin(), grid.split.end(), grid.dims[dim]);
    if (grid.kind == "indexed" && grid.dims[dim] == grid.indexed_dim) {
      part.indices.push_back(deal(extent, rank, ranks));
      if (overlap) part.indices.back().push_back(0);
      if (hole) part.indices.back().pop_back();
    } else if (grid.kind != "block" || split == grid.split.end()) {
      part.indices.push_back(range(0, extent));
    } else if (split == grid.split.begin() && grid.split.size() > 1) {
      part.indices.push_back(cut(extent, rank / (ranks / across), across, false, false));
    } else {
      part.indices.push_back(cut(extent, rank % (ranks / across), ranks / across, overlap, hole));
    }
  }
  if (grid.blocks > 1 && ranks > 1) {
    const auto first = std::find(grid.dims.begin(), grid.dims.end(), grid.split.front());
    cut_into_blocks(part, static_cast<std::size_t>(first - grid.dims.begin()), grid.blocks);
  }
  return part;
}

}  // namespace player
