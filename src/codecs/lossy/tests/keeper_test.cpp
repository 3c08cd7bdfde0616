#include "codecs/lossy/keeper.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"
#include "codecs/lossy/testing/rounding_conformance.hpp"

namespace tailrace::codecs::lossy {
namespace {

using testing::Bytes;

const ChunkDescription record{model::DataType::float32, {9, 31}, testing::fill_value};
const ChunkDescription chunk{model::DataType::float32, {3, 9, 31}, testing::fill_value};

std::shared_ptr<const Codec> codec_of(const Keep& keep) {
  return make_codec({.codec = "zstd", .keep = keep});
}

Keeper keeper_of(const Keep& keep) { return {keep, record, chunk, codec_of(keep)}; }

std::size_t record_bytes() { return 9 * 31 * sizeof(float); }

TEST(Keeper, HoldsTheBoundForEachValueOfOddShapes) {
  for (const Keep& keep : {Keep{.absolute = 0.1}, Keep{.relative = 0.01}, Keep{.digits = 4}, Keep{.bits = 9},
                           Keep{.absolute = 0.5, .relative = 0.02}})
    for (const auto& [name, values] : testing::fields<float>(3 * 9 * 31, 11)) {
      SCOPED_TRACE(name + ", " + words(keep));
      const Bytes cells = testing::bytes_of(values);
      const KeptChunk kept = keeper_of(keep).keep(cells, {}, true);
      ASSERT_TRUE(kept.is_encoded);
      EXPECT_FALSE(kept.is_exact);
      const Bytes decoded = codec_of(keep)->decode(kept.bytes, cells.size(), 4);
      const std::vector<float> stored = testing::values_of<float>(decoded);
      Reached largest;
      for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(testing::broken_rule(values[i], stored[i], keep, float(testing::fill_value)), "");
        const double error = std::abs(double(stored[i]) - double(values[i]));
        if (error > largest.absolute) largest.absolute = error;
      }
      double told = 0.0;
      for (const Reached& reached : kept.reached) told = std::max(told, reached.absolute);
      EXPECT_EQ(told, largest.absolute);
    }
}

TEST(Keeper, RecordsDoNotDependOnTheOthersOfTheirChunk) {
  for (const Keep& keep : {Keep{.digits = 2}, Keep{.information = 0.99}}) {
    const Bytes cells = testing::bytes_of(testing::fields<float>(3 * 9 * 31, 5)[0].second);
    const KeptChunk whole = keeper_of(keep).keep(cells, {}, false);
    for (std::size_t r = 0; r < 3; ++r) {
      const auto part = std::span(cells).subspan(r * record_bytes(), record_bytes());
      const KeptChunk alone = keeper_of(keep).keep(part, {}, false);
      const auto same = std::span(whole.bytes).subspan(r * record_bytes(), record_bytes());
      EXPECT_TRUE(std::ranges::equal(alone.bytes, same)) << r;
      EXPECT_EQ(alone.reached[0], whole.reached[r]);
    }
  }
}

TEST(Keeper, WhatIsKeptAlreadyIsNotRoundedAgain) {
  const Bytes cells = testing::bytes_of(testing::fields<float>(3 * 9 * 31, 5)[0].second);
  const Reached known{0.25, 0.5, 7};
  const KeptChunk kept = keeper_of({.absolute = 0.5}).keep(cells, {std::nullopt, known, std::nullopt}, false);
  const auto second = [](const Bytes& bytes) {
    return std::vector(bytes.begin() + record_bytes(), bytes.begin() + 2 * record_bytes());
  };
  EXPECT_EQ(second(kept.bytes), second(cells));
  EXPECT_EQ(kept.reached[1], known);
  EXPECT_NE(kept.bytes, cells);
}

// Encodes one value wrongly, as often as it is asked to.
class Faulty final : public Codec {
 public:
  explicit Faulty(int faults) : faults_(faults) {}
  Bytes encode(std::span<const std::byte> bytes, const ChunkDescription&) const override {
    if (faults_-- > 0) throw Error(ErrorCode::resource, "decodes to other values");
    return {bytes.begin(), bytes.end()};
  }
  Bytes decode(std::span<const std::byte> bytes, std::size_t, std::size_t) const override {
    return {bytes.begin(), bytes.end()};
  }
  std::vector<Filter> filters(std::size_t) const override { return {}; }

 private:
  mutable int faults_;
};

TEST(Keeper, AChunkThatFailsIsStoredExactly) {
  const Bytes cells = testing::bytes_of(testing::fields<float>(3 * 9 * 31, 5)[0].second);
  for (const int faults : {1, 2}) {
    const Keeper keeper({.absolute = 0.5}, record, chunk, std::make_shared<Faulty>(faults));
    const KeptChunk kept = keeper.keep(cells, {}, true);
    EXPECT_TRUE(kept.is_exact);
    EXPECT_EQ(kept.is_encoded, faults == 1);
    EXPECT_EQ(kept.bytes, cells);
    EXPECT_THAT(kept.reached, ::testing::ElementsAre(Reached(), Reached(), Reached()));
  }
}

}  // namespace
}  // namespace tailrace::codecs::lossy
