// Describes active messages for people: for the watchdog, for the list of unmatched names at the end, and
// for errors.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "messaging/active_messages/open.hpp"

namespace tailrace::messaging {

class Describer {
 public:
  // `rank`: this server, one of `size`.
  Describer(std::function<std::string(const Name&)> tell, int rank, int size)
      : tell_(std::move(tell)), rank_(rank), size_(size) {}

  std::string of(const Key& key) const;  // "gather of the mean of th at step 3"
  // The open operations, in at most `most` lines and one line that counts the rest. Sorted by key, so that
  // the same state always gives the same text.
  std::vector<std::string> lines(const Collections& collections, const AwaitedResults& awaited,
                                 std::size_t most) const;
  // These throw Error(internal) for bugs in the plan.
  [[noreturn]] void twice(const Key& key, int server) const;
  [[noreturn]] void differing_roots(const Key& key, int from) const;
  [[noreturn]] void no_server(const Key& key, int server) const;
  [[noreturn]] void after_finish(const Key& key) const;

 private:
  std::function<std::string(const Name&)> tell_;
  int rank_;
  int size_;
};

}  // namespace tailrace::messaging
