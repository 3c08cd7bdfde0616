// What every codec must keep; a new codec's test is one call to check_codec for each set of options.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "codecs/codec.hpp"
#include "codecs/shuffle.hpp"
#include "model/data_type.hpp"

namespace tailrace::codecs::testing {

using Bytes = std::vector<std::byte>;

inline Bytes noise(std::size_t size) {
  std::mt19937 random(4711);
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random());
  return bytes;
}

// A smooth field with a little noise in the last digits, as models make them.
inline Bytes smooth(model::DataType type, std::size_t elements) {
  return model::dispatch(type, [&](auto sample) {
    using T = decltype(sample);
    std::mt19937 random(42);
    Bytes bytes(elements * sizeof(T));
    for (std::size_t i = 0; i < elements; ++i) {
      const double wave =
          300.0 + 5.0 * std::sin(0.001 * static_cast<double>(i)) + 1e-5 * double(random() % 100);
      const T value = static_cast<T>(std::is_integral_v<T> ? wave * 1000.0 : wave);
      std::memcpy(bytes.data() + i * sizeof(T), &value, sizeof(T));
    }
    return bytes;
  });
}

inline void check_round_trip(const Codec& codec, const Bytes& bytes, std::size_t element_size) {
  SCOPED_TRACE(std::to_string(bytes.size()) + " bytes, elements of " + std::to_string(element_size));
  const Bytes encoded = codec.encode(bytes, element_size);
  EXPECT_EQ(codec.decode(encoded, bytes.size(), element_size), bytes);
  EXPECT_EQ(codec.encode(bytes, element_size), encoded) << "the same chunk must give the same bytes";
}

// Damage is told, never handed on as values.
inline void check_damage(const Codec& codec) {
  const Bytes bytes = smooth(model::DataType::float32, 5000);
  Bytes cut = codec.encode(bytes, 4);
  cut.resize(cut.size() / 2);
  EXPECT_THROW(codec.decode(cut, bytes.size(), 4), Error);
  EXPECT_THROW(codec.decode({}, bytes.size(), 4), Error);
  EXPECT_THROW(codec.decode(codec.encode(bytes, 4), bytes.size() - 4, 4), Error);
  EXPECT_THROW(codec.decode(codec.encode(bytes, 4), bytes.size() + 4, 4), Error);
}

// What no compressor may stumble upon: one value all over, values without a number, the ends of the range.
inline Bytes repeated(std::initializer_list<double> values, std::size_t elements) {
  Bytes bytes;
  while (bytes.size() < elements * sizeof(double))
    for (const double value : values) {
      const auto* begin = reinterpret_cast<const std::byte*>(&value);
      bytes.insert(bytes.end(), begin, begin + sizeof(double));
    }
  return bytes;
}

inline void check_patterns(const Codec& codec) {
  using Limits = std::numeric_limits<double>;
  check_round_trip(codec, Bytes(1 << 20), 8);
  check_round_trip(codec, repeated({-0.0}, 3000), 8);
  check_round_trip(codec, repeated({1.0, -1.0}, 3001), 8);
  check_round_trip(codec,
                   repeated({Limits::quiet_NaN(), Limits::signaling_NaN(), Limits::infinity(), -Limits::max(),
                             Limits::denorm_min(), 0.0, 273.15},
                            3001),
                   8);
}

// A header lists the filters in the order in which they are applied, and shuffle alone does not compress.
inline void check_filters(const Codec& codec, const CodecOptions& options) {
  for (const std::size_t size : {4, 8}) {
    const std::vector<Filter> filters = codec.filters(size);
    if (filters.empty()) continue;
    ASSERT_EQ(filters.size(), options.shuffle ? 2u : 1u);
    EXPECT_NE(filters.back().hdf5_id, shuffle_filter_id);
    EXPECT_GT(filters.back().hdf5_id, 0);
    if (!options.shuffle) continue;
    EXPECT_EQ(filters.front().hdf5_id, shuffle_filter_id);
    EXPECT_EQ(filters.front().parameters, std::vector<unsigned>{static_cast<unsigned>(size)});
  }
}

// One object serves all threads, and another of the same options gives the same bytes.
inline void check_threads(const Codec& codec, const CodecOptions& options) {
  const Bytes field = smooth(model::DataType::float64, 20000);
  const Bytes expected = make_codec(options)->encode(field, 8);
  std::vector<Bytes> encoded(4);
  std::vector<std::thread> threads;
  for (Bytes& own : encoded) threads.emplace_back([&] { own = codec.encode(field, 8); });
  for (std::thread& thread : threads) thread.join();
  for (const Bytes& own : encoded) EXPECT_EQ(own, expected);
}

inline void check_codec(const CodecOptions& options) {
  SCOPED_TRACE(options.codec + " level " + std::to_string(options.level) +
               (options.shuffle ? " shuffled" : ""));
  const auto codec = make_codec(options);
  for (const auto type :
       {model::DataType::float32, model::DataType::float64, model::DataType::int32, model::DataType::int64}) {
    const std::size_t size = model::size_of(type);
    for (const std::size_t elements : {0, 1, 2, 3, 17, 4096, 100003})
      check_round_trip(*codec, smooth(type, elements), size);
    const Bytes field = smooth(type, 50000);
    if (!codec->filters(size).empty()) {
      EXPECT_LT(codec->encode(field, size).size(), field.size());
    }
  }
  for (const std::size_t size : {1, 2, 3, 7, 1021, 65537})  // also no multiple of the element
    for (const std::size_t element_size : {1, 2, 4, 8, 12})
      check_round_trip(*codec, noise(size), element_size);
  check_patterns(*codec);
  check_filters(*codec, options);
  check_threads(*codec, options);
  check_damage(*codec);
}

}  // namespace tailrace::codecs::testing
