#include "settings/input/input.hpp"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "config/read.hpp"
#include "config/scalars.hpp"
#include "input/file_names.hpp"
#include "settings/input/field_request.hpp"
#include "settings/input/source.hpp"
#include "time/model_time.hpp"
#include "time/options.hpp"

namespace tailrace::settings {
namespace {

using namespace config;
using Complaint = std::optional<std::string>;

// `4`, `1 record`, `4 records`.
std::optional<std::int64_t> records_in(std::string text) {
  for (const char* unit : {" records", " record"})
    if (text.ends_with(unit)) text.resize(text.size() - std::string_view(unit).size());
  const auto number = parse_integer(text);
  return number && *number > 0 ? number : std::nullopt;
}

Type lead_type() {
  const std::string expected = "a length of time such as `2 d`, or a number of records such as `4`";
  return checked(expected, [=](const std::string& text) -> Complaint {
    if (records_in(text)) return std::nullopt;
    try {
      if (time::Period::parse(text).kind() == time::PeriodKind::seconds) return std::nullopt;
    } catch (const Error&) {  // the message below says more
    }
    return fmt::format("expected {}, but got \"{}\"", expected, text);
  });
}

std::vector<Option> how_it_is_read() {
  return {
      {.name = "lead",
       .type = lead_type(),
       .description =
           "How far ahead of the model its servers read: a length of model time, or a number of records. "
           "They "
           "keep less ahead where `servers.memory` does not suffice, but always what the present step needs.",
       .example = "2 d",
       .default_value = "2"},
      {.name = "wait_for",
       .type = time::duration_type(),
       .description =
           "How long a file or a record that is not there yet is awaited. By default not at all: a file that "
           "is missing is an error of `ready`. With it, further files of a pattern or a template of dates "
           "may "
           "come while the model runs, until a `get` has waited so long for one.",
       .example = "10 min"},
      {.name = "on_trouble",
       .type = choice({"stop", "hold"}),
       .description = "When a file is late, damaged, changed or gone: `get` of its fields fails, with file, "
                      "variable and "
                      "record (`stop`), or gives the last record that was read, with one warning (`hold`).",
       .example = "hold",
       .default_value = "stop"},
      input_regrid_option("Each field that has no `regrid` of its own"),
      {.name = "fields",
       .type = map("field", input_field_type()),
       .description = "The fields that the files give, by the names with which the model asks for them.",
       .example = "{sst: {variable: tos, time: linear}}",
       .required = true},
  };
}

void set_reading(const Value& section, input::Entry& entry) {
  if (const Value* lead = section.find("lead"); lead != nullptr && !lead->open()) {
    if (const auto records = records_in(lead->text()))
      entry.lead_records = records;
    else
      entry.lead_seconds = time::Period::parse(lead->text()).seconds();
  }
  entry.wait_for = time::seconds_of(section, "wait_for", entry.wait_for);
  entry.on_trouble = choice_of<input::OnTrouble>(
      section, "on_trouble", {{"stop", input::OnTrouble::stop}, {"hold", input::OnTrouble::hold}});
}

// The names of fields must differ over all entries, since the model asks for a field by its name alone.
class UniqueNames {
 public:
  explicit UniqueNames(Problems& problems) : problems_(problems) {}
  void add(const input::FieldRequest& field, const std::string& entry) {
    const auto [other, is_new] = first_.try_emplace(field.name, entry, field.location.text());
    if (!is_new)
      problems_.add(
          field.location, fmt::format("input.{}.fields.{}", entry, field.name),
          fmt::format("\"{}\" gives a field of this name too, at {}; expected a name of its own for each",
                      other->second.first, other->second.second));
  }

 private:
  Problems& problems_;
  std::map<std::string, std::pair<std::string, std::string>> first_;  // entry and place, by field
};

input::Options read(const Value& value, Problems& problems) {
  input::Options options;
  UniqueNames names(problems);
  for (const ValueEntry& each : value.entries()) {
    input::Entry entry;
    entry.name = each.key;
    entry.location = each.location;
    set_input_source(each.value, entry, problems);
    set_reading(each.value, entry);
    const auto regrid = input_regrid_of(each.value, problems);
    if (const Value* fields = each.value.find("fields")) {
      if (fields->entries().empty())
        problems.add(fields->location(), fields->path(), "expected at least one field");
      for (const ValueEntry& field : fields->entries()) {
        entry.fields.push_back(input_field_of(field, regrid, problems));
        names.add(entry.fields.back(), entry.name);
      }
    }
    options.entries.push_back(std::move(entry));
  }
  return options;
}

// Years and templates of dates need a calendar; the records of a stream do not come again.
void check(const input::Options& own, const Sections& all, Problems& problems) {
  const bool has_dates = !all.is_sound("model_time") || all.get<time::ModelTime>().calendar != "none";
  for (const input::Entry& entry : own.entries) {
    const std::string path = "input." + entry.name;
    for (const std::string& name : entry.files)
      if (!has_dates && input::has_dates(name))
        problems.add(entry.location, path + ".files",
                     fmt::format("\"{}\" has dates, and `model_time.calendar` is none; expected a calendar, "
                                 "or a pattern with `*`",
                                 name));
    const auto* adios2 = std::get_if<input::Adios2Source>(&entry.source);
    for (const input::FieldRequest& field : entry.fields) {
      const std::string cycle = fmt::format("{}.fields.{}.time.cycle", path, field.name);
      const bool repeats = field.time.cycle.kind != input::CycleKind::none;
      if (!has_dates && field.time.cycle.kind == input::CycleKind::year)
        problems.add(
            field.location, cycle,
            "`year` needs dates, and `model_time.calendar` is none; expected a calendar, or a length "
            "of time");
      if (repeats && adios2 != nullptr && adios2->is_stream)
        problems.add(field.location, cycle,
                     "the records of a stream do not come again; expected a field without `cycle`");
    }
  }
}

const SectionRegistration registration{input_section};

}  // namespace

Section<input::Options> input_section() {
  return {.option = {.name = "input",
                     .type = map("entry", joined_section({input_source_options(), how_it_is_read()})),
                     .description =
                         "Fields that the servers read ahead for the model, from files of other programs.",
                     .example = "{forcing: {files: forcing.nc, fields: {sst: {variable: tos, units: K}}}}"},
          .read = read,
          .check = check};
}

}  // namespace tailrace::settings
