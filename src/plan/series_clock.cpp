#include "plan/series_clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/decimal_text.hpp"

namespace tailrace::plan {

namespace {

// Files per write are numbered by the multiple at which they end.
settings::FileName name_of(const DatasetPlan& file) {
  const std::string& path = file.entry.path;
  const settings::FileName name(path);
  if (name.has_limits() || file.entry.series) return name;
  return settings::FileName(path_of_part(path, "{start}-{end}", *file.convention));
}

}  // namespace

SeriesClock::SeriesClock(const DatasetPlan& file, const calendar::Calendar& calendar, model::Tick begin)
    : name_(name_of(file)),
      path_(file.entry.is_opened_by_model ? std::string() : file.entry.path),
      of_model_(file.entry.is_opened_by_model),
      each_write_(file.entry.series),
      every_(file.entry.file_period()),
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
  if (of_model_) return false;
  bool sampled = false;
  for (time::Cadence& cadence : samples_) sampled = cadence.due(tick) || sampled;
  const std::int64_t before = last_.index;
  if (!sampled || !convention_->ends_file(ruler_, tick, last_)) return false;
  return each_write_ || last_.index != before;  // a run that begins at a multiple ends no file there
}

double SeriesClock::next_from() const {
  const bool has_time = !of_model_ && !each_write_ && every_.kind() != time::PeriodKind::steps;
  return has_time ? ruler_.edge(last_.index) : std::numeric_limits<double>::infinity();
}

std::string SeriesClock::open(const model::Tick& last) const {
  if (of_model_) return path_;
  return every_.is_never() ? of_last_step(last) : path_of(last_.index + 1);
}

std::string SeriesClock::of_last_step(const model::Tick& last) const {
  return path_of_part(path_, fmt::format("{}", last.step), *convention_);
}

std::string SeriesClock::path_of(std::int64_t index) const {
  if (name_.has_limits()) return name_.of(limits_of(index), *calendar_);
  return path_of_part(path_, number_of(index), *convention_);
}

settings::FileLimits SeriesClock::limits_of(std::int64_t index) const {
  settings::FileLimits limits;
  limits.in_steps = every_.kind() == time::PeriodKind::steps;
  if (limits.in_steps) {
    limits.start_step = (index - 1) * every_.count();
    limits.end_step = index * every_.count();
  } else {
    limits.start = ruler_.edge(index - 1);
    limits.end = ruler_.edge(index);
  }
  return limits;
}

std::string SeriesClock::number_of(std::int64_t index) const {
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

std::string first_path(const DatasetPlan& file, const calendar::Calendar& calendar,
                       const model::Tick& begin) {
  if (file.entry.has_many_files()) return SeriesClock(file, calendar, begin).open(begin);
  settings::FileLimits limits;
  limits.start = limits.end = std::max(begin.exact, file.span.from);
  return settings::FileName(file.entry.path).of(limits, calendar);
}

}  // namespace tailrace::plan
