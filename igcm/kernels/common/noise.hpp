// Smooth noise by a fixed generator: the same numbers on every machine, apart from the last bits of sin and
// cos.
#pragma once

#include <cmath>
#include <cstdint>

namespace igcm {

// splitmix64 (Steele, Lea and Flood 2014): uniform in [0, 1), a pure function of seed and index.
inline double uniform(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed * 0x9E3779B97F4A7C15ULL + (index + 1) * 0xD1B54A32D192ED03ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// A sum of four waves with random directions, lengths and phases, within [-1, 1]; x, y, z of the order of 1.
class SmoothNoise {
 public:
  explicit SmoothNoise(std::uint64_t seed) {
    for (int w = 0; w < waves; ++w)
      for (int c = 0; c < 4; ++c)
        wave_[w][c] =
            (c < 3 ? 12. : 6.283185307179586) * (uniform(seed, static_cast<std::uint64_t>(4 * w + c)) - 0.5);
  }
  double operator()(double x, double y, double z) const {
    double sum = 0;
    for (const auto& wave : wave_) sum += std::sin(wave[0] * x + wave[1] * y + wave[2] * z + wave[3]);
    return sum / waves;
  }

 private:
  static constexpr int waves = 4;
  double wave_[waves][4];
};

}  // namespace igcm
