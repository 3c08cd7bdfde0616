#include "telemetry/memory_account.hpp"

#include "base/index.hpp"

namespace tailrace::telemetry {

const char* held_name(MemoryKind what) {
  static constexpr std::array<const char*, held_count> names{"arrivals",   "messages", "chunks",   "files",
                                                             "analytics",  "windows",  "geometry", "reuse",
                                                             "checkpoint", "input",    "regrid"};
  return names[base::index(what)];
}

void MemoryAccount::add(MemoryKind what, std::uint64_t bytes) {
  now_[base::index(what)].add(bytes);
  total_.add(bytes);
  most_[base::index(what)].raise_to(now(what));
  most_total_.raise_to(total());
}

void MemoryAccount::subtract(MemoryKind what, std::uint64_t bytes) {
  now_[base::index(what)].subtract(bytes);
  total_.subtract(bytes);
}

HeldPart::~HeldPart() {
  for (std::size_t what = 0; what < held_count; ++what) set(static_cast<MemoryKind>(what), 0);
}

void HeldPart::set(MemoryKind what, std::uint64_t bytes) {
  std::uint64_t& entered = entered_[base::index(what)];
  if (bytes > entered) account_.add(what, bytes - entered);
  if (bytes < entered) account_.subtract(what, entered - bytes);
  entered = bytes;
}

}  // namespace tailrace::telemetry
