#include "regrid/apply.hpp"

#include <cmath>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
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

bool chooses(const Rule& rule) {
  return rule.method == Method::nearest || rule.method == Method::largest_area;
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
  return start.capacity() * sizeof start[0] + source.capacity() * sizeof source[0] +
         weight.capacity() * sizeof weight[0];
}

void apply(const LocalRows& rows, const Rule& rule, const Arrays& arrays, std::int64_t begin,
           std::int64_t end) {
  check_sizes(rows, arrays, begin, end);
  model::dispatch(arrays.type, [&](auto of_type) {
    using Value = decltype(of_type);
    if constexpr (std::is_floating_point_v<Value>)
      if (!chooses(rule)) return sum<Value>(rows, rule, arrays, begin, end);
    choose<Value>(rows, rule, arrays, begin, end);
  });
}

}  // namespace tailrace::regrid
