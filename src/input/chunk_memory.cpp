#include "input/chunk_memory.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tailrace::input {

ChunkMemory::Place::Place(ChunkMemory& memory) : memory_(memory) {
  const std::lock_guard lock(memory_.mutex_);
  memory_.places_.insert(this);
}

ChunkMemory::Place::~Place() {
  const std::lock_guard lock(memory_.mutex_);
  memory_.empty(*this);
  memory_.places_.erase(this);
}

std::int64_t ChunkMemory::Place::reserve(std::uint64_t record_bytes, std::int64_t records, double seconds) {
  const std::lock_guard lock(memory_.mutex_);
  memory_.empty(*this);
  wanted_ = record_bytes * static_cast<std::uint64_t>(records);
  seconds_ = seconds;
  const double most = static_cast<double>(memory_.most_bytes_);
  double all = 0.0;
  for (const Place* place : memory_.places_)
    if (place->seconds_ <= seconds) all += static_cast<double>(place->wanted_);
  const double share = std::min(1.0, most / std::max(all, 1.0)) * static_cast<double>(wanted_);
  while (memory_.bytes_ + static_cast<std::uint64_t>(share) > memory_.most_bytes_) {
    Place* const other = memory_.farthest(seconds);
    if (other == nullptr) break;
    memory_.empty(*other);
  }
  const std::uint64_t left = memory_.most_bytes_ - std::min(memory_.bytes_, memory_.most_bytes_);
  const auto fit = static_cast<std::int64_t>(std::min(static_cast<std::uint64_t>(share), left) /
                                             std::max<std::uint64_t>(record_bytes, 1));
  // In parts of about the same size.
  const std::int64_t most_records = std::clamp<std::int64_t>(fit, 1, records);
  const std::int64_t parts = (records + most_records - 1) / most_records;
  const std::int64_t granted = (records + parts - 1) / parts;
  bytes_ = record_bytes * static_cast<std::uint64_t>(granted);
  memory_.bytes_ += bytes_;
  return granted;
}

void ChunkMemory::Place::keep(std::vector<env::ReceivedPages> pages) {
  const std::lock_guard lock(memory_.mutex_);
  pages_ = std::move(pages);
  last_use_ = ++memory_.uses_;
}

std::vector<env::ReceivedPages> ChunkMemory::Place::take() {
  const std::lock_guard lock(memory_.mutex_);
  return std::exchange(pages_, {});
}

void ChunkMemory::Place::clear() {
  const std::lock_guard lock(memory_.mutex_);
  memory_.empty(*this);
}

std::uint64_t ChunkMemory::bytes() const {
  const std::lock_guard lock(mutex_);
  return bytes_;
}

void ChunkMemory::empty(Place& place) {
  place.pages_.clear();
  bytes_ -= std::exchange(place.bytes_, 0);
}

// The place whose next record is farthest away, if that is farther than in `seconds`. If two have the same
// distance between their records, the next one of that which was used last is farther away.
ChunkMemory::Place* ChunkMemory::farthest(double seconds) {
  Place* found = nullptr;
  for (Place* place : places_) {
    if (place->pages_.empty() || !(place->seconds_ > seconds)) continue;
    if (found == nullptr ||
        std::tie(place->seconds_, place->last_use_) > std::tie(found->seconds_, found->last_use_))
      found = place;
  }
  return found;
}

}  // namespace tailrace::input
