#include "session/cf_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tailrace/tailrace.hpp"

namespace tailrace::session {
namespace {

// "5 s", from "every 5 s".
std::string length_of(const time::Period& period) {
  return period.sentence().substr(std::string_view("every ").size());
}

// "each multiple of 5 s".
std::string points_of(const time::Period& period) {
  const std::string length = length_of(period);
  return period.kind() == time::PeriodKind::months ? fmt::format("the begin of every {}", length)
                                                   : fmt::format("each multiple of {}", length);
}

std::string instant_comment(const AxisPlan& axis) {
  if (axis.edges == time::Edges::drifting)
    return fmt::format("each value is that of the first sample (taken {}) {} or more after the one before it",
                       axis.cadence.sentence(), length_of(axis.every));
  const bool each_step = axis.every == time::Period::of_steps(1);
  const bool every_step_sampled = axis.cadence == time::Period::of_steps(1);
  if (each_step || axis.every == axis.cadence) {
    if (each_step && every_step_sampled) return "values at every model step";
    return fmt::format("each value is that of the first model step at or past {}", points_of(axis.cadence));
  }
  const std::string sample =
      every_step_sampled ? "model step" : fmt::format("sample (taken {})", axis.cadence.sentence());
  return fmt::format("each value is that of the first {} at or past {}", sample, points_of(axis.every));
}

std::string window_comment(const AxisPlan& axis, TimeStamp stamp, const std::string& bounds) {
  std::string rule = axis.every.sentence();
  if (axis.edges == time::Edges::drifting)
    rule = fmt::format(
        "to the first sample {} or more after its begin; means are weighted as in MONC, where the first "
        "sample of an interval counts about twice",
        length_of(axis.every));
  else if (axis.kind == time::AxisKind::whole_samples)
    rule += ", to the first sample at or past that";
  return fmt::format("each value covers the interval in {} ({}); time is the interval's {}", bounds, rule,
                     stamp == TimeStamp::end ? "end" : "middle");
}

}  // namespace

void set_attribute(output::Attributes& attributes, const std::string& name,
                   const output::AttributeValue& value) {
  const auto known =
      std::find_if(attributes.begin(), attributes.end(), [&](const auto& one) { return one.first == name; });
  if (known != attributes.end())
    known->second = value;
  else
    attributes.emplace_back(name, value);
}

void describe(output::Attributes& attributes, const std::string& units, const std::string& standard_name,
              const std::string& long_name, const model::Attributes& further, const std::string& fallback) {
  if (!units.empty()) set_attribute(attributes, "units", units);
  if (!standard_name.empty()) set_attribute(attributes, "standard_name", standard_name);
  if (!long_name.empty()) set_attribute(attributes, "long_name", long_name);
  for (const auto& [name, value] : further) set_attribute(attributes, name, value);
  const bool named = std::any_of(attributes.begin(), attributes.end(), [](const auto& one) {
    return one.first == "standard_name" || one.first == "long_name";
  });
  if (!named) set_attribute(attributes, "long_name", fallback);
}

output::Attributes time_attributes(const AxisPlan& axis, TimeStamp stamp, const calendar::Calendar& calendar,
                                   const std::string& bounds) {
  output::Attributes attributes{{"units", calendar.units()},
                                {"calendar", calendar.cf_name()},
                                {"standard_name", "time"},
                                {"long_name", "time"},
                                {"axis", "T"}};
  // CF 4.4.1: model days have 86400 seconds in the calendar of real dates too.
  if (calendar.cf_name() == "standard") attributes.emplace_back("units_metadata", "leap_seconds: none");
  if (!bounds.empty()) attributes.emplace_back("bounds", bounds);
  if (axis.kind == time::AxisKind::at_end) {
    attributes.emplace_back("comment", "what the model gave last, at the end of the run");
    return attributes;
  }
  std::string comment = bounds.empty() ? instant_comment(axis) : window_comment(axis, stamp, bounds);
  if (!calendar.has_months()) comment += "; the run has no dates: seconds count from its start";
  attributes.emplace_back("comment", comment);
  return attributes;
}

std::string cell_methods(const std::string& of_field, const std::string& axis,
                         time::ReductionKind reduction) {
  const std::string over_time = fmt::format("{}: {}", axis, time::cell_method_of(reduction));
  return of_field.empty() ? over_time : fmt::format("{} {}", of_field, over_time);
}

output::Attributes global_attributes(const FilePlan& file, const Configuration& configuration,
                                     const std::string& component, bool with_mesh,
                                     const std::string& history) {
  output::Attributes attributes{
      {"Conventions", with_mesh ? "CF-1.11 UGRID-1.0" : "CF-1.11"},
      {"history", history},
      {"source", fmt::format("component {}, Tailrace {}", component, version())},
      {"tailrace_configuration", configuration.text},
  };
  for (const auto& [name, value] : file.entry.attributes) set_attribute(attributes, name, value);
  return attributes;
}

}  // namespace tailrace::session
