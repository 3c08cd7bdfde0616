// The report of a kernel's run, in the form of IcoAtmosBenchmark's logs.
#pragma once

#include <string>
#include <vector>

namespace igcm {

// A Fortran ES24.16: an exponent of three digits displaces the E.
std::string es24_16(double value);

// The line " +check[name] max=,min=,sum=" over all values; the sum goes from left to right through memory.
// NaNs are left out of max and min, as Fortran's MAXVAL does.
std::string check_line(const std::string& name, const std::vector<double>& values);

// Processor time (that of all threads) and calls of named parts, in the order of their first start; the lines
// of a log have the shortest time between a start and its stop by the clock besides.
class Timers {
 public:
  void start(const std::string& name);
  void stop(const std::string& name);
  [[nodiscard]] std::string report() const;

 private:
  struct Timer {
    std::string name;
    double processor = 0, processor_start = 0, clock_start = 0, shortest = 0;
    int calls = 0;
  };
  std::vector<Timer> timers_;
};

}  // namespace igcm
