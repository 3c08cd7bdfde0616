#include "cf/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/version.hpp"

namespace tailrace::cf {
namespace {

std::string window_comment(const plan::AxisPlan& axis, settings::TimeStamp stamp, const std::string& bounds) {
  const bool whole_samples = axis.kind == time::AxisKind::whole_samples;
  const std::string rule = axis.convention->windows_in_words(axis.every, whole_samples);
  return fmt::format("each value covers the interval in {} ({}); time is the interval's {}", bounds, rule,
                     stamp == settings::TimeStamp::end ? "end" : "middle");
}

template <class Noun>
void describe_noun(output::Attributes& attributes, const Noun& noun) {
  if (!noun.units.empty()) set_attribute(attributes, "units", noun.units);
  if (!noun.standard_name.empty()) set_attribute(attributes, "standard_name", noun.standard_name);
  if (!noun.long_name.empty()) set_attribute(attributes, "long_name", noun.long_name);
  for (const auto& [name, value] : noun.attributes) set_attribute(attributes, name, value);
  const bool named = std::any_of(attributes.begin(), attributes.end(), [](const auto& one) {
    return one.first == "standard_name" || one.first == "long_name";
  });
  if (!named) set_attribute(attributes, "long_name", noun.name);
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

void describe(output::Attributes& attributes, const model::Field& field) { describe_noun(attributes, field); }

void describe(output::Attributes& attributes, const model::Coordinate& coordinate) {
  describe_noun(attributes, coordinate);
}

output::Attributes time_attributes(const plan::AxisPlan& axis, settings::TimeStamp stamp,
                                   const calendar::Calendar& calendar, const std::string& bounds) {
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
  std::string comment = bounds.empty() ? axis.convention->instants_in_words(axis.every, axis.cadence)
                                       : window_comment(axis, stamp, bounds);
  if (!calendar.has_months()) comment += "; the run has no dates: seconds count from its start";
  attributes.emplace_back("comment", comment);
  return attributes;
}

std::string cell_methods(const std::string& of_field, const std::string& axis,
                         time::ReductionKind reduction) {
  const std::string over_time = fmt::format("{}: {}", axis, time::cell_method_of(reduction));
  return of_field.empty() ? over_time : fmt::format("{} {}", of_field, over_time);
}

output::Attributes global_attributes(const plan::FilePlan& file, const settings::Configuration& configuration,
                                     const std::string& component, bool with_mesh,
                                     const std::string& history) {
  output::Attributes attributes{
      {"Conventions", with_mesh ? "CF-1.11 UGRID-1.0" : "CF-1.11"},
      {"history", history},
      {"source", fmt::format("component {}, Tailrace {}", component, base::version)},
      {"tailrace_configuration", configuration.text},
  };
  for (const auto& [name, value] : file.entry.attributes) set_attribute(attributes, name, value);
  return attributes;
}

}  // namespace tailrace::cf
