#include "output/netcdf/repack/copy.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "base/error.hpp"
#include "output/netcdf/creation.hpp"
#include "output/netcdf/metadata/snapshot.hpp"
#include "output/netcdf/repack/new_indices.hpp"

namespace tailrace::output::netcdf {
namespace {

constexpr std::uint64_t first_place = superblock_size;  // of values: behind the superblock
constexpr std::uint64_t large_copy = 256ull << 20;      // bytes
constexpr std::uint64_t small_copy = 1ull << 20;        // bytes
constexpr std::uint64_t small_chunk = 1ull << 20;       // bytes of a chunk that may become smaller
constexpr std::size_t least_room = 1 << 10;             // bytes behind its records for which it does
constexpr std::uint64_t first_body = 1ull << 62;        // an address
constexpr std::size_t portion = std::size_t{8} << 20;
// The bytes that a header and an index take in a copy, besides those of the header before, for each variable
// and for each chunk; and what the file takes.
constexpr std::uint64_t bytes_of_variable = 512, bytes_of_chunk = 24, bytes_of_file = 8 << 10;

std::uint64_t rounded(std::uint64_t number) { return (number + 7) / 8 * 8; }

// The shape of the chunks in the copy. Room behind the records costs nothing in a compressed chunk.
std::vector<std::int64_t> new_chunk(const StoredFile& stored, const StoredVariable& variable) {
  std::vector<std::int64_t> chunk = variable.chunk;
  if (stored.keeps_chunks || variable.filters > 0 || !variable.grows || variable.shape[0] == 0) return chunk;
  const bool is_half_empty = 2 * variable.shape[0] <= chunk[0];
  const std::size_t record = variable.chunk_bytes() / static_cast<std::size_t>(chunk[0]);
  const auto room =
      record * static_cast<std::size_t>(std::max<std::int64_t>(chunk[0] - variable.shape[0], 0));
  if (is_half_empty && room >= least_room && variable.chunk_bytes() <= small_chunk)
    chunk[0] = variable.shape[0];
  return chunk;
}

// The bytes that the file has to hold; raw chunks count as nothing, as nobody knows yet how small they
// become.
std::uint64_t least_bytes(const StoredFile& stored) {
  std::uint64_t bytes = bytes_of_file + stored.header_bytes;
  for (const StoredVariable& variable : stored.variables) {
    bytes += bytes_of_variable + variable.size + bytes_of_chunk * variable.chunks.size();
    const bool shrinks = new_chunk(stored, variable) != variable.chunk;
    for (const StoredChunk& chunk : variable.chunks)
      if (!variable.is_raw(chunk)) bytes += shrinks ? variable.valid_bytes(chunk) : chunk.size;
  }
  return bytes;
}

class Copy {
 public:
  Copy(AtomicFile& from, const StoredFile& stored, env::File& to) : from_(from), stored_(stored), to_(to) {}

  void write();

 private:
  void copy_values(const StoredVariable& variable);
  void copy_chunks(const StoredVariable& variable);
  void copy_chunk(const StoredVariable& variable, StoredChunk& chunk, const std::vector<std::int64_t>& shape);
  void place(StoredChunk& chunk, std::span<const std::byte> bytes, std::uint64_t size);
  void change_layout(const StoredVariable& variable, const Bytes& layout);
  void read(std::uint64_t address, std::span<std::byte> bytes) const;  // with the changes

