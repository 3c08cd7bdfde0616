#include "pipeline/sampling/masks.hpp"

#include <gmock/gmock.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "client/declarer.hpp"

namespace tailrace::pipeline::sampling {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr int mask = 0, salt = 1, cells = 2, scale = 3;

// Two ranks hold rows 0 and 1-2 of a surface of four columns; the sea has two levels. A field without a grid
// has no mask.
client::Declarer declare(int client) {
  client::Declarer declarer("ocean", client, 2);
  const std::int64_t first = client == 0 ? 0 : 1, rows = client == 0 ? 1 : 2;
  const auto grid = [&](const char* name, std::vector<std::string> dims, std::vector<std::int64_t> shape,
                        std::vector<std::int64_t> offset, std::vector<std::int64_t> count) {
    client::GridArguments made;
    made.name = name;
    made.dims = std::move(dims);
    made.shape = std::move(shape);
    made.offset = std::move(offset);
    made.count = std::move(count);
    declarer.grid(made);
  };
  grid("surface", {"y", "x"}, {3, 4}, {first, 0}, {rows, 4});
  grid("sea", {"z", "y", "x"}, {2, 3, 4}, {0, first, 0}, {2, rows, 4});
  const auto field = [&](const char* on, const char* name, model::DataType type) {
    model::Field made;
    made.name = name;
    made.type = type;
    declarer.field(on, made);
  };
  field("surface", "is_sea", model::DataType::float32);
  field("sea", "salt", model::DataType::float64);
  field("surface", "cells", model::DataType::int32);
  field("", "scale", model::DataType::float64);
  return declarer;
}

ComponentInfo info() {
  const std::map<std::string, std::string> no_options;
  ComponentInfo made;
  made.configuration = settings::parse_configuration(
      {{"run.yaml",
        "tailrace: 1\n"
        "fields: {state: {names: [salt, cells, scale]}, fixed: {every: once, names: [is_sea]}}\n"
        "grids: {sea: {mask: is_sea}, surface: {mask: is_sea}}\n"
        "output: {a.nc: {format: memory, variables: [{field: salt, every: 1 step}]}}\n"}},
      &no_options);
  made.declarations = declare(0).declarations();
  made.decomposition.regions.resize(made.declarations.grids.size());
  for (const int client : {0, 1})
    for (std::size_t grid = 0; grid < made.declarations.grids.size(); ++grid)
      made.decomposition.regions[grid].push_back(declare(client).regions()[grid]);
  return made;
}

struct Sea : testing::Test {
  const Blueprint blueprint{info()};
  Masks masks{blueprint};

  Sea() { masks.start(std::array{0, 1}); }

  template <class T>
  std::vector<T> apply(int client, int field, const std::vector<T>& values) {
    const auto block = masks.apply(client, field, std::as_bytes(std::span(values)));
    std::vector<T> found(block.size() / sizeof(T));
    std::memcpy(found.data(), block.data(), block.size());
    return found;
  }
};

TEST_F(Sea, LeavesOutWhatIsOff) {
  const double d = model::default_fill(model::DataType::float64).number;
  const auto i = model::default_fill(model::DataType::int32).as<std::int32_t>();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(apply<float>(0, mask, {1, 0, nan, -2}),
              ElementsAre(1, 0, testing::NanSensitiveFloatEq(nan), -2));
  EXPECT_THAT(apply<double>(0, salt, {1, 2, 3, 4, 5, 6, 7, 8}), ElementsAre(1, d, d, 4, 5, d, d, 8));
  EXPECT_THAT(apply<std::int32_t>(0, cells, {1, 2, 3, 4}), ElementsAre(1, i, i, 4));
  EXPECT_THAT(apply<double>(0, scale, {7}), ElementsAre(7));
  apply<float>(1, mask, {0, 1, 1, 1, 1, 1, 1, 0});  // each rank has its own
  EXPECT_THAT(apply<std::int32_t>(1, cells, {1, 2, 3, 4, 5, 6, 7, 8}), ElementsAre(i, 2, 3, 4, 5, 6, 7, i));
  EXPECT_THAT(apply<std::int32_t>(0, cells, {1, 2, 3, 4}), ElementsAre(1, i, i, 4));
  EXPECT_GE(masks.bytes(), 4 + 8 + 8 * sizeof(double));
}

TEST_F(Sea, HasToKnowItsMaskFirst) {
  apply<float>(0, mask, {1, 1, 1, 1});
  try {
    apply<std::int32_t>(1, cells, {1, 2, 3, 4, 5, 6, 7, 8});
    FAIL() << "taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_THAT(error.what(),
                HasSubstr("rank 1 put \"cells\" before \"is_sea\", the mask of grid \"surface\""));
  }
}

TEST(Masks, AreOnTheCellsOfTheirGrid) {
  ComponentInfo wrong = info();
  wrong.decomposition.regions[1] = {model::Region::of_box({{0, 0, 0}, {2, 2, 4}}),
                                    model::Region::of_box({{0, 2, 0}, {2, 1, 4}})};
  const Blueprint blueprint(wrong);
  Masks masks(blueprint);
  EXPECT_THROW(masks.start(std::array{0}), Error);
}

}  // namespace
}  // namespace tailrace::pipeline::sampling
