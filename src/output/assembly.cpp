#include "output/assembly.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::output {
namespace {

std::vector<std::int64_t> chunk_counts(const ChunkGrid& grid) {
  std::vector<std::int64_t> counts;
  for (std::size_t d = 0; d < grid.shape.size(); ++d)
    counts.push_back((grid.shape[d] + grid.chunk[d] - 1) / grid.chunk[d]);
  return counts;
}

}  // namespace

std::int64_t ChunkGrid::chunks_per_record() const {
  std::int64_t total = 1;
  for (const std::int64_t count : chunk_counts(*this)) total *= count;
  return total;
}

std::int64_t ChunkGrid::cells_per_chunk() const {
  std::int64_t cells = 1;
  for (const std::int64_t extent : chunk) cells *= extent;
  return cells;
}

std::vector<std::int64_t> ChunkGrid::corner(std::int64_t spatial) const {
  const auto counts = chunk_counts(*this);
  std::vector<std::int64_t> at(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    at[d] = spatial % counts[d] * chunk[d];
    spatial /= counts[d];
  }
  return at;
}

model::Box ChunkGrid::box(std::int64_t spatial) const {
  model::Box box{corner(spatial), chunk};
  for (std::size_t d = 0; d < shape.size(); ++d) box.count[d] = std::min(chunk[d], shape[d] - box.offset[d]);
  return box;
}

std::vector<std::int64_t> ChunkGrid::touching(const model::Box& box) const {
  if (box.size() == 0) return {};
  const auto counts = chunk_counts(*this);
  std::vector<std::int64_t> numbers{0};
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::int64_t first = box.offset[d] / chunk[d];
    const std::int64_t last = (box.offset[d] + box.count[d] - 1) / chunk[d];
    std::vector<std::int64_t> next;
    next.reserve(numbers.size() * static_cast<std::size_t>(last - first + 1));
    for (const std::int64_t number : numbers)
      for (std::int64_t along = first; along <= last; ++along) next.push_back(number * counts[d] + along);
    numbers = std::move(next);
  }
  return numbers;
}

Assembly::Assembly(ChunkGrid grid, Element element, std::shared_ptr<const codecs::Codec> codec,
                   base::SlabPool slabs, Done done)
    : grid_(std::move(grid)),
      record_cells_(grid_.cells_per_chunk()),
      record_bytes_(static_cast<std::size_t>(record_cells_) * element.fill.size()),
      element_(std::move(element)),
      codec_(std::move(codec)),
      encodes_(!codec_->filters(model::size_of(element_.chunk.type)).empty()),
      slabs_(std::move(slabs)),
      done_(std::move(done)) {
  TAILRACE_ASSERT(element_.fill.size() == model::size_of(element_.chunk.type),
                  "the fill value has the variable's type");
}

// Cells inside the shape all receive a value before the chunk is passed on. Cells outside never do, so they
// are filled here.
void Assembly::fill_outside(const model::Box& box, std::span<std::byte> cells) const {
  if (box.count == grid_.chunk) return;
  const auto row = static_cast<std::size_t>(grid_.chunk.back()) * element_.fill.size();
  const auto inside = static_cast<std::size_t>(box.count.back()) * element_.fill.size();
  for (std::size_t at = 0, number = 0; at < cells.size(); at += row, ++number) {
    auto rest = static_cast<std::int64_t>(number);
    bool outside = false;
    for (std::size_t d = grid_.chunk.size() - 1; d-- > 0; rest /= grid_.chunk[d])
      outside = outside || rest % grid_.chunk[d] >= box.count[d];
    const std::size_t kept = outside ? 0 : inside;
    base::fill_with(element_.fill, cells.subspan(at + kept, row - kept));
  }
}

