#include "settings/input/field_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "base/nearest_name.hpp"
#include "config/read.hpp"
#include "config/scalars.hpp"
#include "regrid/section.hpp"
#include "settings/input/record_choice.hpp"
#include "units/unit_system.hpp"

namespace tailrace::settings {
namespace {

using namespace config;
using input::MissingRequest;
using Complaint = std::optional<std::string>;

constexpr double any_number = 1e308;
const std::vector<std::string> words_for_missing{"keep", "nearest", "refuse"};

Type missing_type() {
  const std::string expected = "a number, `refuse`, `nearest` or `keep`";
  return checked(expected, [=](const std::string& text) -> Complaint {
    if (parse_real(text) || std::ranges::count(words_for_missing, text) > 0) return std::nullopt;
    return fmt::format("expected {}, but got \"{}\".{}", expected, text,
                       base::name_hint(text, words_for_missing));
  });
}

Type vertical_type() {
  return section({
      {.name = "to",
       .type = text(),
       .description =
           "The levels of the model: a coordinate of the grid, or a field that the model puts at each step, "
           "such as its pressure.",
       .example = "p_full",
       .required = true},
      {.name = "interpolate",
       .type = choice({"linear", "log"}),
       .description = "Whether values are linear in the coordinate of the levels, or in its logarithm.",
       .example = "log",
       .default_value = "linear"},
      {.name = "extrapolate",
       .type = choice({"hold", "linear", "missing"}),
       .description =
           "The value above the highest and below the lowest level of the files: the value of that "
           "level, the line through the last two, or what `missing` says.",
       .example = "linear",
       .default_value = "hold"},
  });
}

std::vector<Option> which_values() {
  return {
      {.name = "variable",
       .type = text(),
       .description =
           "The variable of the files, with the path of its groups; by default that of the field's name.",
       .example = "tos"},
      record_choice_option(),
      {.name = "vertical",
       .type = vertical_type(),
       .description =
           "Values are interpolated to other levels than those of the files. Without it both must be the "
           "same.",
       .example = "{to: p_full, interpolate: log}"},
      input_regrid_option("The field"),
      {.name = "select",
       .type = map("dim", integer(0)),
       .description = "The index, from 0, along dimensions of the variable that the grid lacks, such as the "
                      "member of an "
                      "ensemble.",
       .example = "{member: 3}"},
      {.name = "grid",
       .type = text(),
       .description = "The grid of a field that only expressions use; the model declares the grid of those "
                      "that it gets.",
       .example = "ocean"},
  };
}

std::vector<Option> how_values_change() {
  return {
      {.name = "units",
       .type = text(),
       .description =
           "The units of the files' values, in place of their attribute `units`. The values are converted to "
           "those that the model declares.",
       .example = "K"},
      {.name = "scale",
       .type = real(-any_number),
       .description = "The factor of the files' values, before `offset` is added and units are converted.",
       .example = "0.10197",
       .default_value = "1"},
      {.name = "offset",
       .type = real(-any_number),
       .description = "The number that is added to the files' values, in their units.",
       .example = "273.15",
       .default_value = "0"},
      {.name = "missing",
       .type = missing_type(),
       .description =
           "The value where the files have none: an error (`refuse`), this number, the value "
           "of "
           "the nearest cell of the same level that has one (`nearest`), or its own fill value (`keep`).",
       .example = "nearest",
       .default_value = "refuse"},
      {.name = "narrow",
       .type = flag(),
       .description =
           "Whether the model's type may hold fewer digits than that of the files: float64 to float32, or "
           "real numbers to integers. Otherwise this is an error.",
       .example = "true",
       .default_value = "false"},
  };
}

MissingRequest missing_of(const Value& value) {
  if (const auto number = parse_real(value.text()))
    return {.kind = MissingRequest::Kind::value, .value = *number};
  if (value.text() == "nearest") return {.kind = MissingRequest::Kind::nearest};
  return {.kind = value.text() == "keep" ? MissingRequest::Kind::keep : MissingRequest::Kind::refuse};
}

// Missing levels are there for good, so that it would be an error at the first step at the latest.
void check_beyond(const Value& section, const input::FieldRequest& field, Problems& problems) {
  const Value* beyond = section.at("vertical").find("extrapolate");
  if (const Value* missing = section.find("missing"); missing != nullptr && missing->open()) return;
  const bool is_refused = field.missing.kind == MissingRequest::Kind::refuse ||
                          field.missing.kind == MissingRequest::Kind::nearest;
  if (beyond != nullptr && beyond->text() == "missing" && is_refused)
    problems.add(beyond->location(), beyond->path(),
                 "missing levels are an error where `missing` of the field gives them no value; expected a "
                 "number or `keep` there, or `hold` or `linear` here");
}

void set_vertical(const Value& section, input::FieldRequest& field, Problems& problems) {
  const Value* vertical = section.find("vertical");
  if (vertical == nullptr) return;
  using enum input::VerticalRule;
  using input::Beyond;
  field.vertical = input::VerticalRequest{
      .to = text_of(*vertical, "to"),
      .options = {.rule = choice_of<input::VerticalRule>(*vertical, "interpolate",
                                                         {{"linear", linear}, {"log", logarithmic}}),
                  .beyond = choice_of<Beyond>(
                      *vertical, "extrapolate",
                      {{"hold", Beyond::hold}, {"linear", Beyond::linear}, {"missing", Beyond::missing}})}};
  check_beyond(section, field, problems);
}

void set_units(const Value& section, input::FieldRequest& field, Problems& problems) {
  const Value* given = section.find("units");
  if (given == nullptr || given->open()) return;
  field.units = given->text();
  if (field.units.empty() || !units::unit_system().knows(field.units))
    problems.add(given->location(), given->path(),
                 fmt::format("expected units that UDUNITS knows, such as `K` or `kg m-2 s-1`, but got \"{}\"",
                             field.units));
}

double real_of(const Value& section, const char* name, double fallback) {
  const Value* value = section.find(name);
  return value == nullptr || value->open() ? fallback : value->real();
}

}  // namespace

Type input_field_type() { return joined_section({which_values(), how_values_change()}); }

Option input_regrid_option(const std::string& whose) {
  return {.name = "regrid",
          .type = config::section(regrid::how_options()),
          .description = fmt::format(
              "{} is regridded from the horizontal cells of the files to those of the model. Without it both "
              "must be the same.",
              whose),
          .example = "{method: bilinear, coverage: 0.9}"};
}

std::optional<input::RegridRequest> input_regrid_of(const Value& section, Problems& problems) {
  const Value* value = section.find("regrid");
  if (value == nullptr) return std::nullopt;
  regrid::Options options;
  regrid::read_how(*value, options, problems);
  return input::RegridRequest{.rule = {.method = options.method,
                                       .coverage = options.coverage,
                                       .normalisation = options.normalisation},
                              .weights = options.weights};
}

input::FieldRequest input_field_of(const ValueEntry& entry,
                                   const std::optional<input::RegridRequest>& of_entry, Problems& problems) {
  const Value& section = entry.value;
  input::FieldRequest field;
  field.name = entry.key;
  field.location = entry.location;
  field.variable = text_of(section, "variable", field.name);
  set_record_choice(section, field, problems);
  set_units(section, field, problems);
  field.scale = real_of(section, "scale", field.scale);
  field.offset = real_of(section, "offset", field.offset);
  if (const Value* missing = section.find("missing")) field.missing = missing_of(*missing);
  set_vertical(section, field, problems);
  if (const Value* select = section.find("select"))
    for (const ValueEntry& dim : select->entries()) field.select[dim.key] = dim.value.integer();
  field.regrid = input_regrid_of(section, problems);
  if (!field.regrid) field.regrid = of_entry;
  field.may_lose_bits = flag_of(section, "narrow", field.may_lose_bits);
  field.grid = text_of(section, "grid");
  return field;
}

}  // namespace tailrace::settings
