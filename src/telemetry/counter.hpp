// Numbers that a hot path changes and other threads may read at any time: relaxed atomics without a lock.
//
// Counter is for one writing thread (a plain load and store, under a nanosecond), SharedCounter for any
// number (one locked instruction). To copy one is to read it.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace tailrace::telemetry {

template <bool shared>
class BasicCounter {
 public:
  BasicCounter(std::uint64_t value = 0) : value_(value) {}  // NOLINT: implicit on purpose
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

// Logarithmic buckets of durations: four from one power of two of nanoseconds to the next. The last one also
// holds longer durations (above 18 min).
struct Buckets {
  static constexpr std::size_t count = 160;

  static std::size_t of(std::uint64_t duration) {
    if (duration < 4) return static_cast<std::size_t>(duration);
    const auto octave = static_cast<std::size_t>(std::bit_width(duration)) - 1;
    const auto quarter = static_cast<std::size_t>(duration >> (octave - 2)) & 3;
    return std::min(4 * (octave - 1) + quarter, count - 1);
  }
  // The shortest duration in the bucket; it ends before that of the next bucket.
  static constexpr std::uint64_t lowest(std::size_t bucket) {
    return bucket < 4 ? bucket : (4 + std::uint64_t{bucket % 4}) << (bucket / 4 - 1);
  }
};

// How many durations are in each bucket, up to the highest one that has any. It is short for most fields of a
// client, whose puts are short or absent.
template <bool shared>
class Histogram {
 public:
  void add(std::size_t bucket, std::uint64_t amount = 1) {
    if constexpr (!shared)
      if (bucket >= counts_.size()) [[unlikely]]
        counts_.resize(bucket + 1);
    counts_[bucket].add(amount);
    if constexpr (!shared) last_ = bucket;
  }
  // Prefetches the bucket that the next duration most likely changes.
  void prefetch() const {
    if constexpr (!shared)
      if (last_ < counts_.size()) __builtin_prefetch(&counts_[last_], 1);
  }
  std::uint64_t operator[](std::size_t bucket) const {
    return bucket < counts_.size() ? counts_[bucket].get() : 0;
  }
  std::size_t size() const { return counts_.size(); }

 private:
  std::conditional_t<shared, std::array<BasicCounter<shared>, Buckets::count>,
                     std::vector<BasicCounter<shared>>>
      counts_;
  std::size_t last_ = 0;
};

// Count, sum, maximum and histogram of durations. Unless it is shared, only the writing thread may read the
// histogram while it writes.
template <bool shared>
struct BasicTimings {
  BasicCounter<shared> count, nanoseconds, most_nanoseconds;
  Histogram<shared> histogram;

  void record(std::uint64_t duration) {
    count.add();
    nanoseconds.add(duration);
    most_nanoseconds.raise_to(duration);
    histogram.add(Buckets::of(duration));
  }
  void record_seconds(double seconds) { record(static_cast<std::uint64_t>(std::max(seconds, 0.0) * 1e9)); }
  void merge(const BasicTimings& other) {
    count.add(other.count.get());
    nanoseconds.add(other.nanoseconds.get());
    most_nanoseconds.raise_to(other.most_nanoseconds.get());
    for (std::size_t k = 0; k < other.histogram.size(); ++k)
      if (const std::uint64_t amount = other.histogram[k]) histogram.add(k, amount);
  }
  double seconds() const { return 1e-9 * static_cast<double>(nanoseconds.get()); }
  double most_seconds() const { return 1e-9 * static_cast<double>(most_nanoseconds.get()); }
  double mean_seconds() const { return count.get() ? seconds() / static_cast<double>(count.get()) : 0.0; }
  // Accurate to the width of a bucket, which is at most a quarter of the value. If the mean is in the
  // median's bucket, the result is the mean.
  double median_seconds() const {
    const double half = 0.5 * static_cast<double>(count.get());
    double below = 0;
    for (std::size_t k = 0; k < histogram.size(); ++k) {
      const auto inside = static_cast<double>(histogram[k]);
      if (inside > 0 && below + inside >= half) return within(k, (half - below) / inside);
      below += inside;
    }
    return most_seconds();
  }

 private:
  double within(std::size_t bucket, double share) const {
    const double low = 1e-9 * static_cast<double>(Buckets::lowest(bucket));
    const double high = 1e-9 * static_cast<double>(Buckets::lowest(bucket + 1));
    if (mean_seconds() >= low && mean_seconds() < high) return mean_seconds();
    return std::min(low + share * (high - low), most_seconds());
  }
};

using Timings = BasicTimings<false>;
using SharedTimings = BasicTimings<true>;

}  // namespace tailrace::telemetry
