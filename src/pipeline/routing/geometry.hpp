// The overlaps of the clients' regions with the chunks of a variable, computed once for all variables with
// the same grid and chunk shape.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "model/overlap.hpp"
#include "model/regions.hpp"
#include "output/assembly.hpp"

namespace tailrace::pipeline::routing {

// The part of one client's local array that lies in one chunk.
struct Piece {
  std::int64_t spatial = 0;  // number of the chunk
  model::Overlap overlap;    // local array → cells of the chunk's box
  std::int64_t cells() const { return overlap.cells(); }
};

// Pieces are computed on demand: a server needs those of its own clients, and of other clients only those in
// chunks that it owns. So its memory is proportional to its share of the grid.
class Geometry {
 public:
  // `regions`: those of the grid, by client.
  Geometry(output::ChunkGrid grid, model::Regions regions);
  // Adds bytes() to `all` too, which must live longer. To be called before any piece is requested.
  void count_in(std::atomic<std::size_t>& all) { in_all_ = &all; }

  const output::ChunkGrid& grid() const { return grid_; }
  std::int64_t clients() const { return static_cast<std::int64_t>(regions_.size()); }
  // By chunk number, ascending. From any thread; the reference stays valid.
  const std::vector<Piece>& pieces(int client) const;
  // The client must have cells in the chunk. From any thread; the reference stays valid.
  const Piece& piece(int client, std::int64_t spatial) const;
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }  // memory of the pieces

 private:
  // Computed by the first thread that requests it; different entries may be computed concurrently.
  struct Made {
    std::once_flag once;
    std::vector<Piece> pieces;
  };
  using Key = std::pair<int, std::int64_t>;  // client, chunk
  static constexpr std::int64_t all_chunks = -1;

  const std::vector<Piece>& made(const Key& key) const;
  void make(const Key& key, std::vector<Piece>& pieces) const;

  output::ChunkGrid grid_;
  model::Regions regions_;
  mutable std::mutex mutex_;  // guards the map, not its values
  mutable std::map<Key, Made> made_;
  mutable std::atomic<std::size_t> bytes_{0};
  std::atomic<std::size_t>* in_all_ = nullptr;
};

}  // namespace tailrace::pipeline::routing
