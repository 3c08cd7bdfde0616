#include "settings/input/record_choice.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "base/nearest_name.hpp"
#include "config/read.hpp"
#include "time/period.hpp"

namespace tailrace::settings {
namespace {

using namespace config;
using input::CycleKind;
using input::Outside;
using input::TimeRule;
using Complaint = std::optional<std::string>;

constexpr double seconds_a_day = 86400.0;

bool has_digit(const std::string& text) { return text.find_first_of("0123456789") != std::string::npos; }

// The fault that keeps a text from being a length of time, if there is one.
Complaint length_complaint(const std::string& text, const std::string& expected) {
  try {
    if (time::Period::parse(text).kind() == time::PeriodKind::seconds) return std::nullopt;
  } catch (const Error& error) {
    return error.what();
  }
  return fmt::format("expected {}, but got \"{}\"", expected, text);
}

Type cycle_type() {
  const std::string expected = "`year`, `day`, or a length of time such as `10 d`";
  return checked(expected, [=](const std::string& text) -> Complaint {
    const std::vector<std::string> words{"day", "year"};
    if (text == words[0] || text == words[1]) return std::nullopt;
    if (!has_digit(text))
      return fmt::format("\"{}\" is unknown.{}; expected {}", text, base::name_hint(text, words), expected);
    return length_complaint(text, expected);
  });
}

std::size_t sign_of(const std::string& text) {
  return text.starts_with('-') || text.starts_with('+') ? 1 : 0;
}

Type offset_type() {
  const std::string expected = "a length of time with or without a sign, such as `-12 h`";
  return checked(expected, [=](const std::string& text) {
    return length_complaint(text.substr(sign_of(text)), expected);
  });
}

Type rule_type() {
  return choice({"exact", "previous", "next", "nearest", "linear", "mean_preserving", "none"});
}

Option outside_option(const char* name, const char* where) {
  return {
      .name = name,
      .type = choice({"refuse", "hold", "extrapolate"}),
      .description = fmt::format("The value {} record: an error, that record, or the line through it and its "
                                 "neighbour. By default an error.",
                                 where),
      .example = "hold"};
}

Type map_type() {
  return section({
      {.name = "rule",
       .type = rule_type(),
       .description =
           "The records that give the value: the one of exactly this time (`exact`), the last before "
           "(`previous`), the first after (`next`), the `nearest`, two by a straight line (`linear`), or, "
           "for "
           "means over intervals with bounds, a line that keeps the mean over each interval "
           "(`mean_preserving`). `none` is for files with a single record, which is taken at any time.",
       .example = "previous",
       .default_value = "linear",
       .aliases = {"interpolate"}},
      {.name = "cycle",
       .type = cycle_type(),
       .description =
           "The records repeat: those of a `year` by their dates, those of a `day` or another length of time "
           "by their distance from the first one. A climatology (with CF's `climatology` bounds) needs "
           "`year`.",
       .example = "year"},
      {.name = "offset",
       .type = offset_type(),
       .description = "The length of time that is added to the times of the files.",
       .example = "-12 h"},
      outside_option("before", "before the first"),
      outside_option("after", "after the last"),
  });
}

TimeRule rule_of(const std::string& word) {
  if (word == "exact") return TimeRule::exact;
  if (word == "previous") return TimeRule::previous;
  if (word == "next") return TimeRule::next;
  if (word == "nearest") return TimeRule::nearest;
  if (word == "mean_preserving") return TimeRule::mean_preserving;
  return word == "none" ? TimeRule::none : TimeRule::linear;
}

input::Cycle cycle_of(const Value& value) {
  if (value.open()) return {};
  if (value.text() == "year") return {.kind = CycleKind::year};
  return {.kind = CycleKind::period,
          .seconds = value.text() == "day" ? seconds_a_day : time::Period::parse(value.text()).seconds()};
}

double offset_of(const Value& value) {
  if (value.open()) return 0.0;
  const std::size_t sign = sign_of(value.text());
  const double seconds = time::Period::parse(value.text().substr(sign)).seconds();
  return value.text().starts_with('-') ? -seconds : seconds;
}

Outside outside_of(const Value& map, const char* name) {
  return choice_of<Outside>(
      map, name,
      {{"refuse", Outside::refuse}, {"hold", Outside::hold}, {"extrapolate", Outside::extrapolate}});
}

void refuse_beside(const Value& map, const char* option, const std::string& why, Problems& problems) {
  if (const Value* given = map.find(option)) problems.add(given->location(), given->path(), why);
}

void check_relations(const Value& map, const input::TimeSelector::Options& time, Problems& problems) {
  if (time.rule == TimeRule::none) {
    for (const char* option : {"cycle", "offset", "before", "after"})
      refuse_beside(map, option, "`none` takes the only record at any time; expected another rule with this",
                    problems);
    return;
  }
  for (const char* option : {"before", "after"}) {
    const bool extrapolates = text_of(map, option) == "extrapolate";
    if (map.find("cycle") != nullptr)
      refuse_beside(map, option, "a `cycle` has no first and no last record; expected only one of them",
                    problems);
    else if (time.rule == TimeRule::exact)
      refuse_beside(map, option, "`exact` expects a record for each time; expected another rule with this",
                    problems);
    else if (extrapolates && time.rule != TimeRule::linear && time.rule != TimeRule::mean_preserving)
      refuse_beside(map, option,
                    "this rule takes records as they are; expected `hold`, or `rule: linear` with this",
                    problems);
  }
}

}  // namespace

Option record_choice_option() {
  return {.name = "time",
          .type = either({rule_type(), map_type()}),
          .description = "The records that give the value at a model time: a rule, or a map with one.",
          .example = "{cycle: year, interpolate: linear}",
          .default_value = "linear"};
}

void set_record_choice(const Value& section, input::FieldRequest& field, Problems& problems) {
  const Value* value = section.find("time");
  if (value == nullptr) return;
  if (value->kind() != Kind::section) {
    field.time.rule = rule_of(value->text());
    return;
  }
  field.time.rule = rule_of(text_of(*value, "rule"));
  if (const Value* cycle = value->find("cycle")) field.time.cycle = cycle_of(*cycle);
  if (const Value* offset = value->find("offset")) field.time_offset = offset_of(*offset);
  field.time.before = outside_of(*value, "before");
  field.time.after = outside_of(*value, "after");
  check_relations(*value, field.time, problems);
}

}  // namespace tailrace::settings
