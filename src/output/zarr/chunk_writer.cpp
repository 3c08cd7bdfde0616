#include "output/zarr/chunk_writer.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "output/checks.hpp"
#include "output/encode_again.hpp"
#include "output/zarr/frame.hpp"
#include "output/zarr/metadata.hpp"
#include "output/zarr/shard_grid.hpp"

namespace tailrace::output::zarr {

ChunkWriter::ChunkWriter(const DatasetSpec& spec, Store& store, std::vector<std::int64_t> lengths)
    : spec_(spec), store_(store), lengths_(std::move(lengths)) {
  for (const VariableSpec& variable : spec_.variables) shards_.push_back(shard_of(spec_, variable));
}

std::size_t ChunkWriter::bytes_of_record(const VariableSpec& variable) const {
  return bytes_of_chunk(spec_, variable) / static_cast<std::size_t>(variable.chunk[0]);
}

std::int64_t ChunkWriter::kept_of(const VariableSpec& variable) const {
  if (!grows(spec_, variable)) return 0;
  const auto kept = spec_.kept.find(variable.dims[0]);
  return kept == spec_.kept.end() ? 0 : kept->second;
}

// In a store that a run appends to, variables of fixed size are not written again.
bool ChunkWriter::is_kept_whole(const VariableSpec& variable) const {
  return !spec_.kept.empty() && !grows(spec_, variable);
}

void ChunkWriter::write(const std::vector<EncodedChunk>& chunks) {
  std::map<std::pair<int, Shape>, std::vector<const EncodedChunk*>> by_shard;
  for (const EncodedChunk& chunk : chunks) {
    if (is_kept_whole(spec_.variables[base::index(chunk.variable)])) continue;
    const Shape& shard = shards_[base::index(chunk.variable)];
    if (shard.empty()) {
      write(chunk);
      continue;
    }
    Shape corner = chunk.offset;
    for (std::size_t d = 0; d < corner.size(); ++d) corner[d] -= corner[d] % shard[d];
    by_shard[{chunk.variable, std::move(corner)}].push_back(&chunk);
  }
  for (const auto& [place, in_shard] : by_shard) write_shard(place.second, in_shard);
}

// A shard whose records no metadata count is written anew, whatever a killed run or a failed attempt left.
void ChunkWriter::write_shard(const Shape& corner, const std::vector<const EncodedChunk*>& chunks) {
  const VariableSpec& variable = spec_.variables[base::index(chunks[0]->variable)];
  const Shape& shard = shards_[base::index(chunks[0]->variable)];
  const std::string name = chunk_name(variable.name, corner, shard);
  const bool is_new = is_unseen(variable, corner[0]);
  const std::optional<OpenShard> present = is_new ? std::nullopt : shard_before(variable, shard, corner);
  const OpenShard* before = present ? &*present : nullptr;
  const auto fill = [&](env::File& file) {
    ShardWriter writer(file, before, chunks_in(shard, variable.chunk));
    for (const EncodedChunk* chunk : chunks) add_to_shard(writer, *chunk, before);
    return writer.finish();
  };
  if (is_new)
    store_.place(name, fill);
  else
    store_.replace(name, fill);
}

// The shard as it is in the store, with the chunks that have committed records; nothing if there is none.
std::optional<OpenShard> ChunkWriter::shard_before(const VariableSpec& variable, const Shape& shard,
                                                   const Shape& corner) const {
  const std::string name = chunk_name(variable.name, corner, shard);
  if (!store_.has(name)) return std::nullopt;
  OpenShard found = open_shard(store_, name, chunks_in(shard, variable.chunk));
  for (std::size_t i = 0; i < found.index.size(); ++i)
    if (is_unseen(variable, corner[0] + corner_in_shard(i, shard, variable.chunk)[0]))
      found.index.set(i, std::nullopt);
  return found;
}

// A compressed chunk that is not full is compressed as it is, with zeros after its records, since the frame
// of its cells would take the room of a full one.
void ChunkWriter::add_to_shard(ShardWriter& writer, const EncodedChunk& chunk,
                               const OpenShard* before) const {
  const VariableSpec& variable = spec_.variables[base::index(chunk.variable)];
  const std::size_t number =
      number_in_shard(chunk.offset, shards_[base::index(chunk.variable)], variable.chunk);
  const std::size_t size = bytes_of_chunk(spec_, variable);
  const std::size_t valid = chunk.valid_records == 0
                                ? size
                                : static_cast<std::size_t>(chunk.valid_records) * bytes_of_record(variable);
  const std::int64_t kept = kept_of(variable);
  EncodedChunk whole = chunk;
  if (kept > chunk.offset[0] && before != nullptr && before->index.at(number))
    whole = joined(chunk, before->chunk(number), kept);
  if (!is_framed(variable)) {
    const std::span<const std::byte> cells = whole.bytes;
    return writer.add(number, {}, cells.first(valid), size, true);
  }
  if (!whole.filtered && valid < size) {  // a full one whose codec failed stays as its cells are
    std::vector<std::byte> cells = whole.bytes.copy();
    std::fill(cells.begin() + static_cast<std::ptrdiff_t>(valid), cells.end(), std::byte{0});
    whole.bytes = std::move(cells);
    encode_again(spec_, whole);
  }
  const Frame frame = framed(variable, size, whole.bytes, whole.filtered);
  writer.add(number, frame.front, frame.body, 0, false);
}

void ChunkWriter::write(const EncodedChunk& chunk) {
  const VariableSpec& variable = spec_.variables[base::index(chunk.variable)];
  const std::string name = chunk_name(variable.name, chunk.offset, variable.chunk);
  const std::size_t size = bytes_of_chunk(spec_, variable);
  const std::int64_t kept = kept_of(variable);
  EncodedChunk whole = chunk;
  if (kept > chunk.offset[0] && store_.has(name))
    whole = joined(chunk, store_.read(name), kept);
  else if (add_records(chunk, name))
    return;
  Frame frame = framed(variable, size, whole.bytes, whole.filtered);
  if (frame.holds_cells && chunk.valid_records > 0)  // the memory after its records is undefined
    frame.body = frame.body.first(static_cast<std::size_t>(chunk.valid_records) * bytes_of_record(variable));
  const std::uint64_t whole_size = frame.holds_cells ? frame.front.size() + size : 0;
  if (is_unseen(variable, chunk.offset[0]))
    store_.place(name, frame.front, frame.body, whole_size);
  else
    store_.replace(name, frame.front, frame.body, whole_size);
}

// Whether the metadata count none of the records of a chunk, so that no reader opens it.
bool ChunkWriter::is_unseen(const VariableSpec& variable, std::int64_t first) const {
  return grows(spec_, variable) && first >= lengths_[base::index(variable.dims[0])];
}

// Writes the new records of an uncompressed chunk in place, after those in the store; false if that is not
// possible. Readers do not access cells after the records that the metadata count.
bool ChunkWriter::add_records(const EncodedChunk& chunk, const std::string& name) {
  const VariableSpec& variable = spec_.variables[base::index(chunk.variable)];
  if (!store_.writes_in_place() || chunk.committed_records == 0 || (chunk.filtered && is_framed(variable)))
    return false;
  const std::size_t size = bytes_of_chunk(spec_, variable);
  const std::size_t record = bytes_of_record(variable);
  const auto first = static_cast<std::size_t>(chunk.committed_records) * record;
  const auto end = chunk.valid_records == 0 ? size : static_cast<std::size_t>(chunk.valid_records) * record;
  const auto front = raw_front(variable, size);
  const std::span<const std::byte> bytes = chunk.bytes;
  return store_.overwrite(name, front, front.size() + size, front.size() + first,
                          bytes.subspan(first, end - first));
}

EncodedChunk ChunkWriter::joined(const EncodedChunk& chunk, std::span<const std::byte> file,
                                 std::int64_t kept) const {
  const VariableSpec& variable = spec_.variables[base::index(chunk.variable)];
  const std::size_t size = bytes_of_chunk(spec_, variable), element = model::size_of(variable.type);
  const auto codec = codecs::make_codec(variable.codec);
  const std::vector<std::byte> before = unframed(variable, size, file);
  auto whole = chunk.filtered ? codec->decode(chunk.bytes, size, element) : chunk.bytes.copy();
  const auto records = static_cast<std::size_t>(std::min(kept - chunk.offset[0], variable.chunk[0]));
  std::memcpy(whole.data(), before.data(), records * bytes_of_record(variable));
  EncodedChunk joined = chunk;
  joined.bytes = std::move(whole);
  if (chunk.filtered) encode_again(spec_, joined);
  return joined;
}

void ChunkWriter::write(const PlainValues& values) {
  if (values.bytes.empty()) return;
  const VariableSpec& variable = spec_.variables[base::index(values.variable)];
  if (grows(spec_, variable)) return write_records(values);
  if (is_kept_whole(variable)) return;
  const auto chunk = chunk_of(spec_, variable);
  TAILRACE_ASSERT(values.bytes.size() == bytes_of_chunk(spec_, variable),
                  "plain values of a variable in several chunks: " + variable.name);
  const std::vector<std::int64_t> corner(chunk.size(), 0);
  const Frame frame = framed(variable, values.bytes.size(), values.bytes, false);
  store_.replace(chunk_name(variable.name, corner, chunk), frame.front, frame.body);
}

// Writes chunk by chunk along the records; each chunk covers the other dims completely.
void ChunkWriter::write_records(const PlainValues& values) {
  const VariableSpec& variable = spec_.variables[base::index(values.variable)];
  const std::size_t size = bytes_of_chunk(spec_, variable);
  const auto in_chunk = variable.chunk[0];
  const std::size_t record = bytes_of_record(variable);
  const auto shape = shape_of(variable, lengths_);
  TAILRACE_ASSERT(std::equal(shape.begin() + 1, shape.end(), variable.chunk.begin() + 1),
                  "plain values of a variable that is cut across its records: " + variable.name);
  const std::span<const std::byte> bytes = values.bytes;
  const auto end = values.first + static_cast<std::int64_t>(bytes.size() / record);
  const auto front = raw_front(variable, size);
  for (std::int64_t first = values.first; first < end;) {
    const std::int64_t begin = first / in_chunk * in_chunk;
    const std::int64_t behind = std::min(begin + in_chunk, end);
    const auto part = bytes.subspan(static_cast<std::size_t>(first - values.first) * record,
                                    static_cast<std::size_t>(behind - first) * record);
    const auto at = static_cast<std::size_t>(first - begin) * record;
    std::vector<std::int64_t> corner(variable.chunk.size(), 0);
    corner[0] = begin;
    const std::string name = chunk_name(variable.name, corner, variable.chunk);
    if (!store_.overwrite(name, front, front.size() + size, front.size() + at, part)) {
      std::vector<std::byte> whole(size);
      std::ranges::copy(part, whole.begin() + static_cast<std::ptrdiff_t>(at));
      if (is_unseen(variable, begin))
        store_.place(name, front, whole);
      else
        store_.replace(name, front, whole);
    }
    first = behind;
  }
}

}  // namespace tailrace::output::zarr
