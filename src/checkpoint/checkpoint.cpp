#include "checkpoint/checkpoint.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tailrace::checkpoint {
namespace {

constexpr std::string_view step_prefix = "step_";
constexpr std::size_t digits = 12;

}  // namespace

void Shard::put(base::ByteWriter& into) const {
  into.put_text(name);
  into.put(bytes);
  into.put_all(std::span<const std::uint32_t>(checksums));
  into.put(arrays.size());
  for (const auto& [array, address] : arrays) {
    into.put_text(array.name);
    into.put(array.type);
    into.put(array.dims.size());
    for (const std::string& dim : array.dims) into.put_text(dim);
    into.put_all(std::span<const std::int64_t>(array.shape));
    into.put(address);
  }
  into.put(static_cast<std::uint8_t>(buffered.has_value()));
  if (!buffered) return;
  into.put_text(buffered->host);
  into.put_text(buffered->path);
}

Shard Shard::get(base::ByteReader& from) {
  Shard shard;
  shard.name = from.get_text();
  shard.bytes = from.get<std::uint64_t>();
  shard.checksums = from.get_all<std::uint32_t>();
  shard.arrays.resize(from.get<std::size_t>());
  for (auto& [array, address] : shard.arrays) {
    array.name = from.get_text();
    array.type = from.get<model::DataType>();
    array.dims.resize(from.get<std::size_t>());
    for (std::string& dim : array.dims) dim = from.get_text();
    array.shape = from.get_all<std::int64_t>();
    address = from.get<std::uint64_t>();
  }
  if (from.get<std::uint8_t>() != 0) {
    shard.buffered.emplace();
    shard.buffered->host = from.get_text();
    shard.buffered->path = from.get_text();
  }
  return shard;
}

std::uint64_t Manifest::bytes() const {
  std::uint64_t sum = 0;
  for (const Shard& shard : shards) sum += shard.bytes;
  return sum;
}

std::string checkpoints_path(const std::string& directory, const std::string& component) {
  return directory + "/" + component;
}

std::string checkpoint_path(const std::string& checkpoints, std::int64_t step) {
  return fmt::format("{}/{}{:0{}}", checkpoints, step_prefix, step, digits);
}

std::int64_t step_of_name(std::string_view name) {
  if (!name.starts_with(step_prefix) || name.size() < step_prefix.size() + digits) return -1;
  name.remove_prefix(step_prefix.size());
  std::int64_t step = -1;
  const auto [end, code] = std::from_chars(name.data(), name.data() + name.size(), step);
  return code == std::errc{} && end == name.data() + name.size() && step >= 0 ? step : -1;
}

bool is_checkpoint_file(std::string_view name) {
  if (name.ends_with(unfinished_copy)) name.remove_suffix(std::string_view(unfinished_copy).size());
  return name.starts_with(manifest_name) || (name.starts_with("state.") && name.ends_with(".nc"));
}

std::string shard_name(int server) { return fmt::format("state.{}.nc", server); }

}  // namespace tailrace::checkpoint
