#include "checkpoint/burst/shard_copy.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "checkpoint/checksums.hpp"
#include "env/write_behind_sync.hpp"

namespace tailrace::checkpoint {

void copy_shard(env::FileSystem& files, const std::string& from, const std::string& to, const Shard& shard,
                const std::function<bool()>& stops) {
  const auto source = files.open(from, env::Access::read);
  const auto target = files.open(to, env::Access::create_new);
  env::WriteBehindSync behind;
  std::vector<std::byte> region(region_bytes);
  for (std::size_t i = 0; i < shard.checksums.size(); ++i) {
    if (stops && stops()) throw Error(ErrorCode::resource, "the copy was stopped");
    const std::uint64_t begin = i * region_bytes;
    source->read(begin, region);  // zeros past the end
    if (checksum(region) != shard.checksums[i])
      throw Error(ErrorCode::resource,
                  fmt::format("was damaged while it was copied, from its byte {} on", begin));
    const std::uint64_t count = std::min(region_bytes, shard.bytes - begin);
    target->write(begin, std::span(region).first(static_cast<std::size_t>(count)));
    behind.wrote(*target, begin, count);
  }
  target->sync();
  target->close();
}

}  // namespace tailrace::checkpoint
