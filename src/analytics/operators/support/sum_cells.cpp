#include "analytics/operators/support/sum_cells.hpp"

#include <algorithm>
#include <array>

namespace tailrace::analytics::operators {
namespace {

constexpr std::size_t piece_size = 512;

// Passes `values` to take(offset, piece) in pieces, with NaN replaced by 0, which adds nothing.
template <class Take>
void without_missing(std::span<const double> values, Take&& take) {
  std::array<double, piece_size> piece;
  for (std::size_t at = 0; at < values.size(); at += piece_size) {
    const std::size_t count = std::min(piece_size, values.size() - at);
    for (std::size_t i = 0; i < count; ++i)
      piece[i] = values[at + i] == values[at + i] ? values[at + i] : 0.0;
    take(at, std::span<const double>(piece.data(), count));
  }
}

}  // namespace

void SumCells::add(std::size_t cell, std::span<const double> values) {
  if (!skip_missing_) return sums_.add(cell, values);
  without_missing(values, [&](std::size_t, std::span<const double> piece) { sums_.add(cell, piece); });
}

void SumCells::add_each(std::size_t first, std::span<const double> values) {
  if (!skip_missing_) return sums_.add_each(first, values);
  without_missing(values,
                  [&](std::size_t at, std::span<const double> piece) { sums_.add_each(first + at, piece); });
}

}  // namespace tailrace::analytics::operators
