#include "pipeline/sampling/masks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::pipeline::sampling {
namespace {

template <class T>
T value_at(std::span<const std::byte> block, std::size_t cell) {
  T value;
  std::memcpy(&value, block.data() + cell * sizeof(T), sizeof(T));
  return value;
}

}  // namespace

void Masks::start(std::span<const int> clients) {
  const std::vector<int>& masks = blueprint_.plan.masks;
  for (std::size_t grid = 0; grid < masks.size(); ++grid) {
    if (masks[grid] < 0) continue;
    for (const int client : clients) {
      check_part(client, static_cast<int>(grid), masks[grid]);
      parts_[client].counts[masks[grid]];
    }
  }
}

void Masks::check_part(int client, int grid, int mask) const {
  const model::Region& whole = blueprint_.region(grid, client);
  const model::Region& part = blueprint_.region(blueprint_.field(mask).grid, client);
  const std::size_t before = whole.rank() - part.rank();
  for (std::size_t dim = 0; dim < part.rank(); ++dim)
    if (part.runs(dim) != whole.runs(before + dim) && whole.size() > 0)
      throw Error(
          ErrorCode::usage,
          fmt::format("rank {} holds other cells of \"{}\", the mask of grid \"{}\", than of that grid",
                      blueprint_.info.decomposition.rank_of(client), blueprint_.field(mask).name,
                      blueprint_.info.declarations.grids[base::index(grid)].name));
}

std::span<const std::byte> Masks::apply_to(int client, int number, std::span<const std::byte> block) {
  const auto found = parts_.find(client);
  if (found == parts_.end()) return block;
  Part& part = found->second;
  const model::Field& field = blueprint_.field(number);
  const int mask = blueprint_.plan.masks[base::index(field.grid)];
  if (part.counts.contains(number)) keep(part, number, block);
  if (mask < 0 || mask == number || field.is_static || block.empty()) return block;
  const std::vector<unsigned char>& counts = part.counts.at(mask);
  if (counts.empty())
    throw Error(
        ErrorCode::usage,
        fmt::format("rank {} put \"{}\" before \"{}\", the mask of grid \"{}\"; put the mask first",
                    blueprint_.info.decomposition.rank_of(client), field.name, blueprint_.field(mask).name,
                    blueprint_.info.declarations.grids[base::index(field.grid)].name));
  return masked(part, field, block);
}

void Masks::keep(Part& part, int mask, std::span<const std::byte> block) {
  const model::Field& field = blueprint_.field(mask);
  std::vector<unsigned char>& counts = part.counts.at(mask);
  bytes_.fetch_sub(counts.size(), std::memory_order_relaxed);
  counts.resize(block.size() / model::size_of(field.type));
  bytes_.fetch_add(counts.size(), std::memory_order_relaxed);
  model::dispatch(field.type, [&]<class T>(T) {
    for (std::size_t cell = 0; cell < counts.size(); ++cell) {
      const T value = value_at<T>(block, cell);
      const bool is_missing =
          std::isnan(static_cast<double>(value)) || (field.fill_value && value == field.fill_value->as<T>());
      counts[cell] = value == T{0} || is_missing ? 0 : 1;
    }
  });
}

// Applies a mask without levels to each level of the block.
std::span<const std::byte> Masks::masked(Part& part, const model::Field& field,
                                         std::span<const std::byte> block) {
  const std::vector<unsigned char>& counts = part.counts.at(blueprint_.plan.masks[base::index(field.grid)]);
  if (part.masked.size() < block.size()) {
    bytes_.fetch_add(block.size() - part.masked.size(), std::memory_order_relaxed);
    part.masked.resize(block.size());
  }
  std::memcpy(part.masked.data(), block.data(), block.size());
  model::dispatch(field.type, [&]<class T>(T) {
    const T fill = field.fill_value->as<T>();
    const std::size_t cells = block.size() / sizeof(T);
    for (std::size_t level = 0; level < cells; level += counts.size())
      for (std::size_t cell = 0; cell < counts.size(); ++cell)
        if (counts[cell] == 0) std::memcpy(part.masked.data() + (level + cell) * sizeof(T), &fill, sizeof(T));
  });
  return std::span(part.masked).first(block.size());
}

}  // namespace tailrace::pipeline::sampling
