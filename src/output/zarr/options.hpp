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

struct Options {
  bool shards = true;
  std::size_t shard_bytes = std::size_t{64} << 20;  // of a shard before compression, at most
  std::int64_t shard_records = 0;                   // 0: as many as a commit brings
  bool are_given = false;  // by the user, so that a store with other shards is not continued
  // The shapes of the shards in the store that a run continues, by variable; nothing for a new store.
  std::optional<std::map<std::string, std::vector<std::int64_t>>> of_store{};
};

FormatSection options_section();

}  // namespace tailrace::output::zarr
