#include "analytics/user/section.hpp"

#include <filesystem>
#include <limits>

#include "config/read.hpp"

namespace tailrace::analytics::user {

using config::Kind;
using config::Value;

namespace {

config::Type dims_type() {
  using namespace config;
  return either({choice({"same"}), list(either({text(), map("dimension", integer(1))}))});
}

config::Type state_type() {
  using namespace config;
  return config::section({
      {.name = "dims",
       .type = dims_type(),
       .description =
           "The dimensions of the array: `same` as the first argument, or a list of names of the "
           "arguments' dimensions and of new ones with their extent. Dimensions of arguments that it "
           "lacks are whole in a call.",
       .example = "[y, x, {lag: 3}]",
       .default_value = "same"},
      {.name = "start",
       .type = real(-std::numeric_limits<double>::infinity()),
       .description = "The values before the first step; by default they are missing (NaN).",
       .example = "0"},
  });
}

config::Type result_type() {
  using namespace config;
  return config::section({
      {.name = "dims",
       .type = dims_type(),
       .description = "The dimensions of the result: `same` as the first argument, or a list of names of the "
                      "arguments' "
                      "dimensions and of new ones with their extent.",
       .example = "[y, x, {bin: 10}]",
       .default_value = "same"},
      {.name = "units",
       .type = text(),
       .description =
           "The units of the result; `same` for those of the first argument. By default they are unknown.",
       .example = "m s-1"},
  });
}

config::Type operator_type() {
  using namespace config;
  return config::section({
      {.name = "library",
       .type = text(),
       .description =
           "The shared library with the function, relative to the configuration; give either this or "
           "`python`.",
       .example = "./libwind.so"},
      {.name = "symbol",
       .type = text(),
       .description = "The name of the function in the library; by default that of the operator.",
       .example = "wind_speed_v2"},
      {.name = "python",
       .type = text(),
       .description =
           "The Python file with the function, relative to the configuration, followed by a colon and "
           "the name of the function if it differs from that of the operator.",
       .example = "mine.py:wind_speed"},
      {.name = "arguments",
       .type = either({integer(1, 16), list(either({choice({"any"}), list(text())}), 1)}),
       .description =
           "The arguments: their number, or a list with the dimensions of each, slowest first in any "
           "language (`[y, x]` for `a(x, y)` in Fortran); `any` accepts all dimensions.",
       .example = "[[z, y, x], any]",
       .default_value = "1"},
      {.name = "needs_whole",
       .type = either({choice({"all"}), list(text())}),
       .description =
           "The dimensions along which a call must see all cells; dimensions that the result does not "
           "have are always whole.",
       .example = "[z]"},
      {.name = "result",
       .type = result_type(),
       .description = "The result of the function.",
       .example = "{dims: same, units: m s-1}"},
      {.name = "state",
       .type = map("array", state_type()),
       .description = "Arrays that the function keeps from step to step, by name. Checkpoints save them.",
       .example = "{highest: {dims: same}, steps: {dims: [], start: 0}}"},
      {.name = "takes_missing",
       .type = flag(),
       .description =
           "Whether the function takes missing values, those of fields with a `fill_value`: it sees them as "
           "NaN, and where it gives NaN the result is missing. Otherwise such arguments are an error.",
       .example = "true",
       .default_value = "false"},
      {.name = "thread_safe",
       .type = flag(),
       .description = "Whether several threads of a server may call the function at once.",
       .example = "true",
       .default_value = "false"},
  });
}

std::vector<NamedDim> dims_of(const Value& list) {
  std::vector<NamedDim> dims;
  for (const Value& item : list.items()) dims.push_back({.name = item.text(), .location = item.location()});
  return dims;
}

// Always with a folder, since the loader searches its own path for a bare name.
std::string path_beside(const config::Location& location, const std::string& path) {
  const std::filesystem::path beside = std::filesystem::path(location.file).parent_path() / path;
  const std::string text = beside.lexically_normal().string();
  return text.find('/') == std::string::npos ? "./" + text : text;
}

void set_file(const Value& value, Declaration& declaration, config::Problems& problems) {
  const Value* library = value.find("library");
  const Value* python = value.find("python");
  const Value* symbol = value.find("symbol");
  if ((library == nullptr) == (python == nullptr)) {
    problems.add(value.location(), value.path(), "expected either `library` or `python`");
    return;
  }
  declaration.function = declaration.name;
  declaration.python = python != nullptr;
  declaration.file_location = (python != nullptr ? python : library)->location();
  if (library != nullptr) {
    declaration.path = path_beside(library->location(), library->text());
    if (symbol != nullptr) declaration.function = symbol->text();
    return;
  }
  if (symbol != nullptr)
    problems.add(symbol->location(), symbol->path(),
                 "a function in Python is named after the file: `python: mine.py:wind_speed`");
  const std::string& text = python->text();
  const std::size_t colon = text.rfind(':');
  if (colon != std::string::npos) declaration.function = text.substr(colon + 1);
  declaration.path = path_beside(python->location(), text.substr(0, colon));
}

void set_arguments(const Value& value, Declaration& declaration) {
  if (value.kind() != Kind::list) {
    declaration.arguments.resize(static_cast<std::size_t>(value.integer()));
    return;
  }
  for (const Value& item : value.items()) {
    auto& argument = declaration.arguments.emplace_back();
    if (item.kind() == Kind::list) argument = dims_of(item);
  }
}

// None: `same`, or not given.
std::optional<std::vector<ResultDim>> listed_dims(const Value& value) {
  const Value* dims = value.find("dims");
  if (dims == nullptr || dims->kind() != Kind::list) return std::nullopt;
  std::vector<ResultDim> listed;
  for (const Value& item : dims->items()) {
    if (item.kind() != Kind::map) {
      listed.push_back({.name = item.text(), .location = item.location()});
      continue;
    }
    for (const auto& entry : item.entries())
      listed.push_back({.name = entry.key, .extent = entry.value.integer(), .location = entry.location});
  }
  return listed;
}

void set_state(const Value& value, Declaration& declaration) {
  for (const auto& entry : value.entries()) {
    KeptArray& array = declaration.state.emplace_back();
    array.name = entry.key;
    array.location = entry.location;
    array.dims = listed_dims(entry.value);
    if (const Value* start = entry.value.find("start")) array.start = start->real();
  }
}

void set_result(const Value& value, Declaration& declaration) {
  if (const Value* units = value.find("units")) {
    declaration.units = units->text();
    declaration.units_location = units->location();
  }
  declaration.result = listed_dims(value);
}

Declaration operator_of(const config::ValueEntry& entry, config::Problems& problems) {
  Declaration declaration;
  declaration.name = entry.key;
  declaration.location = entry.location;
  set_file(entry.value, declaration, problems);
  if (const Value* arguments = entry.value.find("arguments")) set_arguments(*arguments, declaration);
  if (const Value* whole = entry.value.find("needs_whole")) {
    declaration.needs_all = whole->kind() != Kind::list;
    if (!declaration.needs_all) declaration.needs_whole = dims_of(*whole);
  }
  if (const Value* result = entry.value.find("result")) set_result(*result, declaration);
  if (const Value* state = entry.value.find("state")) set_state(*state, declaration);
  declaration.takes_missing = config::flag_of(entry.value, "takes_missing", false);
  declaration.thread_safe = config::flag_of(entry.value, "thread_safe", false);
  return declaration;
}

std::vector<Declaration> read(const Value& value, config::Problems& problems) {
  std::vector<Declaration> declarations;
  for (const auto& entry : value.entries()) declarations.push_back(operator_of(entry, problems));
  check_declarations(declarations, problems);
  return declarations;
}

const config::SectionRegistration registration{section};

}  // namespace

config::Section<std::vector<Declaration>> section() {
  return {.option = {.name = "operators",
                     .type = config::map("name", operator_type()),
                     .description =
                         "User-defined functions in C, C++, Fortran or Python that expressions can call.",
                     .example = "{wind_speed: {library: ./libwind.so, arguments: 2}}"},
          .read = read};
}

}  // namespace tailrace::analytics::user
