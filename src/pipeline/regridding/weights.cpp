#include "pipeline/regridding/weights.hpp"

#include "base/index.hpp"
#include "regrid/needs.hpp"

namespace tailrace::pipeline::regridding {

std::size_t Weights::bytes() const {
  std::size_t bytes = cells.capacity() * sizeof(model::Run);
  for (const PartRows& of_part : parts)
    bytes += of_part.rows.bytes() + (of_part.lat.capacity() + of_part.lon.capacity()) * sizeof(double);
  for (const WantedCells& one : wanted) bytes += one.cells.capacity() * sizeof(model::Run);
  return bytes;
}

Weights weights_of(const std::vector<std::pair<int, regrid::Rows>>& parts) {
  regrid::Rows all;
  all.start.push_back(0);
  for (const auto& [part, rows] : parts) {
    const std::int64_t before = all.start.back();
    for (std::size_t row = 1; row < rows.start.size(); ++row) all.start.push_back(before + rows.start[row]);
    all.source.insert(all.source.end(), rows.source.begin(), rows.source.end());
  }
  regrid::Needs needs = regrid::needs_of(all);
  Weights weights;
  weights.cells = std::move(needs.cells);
  weights.count = needs.count;
  auto source = needs.rows.source.begin();
  for (const auto& [part, rows] : parts) {
    if (rows.rows() == 0) continue;
    const auto end = source + std::ssize(rows.source);
    regrid::LocalRows own;
    own.start = rows.start;
    own.source.assign(source, end);
    own.weight = rows.weight;
    own.prepare();
    weights.parts.push_back({part, std::move(own)});
    source = end;
  }
  return weights;
}

}  // namespace tailrace::pipeline::regridding
