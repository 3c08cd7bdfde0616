// The options of `format: zarr`, the section `zarr` of a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "output/format.hpp"

namespace tailrace::output::zarr {

// How a store on an object store is written.
struct ObjectOptions {
  double patience = 120.0;                         // seconds
  std::size_t part_bytes = std::size_t{32} << 20;  // larger objects are sent in parts
  int parallel_puts = 8;
};
// A person waits for the answer, or the start of a job.
inline constexpr ObjectOptions reading_options{.patience = 20.0};

enum class Writers { home, all };  // which servers write chunks

struct Options {
  Writers writers = Writers::home;
  bool shards = true;
  std::size_t shard_bytes = std::size_t{64} << 20;  // of a shard before compression, at most
  std::int64_t shard_records = 0;                   // 0: as many as a commit brings
  bool asks_for_writers = false;                    // the user gave `writers: all`
  ObjectOptions objects{};
  std::vector<std::string> given_for_objects{};  // options of `objects` that the user gave
  bool are_given = false;  // by the user, so that a store with other shards is not continued
  // The shapes of the shards in the store that a run continues, by variable; nothing for a new store.
  std::optional<std::map<std::string, std::vector<std::int64_t>>> of_store{};
};

FormatSection options_section();

}  // namespace tailrace::output::zarr
