#include "output/netcdf/metadata/overlay.hpp"

#include <algorithm>
#include <utility>

namespace tailrace::output::netcdf {
namespace {

// The first piece that ends after `address`.
template <class Map>
auto first_over(Map& pieces, std::uint64_t address) {
  auto at = pieces.upper_bound(address);
  if (at == pieces.begin()) return at;
  const auto before = std::prev(at);
  return before->first + before->second.size() > address ? before : at;
}

}  // namespace

void Overlay::put(std::uint64_t address, std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  cut(address, address + bytes.size());
  pieces_[address].assign(bytes.begin(), bytes.end());
}

void Overlay::cut(std::uint64_t begin, std::uint64_t end) {
  for (auto at = first_over(pieces_, begin); at != pieces_.end() && at->first < end;) {
    const std::uint64_t from = at->first;
    const std::vector<std::byte> bytes = std::move(at->second);
    at = pieces_.erase(at);
    if (from < begin)
      pieces_[from].assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(begin - from));
    if (from + bytes.size() > end)
      pieces_[end].assign(bytes.begin() + static_cast<std::ptrdiff_t>(end - from), bytes.end());
  }
}

void Overlay::cover(std::uint64_t address, std::span<std::byte> bytes) const {
  const std::uint64_t end = address + bytes.size();
  for (auto at = first_over(pieces_, address); at != pieces_.end() && at->first < end; ++at) {
    const std::uint64_t from = std::max(address, at->first);
    const std::uint64_t to = std::min(end, at->first + at->second.size());
    std::copy_n(at->second.data() + (from - at->first), to - from, bytes.data() + (from - address));
  }
}

bool Overlay::has_all(std::uint64_t begin, std::uint64_t end) const {
  for (auto at = first_over(pieces_, begin); begin < end; ++at) {
    if (at == pieces_.end() || at->first > begin) return false;
    begin = at->first + at->second.size();
  }
  return true;
}

bool Overlay::touches(std::uint64_t begin, std::uint64_t end) const {
  const auto at = first_over(pieces_, begin);
  return begin < end && at != pieces_.end() && at->first < end;
}

}  // namespace tailrace::output::netcdf
