#include "time/ruler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.hpp"

namespace tailrace::time {
namespace {

// Edges of two periods that are the same instant may differ by this, relative to the numbers they are made
// of.
constexpr double rounding = 4.0 * std::numeric_limits<double>::epsilon();

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// In seconds of model time; 0 if the calendar has no dates.
double midnight_before_start(const calendar::Calendar& calendar) {
  if (!calendar.has_months()) return 0.0;
  const calendar::Date& start = calendar.start();
  return 0.0 - (start.hour * 3600.0 + start.minute * 60.0 + start.second);
}

}  // namespace

Ruler::Ruler(const Period& period, const calendar::Calendar& calendar)
    : period_(period),
      calendar_(&calendar),
      origin_(midnight_before_start(calendar) + period.offset_seconds()) {
  if (period.kind() == PeriodKind::months && !calendar.has_months())
    throw Error(ErrorCode::configuration,
                fmt::format("a period of {} needs a calendar, and calendar {} has no months", period.name(),
                            calendar.name()));
}

double Ruler::edge(std::int64_t index) const {
  TAILRACE_ASSERT(kind() != PeriodKind::steps, "the times of steps are known from ticks only");
  if (kind() == PeriodKind::months)
    return calendar_->begin_of_month(index * period_.count() + period_.offset_count());
  return origin_ + static_cast<double>(index) * period_.seconds();
}

Place Ruler::place(const model::Tick& tick) const {
  if (kind() == PeriodKind::steps) {
    const std::int64_t step = tick.step - period_.offset_count();
    return {floor_divide(step, period_.count()), tick.exact, step % period_.count() == 0};
  }
  const std::int64_t index =
      kind() == PeriodKind::months
          ? floor_divide(calendar_->month_at(tick.exact) - period_.offset_count(), period_.count())
          : static_cast<std::int64_t>(std::floor((tick.exact - origin_) / period_.seconds()));
  const double before = edge(index);
  const double after = edge(index + 1);
  const double reach = rounding * std::max(std::abs(tick.exact), std::abs(origin_));
  if (tick.exact - before <= reach) return {index, before, true};
  if (after - tick.exact <= reach) return {index + 1, after, true};
  return {index, tick.exact, false};
}

LastEdge edge_before(const Ruler& ruler, const model::Tick& begin) {
  const Place place = ruler.place(begin);
  return {.index = place.index, .time = 0.0, .begin_is_open = place.on_edge};
}

bool passes(const Ruler& ruler, const model::Tick& tick, LastEdge& last) {
  const Place place = ruler.place(tick);
  const bool on_begin = last.begin_is_open && place.index == last.index && place.on_edge;
  last.begin_is_open = false;
  if (place.index <= last.index) return on_begin;
  last.index = place.index;
  return true;
}

}  // namespace tailrace::time
