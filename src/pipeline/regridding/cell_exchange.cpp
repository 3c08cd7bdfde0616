#include "pipeline/regridding/cell_exchange.hpp"

#include <fmt/format.h>

#include "base/index.hpp"
#include "regrid/needs.hpp"

namespace tailrace::pipeline::regridding {
namespace {

std::int64_t count_of(const std::vector<model::Segment>& cells) {
  std::int64_t count = 0;
  for (const model::Segment& cell : cells) count += cell.count;
  return count;
}

}  // namespace

CellExchange::CellExchange(const Blueprint& blueprint, const Weights& weights, int field,
                           const std::vector<std::string>& horizontal)
    : blueprint_(blueprint), weights_(weights), field_(field), grid_(blueprint.field(field).grid) {
  const model::Grid& grid = blueprint_.info.declarations.grids[base::index(grid_)];
  dims_ = dims_of(grid, horizontal);
  const regrid::PackedRuns wanted(weights_.cells);
  if (wanted.count() == 0) return;
  const int parts = static_cast<int>(blueprint_.info.decomposition.parts());
  for (int part = 0; part < parts; ++part) {
    if (!blueprint_.sends(field_, part)) continue;
    auto cells = regrid::share_of_part(horizontal_part(part), dims_.shape, wanted);
    if (cells.empty()) continue;
    const std::int64_t count = count_of(cells);
    incoming_.emplace(
        part, Incoming{BlockCells(blueprint_.region(grid_, part), grid, dims_), std::move(cells), count});
  }
  check_all_come();
}

// Otherwise some cells would have no values, and nobody would know.
void CellExchange::check_all_come() const {
  std::int64_t come = 0;
  for (const auto& [part, incoming] : incoming_) come += incoming.block.levels() * incoming.count;
  TAILRACE_ASSERT(come == dims_.levels * weights_.count,
                  fmt::format("{} values of {} that regridding needs of grid \"{}\" are on some part", come,
                              dims_.levels * weights_.count,
                              blueprint_.info.declarations.grids[base::index(grid_)].name));
}

model::Region CellExchange::horizontal_part(int part) const {
  model::Region horizontal;
  horizontal.assign_part(blueprint_.region(grid_, part), dims_.horizontal);
  return horizontal;
}

const CellExchange::PartOut& CellExchange::outgoing(int part) const {
  const std::lock_guard lock(mutex_);
  if (const auto found = outgoing_.find(part); found != outgoing_.end()) return found->second;
  const model::Grid& grid = blueprint_.info.declarations.grids[base::index(grid_)];
  PartOut out{BlockCells(blueprint_.region(grid_, part), grid, dims_), {}};
  const model::Region horizontal = horizontal_part(part);
  for (const WantedCells& wanted : weights_.wanted) {
    auto cells = regrid::share_of_part(horizontal, dims_.shape, wanted.cells);
    if (cells.empty()) continue;
    const std::int64_t count = count_of(cells);
    out.to.push_back({wanted.server, std::move(cells), count});
  }
  return outgoing_.emplace(part, std::move(out)).first->second;
}

std::size_t CellExchange::bytes() const {
  std::size_t bytes = 0;
  for (const auto& [part, incoming] : incoming_)
    bytes += sizeof incoming + incoming.cells.capacity() * sizeof(model::Segment);
  const std::lock_guard lock(mutex_);
  for (const auto& [part, out] : outgoing_)
    for (const Outgoing& to : out.to) bytes += sizeof to + to.cells.capacity() * sizeof(model::Segment);
  return bytes;
}

}  // namespace tailrace::pipeline::regridding
