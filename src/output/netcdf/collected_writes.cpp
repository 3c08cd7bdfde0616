#include "output/netcdf/collected_writes.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>

namespace tailrace::output::netcdf {
namespace {

bool lies_in(std::span<const std::byte> bytes, std::span<const std::byte> all) {
  constexpr std::less_equal<const std::byte*> before;
  return before(all.data(), bytes.data()) && before(bytes.data() + bytes.size(), all.data() + all.size());
}

}  // namespace

void CollectedWrites::put(std::uint64_t address, std::span<const std::byte> bytes) {
  const bool lasts = lies_in(bytes, lasting_);
  if (lasts) {
    const auto first = static_cast<std::size_t>(std::max<std::ptrdiff_t>(wanted_.data() - bytes.data(), 0));
    const std::ptrdiff_t last = wanted_.data() + wanted_.size() - bytes.data();
    const auto end = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(last, 0, std::ssize(bytes)));
    bytes = first < end ? bytes.subspan(first, end - first) : bytes.first(0);
    address += first;
  }
  if (bytes.empty()) return;
  const std::uint64_t end = address + bytes.size();
  copy_references(address, end);
  if (lasts && !copies_.touches(address, end))
    references_.emplace(address, bytes);
  else
    copies_.put(address, bytes);
}

// Overlapping writes are rare. Referenced bytes that are about to be overwritten become copies in the
// overlay.
void CollectedWrites::copy_references(std::uint64_t begin, std::uint64_t end) {
  auto at = references_.lower_bound(begin);
  if (at != references_.begin() && std::prev(at)->first + std::prev(at)->second.size() > begin) --at;
  while (at != references_.end() && at->first < end) {
    copies_.put(at->first, at->second);
    at = references_.erase(at);
  }
}

void CollectedWrites::cover(std::uint64_t address, std::span<std::byte> bytes) const {
  const std::uint64_t end = address + bytes.size();
  auto at = references_.upper_bound(address);
  if (at != references_.begin()) --at;
  for (; at != references_.end() && at->first < end; ++at) {
    const std::uint64_t from = std::max(address, at->first);
    const std::uint64_t to = std::min<std::uint64_t>(end, at->first + at->second.size());
    if (from < to)
      std::memcpy(bytes.data() + (from - address), at->second.data() + (from - at->first), to - from);
  }
  copies_.cover(address, bytes);
}

void CollectedWrites::write_to(env::File& file) const {
  for (const auto& [address, bytes] : references_) file.write(address, bytes);
  for (const auto& [address, bytes] : copies_.pieces()) file.write(address, bytes);
}

void CollectedWrites::clear() noexcept {
  references_.clear();
  copies_.clear();
  lasting_ = wanted_ = {};
}

}  // namespace tailrace::output::netcdf
