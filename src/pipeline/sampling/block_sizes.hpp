// The size in bytes of a block of each field, for each client of a server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "model/block.hpp"
#include "pipeline/blueprint.hpp"

namespace tailrace::pipeline::sampling {

// A compact copy of the sizes in the declarations and regions: they are looked up for each packet, and with
// hundreds of small fields per step, cache misses determine the cost of a packet.
class BlockSizes {
 public:
  // The blueprint must live longer.
  explicit BlockSizes(const Blueprint& blueprint) : blueprint_(blueprint) {}

  void start(std::span<const int> clients);  // the clients of this server; once, before any block
  // Asserts that a packet of one of these clients is a block of a field that it holds. From any thread.
  void check(int client, const model::PacketHeader& header, std::size_t bytes) const {
    const auto number = base::index(header.number);
    if (number >= fields_.size() || bytes != expected(client, fields_[number])) refuse(client, header, bytes);
  }

 private:
  struct OfField {
    std::uint32_t grid, element;  // bytes of an element
  };
  std::size_t expected(int client, const OfField& field) const {
    const auto place = base::index(client - first_client_);
    TAILRACE_ASSERT(place < rows_.size() && rows_[place] >= 0, "a block comes from a client of this server");
    return cells_[base::index(rows_[place]) * grids_ + field.grid] * field.element;
  }
  void refuse(int client, const model::PacketHeader& header, std::size_t bytes) const;

  const Blueprint& blueprint_;
  std::vector<OfField> fields_;
  std::size_t grids_ = 0;
  int first_client_ = 0;
  std::vector<int> rows_;  // row of cells_, by client minus first_client_; -1: client of another server
  std::vector<std::size_t> cells_;  // by client and grid
};

}  // namespace tailrace::pipeline::sampling
