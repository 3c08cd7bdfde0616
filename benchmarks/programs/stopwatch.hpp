// The clock of the C++ benchmarks, and the form of their output.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace benchmarks {

inline double nanoseconds() {
  return static_cast<double>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                 std::chrono::steady_clock::now().time_since_epoch())
                                 .count());
}

// The times, in nanoseconds, of one operation that is repeated.
class Samples {
 public:
  void add(double value) { values_.push_back(value); }
  template <class Work>
  void time(Work&& work) {
    const double begin = nanoseconds();
    work();
    add(nanoseconds() - begin);
  }
  // Prints one line for the script: figure NAME MEDIAN TENTH NINE_TENTHS COUNT
  void print(const std::string& name) {
    std::sort(values_.begin(), values_.end());
    std::printf("figure %s %.1f %.1f %.1f %zu\n", name.c_str(), at(0.5), at(0.1), at(0.9), values_.size());
  }
  // After print(): the quantile of the times.
  double at(double share) const {
    return values_.empty()
               ? 0.0
               : values_[static_cast<std::size_t>(share * static_cast<double>(values_.size() - 1))];
  }

 private:
  std::vector<double> values_;
};

}  // namespace benchmarks
