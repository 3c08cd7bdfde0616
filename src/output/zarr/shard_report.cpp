#include "output/zarr/shard_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>

#include "base/error.hpp"
#include "base/text_tree.hpp"
#include "output/zarr/shard_file.hpp"
#include "output/zarr/shard_grid.hpp"

namespace tailrace::output::zarr {
namespace {

using Shape = std::vector<std::int64_t>;

struct Sum {
  std::uint64_t shards = 0, bytes = 0, chunks = 0, unused = 0;
};

void look_at(const Store& store, const std::string& name, std::size_t chunks, Sum& sum,
             std::vector<std::string>& damaged) {
  try {
    const OpenShard shard = open_shard(store, name, chunks);
    ++sum.shards;
    sum.bytes += shard.file->size();
    std::uint64_t used = ShardIndex::bytes_of(chunks);
    for (std::size_t i = 0; i < chunks; ++i) {
      if (!shard.index.at(i)) continue;
      ++sum.chunks;
      used += shard.index.at(i)->size;
    }
    if (shard.file->size() > used) sum.unused += shard.file->size() - used;
  } catch (const Error& error) {
    damaged.emplace_back(error.what());
  }
}

// Looks at the files that lie so many folders below this one.
void look_below(const Store& store, const std::string& folder, std::size_t depth, std::size_t chunks,
                Sum& sum, std::vector<std::string>& damaged) {
  if (depth == 0) return look_at(store, folder, chunks, sum, damaged);
  for (const std::string& name : store.list(folder))
    if (number_in_name(name)) look_below(store, folder + "/" + name, depth - 1, chunks, sum, damaged);
}

std::string counted(std::uint64_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

ShardReport look_at_shards(const Store& store, const Json& group) {
  ShardReport report;
  for (const auto& [name, array] : arrays_in(group).items()) {
    const Shape shard = shard_in(array), shape = array.at("shape").get<Shape>();
    if (shard.empty() || shape.size() != shard.size() || std::ranges::find(shape, 0) != shape.end()) continue;
    const Shape chunk = chunk_in(array);
    Sum sum;
    const std::string folder = name + "/c";
    for (const std::string& first : store.list(folder)) {
      const auto number = number_in_name(first);
      // A killed run may leave a shard behind the last record, which nobody reads.
      if (!number || *number > (shape[0] - 1) / shard[0]) continue;
      look_below(store, folder + "/" + first, shard.size() - 1, chunks_in(shard, chunk), sum, report.damaged);
    }
    report.words +=
        fmt::format("\n    {}: {} of {} with chunks of {}; {}, {}", name, counted(sum.shards, "shard"),
                    fmt::join(shard, " x "), fmt::join(chunk, " x "), counted(sum.chunks, "chunk"),
                    base::bytes_text(static_cast<double>(sum.bytes)));
    if (sum.unused > 0)
      report.words += fmt::format(", {} of them unused", base::bytes_text(static_cast<double>(sum.unused)));
  }
  return report;
}

}  // namespace tailrace::output::zarr
