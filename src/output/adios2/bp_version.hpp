// The version of the format BP of a dataset, from the head of its index. Also for the plugin, which links
// nothing of this room.
#pragma once

#include <fstream>
#include <string>

namespace tailrace::output::adios2 {

// 4 or 5; another number for a dataset of another version, or none.
inline int bp_version(const std::string& dataset) {
  constexpr std::streamoff version_at = 37;
  std::ifstream index(dataset + "/md.idx", std::ios::binary);
  index.seekg(version_at);
  return index.get();
}

}  // namespace tailrace::output::adios2
