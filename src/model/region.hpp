// Where in a global array a rank's local array lies: along each dimension a list of runs of consecutive
// global indices. A block of a structured grid has one run a dimension; a rank of an indexed grid has many
// along one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tailrace::model {

// Global indices start, start+1, ..., start+count-1 (0-based).
struct Run {
  std::int64_t start = 0;
  std::int64_t count = 0;
  bool operator==(const Run&) const = default;
};

using Runs = std::vector<Run>;  // in the order of the local index

// A rectangular part of an index space, slowest dimension first.
struct Box {
  std::vector<std::int64_t> offset;
  std::vector<std::int64_t> count;
  std::int64_t size() const;  // number of cells; 1 for a box without dimensions
  bool operator==(const Box&) const = default;
};

class Region {
 public:
  Region() = default;
  explicit Region(std::vector<Runs> runs);
  static Region of_box(const Box& box);
  // Becomes what another one is along some of its dimensions. Takes no new memory where it had as much
  // before.
  void assign_part(const Region& whole, std::span<const std::size_t> dimensions);

  std::size_t rank() const { return runs_.size(); }
  const Runs& runs(std::size_t dimension) const { return runs_[dimension]; }
  std::int64_t count(std::size_t dimension) const { return counts_[dimension]; }  // local extent
  std::span<const std::int64_t> counts() const { return counts_; }
  std::int64_t size() const { return size_; }  // number of cells
  Box bounds() const;  // smallest box that holds all cells; counts are 0 for an empty region

  bool operator==(const Region&) const = default;

 private:
  std::vector<Runs> runs_;
  std::vector<std::int64_t> counts_;
  std::int64_t size_ = 1;
};

// Runs of consecutive values in a list of global indices, in list order.
Runs compress(std::span<const std::int64_t> indices);

// A contiguous stretch of cells that two arrays share. Without initial values: room for many of them costs
// nothing.
struct Segment {
  std::int64_t source;  // first element in the source array
  std::int64_t target;  // first element in the target array
  std::int64_t count;   // elements

  // True if nothing is between the two on either side.
  bool joins(const Segment& next) const {
    return source + count == next.source && target + count == next.target;
  }
};

// The segments that copy the part of a local array (C order, laid out as `region`) that falls into `box` into
// a dense C-order array of shape `box.count`. Neighbouring segments are merged, so the list is as short as
// can be.
std::vector<Segment> intersect(const Region& region, const Box& box);

// How many cells of `region` lie in `box`.
std::int64_t cells_inside(const Region& region, const Box& box);

}  // namespace tailrace::model
