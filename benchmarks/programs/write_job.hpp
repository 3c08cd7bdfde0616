// The common part of the programs of the benchmark `write`: each rank hands over FIELDS fields of BYTES in
// each of STEPS steps and computes nothing. All times are of one clock of the node, so that the script can
// use the first rank's begin and the last rank's end.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "stopwatch.hpp"

namespace benchmarks {

constexpr std::int64_t row_cells = 256;  // doubles

struct WriteJob {
  std::int64_t rows;  // of one field on one rank
  int fields, steps;

  // BYTES FIELDS STEPS
  explicit WriteJob(char** words)
      : rows(std::atoll(words[0]) / (row_cells * static_cast<std::int64_t>(sizeof(double)))),
        fields(std::atoi(words[1])),
        steps(std::atoi(words[2])) {}
  std::int64_t cells() const { return rows * row_cells; }
  std::int64_t bytes() const { return cells() * static_cast<std::int64_t>(sizeof(double)); }
  static std::string name(int field) { return std::string("f").append(std::to_string(field)); }
  std::vector<std::vector<double>> values(int rank) const {
    std::vector<std::vector<double>> all(static_cast<std::size_t>(fields));
    std::uint64_t bits = static_cast<std::uint64_t>(rank) + 1;
    for (auto& field : all) {
      field.resize(static_cast<std::size_t>(cells()));
      for (double& value : field) {
        bits ^= bits << 13, bits ^= bits >> 7, bits ^= bits << 17;
        value = 300.0 + static_cast<double>(bits >> 44) * 1e-6;
      }
    }
    return all;
  }
};

// The time from the first step to the closed file, and the model's time for each step.
class WriteTimes {
 public:
  WriteTimes() : begin_(nanoseconds()) {}
  template <class Work>
  void step(Work&& work) {
    steps_.time(work);
  }
  // Prints `span BEGIN END`, `figure step ...` and `slowest P99`, the time that 99 % of the steps stay below.
  void closed() {
    const double end = nanoseconds();
    std::printf("span %.0f %.0f\n", begin_, end);
    steps_.print("step");
    std::printf("slowest %.0f\n", steps_.at(0.99));
  }

 private:
  double begin_;
  Samples steps_;
};

}  // namespace benchmarks
