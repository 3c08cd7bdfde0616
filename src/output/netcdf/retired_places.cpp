#include "output/netcdf/retired_places.hpp"

#include <utility>

namespace tailrace::output::netcdf {

RetiredPlaces::Places::const_iterator RetiredPlaces::find(std::uint64_t size) const {
  auto best = free_.end();
  for (auto place = free_.begin(); place != free_.end(); ++place) {
    const bool fits = place->second.size >= size && place->second.commit + rest_ <= commits_;
    if (fits && (best == free_.end() || place->second.size < best->second.size)) best = place;
  }
  return best;
}

std::optional<std::uint64_t> RetiredPlaces::take(std::uint64_t size) {
  const auto found = find(size);
  if (found == free_.end()) return std::nullopt;
  if (!std::exchange(changed_, true)) before_ = free_;
  const auto [address, place] = *found;
  free_.erase(found);
  if (place.size > size) free_.emplace(address + size, Place{place.size - size, place.commit});
  return address;
}

void RetiredPlaces::give(std::uint64_t address, std::uint64_t size) {
  given_[address] = {size, commits_ + 1};
}

void RetiredPlaces::commit() {
  ++commits_;
  free_.merge(given_);
  given_.clear();
  before_.clear();
  changed_ = false;
}

void RetiredPlaces::abandon() {
  if (std::exchange(changed_, false)) free_ = std::move(before_);
  before_.clear();
  given_.clear();
}

}  // namespace tailrace::output::netcdf
