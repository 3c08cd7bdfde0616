// How the parts of the clients meet the chunks of a variable: computed once for all variables of the same
// grid and chunk shape.
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

// What of one client's local array lies in one chunk.
struct Piece {
  std::int64_t spatial = 0;  // number of the chunk
  model::Overlap overlap;    // local array → cells of the chunk's box
  std::int64_t cells() const { return overlap.cells(); }
};

// A server asks for all pieces of its own clients, and of others only for those in chunks that it owns: so it
// holds its share of the grid and not all of it.
class Geometry {
 public:
  // `regions`: of the grid, by client.
  Geometry(output::ChunkGrid grid, model::Regions regions);
  // Counts bytes() in `all`, too, with those of others; before any piece is asked for. It must live longer.
  void count_in(std::atomic<std::size_t>& all) { in_all_ = &all; }

  const output::ChunkGrid& grid() const { return grid_; }
  std::int64_t clients() const { return static_cast<std::int64_t>(regions_.size()); }
  // By chunk number, ascending. From any thread; the reference stays valid.
  const std::vector<Piece>& pieces(int client) const;
  // The client has cells in the chunk. Likewise.
  const Piece& piece(int client, std::int64_t spatial) const;
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }  // of memory

 private:
  // Made by whoever asks first, while others may make theirs.
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
  mutable std::mutex mutex_;  // guards the list, not what is in it
  mutable std::map<Key, Made> made_;
  mutable std::atomic<std::size_t> bytes_{0};
  std::atomic<std::size_t>* in_all_ = nullptr;
};

}  // namespace tailrace::pipeline::routing
