#include "model/regions.hpp"

#include <utility>

#include "base/error.hpp"

namespace tailrace::model {

Regions::Regions(std::initializer_list<Region> by_rank) : Regions(std::vector<Region>(by_rank)) {}

Regions::Regions(const std::vector<Region>& by_rank) {
  for (const Region& region : by_rank) push_back(region);
}

Regions::Regions(std::vector<Region> first, std::size_t ranks) : ranks_(ranks) {
  TAILRACE_ASSERT(first.empty() == (ranks == 0) && first.size() <= ranks, "a region for each rank");
  while (first.size() > 1 && first[first.size() - 2] == first.back()) first.pop_back();
  first.shrink_to_fit();
  if (ranks > 0) list_ = std::make_shared<std::vector<Region>>(std::move(first));
}

void Regions::push_back(Region region) {
  if (!list_)
    list_ = std::make_shared<std::vector<Region>>();
  else if (list_->back() == region)
    return static_cast<void>(++ranks_);
  else if (list_.use_count() > 1)
    list_ = std::make_shared<std::vector<Region>>(*list_);
  if (ranks_ > list_->size()) list_->resize(ranks_, list_->back());
  list_->push_back(std::move(region));
  ++ranks_;
}

const std::vector<Region>& Regions::distinct() const {
  static const std::vector<Region> none;
  return list_ ? *list_ : none;
}

bool Regions::operator==(const Regions& other) const {
  return shares_list(other) || (ranks_ == other.ranks_ && distinct() == other.distinct());
}

}  // namespace tailrace::model