Assembly::Open& Assembly::open(const Key& key) {
  auto& slot = open_[key];
  if (!slot) {
    slot = std::make_unique<Open>();
    slot->cells = slabs_.take(record_bytes_ * static_cast<std::size_t>(grid_.records_per_chunk));
    slot->box = grid_.box(key.spatial);
    fill_outside(slot->box, slot->cells.bytes());
    slot->missing.assign(static_cast<std::size_t>(grid_.records_per_chunk), slot->box.size());
    slot->handed_end = key.record_chunk * grid_.records_per_chunk;
    const std::int64_t known = std::max(std::int64_t{0}, grid_.first_record - slot->handed_end);
    std::fill_n(slot->missing.begin(), std::min(known, grid_.records_per_chunk), 0);
    if (keeper_) {
      slot->kept.resize(slot->missing.size());
      std::fill_n(slot->kept.begin(), std::min(known, grid_.records_per_chunk), codecs::lossy::Reached());
    }
    bytes_.fetch_add(slot->cells.size(), std::memory_order_relaxed);
    if (in_all_ != nullptr) in_all_->fetch_add(slot->cells.size(), std::memory_order_relaxed);
  }
  return *slot;
}

std::unique_ptr<Assembly::Open> Assembly::take(const Key& key) {
  const auto found = open_.find(key);
  std::unique_ptr<Open> taken = std::move(found->second);
  open_.erase(found);
  bytes_.fetch_sub(taken->cells.size(), std::memory_order_relaxed);
  if (in_all_ != nullptr) in_all_->fetch_sub(taken->cells.size(), std::memory_order_relaxed);
  return taken;
}

std::optional<std::size_t> Assembly::whole(std::span<const model::Segment> segments) const {
  if (grid_.records_per_chunk != 1 || segments.size() != 1 || segments[0].count != record_cells_)
    return std::nullopt;
  return static_cast<std::size_t>(segments[0].source) * element_.fill.size();
}

void Assembly::add_shared(std::int64_t record, std::int64_t spatial, const base::SharedBytes& source,
                          std::span<const model::Segment> segments) {
  const auto first = whole(segments);
  if (encodes_ || keeper_ || !first) return add(record, spatial, source, segments);
  done_({spatial, record, record + 1, true, source.part(*first, record_bytes_)});
}

void Assembly::add(std::int64_t record, std::int64_t spatial, std::span<const std::byte> source,
                   std::span<const model::Segment> segments) {
  if (segments.empty())
    return;  // only the region's bounding box overlaps this chunk, which may be complete already
  const Key key{record / grid_.records_per_chunk, spatial};
  const std::int64_t within = record % grid_.records_per_chunk;
  if (const auto first = whole(segments)) {
    const auto chunk = source.subspan(*first, record_bytes_);
    FinishedChunk finished{spatial, record, record + 1, true, {}};
    if (keeper_) {
      keep(finished, chunk, {});
      return done_(std::move(finished));
    }
    if (encodes_) {
      codecs::Encoded encoded = codec_->encode_by_choice(chunk, element_.chunk);
      finished.bytes = std::move(encoded.bytes);
      finished.level = encoded.level;
      return done_(std::move(finished));
    }
    base::Slab copied = slabs_.take(record_bytes_);
    std::memcpy(copied.data(), chunk.data(), chunk.size());
    return done_({spatial, record, record + 1, true, std::move(copied)});
  }
  base::MutexLock lock(mutex_);
  Open& chunk = open(key);  // stays valid: the chunk cannot be complete before this piece is copied
  lock.unlock();
  copy(source, segments, chunk.box, chunk.cells.data() + static_cast<std::size_t>(within) * record_bytes_);
  std::int64_t cells = 0;
  for (const model::Segment& segment : segments) cells += segment.count;

  lock.lock();
  std::int64_t& missing = chunk.missing[base::index(within)];
  missing -= cells;
  TAILRACE_ASSERT(missing >= 0, "a cell of a record arrived twice");
  std::optional<Due> due;
  if (missing == 0) due = take_due(key, chunk);
  lock.unlock();
  if (due) hand_on(std::move(*due));
}

