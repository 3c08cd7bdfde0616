#include "model/memory_state.hpp"

#include <fmt/format.h>

#include <cstring>

#include "base/index.hpp"
#include "base/nearest_name.hpp"
#include "tailrace/error.hpp"

namespace tailrace::model {
namespace {

std::vector<Segment> segments_of(const StateArray& array, const Region& region) {
  return intersect(region, {std::vector<std::int64_t>(array.shape.size(), 0), array.shape});
}

std::string text_of(const StateArray& array) {
  std::string dims;
  for (std::size_t d = 0; d < array.dims.size(); ++d)
    dims += fmt::format("{}{}={}", d == 0 ? "" : ", ", array.dims[d], array.shape[d]);
  return fmt::format("{}({})", name_of(array.type), dims);
}

}  // namespace

void MemoryState::save(const StateArray& array, const Region& region, std::span<const std::byte> values) {
  const std::size_t element = size_of(array.type);
  Saved& saved = arrays_[array.name];
  if (saved.array.name.empty()) {
    saved.array = array;
    std::size_t cells = 1;
    for (const std::int64_t extent : array.shape) cells *= static_cast<std::size_t>(extent);
    saved.values.resize(cells * element);
    saved.there.resize(cells);
  }
  if (saved.array != array)
    throw Error(ErrorCode::internal, fmt::format("state \"{}\" is saved as {} and as {}", array.name,
                                                 text_of(saved.array), text_of(array)));
  for (const Segment& segment : segments_of(array, region)) {
    for (std::int64_t i = 0; i < segment.count; ++i) {
      const auto cell = base::index(segment.target + i);
      const std::byte* from = values.data() + static_cast<std::size_t>(segment.source + i) * element;
      std::byte* to = saved.values.data() + cell * element;
      if (saved.there[cell] && std::memcmp(to, from, element) != 0)
        throw Error(
            ErrorCode::internal,
            fmt::format("state \"{}\": two servers saved different values of cell {}", array.name, cell));
      std::memcpy(to, from, element);
      saved.there[cell] = true;
    }
  }
}

std::optional<StateArray> MemoryState::find(const std::string& name) const {
  const auto found = arrays_.find(name);
  if (found == arrays_.end()) return std::nullopt;
  return found->second.array;
}

void MemoryState::load(const StateArray& array, const Region& region, std::span<std::byte> values) const {
  const auto found = arrays_.find(array.name);
  if (found == arrays_.end())
    throw Error(ErrorCode::resource, fmt::format("the saved state has no \"{}\".{}", array.name,
                                                 base::name_hint(array.name, names())));
  const Saved& saved = found->second;
  if (saved.array != array)
    throw Error(ErrorCode::resource, fmt::format("the saved state has \"{}\" as {}, but {} is expected",
                                                 array.name, text_of(saved.array), text_of(array)));
  const std::size_t element = size_of(array.type);
  for (const Segment& segment : segments_of(array, region)) {
    for (std::int64_t i = 0; i < segment.count; ++i) {
      const auto cell = base::index(segment.target + i);
      if (!saved.there[cell])
        throw Error(ErrorCode::resource,
                    fmt::format("cell {} of \"{}\" is missing in the saved state", cell, array.name));
      std::memcpy(values.data() + static_cast<std::size_t>(segment.source + i) * element,
                  saved.values.data() + cell * element, element);
    }
  }
}

std::vector<std::string> MemoryState::names() const {
  std::vector<std::string> names;
  for (const auto& [name, saved] : arrays_) names.push_back(name);
  return names;
}

}  // namespace tailrace::model
