// How many bytes a block of each field has, for each client of a server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/block.hpp"
#include "pipeline/blueprint.hpp"

namespace tailrace::pipeline::sampling {

// What is looked up for each packet lies close together: with hundreds of small fields a step the caches
// decide what a packet costs, and declarations and regions are large.
class BlockSizes {
 public:
  // The blueprint must live longer.
  explicit BlockSizes(const Blueprint& blueprint) : blueprint_(blueprint) {}

  void start(std::span<const int> clients);  // of this server; once, before any block
  // Asserts that a packet of one of these clients is a block of a field that it holds. From any thread.
  void check(int client, const model::PacketHeader& header, std::size_t bytes) const;

 private:
  struct OfField {
    std::uint32_t grid, element;  // bytes of an element
  };
  std::int64_t cells(int client, std::size_t grid) const;

  const Blueprint& blueprint_;
  std::vector<OfField> fields_;
  std::vector<int> clients_;         // ascending
  std::vector<std::int64_t> cells_;  // by client and grid
};

}  // namespace tailrace::pipeline::sampling
