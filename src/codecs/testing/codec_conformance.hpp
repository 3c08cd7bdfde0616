// The requirements on every codec; a new codec's test is one call to check_codec for each set of options.
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

// A chunk of one dim.
inline ChunkDescription chunk_of(model::DataType type, const Bytes& bytes) {
  return {type, {static_cast<std::int64_t>(bytes.size() / model::size_of(type))}, {}};
}

inline void check_round_trip(const Codec& codec, const Bytes& bytes, const ChunkDescription& chunk) {
  const std::size_t element_size = model::size_of(chunk.type);
  SCOPED_TRACE(std::to_string(bytes.size()) + " bytes of " + std::string(model::name_of(chunk.type)));
  const Bytes encoded = codec.encode(bytes, chunk);
  EXPECT_EQ(codec.decode(encoded, bytes.size(), element_size), bytes);
  EXPECT_EQ(codec.encode(bytes, chunk), encoded) << "the same chunk must give the same bytes";
}

inline void check_round_trip(const Codec& codec, model::DataType type, const Bytes& bytes) {
  check_round_trip(codec, bytes, chunk_of(type, bytes));
}

// Damage is reported, never handed on as values.
inline void check_damage(const Codec& codec) {
  const Bytes bytes = smooth(model::DataType::float32, 5000);
  const Bytes encoded = codec.encode(bytes, chunk_of(model::DataType::float32, bytes));
  Bytes cut = encoded;
  cut.resize(cut.size() / 2);
  EXPECT_THROW(codec.decode(cut, bytes.size(), 4), Error);
  EXPECT_THROW(codec.decode({}, bytes.size(), 4), Error);
  EXPECT_THROW(codec.decode(encoded, bytes.size() - 4, 4), Error);
  EXPECT_THROW(codec.decode(encoded, bytes.size() + 4, 4), Error);
}

// Values that are hard for a compressor: all equal, not a number, the ends of the range.
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
  const auto type = model::DataType::float64;
  check_round_trip(codec, type, Bytes(1 << 20));
  check_round_trip(codec, type, repeated({-0.0}, 3000));
  check_round_trip(codec, type, repeated({1.0, -1.0}, 3001));
  check_round_trip(codec, type,
                   repeated({Limits::quiet_NaN(), Limits::signaling_NaN(), Limits::infinity(), -Limits::max(),
                             Limits::denorm_min(), 0.0, 273.15},
                            3001));
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
  const ChunkDescription chunk = chunk_of(model::DataType::float64, field);
  const Bytes expected = make_codec(options)->encode(field, chunk);
  std::vector<Bytes> encoded(4);
  std::vector<std::thread> threads;
  for (Bytes& own : encoded) threads.emplace_back([&] { own = codec.encode(field, chunk); });
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
      check_round_trip(*codec, type, smooth(type, elements));
    const Bytes field = smooth(type, 50000);
    check_round_trip(*codec, field, {type, {50, 20, 50}, 0.0});
    if (!codec->filters(size).empty()) {
      EXPECT_LT(codec->encode(field, chunk_of(type, field)).size(), field.size());
    }
  }
  for (const std::size_t elements : {1, 2, 3, 7, 1021, 65537})
    for (const auto type : model::all_data_types())
      check_round_trip(*codec, type, noise(elements * model::size_of(type)));
  check_patterns(*codec);
  check_filters(*codec, options);
  check_threads(*codec, options);
  check_damage(*codec);
}

}  // namespace tailrace::codecs::testing
