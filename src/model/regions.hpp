// The cells of a grid that each rank of a component has: a region for each rank.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <vector>

#include "model/region.hpp"

namespace tailrace::model {

// Copies share one list, since there are as many regions as ranks, and hundreds of diagnostics are decomposed
// like one grid of the model. Equal regions at the end of the list are stored once, so a replicated grid
// costs one region. References stay valid while any copy exists to which nothing is added.
class Regions {
 public:
  Regions() = default;
  Regions(std::initializer_list<Region> by_rank);  // NOLINT: implicit on purpose
  Regions(const std::vector<Region>& by_rank);     // NOLINT: implicit too
  // The regions of the first ranks; all further ranks up to `ranks` have the same as the last of these.
  Regions(std::vector<Region> first, std::size_t ranks);

  void push_back(Region region);  // of the next rank

  std::size_t size() const { return ranks_; }  // ranks
  bool empty() const { return ranks_ == 0; }
  const Region& operator[](std::size_t rank) const {
    return (*list_)[rank < list_->size() ? rank : list_->size() - 1];
  }
  // The regions of the first ranks; all further ranks have the same as the last of these.
  const std::vector<Region>& distinct() const;

  bool operator==(const Regions& other) const;
  // Whether they share a list, so that no comparison is needed.
  bool shares_list(const Regions& other) const { return list_ == other.list_ && ranks_ == other.ranks_; }

 private:
  std::shared_ptr<std::vector<Region>>
      list_;  // null or not empty; the last element differs from the one before
  std::size_t ranks_ = 0;
};

}  // namespace tailrace::model
