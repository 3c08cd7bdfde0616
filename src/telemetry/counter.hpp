// Numbers that a hot path may change and another thread may read at any time: relaxed atomics, no lock.
//
// Counter has one writing thread (a plain load and store, under a nanosecond); SharedCounter any number (one
// locked instruction). Both can be copied, which reads them.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tailrace::telemetry {

template <bool shared>
class BasicCounter {
 public:
  BasicCounter(std::uint64_t value = 0) : value_(value) {}  // NOLINT: a counter is a number
  BasicCounter(const BasicCounter& other) : value_(other.get()) {}
  BasicCounter& operator=(const BasicCounter& other) {
    set(other.get());
    return *this;
  }

  void add(std::uint64_t amount = 1) {
    if constexpr (shared)
      value_.fetch_add(amount, std::memory_order_relaxed);
    else
      set(get() + amount);
  }
  void subtract(std::uint64_t amount) { add(std::uint64_t{0} - amount); }  // for numbers that also shrink
  void raise_to(std::uint64_t value) {                                     // a high-water mark
    std::uint64_t old = get();
    if constexpr (shared) {
      while (old < value && !value_.compare_exchange_weak(old, value, std::memory_order_relaxed)) {
      }
    } else if (old < value) {
      set(value);
    }
  }
  void set(std::uint64_t value) { value_.store(value, std::memory_order_relaxed); }
  std::uint64_t get() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_;
};

using Counter = BasicCounter<false>;
using SharedCounter = BasicCounter<true>;

// How often and how long something took: count, sum, most, and a histogram over powers of two.
template <bool shared>
struct BasicTimings {
  // Bucket k counts durations of 2^(k-1) <= nanoseconds < 2^k (0 ns in bucket 0); the last also what is
  // longer (9 min).
  static constexpr std::size_t buckets = 40;

  BasicCounter<shared> count, nanoseconds, most_nanoseconds;
  std::array<BasicCounter<shared>, buckets> histogram;

  void record(std::uint64_t duration) {
    count.add();
    nanoseconds.add(duration);
    most_nanoseconds.raise_to(duration);
    histogram[std::min(static_cast<std::size_t>(std::bit_width(duration)), buckets - 1)].add();
  }
  void record_seconds(double seconds) { record(static_cast<std::uint64_t>(std::max(seconds, 0.0) * 1e9)); }
  void merge(const BasicTimings& other) {
    count.add(other.count.get());
    nanoseconds.add(other.nanoseconds.get());
    most_nanoseconds.raise_to(other.most_nanoseconds.get());
    for (std::size_t k = 0; k < buckets; ++k) histogram[k].add(other.histogram[k].get());
  }
  double seconds() const { return 1e-9 * static_cast<double>(nanoseconds.get()); }
  double most_seconds() const { return 1e-9 * static_cast<double>(most_nanoseconds.get()); }
  double mean_seconds() const { return count.get() ? seconds() / static_cast<double>(count.get()) : 0.0; }
  // Upper edge of the bucket that holds the median: right to a factor of two.
  double median_seconds() const {
    std::uint64_t below = 0;
    for (std::size_t k = 0; k < buckets; ++k) {
      below += histogram[k].get();
      if (2 * below >= count.get())
        return std::min(1e-9 * static_cast<double>(std::uint64_t{1} << k), most_seconds());
    }
    return most_seconds();
  }
};

using Timings = BasicTimings<false>;
using SharedTimings = BasicTimings<true>;

}  // namespace tailrace::telemetry
