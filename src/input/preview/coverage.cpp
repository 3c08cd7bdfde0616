#include "input/preview/coverage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tailrace::input {
namespace {

constexpr double same_part = 1e-6, regular_part = 0.01, gap_part = 1.5;
constexpr double hour = 3600.0, day = 86400.0;

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

Coverage coverage_of(const Timeline& timeline) {
  const auto& records = timeline.records();
  Coverage coverage{.records = static_cast<std::int64_t>(records.size())};
  if (records.empty()) return coverage;
  coverage.first = records.front().begin;
  coverage.last = records.back().end;
  if (records.size() == 1) return coverage;
  std::vector<double> steps;
  for (std::size_t i = 1; i < records.size(); ++i) steps.push_back(records[i].time - records[i - 1].time);
  coverage.step = median(steps);
  for (std::size_t i = 1; i < records.size(); ++i) {
    const Record &before = records[i - 1], &after = records[i];
    const double distance = after.time - before.time;
    const bool is_gap = timeline.is_climatology() ? false
                        : timeline.has_bounds()   ? after.begin - before.end > same_part * distance
                                                  : distance > gap_part * coverage.step;
    if (is_gap)
      coverage.gaps.push_back({.begin = before.end, .end = after.begin});
    else if (std::abs(distance - coverage.step) > regular_part * coverage.step)
      coverage.is_regular = false;
  }
  return coverage;
}

std::string time_words(double time, const calendar::Calendar& calendar) {
  return calendar.has_months() ? calendar::format_date(calendar.date_of(time)) : fmt::format("{} s", time);
}

std::string length_words(double seconds) {
  if (seconds >= day) return fmt::format("{:.6g} d", seconds / day);
  if (seconds >= hour) return fmt::format("{:.6g} h", seconds / hour);
  return fmt::format("{:.6g} s", seconds);
}

std::string words_of(const Coverage& coverage, const calendar::Calendar& calendar) {
  if (coverage.records == 0) return "no records";
  if (coverage.records == 1 && coverage.first == coverage.last)
    return fmt::format("1 record, of {}", time_words(coverage.first, calendar));
  const std::string all =
      fmt::format("{} record{} from {} to {}", coverage.records, coverage.records == 1 ? "" : "s",
                  time_words(coverage.first, calendar), time_words(coverage.last, calendar));
  if (coverage.records == 1) return all;
  return fmt::format("{}, one in {}{}", all, coverage.is_regular ? "" : "about ",
                     length_words(coverage.step));
}

std::string words_of(const Gap& gap, const calendar::Calendar& calendar) {
  std::string words =
      fmt::format("no records from {} to {}", time_words(gap.begin, calendar), time_words(gap.end, calendar));
  if (!gap.files.empty()) words += fmt::format(": there is no file {}", gap.files.front());
  if (gap.files.size() > 1) words += fmt::format(", and none of {} more", gap.files.size() - 1);
  return words;
}

}  // namespace tailrace::input
