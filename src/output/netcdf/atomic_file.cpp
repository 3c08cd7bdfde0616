#include "output/netcdf/atomic_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <string_view>

#include "base/error.hpp"

namespace tailrace::output::netcdf {
namespace {

// A block of a chunk index must change after the blocks that it points to. The order is given by the
// signatures of the blocks of HDF5's extensible and fixed arrays. A block with any other signature is a leaf.
int distance_from_leaves(std::span<const std::byte> bytes) {
  constexpr std::array<std::string_view, 4> by_distance{"EASB", "EAIB", "EAHD", "FAHD"};
  for (std::size_t i = 0; i < by_distance.size(); ++i)
    if (bytes.size() >= 4 && std::memcmp(bytes.data(), by_distance[i].data(), 4) == 0)
      return static_cast<int>(i) + 1;
  return 0;
}

bool lies_in(std::uint64_t address, const std::vector<HeaderChunk>& chunks) {
  return std::ranges::any_of(chunks, [&](const HeaderChunk& chunk) {
    return address >= chunk.address && address < chunk.address + chunk.size;
  });
}

// The reserved room, in bytes, for some more commits that each extend the file by `growth`.
std::uint64_t least_room(std::uint64_t growth) { return 4 * growth + (128 << 10); }
std::uint64_t new_room(std::uint64_t growth) { return 12 * growth + (1 << 20); }

}  // namespace

AtomicFile::AtomicFile(std::unique_ptr<env::File> file, std::uint64_t committed, bool sync)
    : file_(std::move(file)),
      committed_(committed),
      sync_(sync),
      existed_(committed > 0),
      named_(committed),
      reserved_(committed),
      end_(committed),
      announced_{{committed, committed}} {
  // Truncating a file to 0, even an empty one, makes ext4 flush all of its data when it is closed.
  if (committed_ == 0 && file_->size() > 0) file_->truncate(0);
}

void AtomicFile::begin() {
  finish();
  forget();
}

void AtomicFile::forget() noexcept {
  changed_.clear();
  added_.clear();
  held_.clear();
  places_.abandon();
  written_ = 0;
  end_ = committed_;
}

std::uint64_t AtomicFile::end() const { return std::max({committed_, written_, end_}); }

std::uint64_t AtomicFile::append(std::span<const std::byte> values) {
  const std::uint64_t address = end();
  file_->write(address, values);
  end_ = address + values.size();
  return address;
}

std::uint64_t AtomicFile::known_length(std::uint64_t address) const {
  const auto known = std::ranges::upper_bound(announced_, address, {}, &Announced::end);
  return known == announced_.end() ? std::numeric_limits<std::uint64_t>::max() : known->length;
}

void AtomicFile::read(std::uint64_t address, std::span<std::byte> bytes) const {
  if (!kept_.has_all(address, address + bytes.size())) file_->read(address, bytes);
  kept_.cover(address, bytes);
  added_.cover(address, bytes);
  changed_.cover(address, bytes);
}

std::span<const std::byte> AtomicFile::hold(std::vector<std::byte> bytes) {
  return held_.emplace_back(std::move(bytes));
}

void AtomicFile::write(std::uint64_t address, std::span<const std::byte> bytes, bool raw) {
  if (bytes.empty()) return;
  written_ = std::max(written_, address + bytes.size());
  const std::uint64_t before = address < committed_ && !raw ? committed_ - address : 0;
  const std::size_t in_place = static_cast<std::size_t>(std::min<std::uint64_t>(before, bytes.size()));
  changed_.put(address, bytes.first(in_place));
  added_.put(address + in_place, bytes.subspan(in_place));
}

// When this returns the snapshot is written, but nothing refers to it yet.
Snapshot AtomicFile::take_snapshot(SnapshotMaker& maker, const Superblock& logical) {
  const ReadBytes read_it = [this](std::uint64_t address, std::span<std::byte> bytes) {
    read(address, bytes);
  };
  Snapshot snapshot = maker.make(read_it, logical.root(), end_);
  for (const Patch& patch : snapshot.writes) file_->write(patch.address, patch.bytes);
  end_ = snapshot.end;
  return snapshot;
}

AtomicFile::Prepared AtomicFile::prepare() {
  Superblock logical;
  read(0, logical.bytes);
  Prepared prepared{{}, kept_, snapshots_, {}};
  const Snapshot snapshot = take_snapshot(prepared.snapshots, logical);
  std::vector<std::pair<int, Patch>> ranked;
  for (const auto& [address, bytes] : changed_.pieces()) {
    if (address < superblock_size) continue;
    if (lies_in(address, snapshot.originals) || kept_.pieces().contains(address))
      prepared.kept.put(address, bytes);
    else
      ranked.emplace_back(distance_from_leaves(bytes), Patch{address, bytes});
  }
  prepared.kept.put(0, logical.with(end_, logical.root()).bytes);
  std::ranges::stable_sort(ranked, {}, &std::pair<int, Patch>::first);
  for (auto& [rank, patch] : ranked) prepared.patches.push_back(std::move(patch));
  prepared.superblock = logical.with(reserve(end_ - committed_), snapshot.root);
  const auto& bytes = prepared.superblock.bytes;
  prepared.patches.push_back({0, {bytes.begin(), bytes.end()}});
  return prepared;
}

void AtomicFile::commit() {
  try {
    added_.write_to(*file_);
    committed_ == 0 ? commit_first() : commit_next();
  } catch (const Error&) {
    abandon();
    throw;
  }
  forget();
  finish();
}

// The file has only its temporary name, so no reader can see it and no journal is needed. Later readers use
// the snapshot; close() writes the original headers.
void AtomicFile::commit_first() {
  Superblock logical;
  file_->read(0, logical.bytes);
  SnapshotMaker maker = snapshots_;
  const Snapshot snapshot = take_snapshot(maker, logical);
  reserve(end_);  // twice: no reader can have queried the length of the file so far
  const Superblock physical = logical.with(reserve(end_), snapshot.root);
  file_->write(0, physical.bytes);
  sync();
  kept_.put(0, logical.with(end_, logical.root()).bytes);
  snapshots_ = std::move(maker);
  announce(physical);
}

void AtomicFile::announce(const Superblock& superblock) {
  committed_ = end_;
  last_ = superblock;
  places_.commit();
  announced_.push_back({end_, superblock.end()});
  if (announced_.size() > SnapshotMaker::slot_count) announced_.pop_front();
}

void AtomicFile::commit_next() {
  Prepared prepared = prepare();
  sync();
  Journal journal{std::max(file_->size(), reserved_), prepared.superblock.end(), std::move(prepared.patches)};
  write_journal(*file_, journal);
  sync();
  announce(prepared.superblock);
  kept_ = std::move(prepared.kept);
  snapshots_ = std::move(prepared.snapshots);
  unfinished_ = std::move(journal);
}

void AtomicFile::finish() {
  if (!unfinished_) return;
  apply_journal(*file_, *unfinished_, sync_);
  file_->truncate(reserved_);
  unfinished_.reset();
}

// Returns the length for the next superblock (see the second paragraph of the header). When it becomes too
// short, the superblock names the length that the file has had since the last extension, and the file is
// extended again. If the disk is full or a limit is reached, the file has no reserved room.
std::uint64_t AtomicFile::reserve(std::uint64_t growth) {
  growth_ = std::max(growth, growth_ - growth_ / 16);
  if (named_ < end_ + least_room(growth_)) {
    named_ = reserved_ = std::max(reserved_, end_);
    try {
      file_->truncate(named_ + new_room(growth_));
      reserved_ = named_ + new_room(growth_);
    } catch (const Error&) {  // the next commit tries again: room is only reserved
    }
  }
  if (file_->size() < reserved_) file_->truncate(reserved_);
  return named_;
}

void AtomicFile::sync() {
  if (sync_) file_->sync();
}

void AtomicFile::abandon() noexcept {
  forget();
  try {
    if (file_->size() > std::max(reserved_, committed_)) file_->truncate(std::max(reserved_, committed_));
  } catch (const Error&) {
    // Nothing refers to the bytes after the end; the next commit truncates them.
  }
}

void AtomicFile::close() {
  begin();
  if (existed_) {
    if (last_) file_->write(0, last_->with(committed_, last_->root()).bytes);
  } else {
    for (const auto& [address, bytes] : kept_.pieces())
      if (address != 0) file_->write(address, bytes);
    sync();
    if (kept_.pieces().contains(0)) file_->write(0, kept_.pieces().at(0));
  }
  sync();
  file_->truncate(committed_);
  sync();
  file_->close();
}

}  // namespace tailrace::output::netcdf
