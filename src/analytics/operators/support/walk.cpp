#include "analytics/operators/support/walk.hpp"

namespace tailrace::analytics::operators {

Stretches::Stretches(std::span<const std::int64_t> counts, const std::vector<bool>& consumed) {
  std::size_t inner = counts.size();  // the first of the trailing dimensions of the same kind
  into_one = true;
  for (std::size_t d = 0; d < inner; ++d)
    if (counts[d] != 1) into_one = consumed[d];
  length = 1;
  while (inner > 0 && (consumed[inner - 1] == into_one || counts[inner - 1] == 1)) length *= counts[--inner];
  std::int64_t cells = into_one ? 1 : length;
  outer.resize(inner);
  for (std::size_t d = inner; d-- > 0;) {
    outer[d] = {counts[d], consumed[d] ? 0 : cells};
    if (!consumed[d]) cells *= counts[d];
    if (counts[d] == 0) length = 0;
  }
}

model::Region kept_of(const model::Region& region, const std::vector<bool>& consumed) {
  std::vector<model::Runs> runs;
  for (std::size_t d = 0; d < region.rank(); ++d)
    if (!consumed[d]) runs.push_back(region.runs(d));
  return model::Region(std::move(runs));
}

std::vector<std::int64_t> indices_along(const model::Region& region, std::size_t dimension) {
  std::vector<std::int64_t> indices;
  for (const model::Run& run : region.runs(dimension))
    for (std::int64_t i = 0; i < run.count; ++i) indices.push_back(run.start + i);
  return indices;
}

std::vector<std::int64_t> summed(const std::vector<std::vector<std::int64_t>>& steps, std::size_t from,
                                 std::size_t to) {
  std::vector<std::int64_t> sums{0};
  for (std::size_t d = from; d < to; ++d) {
    std::vector<std::int64_t> longer;
    longer.reserve(sums.size() * steps[d].size());
    for (const std::int64_t sum : sums)
      for (const std::int64_t step : steps[d]) longer.push_back(sum + step);
    sums = std::move(longer);
  }
  return sums;
}

}  // namespace tailrace::analytics::operators
