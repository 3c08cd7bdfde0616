// One whole number after another, kept as runs in which each is as far from the one before as the next: what
// many ranks have in common (their node, their server) is short, however many there are.
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

// Numbers at or above -2^30 and below 2^30.
class StridedRuns {
 public:
  using value_type = int;
  class const_iterator;
  using iterator = const_iterator;

  StridedRuns() = default;
  StridedRuns(std::initializer_list<int> values);
  StridedRuns(const std::vector<int>& values);  // NOLINT: as good as one

  void push_back(int value);
  std::size_t size() const { return static_cast<std::size_t>(size_); }
  bool empty() const { return size_ == 0; }
  std::size_t runs() const { return runs_.size(); }
  int operator[](std::size_t place) const;  // a search among the runs
  int front() const { return runs_.front().first; }
  int back() const;
  // Where the numbers are this one: the first place of each stretch, and the one behind it; ascending.
  std::vector<std::pair<std::size_t, std::size_t>> stretches_of(int value) const;
  std::optional<std::size_t> find(int value) const;  // its first place
  std::size_t count(int value) const;
  const_iterator begin() const;
  const_iterator end() const;
  bool operator==(const StridedRuns&) const = default;

  void put(base::ByteWriter& writer) const;
  static StridedRuns get(base::ByteReader& reader);  // what makes no sense throws Error(internal)

 private:
  struct Run {
    std::int32_t begin;  // place of the first
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
