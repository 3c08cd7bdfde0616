// Puts the chunks of one variable together from pieces that arrive in any order, and hands complete ones on,
// encoded. Knows regions and cells, not where they came from.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "base/slab.hpp"
#include "base/thread_safety.hpp"
#include "codecs/codec.hpp"
#include "model/data_type.hpp"
#include "model/region.hpp"

namespace tailrace::output {

// How the records of one variable are cut into chunks. Chunks at the upper edges are full-sized on disk; only
// the cells inside the shape count.
struct ChunkGrid {
  std::vector<std::int64_t> shape;  // of one record
  std::vector<std::int64_t> chunk;  // of one record, same rank
  std::int64_t records_per_chunk = 1;
  std::int64_t first_record = 0;  // those before it are in the file, and come from nobody

  std::int64_t chunks_per_record() const;
  model::Box box(
      std::int64_t spatial) const;  // cells of the spatial chunk with this number, clipped to the shape
  std::vector<std::int64_t> corner(std::int64_t spatial) const;
  std::int64_t cells_per_chunk() const;  // of one record, unclipped
  // Numbers of the spatial chunks that a box touches.
  std::vector<std::int64_t> touching(const model::Box& box) const;
};

struct FinishedChunk {
  std::int64_t spatial = 0;       // number of the spatial chunk
  std::int64_t record_chunk = 0;  // number of the chunk along the records
  std::int64_t records_end = 0;   // records before this one are in it
  bool filtered = true;           // false: partly filled, stored raw, and to be replaced later
  base::SharedBytes bytes;
};

// The cells of a variable.
struct Element {
  codecs::ChunkDescription chunk;  // of the chunks as they are encoded
  std::vector<std::byte> fill;     // value of cells without data: size_of(chunk.type) bytes
};

// Safe from several threads: pieces of different regions may be scattered at once. The mutex guards the
// lists, not the cells: the copies, which are nearly all of the work, run side by side, since no two pieces
// of a record hold the same cell. A chunk is complete when as many cells have come as it has: a count, and no
// map of cells, because the grid was proved to be covered exactly once.
class Assembly {
 public:
  using Done = std::function<void(FinishedChunk&&)>;  // called on the thread that completed the chunk

  // Chunks lie in `slabs` while they are put together.
  Assembly(ChunkGrid grid, Element element, std::shared_ptr<const codecs::Codec> codec, base::SlabPool slabs,
           Done done);
  // Counts what is held in `all`, too, with that of others; before any piece. It must live longer.
  void count_in(std::atomic<std::size_t>& all) { in_all_ = &all; }

  // Copies a piece of record `record` into the spatial chunk: segments lead from elements of `source` to
  // elements of the box of that chunk (as model::intersect(region, grid.box(spatial)) gives them).
  void add(std::int64_t record, std::int64_t spatial, std::span<const std::byte> source,
           std::span<const model::Segment> segments);
  // The same, without a copy where the piece is a whole chunk and stays as it is.
  void add_shared(std::int64_t record, std::int64_t spatial, const base::SharedBytes& source,
                  std::span<const model::Segment> segments);

  // From now on records up to `end` exist and are to be handed on even if their chunk is not full yet (a
  // commit). A chunk that is full is handed on as soon as it is complete, without a flush. `spatials`: the
  // chunks this assembly owns. `ends`: no further record comes into the chunk of record end - 1, which is
  // handed on encoded, as a full one is.
  void flush(std::int64_t end, std::span<const std::int64_t> spatials, bool ends = false);

  // While nothing is being added: calls `visit` with each chunk that lacks records, and with its cells.
  void for_each_open(const std::function<void(std::int64_t spatial, std::int64_t record_chunk,
                                              std::span<const std::byte> cells)>& visit);

  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }  // held in unfinished chunks

  const ChunkGrid& grid() const { return grid_; }
  model::DataType type() const { return element_.chunk.type; }

 private:
  struct Key {
    std::int64_t record_chunk, spatial;
    auto operator<=>(const Key&) const = default;
  };
  struct Open {
    base::Slab cells;
    model::Box box;                     // its cells of the shape
    std::vector<std::int64_t> missing;  // cells not yet there, by record in the chunk
    std::size_t complete = 0;           // records before the first that misses any
    std::vector<std::int64_t> flushes;  // ends, ascending: hand on when the records before one are complete
    std::int64_t handed_end = 0;        // what was already handed on
    std::int64_t last_end = 0;          // records before this one are all that will come; 0: not known
  };
  Open& open(const Key& key) TAILRACE_REQUIRES(mutex_);
  std::unique_ptr<Open> take(const Key& key) TAILRACE_REQUIRES(mutex_);
  // Where in its source the one segment of a piece begins that is a whole chunk; nothing for any other piece.
  std::optional<std::size_t> whole(std::span<const model::Segment> segments) const;
  void fill_outside(const model::Box& box, std::span<std::byte> cells) const;
  void copy(std::span<const std::byte> source, std::span<const model::Segment> segments,
            const model::Box& box, std::byte* target) const;
  std::optional<FinishedChunk> take_due(const Key& key, Open& chunk)
      TAILRACE_REQUIRES(mutex_);  // not encoded yet
  std::optional<FinishedChunk> take_last(const Key& key) TAILRACE_REQUIRES(mutex_);
  void hand_on(FinishedChunk&& due) TAILRACE_EXCLUDES(mutex_);

  ChunkGrid grid_;
  std::int64_t record_cells_;  // of a chunk
  std::size_t record_bytes_;   // of a chunk
  Element element_;
  std::shared_ptr<const codecs::Codec> codec_;
  bool encodes_;  // the codec changes the bytes
  base::SlabPool slabs_;
  Done done_;
  base::Mutex mutex_;
  std::map<Key, std::unique_ptr<Open>> open_ TAILRACE_GUARDED_BY(mutex_);
  std::set<Key> full_ TAILRACE_GUARDED_BY(mutex_);  // handed on complete, since the last flush
  std::atomic<std::size_t> bytes_{0};
  std::atomic<std::size_t>* in_all_ = nullptr;
};

}  // namespace tailrace::output
