// The memory that a plan needs on a server at all times, and the number of records that the chunks of a
// series may have. These are functions of the configuration, the grids and the decomposition.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "plan/regridding.hpp"

namespace tailrace::plan {

// Fills DatasetPlan::open_bytes.
void share_out_open_chunks(const settings::Configuration& configuration,
                           const model::Declarations& declarations, std::vector<DatasetPlan>& files);

// The part of one server in the plan.
struct ServerShare {
  int servers = 1;
  std::function<std::size_t(int grid)> cells;    // the number of cells of a grid that its clients hold
  std::function<bool(std::size_t file)> writes;  // it writes the file
  int commits = 1;                               // to different datasets at a time
};

// How many datasets a server commits to at a time.
int commits_at_a_time(settings::Mode mode);

// Bytes that formats hold during commits, besides what they are given.
struct FormatBytes {
  std::size_t caches = 0;   // of libraries, for one file at a time
  std::size_t objects = 0;  // that wait to be sent: each store has its own
  int stores = 0;           // that hold these objects
  // `most`: datasets are committed to at a time.
  void add(const DatasetPlan& file, int most);
};

// One kind of memory, in bytes without encoding.
struct MemoryNeed {
  std::string what;  // "for means, sums and the like, all the time"
  std::size_t bytes = 0;
  std::size_t most = 0;  // the largest part, for one variable
  std::string of = "";   // the variable of `most`: "\"u\" of a.nc"
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
  MemoryNeed weights{.what = "for weights of regridding, all the time"};
  MemoryNeed library{.what = "for the caches of HDF5"};
  MemoryNeed objects{.what = "for objects that wait to be sent"};

  std::array<const MemoryNeed*, 10> all() const {
    return {&windows, &fixed,      &geometry, &open,    &analytics,
            &at_once, &checkpoint, &weights,  &library, &objects};
  }
  std::size_t total() const;
};
// The needs for chunks and geometry are estimates, which a server replaces once it knows the chunks.
MemoryNeeds memory_needs_of(const Plan& plan, const model::Declarations& declarations,
                            const ServerShare& share);
// Those of the server that needs most, of so many, with cells and files evenly spread over them.
MemoryNeeds most_needs_of(const Plan& plan, const model::Declarations& declarations, settings::Mode mode,
                          std::size_t servers);

// The `servers.memory` that has room for so many bytes, and for data on their way.
std::size_t memory_for(std::size_t need);
// So many bytes or some more, as the value of an option: in MiB, or from 10 GiB on in GiB.
std::string memory_option(std::size_t bytes);
// Why a server's memory, or its part for one component, is too small, as text that follows the server's name;
// none if it suffices.
std::optional<std::string> lack_of_memory(const MemoryNeeds& needs, std::size_t memory);

// The memory of one weight, with its source cell and what makes both fast to apply.
inline constexpr std::size_t bytes_of_link = 17;

// An estimate of the weights between two whole grids, in bytes: how many source cells a target cell has
// follows from the method and the numbers of cells.
std::size_t weights_bytes(const Regridding& regridding, const WeightsPlan& weights);

// The bytes that one step puts on all ranks: each field that a file needs counts once.
std::size_t step_bytes(const Plan& plan, const model::Declarations& declarations);

}  // namespace tailrace::plan
