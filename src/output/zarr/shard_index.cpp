#include "output/zarr/shard_index.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "output/zarr/crc32c.hpp"

namespace tailrace::output::zarr {
namespace {

constexpr std::uint64_t absent = ~std::uint64_t{0};  // both numbers of a chunk that the shard does not have
constexpr std::size_t number_bytes = 8, checksum_bytes = 4;

void put(std::vector<std::byte>& into, std::uint64_t value, std::size_t bytes) {
  for (std::size_t i = 0; i < bytes; ++i) into.push_back(static_cast<std::byte>(value >> 8 * i));
}

std::uint64_t get(std::span<const std::byte> from, std::size_t at, std::size_t bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < bytes; ++i) value |= std::to_integer<std::uint64_t>(from[at + i]) << 8 * i;
  return value;
}

[[noreturn]] void damaged(const std::string& why) {
  throw Error(ErrorCode::resource, "the index of the shard is damaged: " + why);
}

}  // namespace

ShardIndex ShardIndex::decoded(std::span<const std::byte> bytes, std::size_t chunks,
                               std::uint64_t file_size) {
  const std::uint64_t index_bytes = bytes_of(chunks);
  if (bytes.size() != index_bytes || file_size < index_bytes)
    damaged(fmt::format("the file has {} bytes, and the index of {} chunks takes {}", file_size, chunks,
                        index_bytes));
  const auto entries = bytes.first(bytes.size() - checksum_bytes);
  const std::uint64_t found = get(bytes, entries.size(), checksum_bytes);
  if (found != crc32c(entries))
    damaged(fmt::format("its CRC-32C is {:08x}; expected {:08x}", found, crc32c(entries)));
  const std::uint64_t room = file_size - index_bytes;
  ShardIndex index(chunks);
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    const Place place{get(entries, 2 * number_bytes * chunk, number_bytes),
                      get(entries, 2 * number_bytes * chunk + number_bytes, number_bytes)};
    if (place == Place{absent, absent}) continue;
    if (place.offset > room || place.size > room - place.offset)
      damaged(fmt::format("chunk {} of it has {} bytes at {}, and the file has room for {}", chunk,
                          place.size, place.offset, room));
    index.places_[chunk] = place;
  }
  return index;
}

ShardIndex ShardIndex::read(const env::File& file, std::size_t chunks) {
  const std::uint64_t size = file.size();
  std::vector<std::byte> bytes(std::min(size, bytes_of(chunks)));
  file.read(size - bytes.size(), bytes);
  return decoded(bytes, chunks, size);
}

std::vector<std::byte> ShardIndex::encoded() const {
  std::vector<std::byte> bytes;
  bytes.reserve(bytes_of(places_.size()));
  for (const auto& place : places_) {
    put(bytes, place ? place->offset : absent, number_bytes);
    put(bytes, place ? place->size : absent, number_bytes);
  }
  put(bytes, crc32c(bytes), checksum_bytes);
  return bytes;
}

std::uint64_t ShardIndex::end() const {
  std::uint64_t end = 0;
  for (const auto& place : places_)
    if (place) end = std::max(end, place->offset + place->size);
  return end;
}

}  // namespace tailrace::output::zarr
