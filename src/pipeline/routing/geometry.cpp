#include "pipeline/routing/geometry.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tailrace::pipeline::routing {

Geometry::Geometry(output::ChunkGrid grid, const std::vector<model::Region>& regions)
    : grid_(std::move(grid)), regions_(regions) {}

const std::vector<Piece>& Geometry::pieces(int client) const {
  const std::lock_guard lock(mutex_);
  auto& slot = pieces_[client];
  if (!slot) {
    slot = std::make_unique<std::vector<Piece>>();
    const model::Region& region = regions_[static_cast<std::size_t>(client)];
    for (const std::int64_t spatial : grid_.touching(region.bounds())) {
      Piece piece{spatial, 0, model::intersect(region, grid_.box(spatial))};
      for (const model::Segment& segment : piece.segments) piece.cells += segment.count;
      if (piece.cells > 0) slot->push_back(std::move(piece));
    }
    std::sort(slot->begin(), slot->end(),
              [](const Piece& a, const Piece& b) { return a.spatial < b.spatial; });
  }
  return *slot;
}

const Piece& Geometry::piece(int client, std::int64_t spatial) const {
  const std::vector<Piece>& all = pieces(client);
  const auto found =
      std::lower_bound(all.begin(), all.end(), spatial,
                       [](const Piece& piece, std::int64_t number) { return piece.spatial < number; });
  TAILRACE_ASSERT(found != all.end() && found->spatial == spatial, "the client has cells in this chunk");
  return *found;
}

}  // namespace tailrace::pipeline::routing
