#include "mip_tables/request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "config/section.hpp"

namespace tailrace::mip_tables {
namespace {

using namespace config;

constexpr const char* expected_request = "a table, or a table and one of its variables, such as `Amon/tas`";

std::optional<std::string> request_complaint(const std::string& text) {
  const bool whole = !text.empty() && !text.starts_with('/') && !text.ends_with('/');
  if (whole && std::ranges::count(text, '/') <= 1 && text.find(' ') == std::string::npos) return std::nullopt;
  return fmt::format("expected {}, but got \"{}\"", expected_request, text);
}

// The place at which the section itself gives the option.
Location own_place(const Value& section, const char* option) {
  const Value* value = section.find(option);
  return value == nullptr || value->inherited() ? Location() : value->location();
}

const SectionRegistration registration{tables_option};

}  // namespace

Option tables_option() {
  return {.name = "cmip",
          .type = section({
              {.name = "tables",
               .type = either({text(), list(text(), 1)}),
               .description =
                   "The tables of a MIP, as they are published for CMOR: a folder, a file, or a list of "
                   "these, relative to this file. Only those that variables name are read.",
               .example = "cmip6-cmor-tables/Tables",
               .required = true},
          }),
          .description =
              "Tables that say what variables are called, their units, how often they are written and how "
              "they are made."};
}

Option variable_option() {
  return {.name = "cmip",
          .type = checked(expected_request, request_complaint),
          .description =
              "The variable of a MIP's table that this is. The table gives its name, attributes, type, "
              "`operation` and `every`, and the model's units are held against it. Without a variable it "
              "is the one with the name of the field, as for a `group`.",
          .example = "Amon/tas"};
}

Request request_of(const Value& variable) {
  Request request;
  const Value& asked = variable.at("cmip");
  const std::string& text = asked.text();
  const std::size_t slash = text.find('/');
  request.table = text.substr(0, slash);
  if (slash != std::string::npos) request.variable = text.substr(slash + 1);
  request.location = asked.location();
  request.every = own_place(variable, variable.find("each") != nullptr ? "each" : "every");
  request.operation = own_place(variable, "operation");
  request.type = own_place(variable, "type");
  request.pack = own_place(variable, "pack");
  request.attributes = own_place(variable, "attributes");
  return request;
}

std::string table_name_of(const std::string& path) { return std::filesystem::path(path).stem().string(); }

bool is_table_at(const std::string& path, std::string_view table) {
  const std::string name = table_name_of(path);
  return name == table || name.ends_with("_" + std::string(table));
}

}  // namespace tailrace::mip_tables