// The mark comes first: the piece may complete the chunk, which leaves at once.
void Assembly::add_kept(std::int64_t record, std::int64_t spatial, std::span<const std::byte> source,
                        std::span<const model::Segment> segments, const codecs::lossy::Reached& reached) {
  if (!keeper_ || segments.empty()) return add(record, spatial, source, segments);
  if (const auto first = whole(segments)) {
    FinishedChunk finished{spatial, record, record + 1, true, {}};
    keep(finished, source.subspan(*first, record_bytes_), {reached});
    return done_(std::move(finished));
  }
  {
    const base::MutexLock lock(mutex_);
    Open& chunk = open({record / grid_.records_per_chunk, spatial});
    chunk.kept[base::index(record % grid_.records_per_chunk)] = reached;
  }
  add(record, spatial, source, segments);
}

// For a chunk at the upper edge, rows are clipped in the box but have the full length on disk.
void Assembly::copy(std::span<const std::byte> source, std::span<const model::Segment> segments,
                    const model::Box& box, std::byte* target) const {
  const auto element = static_cast<std::int64_t>(element_.fill.size());
  const bool whole_rows = box.count == grid_.chunk;
  for (const model::Segment& segment : segments) {
    const std::byte* from = source.data() + segment.source * element;
    if (whole_rows) {
      std::memcpy(target + segment.target * element, from, static_cast<std::size_t>(segment.count * element));
      continue;
    }
    for (std::int64_t done = 0; done < segment.count;) {
      std::int64_t rest = segment.target + done, position = 0, stride = 1, run = 0;
      for (std::size_t d = box.count.size(); d-- > 0;) {
        const std::int64_t at = rest % box.count[d];
        if (d + 1 == box.count.size()) run = box.count[d] - at;
        rest /= box.count[d];
        position += at * stride;
        stride *= grid_.chunk[d];
      }
      const std::int64_t length = std::min(run, segment.count - done);
      std::memcpy(target + position * element, from + done * element,
                  static_cast<std::size_t>(length * element));
      done += length;
    }
  }
}

void Assembly::flush(std::int64_t end, std::span<const std::int64_t> spatials, bool ends) {
  if (grid_.records_per_chunk == 1) return;
  const std::int64_t record_chunk = end / grid_.records_per_chunk;
  for (const std::int64_t spatial : spatials) {
    if (end % grid_.records_per_chunk == 0) break;  // full chunks are passed on without a flush
    base::MutexLock lock(mutex_);
    const Key key{record_chunk, spatial};
    if (full_.contains(key)) continue;  // it was passed on complete before the commit was announced
    Open& chunk = open(key);
    const auto place = std::lower_bound(chunk.flushes.begin(), chunk.flushes.end(), end);
    const bool is_known = end <= chunk.handed_end || (place != chunk.flushes.end() && *place == end);
    if (is_known && !ends) continue;
    if (!is_known) chunk.flushes.insert(place, end);
    if (ends) chunk.last_end = end;
    auto due = take_due(key, chunk);
    lock.unlock();
    if (due) hand_on(std::move(*due));
  }
  const base::MutexLock lock(mutex_);
  std::erase_if(full_, [&](const Key& key) { return key.record_chunk < record_chunk; });
}

// Only complete records are rounded: the cells of others may not have been written.
void Assembly::for_each_open(
    const std::function<void(std::int64_t spatial, std::int64_t record_chunk,
                             std::span<const std::byte> cells,
                             std::span<const codecs::lossy::Reached> reached)>& visit) {
  const base::MutexLock lock(mutex_);
  for (const auto& [key, chunk] : open_) {
    const std::span<const std::byte> cells = std::as_const(chunk->cells).bytes();
    if (!keeper_) {
      visit(key.spatial, key.record_chunk, cells, {});
      continue;
    }
    codecs::lossy::AlreadyKept already = chunk->kept;
    for (std::size_t r = 0; r < already.size(); ++r)
      if (chunk->missing[r] != 0) already[r] = codecs::lossy::Reached();
    const codecs::lossy::KeptChunk kept = keeper_->keep(cells, already, false);
    visit(key.spatial, key.record_chunk, kept.bytes, kept.reached);
  }
}

