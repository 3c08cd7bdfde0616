// A sequence of integers stored as arithmetic progressions (first, step, count). Properties that many ranks
// share, such as their node or their server, take little memory at any number of ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/bytes.hpp"

namespace tailrace::handshake {

// Values from -2^30 to 2^30 - 1.
class StridedRuns {
 public:
  using value_type = int;
  class const_iterator;
  using iterator = const_iterator;

  StridedRuns() = default;
  StridedRuns(std::initializer_list<int> values);
  StridedRuns(const std::vector<int>& values);  // NOLINT: an implicit conversion is intended

  void push_back(int value);
  std::size_t size() const { return static_cast<std::size_t>(size_); }
  bool empty() const { return size_ == 0; }
  std::size_t runs() const { return runs_.size(); }
  int operator[](std::size_t place) const;  // a binary search among the runs
  int front() const { return runs_.front().first; }
  int back() const;
  // The half-open index ranges [begin, end) in which the elements equal `value`, ascending.
  std::vector<std::pair<std::size_t, std::size_t>> stretches_of(int value) const;
  std::optional<std::size_t> find(int value) const;  // the first index
  std::size_t count(int value) const;
  const_iterator begin() const;
  const_iterator end() const;
  bool operator==(const StridedRuns&) const = default;

  void put(base::ByteWriter& writer) const;
  static StridedRuns get(base::ByteReader& reader);  // throws Error(internal) if the message is damaged

 private:
  struct Run {
    std::int32_t begin;  // index of the first element
    std::int32_t first;
    std::int32_t step;
    int at(std::int32_t place) const { return first + (place - begin) * step; }
    bool operator==(const Run&) const = default;
  };
  std::int32_t end_of(std::size_t run) const { return run + 1 < runs_.size() ? runs_[run + 1].begin : size_; }

  std::vector<Run> runs_;
  std::int32_t size_ = 0;
};

class StridedRuns::const_iterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = int;
  using difference_type = std::ptrdiff_t;
  using pointer = const int*;
  using reference = int;

  const_iterator() = default;
  int operator*() const { return sequence_->runs_[run_].at(place_); }
  const_iterator& operator++() {
    if (++place_ == sequence_->end_of(run_)) ++run_;
    return *this;
  }
  const_iterator operator++(int) {
    const_iterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const const_iterator& other) const { return place_ == other.place_; }

 private:
  friend class StridedRuns;
  const_iterator(const StridedRuns* sequence, std::size_t run, std::int32_t place)
      : sequence_(sequence), run_(run), place_(place) {}

  const StridedRuns* sequence_ = nullptr;
  std::size_t run_ = 0;
  std::int32_t place_ = 0;
};

inline StridedRuns::const_iterator StridedRuns::begin() const { return {this, 0, 0}; }
inline StridedRuns::const_iterator StridedRuns::end() const { return {this, runs_.size(), size_}; }

}  // namespace tailrace::handshake
