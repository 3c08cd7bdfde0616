#include "pipeline/routing/geometry.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::pipeline::routing {

Geometry::Geometry(output::ChunkGrid grid, model::Regions regions)
    : grid_(std::move(grid)), regions_(std::move(regions)) {}

const std::vector<Piece>& Geometry::pieces(int client) const { return made({client, all_chunks}); }

// Asserts, because the numbers come from messages.
const Piece& Geometry::piece(int client, std::int64_t spatial) const {
  TAILRACE_ASSERT(client >= 0 && static_cast<std::size_t>(client) < regions_.size() && spatial >= 0 &&
                      spatial < grid_.chunks_per_record(),
                  "the client has cells in this chunk");
  const std::vector<Piece>& found = made({client, spatial});
  TAILRACE_ASSERT(!found.empty(), "the client has cells in this chunk");
  return found.front();
}

const std::vector<Piece>& Geometry::made(const Key& key) const {
  std::unique_lock lock(mutex_);
  Made& slot = made_[key];
  lock.unlock();
  std::call_once(slot.once, [&] { make(key, slot.pieces); });
  return slot.pieces;
}

void Geometry::make(const Key& key, std::vector<Piece>& pieces) const {
  const auto& [client, chunk] = key;
  const model::Region& region = regions_[base::index(client)];
  std::vector<std::int64_t> chunks{chunk};
  if (chunk == all_chunks) chunks = grid_.touching(region.bounds());
  std::sort(chunks.begin(), chunks.end());
  for (const std::int64_t spatial : chunks) {
    Piece piece{spatial, model::Overlap(region, grid_.box(spatial))};
    if (piece.cells() > 0) pieces.push_back(std::move(piece));
  }
  pieces.shrink_to_fit();
  constexpr std::size_t of_the_list = 4 * sizeof(void*);
  std::size_t bytes = sizeof(Made) + sizeof(Key) + of_the_list + pieces.capacity() * sizeof(Piece);
  for (const Piece& piece : pieces) bytes += piece.overlap.bytes();
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (in_all_ != nullptr) in_all_->fetch_add(bytes, std::memory_order_relaxed);
}

}  // namespace tailrace::pipeline::routing
