#include "session/options.hpp"

#include <fmt/format.h>

#include <functional>
#include <optional>
#include <string>

#include "calendar/calendar.hpp"
#include "tailrace/error.hpp"
#include "time/period.hpp"

namespace tailrace::session {

using namespace config;

namespace {

// What the parser of a notation has to say about a text.
std::optional<std::string> complaint_of(const std::function<void()>& parse) {
  try {
    parse();
    return std::nullopt;
  } catch (const Error& error) {
    return error.what();
  }
}

std::optional<std::string> version_complaint(const std::string& text) {
  if (text == "1") return std::nullopt;
  return fmt::format("this Tailrace reads version 1 of the configuration, but got \"{}\"", text);
}

Type time_schema() {
  return section({
      {.name = "calendar",
       .type = choice(calendar::calendar_names()),
       .says = "Which calendar model time follows, by its CF name; `none` counts seconds of model time.",
       .example = "standard",
       .fallback = "none"},
      {.name = "start",
       .type = date_type(),
       .says = "The date at which model time is 0; every calendar but `none` needs it.",
       .example = "2026-01-01T00:00:00"},
  });
}

Type fields_schema() {
  return section({
      {.name = "every",
       .type = period_or_never_type(),
       .says = "How often the model sends these fields.",
       .example = "10 s",
       .fallback = "1 step"},
      {.name = "also_at_end",
       .type = flag(),
       .says = "With `every: never`: what the model put last, at whichever step, becomes one record when the "
               "run ends. The model need not ask `wants`, which says no.",
       .example = "true",
       .fallback = "false"},
      {.name = "names",
       .type = list(text(), 1),
       .says = "The fields, as the model declares them.",
       .example = "[u, w, theta]",
       .required = true},
      {.name = "optional",
       .type = flag(),
       .says =
           "Whether these fields may be missing. One that the model does not declare is left out, with the "
           "variables made from it; one that it does not put when it is wanted counts for nothing at that "
           "step, and a record without any sample holds the fill value. Otherwise both are errors.",
       .example = "true",
       .fallback = "false"},
      {.name = "namespace",
       .type = text(),
       .says = "A word that is put in front of each name: with `scalar`, `vwp` stands for `scalar.vwp`.",
       .example = "scalar"},
  });
}

Type root_schema() {
  return section({
      {.name = "tailrace",
       .type = checked("`1`", version_complaint),
       .says = "The version of the configuration's schema.",
       .example = "1",
       .required = true},
      {.name = "legacy",
       .type = choice({"monc"}),
       .says = "Whose values are given even where they are wrong. `monc`: periods in seconds count from the "
               "sample that made the record before, windows end with a sample, the first sample of a window "
               "counts about twice in a mean; and MONC's XML is read as MONC reads it.",
       .example = "monc"},
      {.name = "include",
       .type = list(text()),
       .says = "Files that are read as if they stood here, relative to this file, MONC's XML among them; "
               "maps are "
               "merged.",
       .example = "[fields.yaml]"},
      {.name = "servers",
       .type = servers_schema(),
       .says = "Where the servers run and what they may use.",
       .example = "{mode: dedicated, count: 2}"},
      {.name = "time",
       .type = time_schema(),
       .says = "What model time means.",
       .example = "{calendar: standard, start: 2026-01-01}"},
      {.name = "fields",
       .type = map("name", fields_schema()),
       .says = "What the model is asked to send, and how often, in groups.",
       .example = "{state: {every: 1 step, names: [u, w, theta]}}"},
      {.name = "diagnostics",
       .type = map("name", diagnostics_schema()),
       .says = "What the servers compute from the fields.",
       .example = "{theta_mean: {is: \"mean(theta, y, x)\", units: K}}"},
      {.name = "operators",
       .type = map("name", operators_schema()),
       .says = "Functions of one's own, in C, C++, Fortran or Python, that expressions can call.",
       .example = "{wind_speed: {library: ./libwind.so, arguments: 2}}"},
      {.name = "groups",
       .type = map("name", list(text(), 1)),
       .says = "Names for lists of fields, to be used under `output`.",
       .example = "{three_d: [u, w, theta]}"},
      {.name = "output",
       .type = map("file", output_schema()),
       .says = "The files to write, by their path.",
       .example = "{out.nc: {variables: [{field: w, time: mean, every: 10 s}]}}"},
      {.name = "input",
       .type = map("name", input_schema()),
       .says = "Fields that the servers read ahead for the model.",
       .example = "{forcing: {files: [forcing.nc], fields: [precip]}}",
       .available = false},
      {.name = "checkpoint",
       .type = checkpoint_schema(),
       .says = "When and where the run's state is saved.",
       .example = "{directory: restart, every: 600 s, keep: 2}",
       .available = false},
  });
}

}  // namespace

Type period_type() {
  return checked("a period such as `10 s`, `6 h`, `5 steps` or `1 month`",
                 [](const std::string& text) { return complaint_of([&] { time::Period::parse(text); }); });
}

bool is_never(const std::string& period) { return period == "never" || period == "0 steps"; }

Type period_or_never_type() {
  return checked("a period such as `10 s`, `6 h`, `5 steps` or `1 month`, or `never`",
                 [](const std::string& text) -> std::optional<std::string> {
                   if (is_never(text)) return std::nullopt;
                   return complaint_of([&] { time::Period::parse(text); });
                 });
}

Type duration_type(bool may_be_off) {
  const std::string expected =
      fmt::format("a length of time such as `60 s` or `5 min`{}", may_be_off ? ", or `off`" : "");
  return checked(expected, [=](const std::string& text) -> std::optional<std::string> {
    if (may_be_off && text == "off") return std::nullopt;
    auto kind = time::PeriodKind::seconds;
    auto complaint = complaint_of([&] { kind = time::Period::parse(text).kind(); });
    if (!complaint && kind != time::PeriodKind::seconds)
      return fmt::format("expected {}, but got \"{}\"", expected, text);
    return complaint;
  });
}

Type date_type() {
  return checked("a date such as `2026-01-01` or `2026-01-01T06:30:00`",
                 [](const std::string& text) { return complaint_of([&] { calendar::parse_date(text); }); });
}

const Type& schema() {
  static const Type root = [] {
    Type made = root_schema();
    assert_well_declared(made);
    return made;
  }();
  return root;
}

}  // namespace tailrace::session
