#include "checkpoint/shard_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "checkpoint/describe.hpp"
#include "env/threads.hpp"
#include "output/netcdf/header_only_driver/header_around.hpp"

namespace tailrace::checkpoint {
namespace {

constexpr std::uint64_t piece_bytes = std::uint64_t{1} << 20;  // small enough to stay in a cache
constexpr std::uint64_t alignment = 8;

// Adds the path to errors of an open file.
template <class Work>
void at(const std::string& path, const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("checkpoint {}: {}", path, error.what()));
  }
}

model::Box all_of(const model::StateArray& array) {
  return {std::vector<std::int64_t>(array.shape.size(), 0), array.shape};
}

}  // namespace

ShardWriter::ShardWriter(env::FileSystem& files, const std::string& checkpoint, CheckpointHeader head,
                         const std::string& name, const std::string& buffered)
    : files_(files),
      path_in_checkpoint_(checkpoint + "/" + name),
      path_((buffered.empty() ? checkpoint : buffered) + "/" + name),
      head_(std::move(head)),
      end_(output::netcdf::first_place_of_values) {
  shard_.name = name;
  TAILRACE_ASSERT(!files_.exists(checkpoint + "/" + manifest_name),
                  fmt::format("checkpoint {} already exists", checkpoint));
  files_.make_directories(checkpoint);
  at(path_, [&] {
    if (buffered.empty())
      file_ = open(path_);
    else
      open_in_buffer();
  });
}

std::unique_ptr<env::File> ShardWriter::open(const std::string& path) {
  auto file = files_.open(path, env::Access::create);
  file->truncate(0);
  return file;
}

void ShardWriter::open_in_buffer() {
  try {
    files_.make_directories(std::filesystem::path(path_).parent_path().string());
    file_ = open(path_);
  } catch (const Error& error) {
    leave_buffer(error.what());
  }
}

void ShardWriter::leave_buffer(const std::string& why) {
  base::log_warning(
      fmt::format("checkpoint.burst_buffer: {} cannot be written there ({}); it is written directly to {}",
                  path_, why, path_in_checkpoint_));
  const auto buffered = std::exchange(file_, nullptr);
  const std::string left = std::exchange(path_, path_in_checkpoint_);
  file_ = open(path_);
  behind_ = {};
  std::vector<std::byte> piece(piece_bytes);
  for (std::uint64_t from = 0, end = buffered ? buffered->size() : 0; from < end; from += piece.size()) {
    piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(end - from, piece_bytes)));
    buffered->read(from, piece);
    file_->write(from, piece);
  }
  try {
    files_.remove(left);
  } catch (const Error&) {  // the next job removes it
  }
}

ShardWriter::~ShardWriter() {
  if (!file_) return;
  file_.reset();
  try {
    files_.remove(path_);
  } catch (const Error&) {  // the next job removes it
  }
}

ShardWriter::Entry& ShardWriter::entry_of(const model::StateArray& array) {
  const auto [found, is_new] = entries_.try_emplace(array.name);
  Entry& entry = found->second;
  if (is_new) {
    entry.stored.array = array;
    entry.cells = entry.missing = static_cast<std::size_t>(all_of(array).size());
  }
  if (entry.stored.array != array)
    throw Error(ErrorCode::internal, fmt::format("state \"{}\" is saved as {} and as {}", array.name,
                                                 describe(entry.stored.array), describe(array)));
  return entry;
}

void ShardWriter::save(const model::StateArray& array, const model::Region& region,
                       std::span<const std::byte> values) {
  TAILRACE_ASSERT(file_, "the shard is finished");
  at(path_, [&] {
    Entry& entry = entry_of(array);
    for (const model::Segment& segment : model::intersect(region, all_of(array)))
      save_segment(entry, segment, values);
    if (entry.cells == 0 && !entry.complete) complete(entry);
  });
}

// `values` are those of the whole region.
void ShardWriter::save_segment(Entry& entry, const model::Segment& segment,
                               std::span<const std::byte> values) {
  const std::size_t element = model::size_of(entry.stored.array.type);
  const auto first = static_cast<std::size_t>(segment.target);
  const auto count = static_cast<std::size_t>(segment.count);
  const auto part = values.subspan(static_cast<std::size_t>(segment.source) * element, count * element);
  const std::size_t bytes = entry.cells * element;
  if (count == entry.cells && entry.missing == count) {
    entry.stored.address = place_for(bytes);
    write(entry.stored.address, part);
    return complete(entry);
  }
  if (entry.there.empty() && !entry.complete) {
    entry.there = CellMarks(entry.cells);
    if (part.size() < piece_bytes && assembled_ + bytes <= assembled_bytes) {
      assembled_ += bytes;
      entry.together.resize(bytes);
    } else {
      entry.stored.address = place_for(bytes);
    }
  }
  put_cells(entry, first, part);
}