std::optional<Assembly::Due> Assembly::take_due(const Key& key, Open& chunk) {
  while (chunk.complete < chunk.missing.size() && chunk.missing[chunk.complete] == 0) ++chunk.complete;
  const std::int64_t end =
      key.record_chunk * grid_.records_per_chunk + static_cast<std::int64_t>(chunk.complete);
  const std::int64_t full_end = (key.record_chunk + 1) * grid_.records_per_chunk;
  if (end == full_end) {
    const std::unique_ptr<Open> taken = take(key);
    if (grid_.records_per_chunk > 1) full_.insert(key);
    return Due{{key.spatial, key.record_chunk, full_end, true, std::move(taken->cells)},
               std::move(taken->kept)};
  }
  if (chunk.last_end > 0 && end == chunk.last_end) return take_last(key);
  // Each commit gets its records as soon as they are complete, independent of later flushes.
  const auto later = std::upper_bound(chunk.flushes.begin(), chunk.flushes.end(), end);
  if (later == chunk.flushes.begin()) return std::nullopt;
  // Other threads may be copying later records into this chunk; these are not part of this commit.
  const std::int64_t flush_end = chunk.handed_end = *std::prev(later);
  chunk.flushes.erase(chunk.flushes.begin(), later);
  const auto records = static_cast<std::size_t>(flush_end - key.record_chunk * grid_.records_per_chunk);
  const std::size_t there = records * record_bytes_;
  base::Slab cells = slabs_.take(chunk.cells.size());
  std::memcpy(cells.data(), chunk.cells.data(), there);
  base::fill_with(element_.fill, cells.bytes().subspan(there));
  return Due{{key.spatial, key.record_chunk, flush_end, false, std::move(cells)}, chunk.kept};
}

// A chunk that was already passed on with all its records needs no further write.
std::optional<Assembly::Due> Assembly::take_last(const Key& key) {
  const std::unique_ptr<Open> taken = take(key);
  if (taken->handed_end == taken->last_end) return std::nullopt;
  base::fill_with(element_.fill, taken->cells.bytes().subspan(taken->complete * record_bytes_));
  return Due{{key.spatial, key.record_chunk, taken->last_end, true, std::move(taken->cells)},
             std::move(taken->kept)};
}

// Called without the mutex: encoding takes long, and the receiver of the chunk may take locks of its own.
void Assembly::hand_on(Due&& due) {
  FinishedChunk& chunk = due.chunk;
  if (keeper_) {
    keep(chunk, chunk.bytes, due.kept);
  } else if (chunk.filtered && encodes_) {
    codecs::Encoded encoded = codec_->encode_by_choice(chunk.bytes, element_.chunk);
    chunk.bytes = std::move(encoded.bytes);
    chunk.level = encoded.level;
  }
  done_(std::move(chunk));
}

// A full chunk that cannot be encoded is passed on like one that is not full: its format encodes it, or
// stores it as it is.
void Assembly::keep(FinishedChunk& chunk, std::span<const std::byte> cells,
                    const codecs::lossy::AlreadyKept& already) const {
  codecs::lossy::AlreadyKept marked = already;
  marked.resize(static_cast<std::size_t>(grid_.records_per_chunk));
  const std::int64_t records = chunk.records_end - chunk.record_chunk * grid_.records_per_chunk;
  for (std::size_t r = base::index(std::min(records, grid_.records_per_chunk)); r < marked.size(); ++r)
    marked[r] = codecs::lossy::Reached();  // of fill values
  codecs::lossy::KeptChunk kept = keeper_->keep(cells, marked, chunk.filtered && encodes_);
  chunk.filtered = chunk.filtered && (kept.is_encoded || !encodes_);
  chunk.reached = std::move(kept.reached);
  chunk.is_exact = kept.is_exact;
  chunk.level = kept.level;
  chunk.bytes = std::move(kept.bytes);
}

}  // namespace tailrace::output