  AtomicFile& from_;
  const StoredFile& stored_;
  env::File& to_;
  std::uint64_t end_ = first_place;
  std::vector<RepackedVariable> chunked_;
  Overlay headers_;  // changes of the headers of `from_`
  std::uint64_t next_body_ = first_body;
};

void Copy::write() {
  for (const StoredVariable& variable : stored_.variables)
    variable.chunk.empty() ? copy_values(variable) : copy_chunks(variable);
  const NewIndices indices = make_indices(chunked_, rounded(end_));
  for (std::size_t i = 0; i < chunked_.size(); ++i) change_layout(*chunked_[i].variable, indices.layouts[i]);
  for (const auto& [address, bytes] : indices.pieces.pieces()) to_.write(address, bytes);
  Superblock before, superblock;
  read(0, before.bytes);
  const Snapshot snapshot =
      SnapshotMaker().make([this](auto at, auto bytes) { read(at, bytes); }, before.root(), indices.end);
  std::uint64_t end = indices.end;  // without the room that a snapshot leaves for later ones in its place
  for (const Patch& patch : snapshot.writes) {
    to_.write(patch.address, patch.bytes);
    end = std::max(end, patch.address + patch.bytes.size());
  }
  indices.pieces.cover(0, superblock.bytes);
  to_.write(0, superblock.with(end, snapshot.root).bytes);
  to_.truncate(end);
}

void Copy::copy_values(const StoredVariable& variable) {
  constexpr std::size_t place_in_layout = 2;  // version and class come before it
  if (variable.size == 0) return;
  const std::uint64_t begin = rounded(end_);
  Bytes bytes;
  for (std::uint64_t at = 0; at < variable.size; at += bytes.size()) {
    bytes.resize(static_cast<std::size_t>(std::min<std::uint64_t>(portion, variable.size - at)));
    from_.read(variable.address + at, bytes);
    to_.write(begin + at, bytes);
  }
  end_ = begin + variable.size;
  Bytes layout = variable.layout;
  put_number(layout, place_in_layout, begin, 8);
  change_layout(variable, layout);
}

void Copy::copy_chunks(const StoredVariable& variable) {
  chunked_.push_back({&variable, new_chunk(stored_, variable), variable.chunks});
  RepackedVariable& repacked = chunked_.back();
  for (StoredChunk& chunk : repacked.chunks) copy_chunk(variable, chunk, repacked.chunk);
}

void Copy::copy_chunk(const StoredVariable& variable, StoredChunk& chunk,
                      const std::vector<std::int64_t>& shape) {
  const bool shrinks = shape != variable.chunk;
  if (!shrinks && !variable.is_raw(chunk)) {
    // Room behind the last record of a chunk without filters stays a hole.
    const std::uint64_t written = variable.filters > 0 ? chunk.size : variable.valid_bytes(chunk);
    Bytes bytes(static_cast<std::size_t>(written));
    from_.read(chunk.address, bytes);
    return place(chunk, bytes, chunk.size);
  }
  Bytes cells = read_cells(from_, variable, chunk);
  if (shrinks)
    cells.resize(cells.size() / static_cast<std::size_t>(variable.chunk[0]) *
                 static_cast<std::size_t>(shape[0]));
  const Bytes bytes = variable.filters > 0 ? encoded(variable, cells, shape) : std::move(cells);
  chunk.skipped = 0;
  place(chunk, bytes, bytes.size());
}

void Copy::place(StoredChunk& chunk, std::span<const std::byte> bytes, std::uint64_t size) {
  chunk.address = end_;
  chunk.size = size;
  to_.write(end_, bytes);
  end_ += size;
}

// HDF5 stores the extents of chunks in as few bytes as they need, so a message may change its size. The
// changed header is a front at its address and a body at an address that no file has.
void Copy::change_layout(const StoredVariable& variable, const Bytes& layout) {
  ObjectHeader header = read_object_header([this](auto at, auto bytes) { read(at, bytes); }, variable.header);
  for (HeaderMessage& message : header.messages)
    if (message.type == MessageType::layout) message.data = layout;
  const Bytes body = encode_continuation(header, header.messages);
  const HeaderMessage lead = lead_to(next_body_, body.size());
  headers_.put(variable.header, encode_header(header, {&lead, 1}));
  headers_.put(next_body_, body);
  next_body_ += body.size();
}

void Copy::read(std::uint64_t address, std::span<std::byte> bytes) const {
  if (address < first_body) from_.read(address, bytes);
  headers_.cover(address, bytes);
}

}  // namespace

bool is_worth_a_copy(const StoredFile& stored, std::uint64_t bytes) {
  if (!stored.is_movable) return false;
  const std::uint64_t least = least_bytes(stored);
  if (least >= bytes) return false;
  const bool halves = least <= bytes / 2;
  const auto is_filtered = [](const StoredVariable& variable) { return variable.filters > 0; };
  if (std::ranges::any_of(stored.variables, is_filtered))
    return bytes - least > std::min(least / 20, least / 64 + (24 << 10)) && (least <= large_copy || halves);
  const auto is_short = [](const StoredVariable& variable) {
    return !variable.grows || variable.shape[0] <= variable.chunk[0];
  };
  const auto shrinks = [&stored](const StoredVariable& variable) {
    return new_chunk(stored, variable) != variable.chunk;
  };
  // Its holes take no room on the device, so a copy must cost little beside what it saves elsewhere.
  const bool is_cheap = halves && (least <= small_copy || least <= bytes / 8);
  return is_cheap && std::ranges::all_of(stored.variables, is_short) &&
         std::ranges::any_of(stored.variables, shrinks);
}

std::unique_ptr<env::File> copy_to_new_file(AtomicFile& file, const StoredFile& stored,
                                            env::FileSystem& files, const std::string& place, bool sync) {
  const std::string temporary_name = name_while_created(place);
  auto fresh = create_fresh(files, temporary_name);
  Temporary temporary(files, temporary_name);
  Copy(file, stored, *fresh).write();
  if (sync) fresh->sync();
  if (files.entry(place) == env::Entry::none || !file.file().is_file_at(place))
    throw Error(ErrorCode::resource, "was removed, or replaced by another program, meanwhile");
  keep_permissions(place, temporary_name);
  temporary.rename_to(place, IfExists::replace);
  if (sync) files.sync(place);
  return fresh;
}

Bytes read_cells(const AtomicFile& file, const StoredVariable& variable, const StoredChunk& chunk) {
  if (variable.filters > 0 && !variable.is_raw(chunk)) {
    Bytes bytes(static_cast<std::size_t>(chunk.size));
    file.read(chunk.address, bytes);
    return codecs::make_codec(*variable.codec)->decode(bytes, variable.chunk_bytes(), variable.fill.size());
  }
  Bytes cells(variable.chunk_bytes());
  const std::size_t valid = variable.valid_bytes(chunk);
  file.read(chunk.address, std::span(cells).first(valid));
  base::fill_with(variable.fill, std::span(cells).subspan(valid));
  return cells;
}

Bytes encoded(const StoredVariable& variable, const Bytes& cells, const std::vector<std::int64_t>& shape) {
  return codecs::make_codec(*variable.codec)->encode(cells, {variable.type, shape, variable.fill_value});
}

}  // namespace tailrace::output::netcdf
