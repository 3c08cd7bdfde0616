#include "settings/input/source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "config/placeholders.hpp"
#include "config/read.hpp"
#include "config/sources.hpp"
#include "env/programs.hpp"
#include "input/file_names.hpp"

namespace tailrace::settings {
namespace {

using namespace config;

constexpr const char* xarray = "xarray";

Type map_type() {
  return section({
      {.name = "python",
       .type = text(),
       .description =
           "A Python function, as `module:function` or `file.py:function` relative to the configuration. It "
           "gets the name of a file and returns an xarray Dataset. `xarray` alone opens the files with "
           "xarray.",
       .example = "forcing.py:surface"},
      {.name = "interpreter",
       .type = text(),
       .description =
           "The Python that runs it: a path, relative to the configuration, or a name on the PATH. By "
           "default that of `VIRTUAL_ENV`, or else `python3`.",
       .example = "reading/bin/python"},
      {.name = "adios2",
       .type = choice({"file", "stream"}),
       .description =
           "The files are datasets of ADIOS2, or the name is that of a stream (SST) of a job that runs "
           "beside.",
       .example = "stream"},
  });
}

// A file of Python is relative to the configuration; a module is found by Python.
std::string function_of(const Value& python, Problems& problems) {
  const std::string& text = python.text();
  if (text == xarray) return "";
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size()) {
    if (!python.open())
      problems.add(
          python.location(), python.path(),
          fmt::format("expected `module:function`, `file.py:function` or `xarray`, but got \"{}\"", text));
    return text;
  }
  const std::string module = text.substr(0, colon);
  return (module.ends_with(".py") ? path_beside(python.location().file, module) : module) +
         text.substr(colon);
}

input::PythonSource python_of(const Value& map, Problems& problems) {
  input::PythonSource source{.function = function_of(map.at("python"), problems),
                             .interpreter = env::default_interpreter()};
  if (const Value* interpreter = map.find("interpreter")) {
    source.interpreter = interpreter->text();
    if (source.interpreter.find('/') != std::string::npos)
      source.interpreter = path_beside(interpreter->location().file, source.interpreter);
  }
  return source;
}

input::Source source_of(const Value& value, Problems& problems) {
  if (value.kind() != Kind::section) {
    if (value.text() == xarray)
      return input::PythonSource{.function = "", .interpreter = env::default_interpreter()};
    return input::NetcdfSource();
  }
  const Value* python = value.find("python");
  const Value* adios2 = value.find("adios2");
  if ((python == nullptr) == (adios2 == nullptr))
    problems.add(value.location(), value.path(), "expected either `python` or `adios2`");
  if (const Value* interpreter = value.find("interpreter"); interpreter != nullptr && python == nullptr)
    problems.add(interpreter->location(), interpreter->path(), "is for `python`; expected both");
  if (python != nullptr) return python_of(value, problems);
  if (adios2 != nullptr) return input::Adios2Source{.is_stream = adios2->text() == "stream"};
  return input::NetcdfSource();
}

std::string path_of_file(const Value& name, Problems& problems) {
  if (name.open()) return name.text();
  if (const auto complaint = input::file_name_complaint(name.text()))
    problems.add(name.location(), name.path(), *complaint);
  return input::is_url(name.text()) ? name.text() : path_beside(name.location().file, name.text());
}

void check_source(const Value& section, const input::Entry& entry, Problems& problems) {
  const auto* python = std::get_if<input::PythonSource>(&entry.source);
  const Value* files = section.find("files");
  if (files == nullptr) {
    const Value* source = section.find("source");
    if (source != nullptr && source->location().line > 0 && (python == nullptr || python->function.empty()))
      problems.add(section.location(), section.path(),
                   "\"files\" is missing; only a Python function of `source` can do without");
    return;
  }
  const auto* adios2 = std::get_if<input::Adios2Source>(&entry.source);
  if (adios2 == nullptr || !adios2->is_stream) return;
  const bool is_one_name =
      entry.files.size() == 1 && !input::is_glob(entry.files[0]) && !input::has_dates(entry.files[0]);
  if (!is_one_name)
    problems.add(files->location(), files->path(), "expected a single name, since the source is a stream");
}

}  // namespace

std::vector<Option> input_source_options() {
  return {
      {.name = "files",
       .type = either({text(), list(text(), 1)}),
       .description =
           "The files, relative to the configuration: a name, a list of names, a pattern with `*`, `?` or "
           "`[...]`, or a template of dates such as `era5_{time:%Y%m}.nc`. All files that "
           "match a pattern or a template are read. Where files overlap, the later one counts.",
       .example = "\"forcing/era5_{time:%Y%m}.nc\"",
       .required = true,
       .implied_by = {"source"}},
      {.name = "source",
       .type = either({choice({"netcdf", xarray}), map_type()}),
       .description = "The reader of the files: the netCDF library, xarray (for Zarr, GRIB and all else that "
                      "it opens), a "
                      "Python function, or ADIOS2. Each runs in processes of its own beside the servers.",
       .example = "{python: forcing.py:surface}",
       .default_value = "netcdf"},
  };
}

void set_input_source(const Value& section, input::Entry& entry, Problems& problems) {
  if (const Value* files = section.find("files")) {
    entry.files_location_text = files->location().text();
    if (files->kind() != Kind::list) entry.files.push_back(path_of_file(*files, problems));
    for (const Value& name : files->items()) entry.files.push_back(path_of_file(name, problems));
  }
  if (const Value* source = section.find("source")) entry.source = source_of(*source, problems);
  check_source(section, entry, problems);
}

}  // namespace tailrace::settings
