// The codec `lorenzo`: the contract of a codec, the bound with it, its forms, and damaged chunks.
#include <gmock/gmock.h>

#include <cstdlib>

#include "codecs/find_codec.hpp"
#include "codecs/lorenzo/chunk.hpp"
#include "codecs/lossy/keeper.hpp"
#include "codecs/lossy/testing/rounding_conformance.hpp"
#include "codecs/testing/codec_conformance.hpp"

namespace tailrace::codecs {
namespace {

using lorenzo::Mode;
using lossy::Keep;
using testing::Bytes;

constexpr double fill = lossy::testing::fill_value;

TEST(LorenzoCodec, keeps_the_contract) {
  for (const int level : {1, 3, 9})
    testing::check_codec({.codec = "lorenzo", .level = level, .shuffle = false});
  testing::check_codec({.codec = "lorenzo", .shuffle = false, .keep = Keep{.absolute = 0.25}});
}

TEST(LorenzoCodec, takes_no_shuffled_bytes) {
  const Bytes field = testing::smooth(model::DataType::float32, 5000);
  const auto chunk = testing::chunk_of(model::DataType::float32, field);
  const auto codec = make_codec({.codec = "lorenzo"});
  EXPECT_EQ(codec->encode(field, chunk),
            make_codec({.codec = "lorenzo", .shuffle = false})->encode(field, chunk));
  EXPECT_EQ(codec->filters(4).size(), 1u);
}

TEST(LorenzoCodec, is_found_by_its_filter_with_its_step) {
  const CodecOptions written{.codec = "lorenzo", .level = 3, .keep = Keep{.absolute = 0.1}};
  const auto filters = make_codec(written)->filters(4);
  ASSERT_EQ(filters.size(), 1u);
  const auto found = find_codec(filters, 4);
  ASSERT_TRUE(found);
  EXPECT_EQ(*found, written);
  EXPECT_EQ(make_codec(*found)->filters(4)[0].parameters, filters[0].parameters);
}

template <class T>
Mode mode_of(const std::vector<T>& values, const Keep& keep) {
  const auto type = model::data_type_of<T>();
  const auto codec = make_codec({.codec = "lorenzo", .keep = keep});
  const ChunkDescription chunk{type, {7, 11, static_cast<std::int64_t>(values.size()) / 77}, fill};
  const lossy::KeptChunk kept =
      lossy::Keeper(keep, chunk, chunk, codec).keep(lossy::testing::bytes_of(values), {}, true);
  return lorenzo::read_header(kept.bytes)->mode;
}

TEST(LorenzoCodec, stores_multiples_of_steps_and_patterns) {
  const auto fields = lossy::testing::fields<float>(std::size_t{77} * 53, 3);
  EXPECT_EQ(mode_of(fields[0].second, {.absolute = 0.1}), Mode::steps);
  EXPECT_EQ(mode_of(fields[0].second, {.relative = 0.01}), Mode::patterns);
  EXPECT_EQ(mode_of(fields[8].second, {.absolute = 0.1}), Mode::steps) << fields[8].first;
  EXPECT_EQ(mode_of(fields[6].second, {.absolute = 0.1}), Mode::patterns)
      << "values too large for whole steps";
}

// Each value of each field, in chunks of odd shapes, with rows and planes that are not full, decoded again.
template <class T>
void check_bounds(const std::vector<Keep>& keeps) {
  const auto type = model::data_type_of<T>();
  for (const auto& [shape, more] :
       std::vector<std::pair<std::vector<std::int64_t>, std::string>>{{{3, 9, 31}, ""},
                                                                      {{1, 1, 837}, "one row"},
                                                                      {{837, 1}, "one column"},
                                                                      {{837}, "a series"},
                                                                      {{27, 31}, ""}})
    for (const Keep& keep : keeps)
      for (const auto& [name, values] : lossy::testing::fields<T>(837, 11)) {
        SCOPED_TRACE(name + ", " + lossy::words(keep) + ", " + more + std::string(model::name_of(type)));
        const ChunkDescription chunk{type, shape, fill};
        const auto codec = make_codec({.codec = "lorenzo", .keep = keep});
        const Bytes cells = lossy::testing::bytes_of(values);
        const lossy::KeptChunk kept = lossy::Keeper(keep, chunk, chunk, codec).keep(cells, {}, true);
        ASSERT_TRUE(kept.is_encoded);
        EXPECT_FALSE(kept.is_exact);
        const auto stored = lossy::testing::values_of<T>(codec->decode(kept.bytes, cells.size(), sizeof(T)));
        for (std::size_t i = 0; i < values.size(); ++i)
          ASSERT_EQ(lossy::testing::broken_rule(values[i], stored[i], keep, T(fill)), "")
              << values[i] << " at " << i;
        // Values that a later job decodes and encodes again stay as they are.
        const Bytes decoded = lossy::testing::bytes_of(stored);
        EXPECT_EQ(codec->decode(codec->encode(decoded, chunk), decoded.size(), sizeof(T)), decoded);
      }
}

std::vector<Keep> all_keeps() {
  return {{.absolute = 0.1},     {.absolute = 1e-30},
          {.absolute = 1e30},    {.relative = 0.01},
          {.relative = 1e-5},    {.digits = 4},
          {.bits = 9},           {.bits = 23},
          {.information = 0.99}, {.absolute = 0.5, .relative = 0.02}};
}

TEST(LorenzoCodec, holds_the_bound_for_each_value_of_float32) { check_bounds<float>(all_keeps()); }
TEST(LorenzoCodec, holds_the_bound_for_each_value_of_float64) { check_bounds<double>(all_keeps()); }

TEST(LorenzoCodec, makes_smooth_fields_smaller_than_shuffle) {
  std::vector<float> values;
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 300; ++x)
      values.push_back(static_cast<float>(20.0 + 30.0 * std::sin(0.03 * x + 0.2) * std::cos(0.05 * y)));
  const ChunkDescription chunk{model::DataType::float32, {200, 300}, {}};
  const auto size = [&](const char* name, const Keep& keep) {
    const auto codec = make_codec({.codec = name, .keep = keep});
    return lossy::Keeper(keep, chunk, chunk, codec)
        .keep(lossy::testing::bytes_of(values), {}, true)
        .bytes.size();
  };
  for (const Keep& keep : {Keep{.absolute = 0.1}, Keep{.relative = 0.001}})
    EXPECT_LT(2 * size("lorenzo", keep), size("zstd", keep)) << lossy::words(keep);
}

// Chunks with changed, missing and further bytes: each decodes to something, or is refused.
TEST(LorenzoCodec, never_fails_otherwise_on_damaged_chunks) {
  const char* const asked = std::getenv("TAILRACE_TEST_FUZZ");
  const int tries = asked != nullptr ? std::atoi(asked) : 1000;
  std::vector<std::pair<Bytes, std::size_t>> whole;
  for (const Keep& keep : {Keep{.absolute = 0.1}, Keep{.relative = 0.01}})
    for (const auto& [name, values] : lossy::testing::fields<float>(837, 5)) {
      const ChunkDescription chunk{model::DataType::float32, {3, 9, 31}, fill};
      const auto codec = make_codec({.codec = "lorenzo", .keep = keep});
      whole.emplace_back(
          lossy::Keeper(keep, chunk, chunk, codec).keep(lossy::testing::bytes_of(values), {}, true).bytes,
          values.size() * sizeof(float));
    }
  const Bytes integers = testing::smooth(model::DataType::int64, 400);
  whole.emplace_back(
      make_codec({.codec = "lorenzo"})->encode(integers, {model::DataType::int64, {20, 20}, {}}),
      integers.size());
  const auto codec = make_codec({.codec = "lorenzo"});
  std::mt19937 random(12);
  int refused = 0;
  for (int i = 0; i < tries; ++i) {
    const auto& [chunk, size] = whole[random() % whole.size()];
    Bytes damaged = chunk;
    // Mostly the header: Zstandard notices most of what changes behind it.
    const std::size_t reach = random() % 4 != 0 ? lorenzo::header_bytes : damaged.size();
    for (unsigned changes = 1 + random() % 4; changes > 0; --changes)
      damaged[random() % reach] = static_cast<std::byte>(random() % 3 == 0 ? random() % 4 : random());
    if (random() % 8 == 0) damaged.resize(random() % (damaged.size() + 16));
    try {
      EXPECT_EQ(codec->decode(damaged, size, 4).size(), size);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::resource);
      ++refused;
    }
    if (const auto header = lorenzo::read_header(damaged)) {  // as the plugin, which does not know the size
      if (header->bytes() > 1 << 20) continue;
      Bytes values(header->bytes());
      static_cast<void>(lorenzo::decode(*header, damaged, values));
    }
  }
  EXPECT_GT(refused, tries / 4);
  EXPECT_LT(refused, tries);
}

}  // namespace
}  // namespace tailrace::codecs
