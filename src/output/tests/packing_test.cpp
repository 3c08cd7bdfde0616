#include "output/packing.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "base/error.hpp"

namespace tailrace::output {
namespace {

using model::DataType;
using ::testing::HasSubstr;

PackOptions within(double least, double most) {
  PackOptions options;
  options.range = {least, most};
  return options;
}

struct Numbers {
  DataType type;
  double lowest, highest;
};

// For any range, both ends map to a number of the type other than its fill value, and most numbers between
// are used.
TEST(Packing, spreads_a_range_over_the_numbers_of_a_type) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> exponent(-3.0, 6.0), middle(-2.0, 2.0);
  for (const auto& [type, lowest, highest] :
       {Numbers{DataType::int8, -126.0, 126.0}, Numbers{DataType::uint8, 0.0, 254.0},
        Numbers{DataType::int16, -32766.0, 32766.0}, Numbers{DataType::int32, -2147483646.0, 2147483646.0}}) {
    for (int round = 0; round < 200; ++round) {
      const double width = std::pow(10.0, exponent(random)), centre = middle(random) * width;
      const double least = centre - width, most = centre + width;
      const model::Packing packing = packing_of(within(least, most), type, DataType::float64);
      const double first = (least - packing.add_offset) / packing.scale_factor;
      const double last = (most - packing.add_offset) / packing.scale_factor;
      EXPECT_GE(std::nearbyint(first), lowest);
      EXPECT_LE(std::nearbyint(last), highest);
      EXPECT_NEAR(last - first, highest - lowest, 1e-6 * (highest - lowest));
    }
  }
}

TEST(Packing, has_numbers_of_the_unpacked_type) {
  const model::Packing packing = packing_of(within(180.0, 340.0), DataType::int16, DataType::float32);
  EXPECT_EQ(packing.add_offset, 260.0);
  EXPECT_EQ(packing.scale_factor, static_cast<double>(static_cast<float>(packing.scale_factor)));
  EXPECT_LE(std::nearbyint((340.0 - 260.0) / packing.scale_factor), 32766.0);
  EXPECT_NEAR(packing.scale_factor, 160.0 / 65532.0, 1e-9);
  PackOptions given;
  given.scale_factor = 0.01;
  given.add_offset = 273.15;
  EXPECT_EQ(packing_of(given, DataType::int8, DataType::float64), (model::Packing{0.01, 273.15}));
  EXPECT_EQ(packing_of(given, DataType::int8, DataType::float32),
            (model::Packing{static_cast<double>(0.01F), static_cast<double>(273.15F)}));
}

TEST(Packing, rejects_steps_below_the_precision_of_the_unpacked_type) {
  try {
    packing_of(within(1e6, 1e6 + 1e-3), DataType::uint8, DataType::float32);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("the range [1000000, 1000000.001] cannot be spread over uint8 in float32"));
  }
  PackOptions tiny;
  tiny.scale_factor = 1e-60;
  EXPECT_THROW(packing_of(tiny, DataType::int16, DataType::float32), Error);
}

TEST(Packing, names_the_types_for_packed_values) {
  for (const DataType type : {DataType::int8, DataType::uint8, DataType::int16, DataType::int32})
    EXPECT_EQ(packed_type_complaint(type), std::nullopt);
  EXPECT_EQ(packed_type_complaint(DataType::float32),
            "values are packed into int8, uint8, int16 or int32, but `type` is float32");
  EXPECT_TRUE(packed_type_complaint(DataType::int64));
}

}  // namespace
}  // namespace tailrace::output
