// A member of a set at another place, with each byte checked on its way.
#pragma once

#include <functional>
#include <string>

#include "checkpoint/checkpoint.hpp"
#include "env/file_system.hpp"

namespace tailrace::checkpoint {

// `to` is a new file; its contents are on the device when this returns, its name may not be. Throws
// Error(resource): a file that cannot be read or written, one that is there already, damage with its place,
// or an end before the end because `stops` said so.
void copy_shard(env::FileSystem& files, const std::string& from, const std::string& to, const Shard& shard,
                const std::function<bool()>& stops = {});

}  // namespace tailrace::checkpoint
