// The masks of grids: before any other processing, the values of a block in cells where the mask of its grid
// is zero or missing are replaced by the fill value of the field.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "pipeline/blueprint.hpp"

namespace tailrace::pipeline::sampling {

class Masks {
 public:
  explicit Masks(const Blueprint& blueprint) : blueprint_(blueprint) {}

  // `clients`: those of this server. Called once, before any block. Throws Error(usage) if a client's part of
  // a mask has other cells than its part of the grid.
  void start(std::span<const int> clients);

  // Returns the block itself, or a masked copy that is valid until the client's next block. Stores the block
  // if it is a mask. Any worker, several at once, but only one for each client. Throws Error(usage) if the
  // mask has not been put yet.
  std::span<const std::byte> apply(int client, int field, std::span<const std::byte> block) {
    return parts_.empty() ? block : apply_to(client, field, block);
  }

  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  // The masks of one client.
  struct Part {
    std::map<int, std::vector<unsigned char>>
        counts;                     // by mask, then by cell: 1 if unmasked; empty until the put
    std::vector<std::byte> masked;  // the last masked block
  };

  void check_part(int client, int grid, int mask) const;
  std::span<const std::byte> apply_to(int client, int field, std::span<const std::byte> block);
  void keep(Part& part, int mask, std::span<const std::byte> block);
  std::span<const std::byte> masked(Part& part, const model::Field& field, std::span<const std::byte> block);

  const Blueprint& blueprint_;
  std::map<int, Part> parts_;  // by client; empty where there is no mask
  std::atomic<std::size_t> bytes_{0};
};

}  // namespace tailrace::pipeline::sampling
