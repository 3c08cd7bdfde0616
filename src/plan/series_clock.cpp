#include "plan/series_clock.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/decimal_text.hpp"

namespace tailrace::plan {

SeriesClock::SeriesClock(const FilePlan& file, const calendar::Calendar& calendar, model::Tick begin)
    : every_(file.entry.write_every),
      calendar_(&calendar),
      convention_(file.convention),
      ruler_(every_, calendar),
      last_(convention_->first_edge(ruler_, begin)) {
  std::vector<time::Period> known;
  for (const AxisPlan& axis : file.axes) {
    if (axis.kind == time::AxisKind::at_end) continue;
    if (std::find(known.begin(), known.end(), axis.cadence) != known.end()) continue;
    known.push_back(axis.cadence);
    samples_.emplace_back(axis.cadence, calendar, begin);
  }
}

bool SeriesClock::ends(const model::Tick& tick) {
  bool sampled = false;
  for (time::Cadence& cadence : samples_) sampled = cadence.due(tick) || sampled;
  return sampled && convention_->ends_file(ruler_, tick, last_);
}

std::string SeriesClock::open(const model::Tick& last) const {
  return every_.is_never() ? fmt::format("{}", last.step) : name_of(last_.index + 1);
}

std::string SeriesClock::name_of(std::int64_t index) const {
  switch (every_.kind()) {
    case time::PeriodKind::seconds: return base::decimal_text(convention_->end_of_file(ruler_, index));
    case time::PeriodKind::steps: return fmt::format("{}", index * every_.count());
    case time::PeriodKind::months: break;
  }
  constexpr std::size_t date = 10;  // 2026-02-01T00:00:00
  return calendar::format_date(calendar_->date_of(ruler_.edge(index))).substr(0, date);
}

std::string path_of_part(const std::string& path, const std::string& part,
                         const time::Convention& convention) {
  const std::size_t place = convention.place_of_number(path);
  const std::string_view text = path;
  return fmt::format("{}_{}{}", text.substr(0, place), part, text.substr(place));
}

std::string first_path(const FilePlan& file, const calendar::Calendar& calendar, const model::Tick& begin) {
  if (!file.entry.series) return file.entry.path;
  return path_of_part(file.entry.path, SeriesClock(file, calendar, begin).open(begin), *file.convention);
}

}  // namespace tailrace::plan
