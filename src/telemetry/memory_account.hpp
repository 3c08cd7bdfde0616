// The account of the memory that a server holds: how much now, and at most, by what it is held for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/index.hpp"
#include "telemetry/counter.hpp"

namespace tailrace::telemetry {

enum class MemoryKind : int {
  arrivals,   // packets of clients that came by messages, until they are worked on
  messages,   // between servers: waiting, under way, received and not yet worked on
  chunks,     // lack cells or records
  files,      // wait for their commit, or are being written
  analytics,  // blocks and partial results of diagnostics
  windows,    // accumulators
  geometry,   // which cells of which client go where
  reuse,      // free, kept for what comes next
  checkpoint  // what goes into one: fields and state, until they are written
};
inline constexpr std::size_t held_count = 9;
const char* held_name(MemoryKind what);

// Safe from several threads; marks are kept by add().
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

// What one part of a server has entered in the account, which it leaves with its end. One thread.
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
