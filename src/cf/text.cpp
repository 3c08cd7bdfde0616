#include "cf/text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/version.hpp"
#include "plan/naming/axis_names.hpp"

namespace tailrace::cf {
namespace {

std::string window_comment(const plan::AxisPlan& axis, settings::TimeStamp stamp, const std::string& bounds) {
  if (axis.cycle != time::Cycle::none)
    return fmt::format(
        "each value is made of all samples of the run in the same {} of the {}; {} has the first and the "
        "last time of "
        "these, and time is the middle of the first one",
        plan::word_of_turn(axis), axis.cycle == time::Cycle::year ? "year" : "day", bounds);
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
  if (!bounds.empty())
    attributes.emplace_back(axis.cycle == time::Cycle::none ? "bounds" : "climatology", bounds);
  if (axis.kind == time::AxisKind::at_end) {
    attributes.emplace_back("comment", "what the model gave last, at the end of the run");
    return attributes;
  }
  std::string comment = bounds.empty() ? axis.convention->instants_in_words(axis.every, axis.cadence)
                                       : window_comment(axis, stamp, bounds);
  if (axis.also_at_end) comment += "; and what the model gave last, where the run ended between two of them";
  if (!calendar.has_months()) comment += "; the run has no dates: seconds count from its start";
  attributes.emplace_back("comment", comment);
  return attributes;
}

void add_cell_methods(output::Attributes& attributes, const std::string& axis, time::ReductionKind reduction,
                      time::Cycle cycle) {
  const std::string_view method = time::cell_method_of(reduction);
  const char* const turns = cycle == time::Cycle::year ? "years" : "days";
  const std::string over_time =  // CF 7.4
      cycle == time::Cycle::none ? fmt::format("{}: {}", axis, method)
                                 : fmt::format("{0}: {1} within {2} {0}: {1} over {2}", axis, method, turns);
  const auto known = std::ranges::find(attributes, "cell_methods", &output::Attributes::value_type::first);
  const auto* given = known == attributes.end() ? nullptr : std::get_if<std::string>(&known->second);
  if (given == nullptr || given->empty()) return set_attribute(attributes, "cell_methods", over_time);
  const auto speaks_of = [&](std::string_view name) {  // `time` is the standard name of each axis
    return (" " + *given).find(fmt::format(" {}:", name)) != std::string::npos;
  };
  if (!speaks_of(axis) && !speaks_of("time"))
    set_attribute(attributes, "cell_methods", fmt::format("{} {}", *given, over_time));
}

void give_own_types(output::Attributes& attributes, const plan::VariablePlan& plan) {
  const bool other_values =
      plan.reduction == time::ReductionKind::sum || plan.reduction == time::ReductionKind::std;
  std::erase_if(attributes, [&](const auto& one) {
    return model::has_own_type(one.first) && (plan.packing || (other_values && one.first != "missing_value"));
  });
  for (auto& [name, value] : attributes)
    if (model::has_own_type(name))
      if (auto own = model::in_type(value, plan.type)) value = std::move(*own);
}

std::string conventions(const output::DatasetSpec& dataset) {
  bool leap_seconds = false, healpix = false, mesh = false, quantized = false;
  for (const output::VariableSpec& variable : dataset.variables)
    for (const auto& [name, value] : variable.attributes) {
      const auto* text = std::get_if<std::string>(&value);
      leap_seconds = leap_seconds || (text && text->starts_with("leap_seconds"));  // CF 1.12, 4.4.1
      healpix =
          healpix || (name == "grid_mapping_name" && text && *text == "healpix");  // CF 1.13, appendix F
      quantized = quantized || name == "quantization";                             // CF 1.12, 8.4
      mesh = mesh || (name == "cf_role" && text && *text == "mesh_topology");      // CF 1.11, 5.9
    }
  const char* version = healpix ? "CF-1.13" : leap_seconds || quantized ? "CF-1.12" : "CF-1.11";
  return mesh ? fmt::format("{} UGRID-1.0", version) : version;
}

output::Attributes global_attributes(const output::DatasetSpec& dataset, const plan::DatasetPlan& file,
                                     const settings::Configuration& configuration,
                                     const model::Declarations& declarations, const std::string& history) {
  output::Attributes attributes{
      {"Conventions", conventions(dataset)},
      {"history", history},
      {"source", fmt::format("component {}, Tailrace {}", declarations.component, base::version)},
      {"tailrace_configuration", configuration.text},
  };
  for (const auto& [name, value] : given_attributes(file, declarations, history))
    set_attribute(attributes, name, value);
  return attributes;
}

output::Attributes given_attributes(const plan::DatasetPlan& file, const model::Declarations& declarations,
                                    const std::string& history) {
  output::Attributes attributes(declarations.attributes.begin(), declarations.attributes.end());
  if (!file.entry.date_attribute.empty())  // the history begins with it
    set_attribute(attributes, file.entry.date_attribute, history.substr(0, history.find(' ')));
  for (const auto& [name, value] : file.entry.attributes) set_attribute(attributes, name, value);
  return attributes;
}

}  // namespace tailrace::cf
