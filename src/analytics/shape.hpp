// The static type of an expression: named dimensions, each either whole or split over the ranks, and units.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tailrace::analytics {

struct Dim {
  std::string name;
  std::int64_t extent = 0;  // global
  bool split = false;       // a rank may hold only a part of it
  bool operator==(const Dim&) const = default;
};

using Dims = std::vector<Dim>;  // slowest first, with unique names

// The implicit first dimension of a field on a partial grid, with one contribution for each rank. Always
// split.
inline constexpr std::string_view rank_dim = "rank";

struct Shape {
  Dims dims;
  std::optional<std::string> units;  // none: unknown; "1": dimensionless

  bool is_local() const;  // at least one dimension is split: each rank has a block. Otherwise one whole array
  std::int64_t size() const;
  std::optional<std::size_t> find(std::string_view dim) const;
  bool operator==(const Shape&) const = default;
};

}  // namespace tailrace::analytics
