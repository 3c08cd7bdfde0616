#include "report.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>

namespace igcm {
namespace {

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

std::string es24_16(double value) {
  char text[64];
  if (std::isnan(value)) return std::string(21, ' ') + "NaN";
  if (std::isinf(value)) return std::string(15, ' ') + (value > 0 ? " Infinity" : "-Infinity");
  std::snprintf(text, sizeof text, "%.16E", value);
  std::string number = text;
  const std::size_t e = number.find('E');
  if (number.size() - e == 5) number.erase(e, 1);
  return std::string(24 - std::min<std::size_t>(24, number.size()), ' ') + number;
}

std::string check_line(const std::string& name, const std::vector<double>& values) {
  double most = -std::numeric_limits<double>::infinity(), least = -most, sum = 0;
  for (double value : values) {
    if (value > most) most = value;
    if (value < least) least = value;
    sum += value;
  }
  char padded[17];
  std::snprintf(padded, sizeof padded, "%-16.16s", name.c_str());
  return " +check[" + std::string(padded) + "] max=" + es24_16(most) + ",min=" + es24_16(least) +
         ",sum=" + es24_16(sum) + "\n";
}

void Timers::start(const std::string& name) {
  auto found = std::ranges::find(timers_, name, &Timer::name);
  if (found == timers_.end()) found = timers_.insert(found, Timer{.name = name});
  found->processor_start = processor_seconds();
  found->clock_start = clock_seconds();
}

void Timers::stop(const std::string& name) {
  const auto found = std::ranges::find(timers_, name, &Timer::name);
  found->processor += processor_seconds() - found->processor_start;
  const double seconds = clock_seconds() - found->clock_start;
  if (found->calls == 0 || seconds < found->shortest) found->shortest = seconds;
  ++found->calls;
}

std::string Timers::report() const {
  std::string text = " *** Computational Time Report\n";
  for (std::size_t id = 0; id < timers_.size(); ++id) {
    char line[160];
    std::snprintf(line, sizeof line, " *** ID=%03zu : %-32s T=%10.3f N=%7d shortest=%.3e\n", id + 1,
                  timers_[id].name.c_str(), timers_[id].processor, timers_[id].calls, timers_[id].shortest);
    text += line;
  }
  return text;
}

}  // namespace igcm
