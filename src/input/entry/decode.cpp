#include "input/entry/decode.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <type_traits>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "input/number_rule.hpp"

namespace tailrace::input {
namespace {

constexpr std::int64_t tile = 32;      // cells along each side of what is transposed at once
constexpr std::int64_t short_run = 8;  // cells; shorter runs are gathered one by one

// Cells along a dim that lie one after the other in the result, and at a constant distance in the file.
struct Run {
  std::int64_t from = 0, to = 0, count = 0, step = 1;
};

std::vector<Run> runs_of(const std::vector<std::int64_t>& from, const std::vector<std::int64_t>& to) {
  std::vector<Run> runs;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!runs.empty()) {
      Run& run = runs.back();
      const std::int64_t step = from[i] - (run.from + (run.count - 1) * run.step);
      const bool fits = run.count == 1 ? std::abs(step) == 1 : step == run.step;
      if (fits && to[i] == run.to + run.count) {
        run.step = step;
        ++run.count;
        continue;
      }
    }
    runs.push_back({from[i], to[i], 1, 1});
  }
  return runs;
}

// Writes one row of the result at a time; counts after each, while it is in the cache.
template <class Rule>
class Rows {
 public:
  using Raw = typename Rule::Raw;
  using Value = typename Rule::Value;
  Rows(const Rule& rule, Decoded& decoded) : rule_(rule), decoded_(decoded) {}

  void forward(const Raw* from, Value* to, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = rule_(from[i]);
    look(to, count, [&](std::int64_t i) { return from[i]; });
  }
  void backward(const Raw* from, Value* to, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = rule_(from[-i]);
    look(to, count, [&](std::int64_t i) { return from[-i]; });
  }
  void gather(const Raw* from, const std::int64_t* places, Value* to, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) to[i] = rule_(from[places[i]]);
    look(to, count, [&](std::int64_t i) { return from[places[i]]; });
  }

 private:
  template <class RawAt>
  void look(const Value* row, std::int64_t count, const RawAt& raw_at) {
    if constexpr (std::is_floating_point_v<Value>) {
      std::int64_t missing = 0;
      for (std::int64_t i = 0; i < count; ++i) missing += row[i] != row[i] ? 1 : 0;
      decoded_.missing += missing;
    }
    if constexpr (std::is_same_v<Value, float> && Rule::may_overflow) {
      int infinite = 0;
      for (std::int64_t i = 0; i < count; ++i)
        infinite += std::abs(row[i]) > std::numeric_limits<float>::max();
      for (std::int64_t i = 0; infinite > 0 && i < count; ++i)
        if (std::isinf(row[i]) && std::isfinite(rule_.value(raw_at(i)))) decoded_.overflows = true;
    }
  }

  const Rule& rule_;
  Decoded& decoded_;
};

// Goes through all dims but the row's and one more, which is transposed with it.
template <class Rule>
class Decoder {
 public:
  using Raw = typename Rule::Raw;
  using Value = typename Rule::Value;
  Decoder(const Rule& rule, const Copying& copying, Decoded& decoded)
      : copying_(copying), rows_(rule, decoded) {
    if (copying.from.empty()) return;
    row_ = static_cast<int>(copying.from.size()) - 1;
    runs_ = runs_of(copying.from.back(), copying.to.back());
    cells_ = static_cast<std::int64_t>(copying.from.back().size());
    if (cells_ < short_run * static_cast<std::int64_t>(runs_.size())) find_fast();
  }

  void run(const Raw* from, Value* to) {
    if (row_ < 0) return rows_.forward(from, to, 1);
    descend(0, from, to);
  }

 private:
  // The dim along which the numbers lie one after the other in the file, if that is not the row's.
  void find_fast() {
    for (int d = 0; d < row_; ++d) {
      const auto& places = copying_.from[base::index(d)];
      if (places.size() > 1 && std::abs(places[1] - places[0]) == 1) fast_ = d;
    }
  }

  void descend(int d, const Raw* from, Value* to) {
    if (d == fast_) return descend(d + 1, from, to);
    if (d == row_) return fast_ < 0 ? row(from, to) : tiles(from, to);
    const auto &froms = copying_.from[base::index(d)], &tos = copying_.to[base::index(d)];
    for (std::size_t i = 0; i < froms.size(); ++i) descend(d + 1, from + froms[i], to + tos[i]);
  }

  void row(const Raw* from, Value* to) {
    if (cells_ < short_run * static_cast<std::int64_t>(runs_.size())) return gather(from, to, 0, cells_);
    for (const Run& run : runs_)
      run.step > 0 ? rows_.forward(from + run.from, to + run.to, run.count)
                   : rows_.backward(from + run.from, to + run.to, run.count);
  }

  // The row's cells need not lie one after the other in the result: only a part of them is in this piece.
  void gather(const Raw* from, Value* to, std::int64_t begin, std::int64_t end) {
    const auto &froms = copying_.from.back(), &tos = copying_.to.back();
    while (begin < end) {
      std::int64_t next = begin + 1;
      while (next < end && tos[base::index(next)] == tos[base::index(next - 1)] + 1) ++next;
      rows_.gather(from, froms.data() + begin, to + tos[base::index(begin)], next - begin);
      begin = next;
    }
  }

  void tiles(const Raw* from, Value* to) {
    const auto &froms = copying_.from[base::index(fast_)], &tos = copying_.to[base::index(fast_)];
    const auto fast_cells = static_cast<std::int64_t>(froms.size());
    for (std::int64_t f = 0; f < fast_cells; f += tile)
      for (std::int64_t r = 0; r < cells_; r += tile)
        for (std::int64_t i = f; i < std::min(f + tile, fast_cells); ++i)
          gather(from + froms[base::index(i)], to + tos[base::index(i)], r, std::min(r + tile, cells_));
  }

  const Copying& copying_;
  Rows<Rule> rows_;
  std::vector<Run> runs_;
  std::int64_t cells_ = 1;
  int row_ = -1, fast_ = -1;
};

}  // namespace

Decoded decode(std::span<const std::byte> raw, model::DataType raw_type, const ValueRules& rules,
               const Copying& copying, model::DataType result_type, std::span<std::byte> result) {
  Decoded decoded;
  model::dispatch(raw_type, [&]<class Raw>(Raw) {
    model::dispatch(result_type, [&]<class Value>(Value) {
      if constexpr (sizeof(Value) >= 4)
        with_number_rule<Raw, Value>(rules, [&](const auto& rule) {
          Decoder(rule, copying, decoded)
              .run(reinterpret_cast<const Raw*>(raw.data()), reinterpret_cast<Value*>(result.data()));
        });
      else
        TAILRACE_ASSERT(false, "a type of a model's field");
    });
  });
  return decoded;
}

}  // namespace tailrace::input
