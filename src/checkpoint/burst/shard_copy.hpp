// Copies a shard, and verifies the checksum of each byte on the way.
#pragma once

#include <functional>
#include <string>

#include "checkpoint/checkpoint.hpp"
#include "env/file_system.hpp"

namespace tailrace::checkpoint {

// `to` is a new file; when this returns, its contents are on the device, but its name may not be. Throws
// Error(resource) if a file cannot be read or written, if `to` exists, for damage, with its place, and if
// `stops` ended the copy.
void copy_shard(env::FileSystem& files, const std::string& from, const std::string& to, const Shard& shard,
                const std::function<bool()>& stops = {});

}  // namespace tailrace::checkpoint
