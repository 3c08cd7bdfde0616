#include "pipeline/sampling/block_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/index.hpp"

namespace tailrace::pipeline::sampling {

void BlockSizes::start(std::span<const int> clients) {
  for (const model::Field& field : blueprint_.info.declarations.fields)
    fields_.push_back(
        {static_cast<std::uint32_t>(field.grid), static_cast<std::uint32_t>(model::size_of(field.type))});
  grids_ = blueprint_.info.decomposition.regions.size();
  if (clients.empty()) return;
  const auto [first, last] = std::ranges::minmax(clients);
  first_client_ = first;
  rows_.assign(static_cast<std::size_t>(last - first) + 1, -1);
  for (std::size_t row = 0; row < clients.size(); ++row) {
    rows_[base::index(clients[row] - first)] = static_cast<int>(row);
    for (std::size_t grid = 0; grid < grids_; ++grid) {
      std::size_t cells = 0;
      for (const int part : blueprint_.parts_of(clients[row]))
        if (!blueprint_.info.decomposition.is_hole(part) && blueprint_.holds(static_cast<int>(grid), part))
          cells += static_cast<std::size_t>(blueprint_.region(static_cast<int>(grid), part).size());
      cells_.push_back(cells);
    }
  }
}

void BlockSizes::refuse(int client, const model::PacketHeader& header, std::size_t bytes) const {
  TAILRACE_ASSERT(
      header.number >= 0 && static_cast<std::size_t>(header.number) < fields_.size(),
      fmt::format("client {} sent field number {}, of {} fields", client, header.number, fields_.size()));
  const std::size_t holds = expected(client, fields_[base::index(header.number)]);
  TAILRACE_ASSERT(bytes == holds, fmt::format("client {} sent {} bytes of field \"{}\"; it holds {}", client,
                                              bytes, blueprint_.field(header.number).name, holds));
}

}  // namespace tailrace::pipeline::sampling
