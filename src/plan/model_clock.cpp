#include "plan/model_clock.hpp"

#include <algorithm>

namespace tailrace::plan {
namespace {

// Distinct ones, in the order of the plan.
class Grids {
 public:
  explicit Grids(const calendar::Calendar& calendar) : calendar_(calendar) {}

  void add(const time::Period& period) {
    if (std::ranges::count(periods_, period) > 0) return;
    periods_.push_back(period);
    if (period.kind() != time::PeriodKind::steps) rulers_.emplace_back(period, calendar_);
  }
  // Lengths of time in another convention need not lie on a grid.
  void add(const time::Period& period, const time::Convention& convention) {
    const bool is_standard = &convention == &time::standard_convention();
    if (is_standard || period.kind() == time::PeriodKind::months) add(period);
  }
  const std::vector<time::Ruler>& rulers() const { return rulers_; }

 private:
  const calendar::Calendar& calendar_;
  std::vector<time::Period> periods_;
  std::vector<time::Ruler> rulers_;
};

}  // namespace

time::Clock make_clock(const Plan& plan, const calendar::Calendar& calendar, const model::Tick& begin) {
  Grids grids(calendar);
  std::vector<double> points;
  for (const DatasetPlan& file : plan.files) {
    for (const AxisPlan& axis : file.axes) {
      grids.add(axis.every, *axis.convention);
      grids.add(axis.cadence);
      points.insert(points.end(), {axis.span.from, axis.span.until});
    }
    grids.add(file.entry.write_every);
    if (file.entry.has_many_files()) grids.add(file.entry.file_period(), *file.convention);
  }
  grids.add(plan.checkpoint_every);
  std::ranges::sort(points);
  points.erase(std::ranges::unique(points).begin(), points.end());
  return plan.clock ? time::Clock(grids.rulers(), points, begin, *plan.clock)
                    : time::Clock(grids.rulers(), points, begin);
}

}  // namespace tailrace::plan
