#include "input/timeline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/index.hpp"
#include "calendar/file_time.hpp"

namespace tailrace::input {
namespace {

// Programs add up times or write them in float32: what differs by less is the same time.
constexpr double same_part = 1e-6;

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::resource, why); }

}  // namespace

void Timeline::add(std::int32_t file, const TimeAxis& axis, double offset) {
  const calendar::FileTime times(axis.units, axis.calendar, model_);
  const auto seconds = [&](double value) {
    auto at = times.seconds(value);
    if (at) *at += offset;
    return at;
  };
  const bool bounded = !axis.bounds.empty();
  TAILRACE_ASSERT(!bounded || axis.bounds.size() == 2 * axis.values.size(), "two bounds for each time");
  has_bounds_ = records_.empty() ? bounded : has_bounds_ && bounded;
  is_climatology_ = is_climatology_ || axis.is_climatology;
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    const double value = axis.values[i];
    if (!std::isfinite(value)) refuse(fmt::format("time {} (counted from 0) is not a number", i));
    if (!bounded) {
      const auto at = seconds(value);
      at ? records_.push_back({file, static_cast<std::int64_t>(i), *at, *at, *at}) : void(++left_out_);
      continue;
    }
    const double low = axis.bounds[2 * i], high = axis.bounds[2 * i + 1];
    if (!(low <= value && value <= high))
      refuse(fmt::format("the bounds {} and {} of time {} (counted from 0) do not enclose it: it is {} {}",
                         low, high, i, value, axis.units));
    const auto begin = seconds(low), end = seconds(high);
    if (begin && end)
      records_.push_back({file, static_cast<std::int64_t>(i), *begin + (*end - *begin) / 2, *begin, *end});
    else
      ++left_out_;
  }
}

std::int64_t Timeline::finish() {
  std::ranges::stable_sort(records_, {}, &Record::time);
  std::vector<Record> kept;
  std::int64_t doubled = 0;
  for (const Record& one : records_) {
    // The distance to the record before the one that is compared, which is a distance between two times.
    const double step = kept.size() < 2 ? 0.0 : kept.back().time - kept[kept.size() - 2].time;
    const double same = std::max(same_part * step, 1e-6);
    if (!kept.empty() && one.time - kept.back().time <= same) {
      ++doubled;
      const Record& there = kept.back();
      if (one.file > there.file || (one.file == there.file && one.index > there.index)) kept.back() = one;
    } else {
      kept.push_back(one);
    }
  }
  records_ = std::move(kept);
  for (std::size_t i = 1; has_bounds_ && !is_climatology_ && i < records_.size(); ++i) {
    const Record &before = records_[i - 1], &after = records_[i];
    if (before.end - after.begin > same_part * (after.end - after.begin))
      refuse(fmt::format(
          "the intervals of two records overlap: one ends {} s after the start of the run, and the "
          "next begins at {} s",
          before.end, after.begin));
  }
  return doubled;
}

void Timeline::lengthen(std::span<const Record> further) {
  for (const Record& one : further) {
    if (!records_.empty() && !(one.time > records_.back().time))
      refuse(
          fmt::format("a further record at {} s after the start of the run is not later than the last one, "
                      "at {} s",
                      one.time, records_.back().time));
    records_.push_back(one);
  }
}

}  // namespace tailrace::input
