// Accounts for the memory of a server by purpose: the present amount and the maximum.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/index.hpp"
#include "telemetry/counter.hpp"

namespace tailrace::telemetry {

enum class MemoryKind : int {
  arrivals,    // packets that clients sent by messages, until they are processed
  messages,    // between servers: waiting, in transit, received and not yet processed
  chunks,      // incomplete: some cells or records are missing
  files,       // waiting for their commit, or being written
  analytics,   // blocks and partial results of diagnostics
  windows,     // accumulators
  geometry,    // the mapping from cells of clients to chunks
  reuse,       // free, in pools
  checkpoint,  // fields and state of checkpoints, until they are written
  input,       // records of input fields, until all clients have had them
  regrid       // weights, and values that are being regridded
};
inline constexpr std::size_t held_count = 11;
const char* held_name(MemoryKind what);

// Safe from several threads.
class MemoryAccount {
 public:
  void add(MemoryKind what, std::uint64_t bytes);
  void subtract(MemoryKind what, std::uint64_t bytes);
  std::uint64_t now(MemoryKind what) const { return now_[base::index(what)].get(); }
  std::uint64_t most(MemoryKind what) const { return most_[base::index(what)].get(); }
  std::uint64_t total() const { return total_.get(); }
  std::uint64_t most_total() const { return most_total_.get(); }

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor& visit) {
    for (auto& counter : self.most_) visit(counter);
    visit(self.total_);
    visit(self.most_total_);
  }

 private:
  std::array<SharedCounter, held_count> now_, most_;
  SharedCounter total_, most_total_;
};

// The entries of one part of a server, which are removed with this object. One thread.
class HeldPart {
 public:
  explicit HeldPart(MemoryAccount& account) : account_(account) {}  // must live longer
  ~HeldPart();
  HeldPart(const HeldPart&) = delete;
  HeldPart& operator=(const HeldPart&) = delete;
  void set(MemoryKind what, std::uint64_t bytes);

 private:
  MemoryAccount& account_;
  std::array<std::uint64_t, held_count> entered_{};
};

}  // namespace tailrace::telemetry
