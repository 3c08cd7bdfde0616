#include "output/adios2/section.hpp"

#include <fmt/format.h>

#include "config/read.hpp"

namespace tailrace::output::adios2 {
namespace {

using namespace config;

Type type() {
  return section({
      {.name = "engine",
       .type = choice({"bp5", "bp4", "sst"}),
       .description =
           "The engine of ADIOS2: a dataset on the disk, or, with `sst`, a stream to readers that come and "
           "go.",
       .example = "sst",
       .default_value = "bp5"},
      {.name = "queue",
       .type = integer(1, 1000),
       .description = "How many steps a stream keeps for its readers.",
       .example = "10",
       .default_value = "4"},
      {.name = "when_full",
       .type = choice({"discard", "block"}),
       .description =
           "The treatment of a step when a stream's queue is full: it is discarded, or the server waits for "
           "the reader.",
       .example = "block",
       .default_value = "discard"},
      {.name = "listen",
       .type = choice({"loopback", "all"}),
       .description = "Where readers of a stream may be: on the server's node, or on any that reaches it.",
       .example = "all",
       .default_value = "loopback"},
      {.name = "operator",
       .type = choice({"none", "blosc", "bzip2", "zfp"}),
       .description = "The operator that ADIOS2's own library applies to the chunks of fields, if it was "
                      "built with it.",
       .example = "blosc",
       .default_value = "none"},
      {.name = "compressor",
       .type = choice({"blosclz", "lz4", "lz4hc", "zlib", "zstd"}),
       .description = "The compressor within Blosc, by default zstd.",
       .example = "lz4"},
      {.name = "level",
       .type = integer(1, 9),
       .description = "The level of Blosc, by default 1.",
       .example = "5"},
      {.name = "burst_buffer",
       .type = text(),
       .description =
           "A folder on a disk near the server, to which ADIOS2 writes first; a thread of it copies the "
           "files to their place. For engine `bp4`.",
       .example = "/local/scratch"},
      {.name = "aggregators",
       .type = integer(1, 1 << 20),
       .description = "How many servers write the files of the dataset. One does.",
       .example = "1",
       .default_value = "1"},
  });
}

void refuse(const Value& section, std::string_view name, const std::string& why, Problems& problems) {
  if (const Value* value = section.find(name)) problems.add(value->location(), value->path(), why);
}

// Options that need another option.
void check_company(const Value& section, const Options& options, Problems& problems) {
  if (options.engine == Engine::sst && options.applied != Operator::none)
    refuse(section, "operator", "a stream's values are not compressed; expected engine `bp5`", problems);
  for (const char* name : {"compressor", "level"})
    if (options.applied != Operator::blosc)
      refuse(section, name, "stands beside `operator: blosc` only", problems);
}

// Refuses options that the library of ADIOS2 does not support.
void check_library(const Value& section, const Options& options, Problems& problems) {
  if (options.engine == Engine::bp5)
    refuse(section, "burst_buffer",
           "ADIOS2 2.12 leaves an empty dataset behind when BP5 drains a burst buffer; expected engine "
           "`bp4`, or `servers.when_full: spill`, which serves all formats",
           problems);
  if (options.engine == Engine::sst)
    refuse(section, "burst_buffer", "a stream has no files; expected engine `bp4`", problems);
  if (const std::string named = text_of(section, "operator"); named == "bzip2" || named == "zfp")
    refuse(section, "operator",
           fmt::format("ADIOS2 2.12 {} where {} makes values no smaller; expected `blosc`, or `compression`",
                       named == "zfp" ? "writes behind its own buffer" : "ends the file", named),
           problems);
  if (integer_of(section, "aggregators", 1) > 1)
    refuse(section, "aggregators",
           "several writers of one dataset would need MPI within ADIOS2, on threads of the servers' own; "
           "expected 1, or several files in `output`, which the servers share",
           problems);
}

Options read(const Value& value, Problems& problems) {
  Options options;
  if (value.find("engine") != nullptr)
    options.engine = choice_of<Engine>(value, "engine",
                                       {{"bp5", Engine::bp5}, {"bp4", Engine::bp4}, {"sst", Engine::sst}});
  options.queue = integer_of(value, "queue", options.queue);
  if (value.find("when_full") != nullptr)
    options.when_full =
        choice_of<WhenFull>(value, "when_full", {{"discard", WhenFull::discard}, {"block", WhenFull::block}});
  if (value.find("listen") != nullptr)
    options.listen =
        choice_of<Listen>(value, "listen", {{"loopback", Listen::loopback}, {"all", Listen::all}});
  options.applied = choice_of<Operator>(value, "operator",
                                        {{"none", Operator::none},
                                         {"blosc", Operator::blosc},
                                         {"bzip2", Operator::none},
                                         {"zfp", Operator::none}});
  options.compressor = text_of(value, "compressor", options.compressor);
  options.level = integer_of(value, "level", options.level);
  options.burst_buffer = text_of(value, "burst_buffer");
  check_company(value, options, problems);
  check_library(value, options, problems);
  return options;
}

}  // namespace

FormatSection options_section() {
  return {.option = {.name = "adios2",
                     .type = type(),
                     .description = "How `format: adios2` writes.",
                     .example = "{engine: sst, queue: 10}"},
          .read = [](const std::string&, const Value& value, Problems& problems) {
            return wrap_options(read(value, problems));
          }};
}

void check_request(const Options& options, const DatasetRequest& request, Problems& problems) {
  if (request.appends && options.engine != Engine::bp5)
    problems.add(request.if_exists_location, request.config_path + ".if_exists",
                 "of ADIOS2's engines `bp5` alone goes on with a dataset of an earlier run; expected it, or "
                 "`fail` or `replace`");
  if (request.rounds)
    problems.add(
        request.format_location, request.config_path + ".format",
        "does not tell readers the errors of values that are rounded; expected `netcdf` or `zarr`, or "
        "no `keep` under `compression`");
  if (!request.compresses) return;
  if (options.applied != Operator::none)
    problems.add(request.section_location, request.config_path + ".adios2",
                 "its values have a `compression` already; expected either that or `operator`");
  if (options.engine == Engine::bp5) return;
  problems.add(request.format_location, request.config_path + ".format",
               fmt::format("the values of {} are not compressed; expected no `compression`, or engine `bp5`",
                           options.engine == Engine::sst ? "a stream" : "engine `bp4`"));
}

}  // namespace tailrace::output::adios2
