#include "output/adios2/stream/wire.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace tailrace::output::adios2::stream {
namespace {

EngineSpec sample() {
  EngineSpec spec;
  spec.path = "/somewhere/live";
  spec.options = {.engine = Engine::sst, .queue = 7, .listen = Listen::all};
  spec.attributes = {{"title", std::string("Sämple")},
                     {"range", std::vector<double>{-1.0, 1.5}},
                     {"none", std::vector<std::int16_t>{}},
                     {"level", std::int8_t{-3}},
                     {"seed", std::int64_t{1} << 40}};
  spec.unlimited_dims = {"time"};
  spec.variables = {{"t", model::DataType::float32, false, {"time", "x"}, {{"units", std::string("K")}}},
                    {"options", model::DataType::int8, true, {"entry", "character"}, {}},
                    {"n", model::DataType::int16, false, {}, {{"valid_min", 0.25F}}}};
  return spec;
}

TEST(StreamWire, carries_what_a_stream_needs) {
  const EngineSpec spec = sample(), got = spec_from(bytes_of(spec));
  EXPECT_EQ(got.path, spec.path);
  EXPECT_EQ(got.options, spec.options);
  EXPECT_EQ(got.attributes, spec.attributes);
  EXPECT_EQ(got.unlimited_dims, spec.unlimited_dims);
  ASSERT_EQ(got.variables.size(), spec.variables.size());
  for (std::size_t i = 0; i < spec.variables.size(); ++i) {
    EXPECT_EQ(got.variables[i].name, spec.variables[i].name);
    EXPECT_EQ(got.variables[i].type, spec.variables[i].type);
    EXPECT_EQ(got.variables[i].is_text, spec.variables[i].is_text);
    EXPECT_EQ(got.variables[i].dims, spec.variables[i].dims);
    EXPECT_EQ(got.variables[i].attributes, spec.variables[i].attributes);
  }
}

TEST(StreamWire, lays_blocks_out_in_one_piece_of_memory) {
  const EngineSpec spec = sample();
  const std::vector<float> values{1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F};
  const std::string text = "abcdefgh";
  const std::int16_t number = 77;
  const auto bytes = [](const void* at) { return static_cast<const std::byte*>(at); };
  const std::vector<Block> blocks{{0, {2, 5}, {0, 1}, {2, 3}, bytes(values.data())},
                                  {1, {2, 4}, {0, 0}, {2, 4}, bytes(text.data())},
                                  {0, {2, 5}, {0, 4}, {2, 0}, nullptr},
                                  {2, {}, {}, {}, bytes(&number)}};
  const StepLayout layout(spec, blocks);
  std::vector<std::byte> memory(layout.size());
  layout.fill(memory);
  const std::vector<Block> got = blocks_in(memory);
  ASSERT_EQ(got.size(), blocks.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(got[i].variable, blocks[i].variable);
    EXPECT_EQ(got[i].shape, blocks[i].shape);
    EXPECT_EQ(got[i].start, blocks[i].start);
    EXPECT_EQ(got[i].count, blocks[i].count);
    EXPECT_GE(got[i].values, memory.data());
    EXPECT_LE(got[i].values, memory.data() + memory.size());
  }
  EXPECT_EQ(std::memcmp(got[0].values, values.data(), 6 * sizeof(float)), 0);
  EXPECT_EQ(std::memcmp(got[1].values, text.data(), text.size()), 0);
  EXPECT_EQ(std::memcmp(got[3].values, &number, sizeof number), 0);
}

}  // namespace
}  // namespace tailrace::output::adios2::stream
