// The decomposition of a grid: a region for each rank of a component.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <vector>

#include "model/region.hpp"

namespace tailrace::model {

// Copies share one list, for there are as many regions as ranks, and hundreds of diagnostics are cut like one
// grid of the model. Equal regions at the end stand in it once, so what all ranks hold alike costs one
// region. References stay valid while any copy lives that is not added to.
class Regions {
 public:
  Regions() = default;
  Regions(std::initializer_list<Region> by_rank);  // NOLINT: a list of regions is what it is
  Regions(const std::vector<Region>& by_rank);     // NOLINT: likewise
  // Of `ranks` ranks the first hold these, all others what the last of them does.
  Regions(std::vector<Region> first, std::size_t ranks);

  void push_back(Region region);  // of the next rank

  std::size_t size() const { return ranks_; }  // ranks
  bool empty() const { return ranks_ == 0; }
  const Region& operator[](std::size_t rank) const {
    return (*list_)[rank < list_->size() ? rank : list_->size() - 1];
  }
  // Those of the first ranks; all further ranks hold what the last of them does.
  const std::vector<Region>& distinct() const;

  bool operator==(const Regions& other) const;
  // Whether they share one list, which spares a comparison.
  bool shares_list(const Regions& other) const { return list_ == other.list_ && ranks_ == other.ranks_; }

 private:
  std::shared_ptr<std::vector<Region>>
      list_;  // null or not empty; the last element differs from the one before
  std::size_t ranks_ = 0;
};

}  // namespace tailrace::model
