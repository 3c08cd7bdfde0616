#include "settings/formats/format_checks.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "codecs/own_plugin.hpp"
#include "output/codec_needs.hpp"
#include "output/object_store/location.hpp"

namespace tailrace::settings {
namespace {

using config::Problems;

bool is_compressed(const OutputEntry& file) {
  return file.codec.codec != "none" || std::ranges::any_of(file.variables, [](const VariableEntry& variable) {
           return variable.codec && variable.codec->codec != "none";
         });
}

bool rounds(const OutputEntry& file) {
  return file.codec.keep || std::ranges::any_of(file.variables, [](const VariableEntry& variable) {
           return variable.codec && variable.codec->keep;
         });
}

// One that needs a plugin of Tailrace; empty: none does.
std::string own_codec(const OutputEntry& file) {
  if (codecs::needs_own_plugin(file.codec.codec)) return file.codec.codec;
  for (const VariableEntry& variable : file.variables)
    if (variable.codec && codecs::needs_own_plugin(variable.codec->codec)) return variable.codec->codec;
  return "";
}

output::DatasetRequest request_of(const OutputEntry& file) {
  const auto section = file.format_sections.find(file.format);
  return {.path = file.path,
          .config_path = "output." + file.path,
          .location = file.location,
          .format_location = file.format_location,
          .section_location = section == file.format_sections.end() ? config::Location() : section->second,
          .if_exists_location = file.if_exists_location,
          .appends = file.if_exists == output::IfExists::append,
          .compresses = is_compressed(file),
          .rounds = rounds(file),
          .is_series = file.has_many_files()};
}

void check_sections(const OutputEntry& file, Problems& problems) {
  for (const auto& [format, location] : file.format_sections)
    if (format != file.format)
      problems.add(location, fmt::format("output.{}.{}", file.path, format),
                   fmt::format("the file has format \"{}\"; expected `format: {}`", file.format, format));
}

}  // namespace

void check_format(const OutputEntry& file, Problems& problems) {
  check_sections(file, problems);
  const output::Format* format = output::find_format(file.format);
  if (format == nullptr) return;
  if (format->makes_files() && output::object_store::is_unknown_url(file.path))
    problems.add(
        file.location, "output." + file.path,
        "is no name of an object store that is known; expected one that begins with \"s3://\", or a path in "
        "the file system");
  const output::DatasetRequest request = request_of(file);
  if (request.appends && !format->can_append())
    problems.add(request.if_exists_location, request.config_path + ".if_exists",
                 fmt::format("format \"{}\" goes on with no file of an earlier run; expected `fail` or "
                             "`replace`, or format \"netcdf\"",
                             file.format));
  if (const std::string missing = format->missing(); !missing.empty())
    problems.add(request.format_location, request.config_path + ".format", missing);
  if (const std::string codec = own_codec(file); !codec.empty() && !output::readers_need(file.format, codec))
    problems.add(
        request.format_location, request.config_path + ".format",
        fmt::format("its readers do not decode codec \"{}\"; expected `netcdf` or `zarr`, or `codec: zstd`",
                    codec));
  if (output::object_store::is_object_url(file.path) && !format->writes_objects())
    problems.add(
        request.location, request.config_path,
        fmt::format("format \"{}\" does not write to object stores; expected `format: zarr`, or a path "
                    "in the file system",
                    file.format));
  format->check(file.format_options.get(), request, problems);
}

}  // namespace tailrace::settings
