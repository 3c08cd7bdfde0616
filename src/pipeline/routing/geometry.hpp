// How the parts of the clients meet the chunks of a variable: computed once for all variables of the same
// grid and chunk shape.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "model/region.hpp"
#include "output/assembly.hpp"

namespace tailrace::pipeline::routing {

// What of one client's local array lies in one chunk.
struct Piece {
  std::int64_t spatial = 0;  // number of the chunk
  std::int64_t cells = 0;
  std::vector<model::Segment> segments;  // local array → cells of the chunk's box
};

class Geometry {
 public:
  // `regions`: of the grid, by client; must live longer.
  Geometry(output::ChunkGrid grid, const std::vector<model::Region>& regions);

  const output::ChunkGrid& grid() const { return grid_; }
  std::int64_t clients() const { return static_cast<std::int64_t>(regions_.size()); }
  // By chunk number, ascending. From any thread; the reference stays valid.
  const std::vector<Piece>& pieces(int client) const;
  const Piece& piece(int client, std::int64_t spatial) const;

 private:
  output::ChunkGrid grid_;
  const std::vector<model::Region>& regions_;
  mutable std::mutex mutex_;  // guards pieces_
  mutable std::map<int, std::unique_ptr<std::vector<Piece>>> pieces_;
};

}  // namespace tailrace::pipeline::routing
