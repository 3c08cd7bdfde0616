// Write-behind for files that are written once and not read soon, with sync_file_range and posix_fadvise, as
// databases do. Written bytes are transferred to the device at once and then dropped from the page cache. So
// `sync` has little left to do, and a file of any length needs few pages. Without it, `sync` of a large file
// would block for seconds, and the page cache would displace the model's memory.
#pragma once

#include <cstdint>
#include <deque>

#include "env/file.hpp"

namespace tailrace::env {

// For one file, and one thread at a time.
class WriteBehindSync {
 public:
  static constexpr std::uint64_t most_under_way = std::uint64_t{32} << 20;  // bytes
  // Smaller amounts are left to `sync`: a page that several writes share would be transferred once for each.
  static constexpr std::uint64_t least = std::uint64_t{256} << 10;

  // Call it after each write. May block for the device. Throws Error(resource) if the device failed to write
  // earlier bytes; `sync` does not report that again.
  void wrote(File& file, std::uint64_t address, std::uint64_t size);

 private:
  struct Part {
    std::uint64_t address, size;
  };
  std::deque<Part> under_way_;
  std::uint64_t bytes_ = 0;  // of them
};

inline void WriteBehindSync::wrote(File& file, std::uint64_t address, std::uint64_t size) {
  if (size < least) return;
  file.start_sync(address, size);
  under_way_.push_back({address, size});
  bytes_ += size;
  while (bytes_ > most_under_way) {
    const Part oldest = under_way_.front();
    under_way_.pop_front();
    bytes_ -= oldest.size;
    file.finish_sync(oldest.address, oldest.size);
  }
}

}  // namespace tailrace::env
