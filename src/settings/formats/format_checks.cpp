#include "settings/formats/format_checks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tailrace::settings {
namespace {

using config::Problems;

void check_appending(const OutputEntry& file, Problems& problems) {
  if (file.if_exists != output::IfExists::append) return;
  const output::Format* format = output::find_format(file.format);
  if (format != nullptr && !format->can_append())
    problems.add(file.if_exists_location, "output." + file.path + ".if_exists",
                 fmt::format("format \"{}\" goes on with no file of an earlier run; expected `fail` or "
                             "`replace`, or format \"netcdf\"",
                             file.format));
  if (file.format == "adios2" && file.adios2.engine != output::adios2::Engine::bp5)
    problems.add(file.if_exists_location, "output." + file.path + ".if_exists",
                 "of ADIOS2's engines `bp5` alone goes on with a dataset of an earlier run; expected it, or "
                 "`fail` or `replace`");
}

// Readers go by the ending.
void check_ending(const OutputEntry& file, Problems& problems) {
  if (file.format != "netcdf" || !file.path.ends_with(".zarr")) return;
  problems.add(
      file.location, "output." + file.path,
      "the name is that of a Zarr store, and the format is \"netcdf\"; expected `format: zarr`, or a "
      "name that ends in .nc");
}

bool is_compressed(const OutputEntry& file) {
  return file.codec.codec != "none" || std::ranges::any_of(file.variables, [](const VariableEntry& variable) {
           return variable.codec && variable.codec->codec != "none";
         });
}

// Of ADIOS2's engines one compresses with codecs that are not its own.
void check_compression(const OutputEntry& file, Problems& problems) {
  using output::adios2::Engine;
  if (file.format != "adios2" || !is_compressed(file)) return;
  const std::string path = "output." + file.path;
  if (file.adios2.applied != output::adios2::Operator::none)
    problems.add(file.adios2_location, path + ".adios2",
                 "its values have a `compression` already; expected either that or `operator`");
  if (file.adios2.engine == Engine::bp5) return;
  problems.add(file.format_location, path + ".format",
               fmt::format("the values of {} are not compressed; expected no `compression`, or engine `bp5`",
                           file.adios2.engine == Engine::sst ? "a stream" : "engine `bp4`"));
}

// The words of a format that a file does not have, and what the format cannot keep.
void check_words(const OutputEntry& file, Problems& problems) {
  const std::string path = "output." + file.path;
  if (file.adios2_location.line > 0 && file.format != "adios2")
    problems.add(file.adios2_location, path + ".adios2",
                 fmt::format("the file has format \"{}\"; expected `format: adios2`", file.format));
  const output::Format* format = output::find_format(file.format);
  if (format == nullptr) return;
  if (const std::string missing = format->missing(); !missing.empty())
    problems.add(file.format_location, path + ".format", missing);
  check_compression(file, problems);
}

}  // namespace

void check_format(const OutputEntry& file, Problems& problems) {
  check_appending(file, problems);
  check_ending(file, problems);
  check_words(file, problems);
}

}  // namespace tailrace::settings
