#include "codecs/lossy/information.hpp"

#include <algorithm>
#include <numeric>

#include "codecs/lossy/kernel.hpp"

namespace tailrace::codecs::lossy {
namespace {

constexpr std::size_t most_pairs = std::size_t{1} << 16;
constexpr double quantile = 2.5758293035489004;  // of the normal distribution at 99.5 %: 1 % on both sides

struct Row {
  std::size_t first = 0, length = 0;
};

// Rows along the last dim; the whole record is one where they have one value each.
std::vector<Row> rows_of(std::size_t values, const ChunkDescription& record) {
  std::size_t length = record.shape.empty() ? values : static_cast<std::size_t>(record.shape.back());
  if (length < 2) length = values;
  length = std::min(length, most_pairs);
  std::vector<Row> rows;
  for (std::size_t first = 0; first < values; first += length)
    rows.push_back({first, std::min(length, values - first)});
  const std::size_t wanted = std::max<std::size_t>(1, most_pairs / std::max<std::size_t>(1, length));
  if (rows.size() <= wanted) return rows;
  std::vector<Row> spread;
  for (std::size_t i = 0; i < wanted; ++i) spread.push_back(rows[i * rows.size() / wanted]);
  return spread;
}

double entropy_of(std::initializer_list<double> shares) {
  double sum = 0.0;
  for (const double share : shares)
    if (share > 0.0) sum -= share * std::log2(share);
  return sum;
}

// How often a bit was set in the first of a pair, in the second, and in both.
struct Counts {
  double first = 0, second = 0, both = 0;
};

template <class T>
Counts counts_of(const std::vector<Pattern<T>>& first, const std::vector<Pattern<T>>& second, int shift) {
  Pattern<T> of_first = 0, of_second = 0, both = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    of_first += first[i] >> shift & 1;
    of_second += second[i] >> shift & 1;
    both += (first[i] & second[i]) >> shift & 1;
  }
  return {static_cast<double>(of_first), static_cast<double>(of_second), static_cast<double>(both)};
}

double mutual_information(const Counts& counts, double pairs) {
  const double a = counts.first / pairs, b = counts.second / pairs, both = counts.both / pairs;
  const double joint =
      entropy_of({both, std::max(0.0, a - both), std::max(0.0, b - both), std::max(0.0, 1.0 - a - b + both)});
  return entropy_of({a, 1.0 - a}) + entropy_of({b, 1.0 - b}) - joint;
}

// The information that so many pairs of independent bits seem to have, with a probability of 1 %.
double information_by_chance(double pairs) {
  const double share = std::min(1.0, 0.5 + quantile / (2.0 * std::sqrt(pairs)));
  return 1.0 - entropy_of({share, 1.0 - share});
}

template <class T>
std::vector<double> information_as(std::span<const std::byte> bytes, const ChunkDescription& record) {
  constexpr std::size_t bits = 8 * sizeof(T);
  const T* const values = reinterpret_cast<const T*>(bytes.data());
  const T fill = fill_of<T>(record.fill_value);
  const auto counts = [fill](T value) { return std::isnormal(value) && value != fill; };
  std::vector<Pattern<T>> first, second;
  for (const Row& row : rows_of(bytes.size() / sizeof(T), record)) {
    for (std::size_t i = row.first; i + 1 < row.first + row.length; ++i) {
      if (!counts(values[i]) || !counts(values[i + 1])) continue;
      first.push_back(std::bit_cast<Pattern<T>>(values[i]));
      second.push_back(std::bit_cast<Pattern<T>>(values[i + 1]));
    }
  }
  std::vector<double> information(bits, 0.0);
  if (first.empty()) return information;
  const auto pairs = static_cast<double>(first.size());
  const double chance = information_by_chance(pairs);
  for (std::size_t bit = 0; bit < bits; ++bit) {
    const Counts of = counts_of<T>(first, second, static_cast<int>(bits - 1 - bit));
    if (const double found = mutual_information(of, pairs); found > chance) information[bit] = found;
  }
  return information;
}

}  // namespace

std::vector<double> information_of_bits(std::span<const std::byte> values, const ChunkDescription& record) {
  return record.type == model::DataType::float32 ? information_as<float>(values, record)
                                                 : information_as<double>(values, record);
}

std::optional<int> bits_that_keep(double share, std::span<const std::byte> values,
                                  const ChunkDescription& record) {
  const std::vector<double> information = information_of_bits(values, record);
  const double all = std::accumulate(information.begin(), information.end(), 0.0);
  if (all <= 0.0) return std::nullopt;
  const int before = record.type == model::DataType::float32 ? 9 : 12;  // sign and exponent
  double sum = 0.0;
  int bit = 0;
  while (bit < static_cast<int>(information.size())) {
    sum += information[static_cast<std::size_t>(bit++)];
    if (sum >= share * all) break;
  }
  return std::max(1, bit - before);
}

}  // namespace tailrace::codecs::lossy