// Compares cells that were saved before, and writes each range of new cells at once.
void ShardWriter::put_cells(Entry& entry, std::size_t first, std::span<const std::byte> part) {
  const std::size_t element = model::size_of(entry.stored.array.type);
  const std::size_t end = first + part.size() / element;
  for (std::size_t from = first; from < end;) {
    const bool here = entry.complete || entry.there.has(from);
    const std::size_t to = entry.complete ? end : entry.there.find(!here, from, end);
    const auto run = part.subspan((from - first) * element, (to - from) * element);
    if (here) {
      check_same(entry, from, run);
    } else {
      if (!entry.together.empty())
        std::ranges::copy(run, entry.together.begin() + static_cast<std::ptrdiff_t>(from * element));
      else
        write(entry.stored.address + from * element, run);
      entry.there.mark(from, to);
      entry.missing -= to - from;
    }
    from = to;
  }
  if (entry.missing == 0 && !entry.complete) complete(entry);
}

void ShardWriter::check_same(const Entry& entry, std::size_t cell, std::span<const std::byte> values) {
  const std::size_t offset = cell * model::size_of(entry.stored.array.type);
  std::vector<std::byte> known(values.size());
  if (!entry.together.empty()) {
    std::memcpy(known.data(), entry.together.data() + offset, known.size());
  } else {
    flush();
    file_->read(entry.stored.address + offset, known);
  }
  if (!std::ranges::equal(known, values))
    throw Error(ErrorCode::internal,
                fmt::format("state \"{}\" is saved with different values, from cell {} on",
                            entry.stored.array.name, cell));
}

void ShardWriter::complete(Entry& entry) {
  if (!entry.together.empty()) {
    entry.stored.address = place_for(entry.together.size());
    write(entry.stored.address, entry.together);
    assembled_ -= entry.together.size();
  }
  entry.together = {};
  entry.there = {};
  entry.missing = 0;
  entry.complete = true;
  order_.push_back(&entry);
}

std::uint64_t ShardWriter::place_for(std::uint64_t bytes) {
  const std::uint64_t place = (end_ + alignment - 1) / alignment * alignment;
  end_ = place + bytes;
  return place;
}

void ShardWriter::write(std::uint64_t address, std::span<const std::byte> bytes) {
  const std::uint64_t waiting_end = waiting_at_ + waiting_.size();
  const bool joins = !waiting_.empty() && address >= waiting_end && address - waiting_end < alignment;
  if (!joins || waiting_.size() + bytes.size() > piece_bytes) flush();
  if (bytes.size() >= piece_bytes) return write_now(address, bytes);
  if (waiting_.empty()) waiting_at_ = address;
  waiting_.resize(static_cast<std::size_t>(address - waiting_at_));
  waiting_.insert(waiting_.end(), bytes.begin(), bytes.end());
}

void ShardWriter::flush() {
  write_now(waiting_at_, waiting_);
  waiting_.clear();
}

void ShardWriter::write_now(std::uint64_t address, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const auto piece = bytes.first(std::min<std::size_t>(bytes.size(), piece_bytes));
    checksums_.add(address, piece);
    in_file([&](env::File& file) { file.write(address, piece); });
    behind_.wrote(*file_, address, piece.size());
    bytes = bytes.subspan(piece.size());
    address += piece.size();
  }
}

void ShardWriter::in_file(const std::function<void(env::File&)>& change) {
  try {
    return change(*file_);
  } catch (const Error& error) {
    if (path_ == path_in_checkpoint_) throw;
    leave_buffer(error.what());
  }
  change(*file_);
}

void ShardWriter::check_complete() const {
  for (const auto& [name, entry] : entries_) {
    if (entry.complete) continue;
    const std::size_t cell = entry.there.empty() ? 0 : entry.there.find(false, 0, entry.cells);
    throw Error(ErrorCode::internal, fmt::format("state \"{}\" lacks {} of its {} cells, cell {} first", name,
                                                 entry.missing, entry.cells, cell));
  }
}

void ShardWriter::write_header() {
  const output::netcdf::HeaderAround header = make_header(head_, shard_.arrays, end_);
  for (const auto& [address, bytes] : header.pieces.pieces()) write_now(address, bytes);
  in_file([&](env::File& file) { file.truncate(header.length); });
  shard_.bytes = header.length;
}

Shard ShardWriter::finish() {
  TAILRACE_ASSERT(file_, "the shard is finished");
  at(path_, [&] {
    check_complete();
    flush();
    for (const Entry* entry : order_) shard_.arrays.push_back(entry->stored);
    write_header();
    shard_.checksums = checksums_.of_file(shard_.bytes);
    file_->sync();
    file_->close();
  });
  files_.sync(path_);  // its name
  if (path_ != path_in_checkpoint_) {
    files_.sync(std::filesystem::path(path_).parent_path().string());
    shard_.buffered = Buffered{env::host_name(), path_};
  }
  file_.reset();
  return std::move(shard_);
}

}  // namespace tailrace::checkpoint
