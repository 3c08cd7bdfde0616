// Weighted sums of the links of rows: the hot loop of `apply`.
#pragma once

#include <cstdint>

namespace tailrace::regrid::simd {

inline constexpr std::int64_t rows_a_tile = 128;
inline constexpr std::int64_t most_slots = 512;  // of a tile: a scratch array of 32 KiB

enum class Validity : std::uint8_t { all, unless_equal, unless_nan };

// Pointers to arrays that the caller owns. Value: float or double. Strides are in values.
template <class Value>
struct Sums {
  const std::int64_t* start = nullptr;  // by row: its first link, and that behind the last
  const std::int32_t* source = nullptr;
  const double* weight = nullptr;
  std::int64_t rows = 0;
  // See LocalRows; all null if the rows are not prepared.
  const std::uint8_t* order = nullptr;
  const std::uint16_t* slot = nullptr;
  const std::int64_t* tile_start = nullptr;
  const std::int32_t* cells = nullptr;
  const Value* from = nullptr;
  Value* to = nullptr;
  double* fraction = nullptr;  // or null
  std::int64_t levels = 1, source_stride = 0, target_stride = 0;
  Validity validity = Validity::all;
  Value missing = 0;    // unless_equal
  Value fill = 0;       // of target cells that are missing
  double least = 0;     // a target cell with a smaller valid share, or without any, is missing
  bool is_mean = true;  // the sum is divided by the valid share
};

// Does rows begin ... end - 1.
struct Table {
  void (*float32)(const Sums<float>& sums, std::int64_t begin, std::int64_t end);
  void (*float64)(const Sums<double>& sums, std::int64_t begin, std::int64_t end);
};

const Table& portable_sums();
const Table& avx2_sums();
const Table& avx512_sums();
const Table& best_sums();  // of the level that analytics/simd selects

}  // namespace tailrace::regrid::simd
