// For files that are written once and not read soon: what is written goes to the device at once, and stays in
// the system's memory no longer than that takes. So `sync` finds little left to do, and the file needs few
// pages, which are used again and again, however long it is.
#pragma once

#include <cstdint>
#include <deque>

#include "env/file.hpp"

namespace tailrace::env {

// One file, one thread at a time.
class WriteBehindSync {
 public:
  static constexpr std::uint64_t most_under_way = std::uint64_t{32} << 20;  // bytes
  // Less is left to `sync`: pages that several writes share would go to the device once for each.
  static constexpr std::uint64_t least = std::uint64_t{256} << 10;

  // After each write. May wait for the device. Error(resource) where it could not take what was written
  // before; `sync` does not tell that again.
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
