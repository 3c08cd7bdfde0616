#include "client/target.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::client {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorCode::usage, message); }

const std::byte* scatter_from(const Target& target, std::size_t d, std::byte* to, const std::byte* from) {
  const std::size_t element = model::size_of(target.type);
  const bool is_row = d + 1 == target.shape.size() && target.strides[d] == 1;
  if (d == target.shape.size() || is_row) {
    const std::size_t bytes = element * (is_row ? static_cast<std::size_t>(target.shape[d]) : 1);
    std::memcpy(to, from, bytes);
    return from + bytes;
  }
  for (std::int64_t i = 0; i < target.shape[d]; ++i)
    from = scatter_from(target, d + 1, to + i * target.strides[d] * static_cast<std::int64_t>(element), from);
  return from;
}

}  // namespace

void check_handle(int field, const Declarer& declarer) {
  const model::Declarations& declarations = declarer.declarations();
  if (field < 0 || static_cast<std::size_t>(field) >= declarations.fields.size())
    refuse(fmt::format("{} is not the handle of a field; there are {} fields", field,
                       declarations.fields.size()));
}

std::int64_t check_target(const Target& target, int field, const Declarer& declarer) {
  const model::Declarations& declarations = declarer.declarations();
  const model::Field& of = declarations.fields[base::index(field)];
  const auto grid = base::index(of.grid);
  if (target.type != of.type)
    refuse(fmt::format("get of field \"{}\": the array is of type {}, but the field was declared as {}",
                       of.name, model::name_of(target.type), model::name_of(of.type)));
  const std::vector<std::int64_t>& local = declarer.local_shapes()[grid];
  std::int64_t cells = 1;
  for (const std::int64_t extent : local) cells *= extent;
  const bool flat = target.shape.size() == 1 && target.shape[0] == cells;
  if (!flat && !std::ranges::equal(target.shape, local))
    refuse(fmt::format(
        "get of field \"{}\": the array has the shape ({}), but grid \"{}\" holds ({}) on this "
        "rank",
        of.name, fmt::join(target.shape, ", "), declarations.grids[grid].name, fmt::join(local, ", ")));
  if (cells > 0 && target.data == nullptr)
    refuse(fmt::format("get of field \"{}\": the array is NULL", of.name));
  return cells;
}

std::vector<model::Region> regions_to_get(int field, const Declarer& declarer) {
  const int grid = declarer.declarations().fields[base::index(field)].grid;
  const model::Grid& of = declarer.declarations().grids[base::index(grid)];
  if (of.kind != model::GridKind::replicated) return declarer.blocks(base::index(grid));
  return {model::Region::of_box({std::vector<std::int64_t>(of.shape.size(), 0), of.shape})};
}

void scatter(const Target& target, std::span<const std::byte> dense) {
  scatter_from(target, 0, static_cast<std::byte*>(target.data), dense.data());
}

}  // namespace tailrace::client
