// Loops over threads. Results must not depend on how a range is cut: each index is computed by itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace igcm::grid {

/// Calls body(first, last) for consecutive parts of [first, last), one in each thread, and waits for all.
/// `body` may not throw.
template <class Body>
void parallel_for(std::int64_t first, std::int64_t last, unsigned threads, const Body& body) {
  constexpr std::int64_t worth_a_thread = 4096;
  const std::int64_t length = last - first;
  const std::int64_t parts =
      std::clamp<std::int64_t>(length / worth_a_thread, 1, std::max<std::int64_t>(threads, 1));
  std::vector<std::jthread> others;
  for (std::int64_t part = 1; part < parts; ++part)
    others.emplace_back(
        [&, part] { body(first + length * part / parts, first + length * (part + 1) / parts); });
  body(first, first + length / parts);
}

}  // namespace igcm::grid
