#include "time/model_time.hpp"

#include "config/read.hpp"
#include "tailrace/error.hpp"

namespace tailrace::time {
namespace {

using config::Value;

std::optional<std::string> date_complaint(const std::string& text) {
  try {
    calendar::parse_date(text);
    return std::nullopt;
  } catch (const Error& error) {
    return error.what();
  }
}

config::Type model_time_type() {
  return config::section({
      {.name = "calendar",
       .type = config::choice(calendar::calendar_names()),
       .description = "The calendar of model time, by its CF name; `none` counts seconds of model time.",
       .example = "standard",
       .default_value = "none"},
      {.name = "start",
       .type = config::checked("a date such as `2026-01-01` or `2026-01-01T06:30:00`", date_complaint),
       .description = "The date at which model time is 0; required by every calendar except `none`.",
       .example = "2026-01-01T00:00:00"},
  });
}

void check_start(const Value& calendar, const Value* start, const ModelTime& time,
                 config::Problems& problems) {
  const bool none = time.calendar == "none";
  if (start == nullptr && !none && !problems.touch("model_time.start"))
    problems.add(calendar.location(), calendar.path(),
                 "a calendar needs a `start`, the date at which model time is 0");
  if (start == nullptr || start->open()) return;
  if (none)
    problems.add(start->location(), start->path(),
                 "a start date needs a calendar, and `model_time.calendar` is none");
  else
    config::report(*start, problems, [&] { calendar::Calendar(time.calendar, time.start); });
}

ModelTime read(const Value& value, config::Problems& problems) {
  ModelTime time;
  time.calendar = config::text_of(value, "calendar", time.calendar);
  const Value* start = value.find("start");
  if (start != nullptr && !start->open()) time.start = calendar::parse_date(start->text());
  const Value* calendar = value.find("calendar");
  if (calendar != nullptr && !calendar->open()) check_start(*calendar, start, time, problems);
  return time;
}

const config::SectionRegistration registration{model_time_section};

}  // namespace

config::Section<ModelTime> model_time_section() {
  return {.option = {.name = "model_time",
                     .type = model_time_type(),
                     .description = "The calendar and the start of model time.",
                     .example = "{calendar: standard, start: 2026-01-01}",
                     .deprecated_names = {"time"}},
          .read = read};
}

}  // namespace tailrace::time
