#include "output/zarr/shard_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <functional>

#include "base/error.hpp"
#include "base/text_tree.hpp"
#include "output/zarr/shard_file.hpp"
#include "output/zarr/shard_grid.hpp"

namespace tailrace::output::zarr {
namespace {

using Shape = std::vector<std::int64_t>;

constexpr std::size_t most_digits = 18;  // of a number in a name

bool is_number(const std::string& name) {
  return !name.empty() && name.size() <= most_digits &&
         name.find_first_not_of("0123456789") == std::string::npos;
}

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

// Walks the folders of an array, one for each dim but the last, instead of counting up to lengths that may be
// damaged. What lies behind the last record is left of a killed run, and nobody reads it.
void walk(const Store& store, const std::string& folder, const Shape& shape, const Shape& shard,
          const std::function<void(const std::string&)>& visit, std::size_t depth = 0) {
  for (const std::string& name : store.list(folder)) {
    if (!is_number(name) || std::stoll(name) > (shape[depth] - 1) / shard[depth]) continue;
    const std::string path = folder + "/" + name;
    if (depth + 1 == shape.size())
      visit(path);
    else
      walk(store, path, shape, shard, visit, depth + 1);
  }
}

}  // namespace

ShardReport look_at_shards(const Store& store, const Json& group) {
  ShardReport report;
  for (const auto& [name, array] : arrays_in(group).items()) {
    const Shape shard = shard_in(array), shape = array.at("shape").get<Shape>();
    if (shard.empty() || shape.size() != shard.size() || std::ranges::find(shape, 0) != shape.end()) continue;
    const Shape chunk = chunk_in(array);
    Sum sum;
    walk(store, name + "/c", shape, shard, [&](const std::string& path) {
      look_at(store, path, chunks_in(shard, chunk), sum, report.damaged);
    });
    report.words += fmt::format("\n    {}: {} shards of {} with chunks of {}; {} chunks, {}", name,
                                sum.shards, fmt::join(shard, " x "), fmt::join(chunk, " x "), sum.chunks,
                                base::bytes_text(static_cast<double>(sum.bytes)));
    if (sum.unused > 0)
      report.words += fmt::format(", {} of them unused", base::bytes_text(static_cast<double>(sum.unused)));
  }
  return report;
}

}  // namespace tailrace::output::zarr
