// What a plan needs of the memory of a server whatever the server waits for, and how many records the chunks
// of a series may have. Functions of the configuration, the grids and who holds what.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace tailrace::plan {

// Fills DatasetPlan::open_bytes.
void share_out_open_chunks(const settings::Configuration& configuration,
                           const model::Declarations& declarations, std::vector<DatasetPlan>& files);

// What one server has to do with the plan.
struct ServerShare {
  int servers = 1;
  std::function<std::size_t(int grid)> cells;    // of a grid, that its clients hold
  std::function<bool(std::size_t file)> writes;  // it is the home of the file
};

// One kind of what is held, in bytes, not encoded.
struct MemoryNeed {
  std::string what;  // "for means, sums and the like, all the time"
  std::size_t bytes = 0;
  std::size_t most = 0;  // of these, for one variable
  std::string of = "";   // for this: "\"u\" of a.nc"
  void add(std::size_t more, const std::string& variable);
};

struct MemoryNeeds {
  MemoryNeed windows{.what = "for means, sums and the like, all the time"};
  MemoryNeed fixed{.what = "for fixed fields and masks, all the time"};
  MemoryNeed geometry{.what = "for the ways of blocks into chunks"};
  MemoryNeed open{.what = "for chunks that wait for more records"};
  MemoryNeed analytics{.what = "for a step that diagnostics work on"};
  MemoryNeed at_once{.what = "for what its files get at one step"};
  MemoryNeed checkpoint{.what = "for the model's fields of a checkpoint"};
  MemoryNeed library{.what = "for the caches of HDF5"};

  std::array<const MemoryNeed*, 8> all() const {
    return {&windows, &fixed, &geometry, &open, &analytics, &at_once, &checkpoint, &library};
  }
  std::size_t total() const;
};
// Of chunks and ways a guess: whoever knows the chunks replaces them.
MemoryNeeds memory_needs_of(const Plan& plan, const model::Declarations& declarations,
                            const ServerShare& share);

// `servers.memory` that has room for so many bytes and for what moves.
std::size_t memory_for(std::size_t need);
// Of a server's memory, or its part for one component: why it is too little, in words that fit behind the
// server's name; nothing where it suffices.
std::optional<std::string> lack_of_memory(const MemoryNeeds& needs, std::size_t memory);

// The fields that some file needs, each once, over all ranks: what one step puts.
std::size_t step_bytes(const Plan& plan, const model::Declarations& declarations);

}  // namespace tailrace::plan
