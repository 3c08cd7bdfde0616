// Assembles the chunks of one variable from pieces that arrive in any order, and passes each complete chunk
// on, encoded. It knows regions and cells, and not where the pieces came from.
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
#include "codecs/lossy/keeper.hpp"
#include "model/data_type.hpp"
#include "model/region.hpp"

namespace tailrace::output {

// How the records of one variable are divided into chunks. Chunks at the upper edges have the full size on
// disk; their cells outside the shape hold the fill value.
struct ChunkGrid {
  std::vector<std::int64_t> shape;  // of one record
  std::vector<std::int64_t> chunk;  // of one record, same rank
  std::int64_t records_per_chunk = 1;
  std::int64_t first_record = 0;  // earlier records are in the file already; no piece of them arrives

  std::int64_t chunks_per_record() const;
  // The cells of the spatial chunk with this number, clipped to the shape.
  model::Box box(std::int64_t spatial) const;
  std::vector<std::int64_t> corner(std::int64_t spatial) const;
  std::int64_t cells_per_chunk() const;  // of one record, unclipped
  // The numbers of the spatial chunks that overlap a box.
  std::vector<std::int64_t> touching(const model::Box& box) const;
};

struct FinishedChunk {
  std::int64_t spatial = 0;       // number of the spatial chunk
  std::int64_t record_chunk = 0;  // number of the chunk along the records
  std::int64_t records_end = 0;   // the chunk has the records before this one
  bool filtered = true;           // false: only partly filled; stored unencoded and replaced later
  base::SharedBytes bytes;
  // The errors of values that were rounded within a bound, by record of the chunk.
  std::vector<codecs::lossy::Reached> reached = {};
  bool is_exact = false;  // the bound could not be held with them, so they were not rounded
  int level = 0;          // of compression, where it was chosen for this chunk; else 0
};

// The cells of a variable.
struct Element {
  codecs::ChunkDescription chunk;  // of the chunks as they are encoded
  std::vector<std::byte> fill;     // the value of cells without data: size_of(chunk.type) bytes
};

// Thread-safe: several threads may add pieces of different regions at once. The mutex protects the lists and
// not the cells. So the copies, which are nearly all of the work, run in parallel; no two pieces of a record
// hold the same cell. A chunk is complete when the number of cells that arrived equals its size. A count
// suffices, without a map of cells, because `ready` proved that the blocks cover the grid exactly once.
class Assembly {
 public:
  using Done = std::function<void(FinishedChunk&&)>;  // called on the thread that completed the chunk

  // `slabs` provides the memory of chunks until they are complete.
  Assembly(ChunkGrid grid, Element element, std::shared_ptr<const codecs::Codec> codec, base::SlabPool slabs,
           Done done);
  // Also adds the bytes held here to `all`, a total over several assemblies. Call it before any piece is
  // added. `all` must outlive this object.
  void count_in(std::atomic<std::size_t>& all) { in_all_ = &all; }
  // Rounds the values of each chunk that is passed on, and encodes them by `keeper`. Call it before any piece
  // is added. Chunks that wait for further records hold the values as they came.
  void keep_by(std::shared_ptr<const codecs::lossy::Keeper> keeper) { keeper_ = std::move(keeper); }

  // Copies a piece of record `record` into the spatial chunk. The segments map elements of `source` to
  // elements of the chunk's box; model::intersect(region, grid.box(spatial)) computes them.
  void add(std::int64_t record, std::int64_t spatial, std::span<const std::byte> source,
           std::span<const model::Segment> segments);
  // Like add(), but keeps a reference instead of a copy if the piece is a whole chunk without a codec.
  void add_shared(std::int64_t record, std::int64_t spatial, const base::SharedBytes& source,
                  std::span<const model::Segment> segments);

  // Adds a record of the chunk that was rounded already, with the errors of that.
  void add_kept(std::int64_t record, std::int64_t spatial, std::span<const std::byte> source,
                std::span<const model::Segment> segments, const codecs::lossy::Reached& reached);

  // A commit needs the records before `end`: they are passed on even if their chunk is not full yet. A full
  // chunk is passed on as soon as it is complete, without a flush. `spatials`: the chunks that this assembly
  // owns. `ends`: the chunk of record end - 1 gets no further records, so it is passed on encoded, like a
  // full one.
  void flush(std::int64_t end, std::span<const std::int64_t> spatials, bool ends = false);

  // Calls `visit` for each incomplete chunk, with its cells as they would be stored and, if they are rounded,
  // their errors. No other thread may add pieces meanwhile.
  void for_each_open(const std::function<void(std::int64_t spatial, std::int64_t record_chunk,
                                              std::span<const std::byte> cells,
                                              std::span<const codecs::lossy::Reached> reached)>& visit);

  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }  // held in incomplete chunks

  const ChunkGrid& grid() const { return grid_; }
  model::DataType type() const { return element_.chunk.type; }

 private:
  struct Key {
    std::int64_t record_chunk, spatial;
    auto operator<=>(const Key&) const = default;
  };
  struct Open {
    base::Slab cells;
    model::Box box;                     // its cells inside the shape
    std::vector<std::int64_t> missing;  // cells that have not arrived, by record in the chunk
    std::size_t complete = 0;           // number of complete records before the first incomplete one
    std::vector<std::int64_t> flushes;  // ascending ends: pass on once all records before one are complete
    std::int64_t handed_end = 0;        // records before this one were passed on already
    std::int64_t last_end = 0;          // the chunk gets no record from this one on; 0: not known yet
    codecs::lossy::AlreadyKept kept;    // by record; empty where nothing is rounded
  };
  struct Due {
    FinishedChunk chunk;  // not encoded yet
    codecs::lossy::AlreadyKept kept = {};
  };
  Open& open(const Key& key) TAILRACE_REQUIRES(mutex_);
  std::unique_ptr<Open> take(const Key& key) TAILRACE_REQUIRES(mutex_);
  // The offset of a piece in its source if the piece is one segment and a whole chunk; else nothing.
  std::optional<std::size_t> whole(std::span<const model::Segment> segments) const;
  void fill_outside(const model::Box& box, std::span<std::byte> cells) const;
  void copy(std::span<const std::byte> source, std::span<const model::Segment> segments,
            const model::Box& box, std::byte* target) const;
  std::optional<Due> take_due(const Key& key, Open& chunk) TAILRACE_REQUIRES(mutex_);
  std::optional<Due> take_last(const Key& key) TAILRACE_REQUIRES(mutex_);
  void hand_on(Due&& due) TAILRACE_EXCLUDES(mutex_);
  void keep(FinishedChunk& chunk, std::span<const std::byte> cells,
            const codecs::lossy::AlreadyKept& kept) const;

  ChunkGrid grid_;
  std::int64_t record_cells_;  // of a chunk
  std::size_t record_bytes_;   // of a chunk
  Element element_;
  std::shared_ptr<const codecs::Codec> codec_;
  bool encodes_;                                         // the codec changes the bytes
  std::shared_ptr<const codecs::lossy::Keeper> keeper_;  // null: nothing is rounded
  base::SlabPool slabs_;
  Done done_;
  base::Mutex mutex_;
  std::map<Key, std::unique_ptr<Open>> open_ TAILRACE_GUARDED_BY(mutex_);
  std::set<Key> full_ TAILRACE_GUARDED_BY(mutex_);  // passed on complete since the last flush
  std::atomic<std::size_t> bytes_{0};
  std::atomic<std::size_t>* in_all_ = nullptr;
};

}  // namespace tailrace::output
