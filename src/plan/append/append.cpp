#include "plan/append/append.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "base/decimal_text.hpp"
#include "base/error.hpp"
#include "base/nearest_name.hpp"

namespace tailrace::plan {
namespace {

// Texts of dates have whole seconds.
constexpr double resolution_of_dates = 0.5;

// The times that the texts mean, such as "2000-01-24_12:00:00".
output::ExistingAxis of_dates(const output::ExistingAxis& texts, const calendar::Calendar& calendar) {
  output::ExistingAxis axis;
  for (std::string text : texts.dates) {
    std::ranges::replace(text, '_', ' ');
    axis.times.push_back(calendar.seconds_of(calendar::parse_date(text)));
  }
  return axis;
}

double reach_at(double time) { return 1e-9 * std::max(1.0, std::abs(time)); }

class AxisHistory {
 public:
  // `resolution`: the largest difference between a record's time and that of `existing`, in seconds.
  AxisHistory(const AxisPlan& axis, const calendar::Calendar& calendar, const model::Tick& begin,
              const output::ExistingAxis& existing, double resolution)
      : axis_(axis), calendar_(calendar), begin_(begin), existing_(existing), resolution_(resolution) {}

  time::Continued stays(std::vector<std::string>& dropped) const {
    std::size_t records = 0;
    while (records < existing_.times.size() && end(records) <= begin_.exact + reach(begin_.exact)) ++records;
    const std::size_t later = existing_.times.size() - records;
    if (later > 0)
      dropped.push_back(fmt::format(
          "removing {} of {}, beginning with the one from {} to {}, because this run begins at {}",
          later == 1 ? "1 record" : fmt::format("{} records", later), axis_.dim, date(start(records)),
          date(end(records)), date(begin_.exact)));
    if (records > 0 && is_cut_off(records - 1)) {
      --records;
      dropped.push_back(fmt::format(
          "removing the last record of {}, from {} to {}, because the previous run ended inside its window",
          axis_.dim, date(start(records)), date(end(records))));
    } else if (records > 0 && time::is_windowed(axis_.kind) &&
               end(records - 1) < begin_.exact - reach(begin_.exact)) {
      dropped.push_back(fmt::format("nothing of {} is known from {}, where the file ends, to {}", axis_.dim,
                                    date(end(records - 1)), date(begin_.exact)));
    }
    const bool is_instant = axis_.kind == time::AxisKind::instant;
    return {static_cast<std::int64_t>(records),
            is_instant && records > 0 && end(records - 1) >= begin_.exact - reach(begin_.exact)};
  }

 private:
  double reach(double time) const { return std::max(resolution_, reach_at(time)); }
  double start(std::size_t record) const {
    return existing_.bounds.empty() ? existing_.times[record] : existing_.bounds[2 * record];
  }
  double end(std::size_t record) const {
    return existing_.bounds.empty() ? existing_.times[record] : existing_.bounds[2 * record + 1];
  }
  // Only a window that was closed by the end of its run does not end at a multiple of its period. For windows
  // in steps the times of edges are unknown, except for the step at which this run begins.
  bool is_cut_off(std::size_t record) const {
    if (axis_.kind != time::AxisKind::window) return false;
    const time::Ruler ruler(axis_.every, calendar_);
    const double at = end(record);
    if (std::abs(at - axis_.span.until) <= reach(at)) return false;
    if (ruler.kind() == time::PeriodKind::steps)
      return at >= begin_.exact - reach(begin_.exact) && !ruler.place(begin_).on_edge;
    return !ruler.place({0, at}).on_edge;
  }
  std::string date(double time) const {
    return calendar_.has_months() ? calendar::format_date(calendar_.date_of(time))
                                  : base::decimal_text(time) + " s";
  }

  const AxisPlan& axis_;
  const calendar::Calendar& calendar_;
  const model::Tick& begin_;
  const output::ExistingAxis& existing_;
  double resolution_;
};

void check_same_times(const std::string& dim, const output::ExistingAxis& axis,
                      const calendar::Calendar& calendar) {
  const std::string units = calendar.units(), name = calendar.has_months() ? calendar.cf_name() : "";
  if (axis.units == units && (name.empty() || axis.calendar == name)) return;
  throw Error(ErrorCode::configuration,
              fmt::format("its {} counts \"{}\"{}, and this run \"{}\"{}; expected the same "
                          "`model_time.start` and `calendar` for all jobs, with the `initial_time` of each",
                          dim, axis.units, axis.calendar.empty() ? "" : " (" + axis.calendar + ")", units,
                          name.empty() ? "" : " (" + name + ")"));
}

}  // namespace

RecordsToKeep records_to_keep(const DatasetPlan& file, const calendar::Calendar& calendar,
                              const model::Tick& begin,
                              const std::map<std::string, output::ExistingAxis>& existing) {
  RecordsToKeep keep;
  for (const AxisPlan& axis : file.axes) {
    const auto found = existing.find(axis.dim);
    if (found == existing.end()) {
      std::vector<std::string> names;
      for (const auto& [name, values] : existing) names.push_back(name);
      throw Error(ErrorCode::configuration,
                  fmt::format("it has no time axis \"{}\".{}", axis.dim, base::name_hint(axis.dim, names)));
    }
    const bool has_dates = file.entry.layout == settings::Layout::wrf;
    if (!has_dates) check_same_times(axis.dim, found->second, calendar);
    const output::ExistingAxis existing = has_dates ? of_dates(found->second, calendar) : found->second;
    const double resolution = has_dates ? resolution_of_dates : 0.0;
    keep.axes.push_back(AxisHistory(axis, calendar, begin, existing, resolution).stays(keep.dropped));
  }
  return keep;
}

void go_on(Plan& plan, const std::vector<ContinuedAxes>& continued) {
  for (std::size_t file = 0; file < continued.size(); ++file) {
    DatasetPlan& at = plan.files[file];
    at.continues = !continued[file].empty();
    for (std::size_t axis = 0; axis < continued[file].size(); ++axis)
      at.axes[axis].continued = continued[file][axis];
  }
}

}  // namespace tailrace::plan
