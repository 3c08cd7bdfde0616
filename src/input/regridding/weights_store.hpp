// The weights by which a server regrids its input: each file of weights is in memory once, however many
// fields use it.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "input/regridding/source_rows.hpp"
#include "regrid/maker/weights_maker.hpp"

namespace tailrace::input {

// Safe from several threads.
class WeightsStore {
 public:
  // `makes`: false where weights are looked for only, to tell what a job would do.
  WeightsStore(regrid::WeightsCache cache, bool makes) : cache_(std::move(cache)), makes_(makes) {}

  bool makes() const { return makes_; }
  bool has(const regrid::WeightsRequest& request) const;
  // `shape`: of the horizontal dims of the file. Blocks while weights are made, and throws
  // Error(configuration) or Error(resource) if they cannot be; soon, once `is_stopped` is set.
  std::shared_ptr<const SourceRows> rows(const regrid::WeightsRequest& request,
                                         const std::vector<std::int64_t>& shape,
                                         const std::atomic<bool>& is_stopped);
  // The memory of the weights that were there when rows() last read some. Does not block.
  std::size_t bytes() const { return bytes_; }

 private:
  const regrid::WeightsCache cache_;
  const bool makes_;
  std::mutex mutex_;  // also held while weights are made and read: others may want the same
  std::map<std::string, std::weak_ptr<const SourceRows>> rows_;  // by path
  std::atomic<std::size_t> bytes_ = 0;
};

}  // namespace tailrace::input
