#include "regrid/apply.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "regrid/method.hpp"
#include "regrid/simd/sums.hpp"

namespace tailrace::regrid {
namespace {

constexpr double rounding = 1e-6;  // of the sum of a row's weights

// Typed views of the arrays, and the values of missing cells.
template <class Value>
struct Views {
  const Value* from;
  Value* to;
  bool has_missing;
  Value missing, fill;

  bool is_missing(Value value) const {
    if constexpr (std::is_floating_point_v<Value>)
      if (std::isnan(missing)) return has_missing && std::isnan(value);
    return has_missing && value == missing;
  }
};

template <class Value>
Views<Value> views_of(const Arrays& arrays) {
  const model::FillValue fill = arrays.missing.value_or(arrays.fill);
  return {reinterpret_cast<const Value*>(arrays.from.data()), reinterpret_cast<Value*>(arrays.to.data()),
          arrays.missing.has_value(), fill.as<Value>(), fill.as<Value>()};
}

template <class Value>
void sum(const LocalRows& rows, const Rule& rule, const Arrays& arrays, std::int64_t begin,
         std::int64_t end) {
  const Views<Value> views = views_of<Value>(arrays);
  simd::Sums<Value> sums;
  sums.start = rows.start.data();
  sums.source = rows.source.data();
  sums.weight = rows.weight.data();
  sums.rows = rows.rows();
  if (!rows.order.empty()) {
    sums.order = rows.order.data();
    sums.slot = rows.slot.data();
    sums.tile_start = rows.tile_start.data();
    sums.cells = rows.cells.data();
  }
  sums.from = views.from;
  sums.to = views.to;
  sums.fraction = arrays.fraction.empty() ? nullptr : arrays.fraction.data();
  sums.levels = arrays.levels;
  sums.source_stride = arrays.source_stride;
  sums.target_stride = arrays.target_stride;
  if (views.has_missing)
    sums.validity = std::isnan(views.missing) ? simd::Validity::unless_nan : simd::Validity::unless_equal;
  sums.missing = views.missing;
  sums.fill = views.fill;
  sums.least = rule.coverage - rounding;
  sums.is_mean = rule.normalisation == Normalisation::fracarea;
  if constexpr (std::is_same_v<Value, float>)
    simd::best_sums().float32(sums, begin, end);
  else
    simd::best_sums().float64(sums, begin, end);
}

// The values of one row at one level and the weight of each, in the order in which they come first.
template <class Value>
class Ballot {
 public:
  void clear() { votes_.clear(); }
  void add(Value value, double weight) {
    for (auto& [known, sum] : votes_)
      if (known == value) {
        sum += weight;
        return;
      }
    votes_.emplace_back(value, weight);
  }
  Value winner() const {  // REQUIRES: at least one value
    const auto* best = &votes_.front();
    for (const auto& vote : votes_)
      if (vote.second > best->second) best = &vote;
    return best->first;
  }

 private:
  std::vector<std::pair<Value, double>> votes_;
};

// For each row and level one of the values of its source cells.
template <class Value>
void choose(const LocalRows& rows, const Rule& rule, const Arrays& arrays, std::int64_t begin,
            std::int64_t end) {
  const Views<Value> views = views_of<Value>(arrays);
  Ballot<Value> ballot;
  for (std::int64_t level = 0; level < arrays.levels; ++level)
    for (std::int64_t row = begin; row < end; ++row) {
      const Value* const from = views.from + level * arrays.source_stride;
      const std::int64_t target = level * arrays.target_stride + row;
      ballot.clear();
      double share = 0.0, heaviest = 0.0;
      Value value = views.fill;
      for (std::int64_t link = rows.start[base::index(row)]; link < rows.start[base::index(row + 1)];
           ++link) {
        const Value one = from[rows.source[base::index(link)]];
        const double weight = rows.weight[base::index(link)];
        if (views.is_missing(one)) continue;
        share += weight;
        if (rule.method == Method::largest_area)
          ballot.add(one, weight);
        else if (weight > heaviest)
          value = one;
        heaviest = std::max(heaviest, weight);
      }
      const bool is_missing = share < rule.coverage - rounding || heaviest <= 0.0;
      if (!is_missing && rule.method == Method::largest_area) value = ballot.winner();
      views.to[target] = is_missing ? views.fill : value;
      if (!arrays.fraction.empty()) arrays.fraction[base::index(target)] = share;
    }
}

void order_tile(LocalRows& rows, std::int64_t first, std::int64_t behind) {
  const auto begin = rows.order.begin() + first, end = rows.order.begin() + behind;
  std::iota(begin, end, std::uint8_t{0});
  std::stable_sort(begin, end, [&](std::uint8_t a, std::uint8_t b) {
    const auto links = [&](std::uint8_t row) {
      return rows.start[base::index(first + row + 1)] - rows.start[base::index(first + row)];
    };
    return links(a) < links(b);
  });
}

void check_sizes(const LocalRows& rows, const Arrays& arrays, std::int64_t begin, std::int64_t end) {
  TAILRACE_ASSERT(begin >= 0 && begin <= end && end <= rows.rows(), "rows to apply");
  if (begin == end || arrays.levels == 0) return;
  const std::size_t last = base::index((arrays.levels - 1) * arrays.target_stride + end);
  TAILRACE_ASSERT(arrays.to.size() >= last * model::size_of(arrays.type), "room for target cells");
  TAILRACE_ASSERT(arrays.fraction.empty() || arrays.fraction.size() >= last, "room for fractions");
}

}  // namespace

std::size_t LocalRows::bytes() const {
  const auto of = [](const auto& values) { return values.capacity() * sizeof values[0]; };
  return of(start) + of(source) + of(weight) + of(order) + of(tile_start) + of(cells) + of(slot);
}

void LocalRows::prepare() {
  order.resize(base::index(rows()));
  slot.resize(source.size());
  tile_start.assign(1, 0);
  cells.clear();
  std::vector<std::int32_t> distinct;
  for (std::int64_t base = 0; base < rows(); base += simd::rows_a_tile) {
    const std::int64_t behind = std::min(rows(), base + simd::rows_a_tile);
    order_tile(*this, base, behind);
    const std::int64_t first = start[base::index(base)], last = start[base::index(behind)];
    distinct.assign(source.begin() + first, source.begin() + last);
    std::ranges::sort(distinct);
    distinct.erase(std::ranges::unique(distinct).begin(), distinct.end());
    // To fetch a cell costs as much as a few links, so it is worth it only if links share cells.
    if (std::ssize(distinct) <= simd::most_slots && 4 * (last - first) >= 5 * std::ssize(distinct)) {
      for (std::int64_t link = first; link < last; ++link)
        slot[base::index(link)] = static_cast<std::uint16_t>(
            std::ranges::lower_bound(distinct, source[base::index(link)]) - distinct.begin());
      cells.insert(cells.end(), distinct.begin(), distinct.end());
    }
    tile_start.push_back(std::ssize(cells));
  }
}

void apply(const LocalRows& rows, const Rule& rule, const Arrays& arrays, std::int64_t begin,
           std::int64_t end) {
  check_sizes(rows, arrays, begin, end);
  model::dispatch(arrays.type, [&](auto of_type) {
    using Value = decltype(of_type);
    if constexpr (std::is_floating_point_v<Value>)
      if (!picks(rule.method)) return sum<Value>(rows, rule, arrays, begin, end);
    choose<Value>(rows, rule, arrays, begin, end);
  });
}

}  // namespace tailrace::regrid
