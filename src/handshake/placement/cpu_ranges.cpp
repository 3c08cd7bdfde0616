#include "handshake/placement/cpu_ranges.hpp"

#include <cstddef>

namespace tailrace::handshake {

std::vector<int> to_ranges(const std::vector<int>& cpus) {
  std::vector<int> ranges;
  for (const int cpu : cpus) {
    if (!ranges.empty() && ranges.back() == cpu)
      ++ranges.back();
    else
      ranges.insert(ranges.end(), {cpu, cpu + 1});
  }
  return ranges;
}

std::vector<int> from_ranges(const std::vector<int>& ranges) {
  std::vector<int> cpus;
  for (std::size_t i = 0; i + 1 < ranges.size(); i += 2)
    for (int cpu = ranges[i]; cpu < ranges[i + 1]; ++cpu) cpus.push_back(cpu);
  return cpus;
}

}  // namespace tailrace::handshake
