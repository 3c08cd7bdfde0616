#include "session/series_clock.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "config/monc/numbers.hpp"

namespace tailrace::session {

SeriesClock::SeriesClock(const FilePlan& file, const calendar::Calendar& calendar, model::Tick begin)
    : every_(file.entry.write_every),
      calendar_(&calendar),
      as_monc_(file.as_monc && every_.kind() == time::PeriodKind::seconds),
      ruler_(every_, calendar),
      crossing_(ruler_, begin),
      index_(as_monc_ ? 0 : ruler_.place(begin).index) {
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
  return sampled && passes(tick);
}

bool SeriesClock::passes(const model::Tick& tick) {
  if (!as_monc_) {
    if (!crossing_.passes(tick)) return false;
    index_ = ruler_.place(tick).index;
    return true;
  }
  if (tick.time - ended_at_ < every_.seconds()) return false;
  ended_at_ = static_cast<double>(static_cast<float>(tick.time));  // MONC keeps it in single precision
  ++index_;
  return true;
}

std::string SeriesClock::open(const model::Tick& last) const {
  return every_.is_never() ? fmt::format("{}", last.step) : name_of(index_ + 1);
}

std::string SeriesClock::name_of(std::int64_t index) const {
  switch (every_.kind()) {
    case time::PeriodKind::seconds:
      return config::monc::decimal_text(static_cast<double>(index) * every_.seconds());
    case time::PeriodKind::steps: return fmt::format("{}", index * every_.count());
    case time::PeriodKind::months: break;
  }
  constexpr std::size_t date = 10;  // 2026-02-01T00:00:00
  return calendar::format_date(calendar_->date_of(ruler_.edge(index))).substr(0, date);
}

std::string path_of_part(const std::string& path, const std::string& part, bool as_monc) {
  const std::size_t folders = path.find_last_of('/') + 1;  // 0 where there are none
  const std::size_t point = as_monc ? path.find('.', folders + 1) : path.rfind('.');
  const bool has_ending = point != std::string::npos && point > folders;
  const std::string_view text = path;
  const std::size_t end = has_ending ? point : path.size();
  return fmt::format("{}_{}{}", text.substr(0, end), part, text.substr(end));
}

}  // namespace tailrace::session
