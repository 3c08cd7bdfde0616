#include "output/zarr/shard_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace tailrace::output::zarr {
namespace {

constexpr std::uint64_t copied_at_once = std::uint64_t{1} << 20;

void copy(const env::File& from, env::File& to, std::uint64_t size) {
  std::vector<std::byte> piece(std::min(size, copied_at_once));
  for (std::uint64_t at = 0; at < size; at += piece.size()) {
    piece.resize(std::min(size - at, copied_at_once));
    from.read(at, piece);
    to.write(at, piece);
  }
}

}  // namespace

std::vector<std::byte> OpenShard::chunk(std::size_t number) const {
  const auto& place = index.at(number);
  TAILRACE_ASSERT(place, "a chunk that the shard does not have");
  std::vector<std::byte> bytes(place->size);
  file->read(place->offset, bytes);
  return bytes;
}

OpenShard open_shard(const Store& store, const std::string& name, std::size_t chunks) {
  try {
    auto file = store.open(name);
    ShardIndex index = ShardIndex::read(*file, chunks);
    return {std::move(file), std::move(index)};
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", name, error.what()));
  }
}

ShardWriter::ShardWriter(env::File& file, const OpenShard* before, std::size_t chunks)
    : file_(file), index_(before == nullptr ? ShardIndex(chunks) : before->index), end_(index_.end()) {
  if (before != nullptr) copy(*before->file, file_, end_);
}

void ShardWriter::add(std::size_t number, std::span<const std::byte> front, std::span<const std::byte> body,
                      std::uint64_t size, bool keeps_place) {
  size = std::max<std::uint64_t>(size, front.size() + body.size());
  const auto& before = index_.at(number);
  const bool stays = keeps_place && before && before->size == size;
  const std::uint64_t offset = stays ? before->offset : end_;
  if (!front.empty()) file_.write(offset, front);
  file_.write(offset + front.size(), body);
  index_.set(number, ShardIndex::Place{offset, size});
  end_ = std::max(end_, offset + size);
}

std::uint64_t ShardWriter::finish() {
  const std::vector<std::byte> index = index_.encoded();
  file_.write(end_, index);  // past the end of what is written the file has zeros
  return end_ + index.size();
}

}  // namespace tailrace::output::zarr
