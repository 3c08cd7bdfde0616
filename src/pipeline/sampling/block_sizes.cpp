#include "pipeline/sampling/block_sizes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace tailrace::pipeline::sampling {

void BlockSizes::start(std::span<const int> clients) {
  for (const model::Field& field : blueprint_.info.declarations.fields)
    fields_.push_back(
        {static_cast<std::uint32_t>(field.grid), static_cast<std::uint32_t>(model::size_of(field.type))});
  clients_.assign(clients.begin(), clients.end());
  std::ranges::sort(clients_);
  for (const int client : clients_)
    for (const model::Regions& of_grid : blueprint_.info.decomposition.regions)
      cells_.push_back(of_grid[static_cast<std::size_t>(client)].size());
}

std::int64_t BlockSizes::cells(int client, std::size_t grid) const {
  const auto found = std::ranges::lower_bound(clients_, client);
  TAILRACE_ASSERT(found != clients_.end() && *found == client, "a block comes from a client of this server");
  const std::size_t grids = blueprint_.info.decomposition.regions.size();
  return cells_[static_cast<std::size_t>(found - clients_.begin()) * grids + grid];
}

void BlockSizes::check(int client, const model::PacketHeader& header, std::size_t bytes) const {
  TAILRACE_ASSERT(
      header.number >= 0 && static_cast<std::size_t>(header.number) < fields_.size(),
      fmt::format("client {} sent field number {}, of {} fields", client, header.number, fields_.size()));
  const OfField& field = fields_[static_cast<std::size_t>(header.number)];
  const std::size_t expected = static_cast<std::size_t>(cells(client, field.grid)) * field.element;
  TAILRACE_ASSERT(bytes == expected,
                  fmt::format("client {} sent {} bytes of field \"{}\"; it holds {}", client, bytes,
                              blueprint_.field(header.number).name, expected));
}

}  // namespace tailrace::pipeline::sampling
