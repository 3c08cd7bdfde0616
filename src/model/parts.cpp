#include "model/parts.hpp"

#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::model {

std::vector<std::vector<int>> parts_by_rank(const Decomposition& decomposition) {
  std::vector<std::vector<int>> parts(decomposition.ranks());
  for (int part = 0; part < static_cast<int>(decomposition.parts()); ++part)
    parts[base::index(decomposition.rank_of(part))].push_back(part);
  return parts;
}

void append(Decomposition& decomposition, const Decomposition& next) {
  TAILRACE_ASSERT(decomposition.regions.size() == next.regions.size(), "equal declarations have equal grids");
  const std::size_t ranks = decomposition.ranks(), parts = decomposition.parts();
  for (std::size_t g = 0; g < next.regions.size(); ++g) {
    Regions joined;
    if (decomposition.further.empty())
      joined = std::move(decomposition.regions[g]);
    else
      for (std::size_t rank = 0; rank < ranks; ++rank) joined.push_back(decomposition.regions[g][rank]);
    for (std::size_t rank = 0; rank < next.ranks(); ++rank) joined.push_back(next.regions[g][rank]);
    for (std::size_t part = ranks; part < parts; ++part) joined.push_back(decomposition.regions[g][part]);
    for (std::size_t part = next.ranks(); part < next.parts(); ++part)
      joined.push_back(next.regions[g][part]);
    decomposition.regions[g] = std::move(joined);
  }
  decomposition.further.insert(decomposition.further.end(), next.further.begin(), next.further.end());
}

}  // namespace tailrace::model
