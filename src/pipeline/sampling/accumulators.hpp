// The accumulators of one window of a variable on one server: one for each client.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "time/accumulator.hpp"

namespace tailrace::pipeline::sampling {

// Stored contiguously, because one is looked up for each sample. References to accumulators stay valid.
class Accumulators {
 public:
  using Entry = std::pair<int, std::unique_ptr<time::Accumulator>>;

  time::Accumulator* find(int client) const;                                    // null: none
  time::Accumulator& add(int client, std::unique_ptr<time::Accumulator> made);  // once for a client

  auto begin() const { return all_.begin(); }  // by client, ascending
  auto end() const { return all_.end(); }

 private:
  std::vector<Entry> all_;
};

}  // namespace tailrace::pipeline::sampling
