// The masks of grids: what a block holds in cells where the mask of its grid is zero or missing becomes the
// fill value of the field, before anything else sees it.
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

  // The clients of this server; called once, before any block. Throws Error(usage) where a client's part of a
  // mask is not that of the grid.
  void start(std::span<const int> clients);

  // The block as it counts: as it came, or a copy that stays valid until the client's next block. A block of
  // a mask is kept. Any worker, several at once; never twice at once for the same client. Throws Error(usage)
  // where the mask has not come yet.
  std::span<const std::byte> apply(int client, int field, std::span<const std::byte> block) {
    return parts_.empty() ? block : apply_to(client, field, block);
  }

  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  // One client's.
  struct Part {
    std::map<int, std::vector<unsigned char>> counts;  // by mask, then by cell; none until it has come
    std::vector<std::byte> masked;                     // the last block that was
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
