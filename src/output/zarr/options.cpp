#include "output/zarr/options.hpp"

#include <algorithm>

#include "config/read.hpp"
#include "time/options.hpp"

namespace tailrace::output::zarr {
namespace {

using namespace config;

constexpr std::int64_t most_records = 100000, most_puts = 256;

Type type() {
  return section({
      {.name = "writers",
       .type = choice({"all", "home"}),
       .description = "`home`: one server, the home of the store, writes all chunks and shards. `all`: each "
                      "server writes those that it has encoded. The home always writes the metadata.",
       .example = "all"},
      {.name = "shards",
       .type = flag(),
       .description =
           "Whether several chunks share a file, a shard. By default they do where a commit brings whole "
           "chunks. A store that the run continues keeps its shards, unless an option of shards is given.",
       .example = "false"},
      {.name = "shard_size",
       .type = size(),
       .description =
           "The most bytes of a shard before compression, by default 64 MiB; a single larger chunk is a "
           "file.",
       .example = "256 MiB"},
      {.name = "shard_records",
       .type = integer(1, most_records),
       .description =
           "How many records a shard holds, rounded up to whole chunks. By default as many as a commit "
           "brings, where `write_every` tells that and `shard_size` has room for them, and else one chunk "
           "along the records. Each commit that does not fill a shard makes the next one write it anew.",
       .example = "24"},
      {.name = "patience",
       .type = time::duration_type(),
       .description =
           "On an object store: how long a request that fails is tried again. Then `on_error` decides. By "
           "default 2 min.",
       .example = "10 min"},
      {.name = "part_size",
       .type = size(),
       .description = "On an object store: larger objects are sent in parts of this size. By default 32 MiB.",
       .example = "64 MiB"},
      {.name = "parallel_puts",
       .type = integer(1, most_puts),
       .description = "On an object store: how many objects are sent at a time. By default 8.",
       .example = "16"},
  });
}

ObjectOptions read_objects(const Value& value, Problems& problems) {
  ObjectOptions options;
  options.patience = time::seconds_of(value, "patience", options.patience);
  options.part_bytes = size_of(value, "part_size", options.part_bytes,
                               {.bytes = std::size_t{5} << 20, .words = "5 MiB"}, problems);
  options.parallel_puts = static_cast<int>(integer_of(value, "parallel_puts", options.parallel_puts));
  return options;
}

Options read(const Value& value, Problems& problems) {
  Options options;
  // None of them has a declared default, for that would look as if the user had given it.
  options.writers = choice_of<Writers>(value, "writers", {{"home", Writers::home}, {"all", Writers::all}});
  options.asks_for_writers = value.find("writers") != nullptr && options.writers == Writers::all;
  options.shards = flag_of(value, "shards", options.shards);
  options.shard_bytes =
      size_of(value, "shard_size", options.shard_bytes, {.bytes = 1024, .words = "1 KiB"}, problems);
  options.shard_records = integer_of(value, "shard_records", 0);
  for (const char* name : {"shards", "shard_size", "shard_records"}) {
    const Value* given = value.find(name);
    options.are_given = options.are_given || given != nullptr;
    if (given != nullptr && !options.shards && name != std::string_view("shards"))
      problems.add(given->location(), given->path(), "there are no shards; expected no `shards: false`");
  }
  options.objects = read_objects(value, problems);
  for (const char* name : {"patience", "part_size", "parallel_puts"})
    if (value.find(name) != nullptr) options.given_for_objects.emplace_back(name);
  return options;
}

}  // namespace

FormatSection options_section() {
  return {.option = {.name = "zarr",
                     .type = type(),
                     .description = "How `format: zarr` writes.",
                     .example = "{shard_size: 256 MiB}"},
          .read = [](const std::string&, const Value& value, Problems& problems) {
            return wrap_options(read(value, problems));
          }};
}

}  // namespace tailrace::output::zarr
