#include "model/axis.hpp"

#include <gmock/gmock.h>

#include <limits>

namespace tailrace::model {
namespace {

using testing::ElementsAre;
using testing::Optional;

constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();

std::string complaint(const std::vector<double>& values) { return axis_complaint(values).value_or("none"); }

TEST(Axis, IncreasesOrDecreasesStrictly) {
  EXPECT_EQ(complaint({-60, -20, 20, 60}), "none");
  EXPECT_EQ(complaint({60, 20, -20}), "none");
  EXPECT_EQ(complaint({7}), "none");
  EXPECT_EQ(complaint({-60, nan, 20, 60}), "it is nan at index 1");
  EXPECT_EQ(complaint({-60, -20, 20, inf}), "it is inf at index 3");
  EXPECT_EQ(complaint({nan}), "it is nan at index 0");
  EXPECT_EQ(complaint({-60, 20, 20, 60}), "it is 20 at index 1 and again at index 2");
  EXPECT_EQ(complaint({-60, 20, -20, 60}), "it increases to 20 at index 1, then decreases to -20");
  EXPECT_EQ(complaint({3, 2, 1, 5}), "it decreases to 1 at index 2, then increases to 5");
}

TEST(Axis, LongitudesAreUnrolled) {
  EXPECT_THAT(unrolled(std::vector<double>{180, 240, 300, 0, 60}),
              Optional(ElementsAre(180, 240, 300, 360, 420)));
  EXPECT_THAT(unrolled(std::vector<double>{60, 0, 300, 240}), Optional(ElementsAre(60, 0, -60, -120)));
  EXPECT_FALSE(unrolled(std::vector<double>{0, 120, 240, 0, 120})) << "more than once around";
  EXPECT_FALSE(unrolled(std::vector<double>{0, 60, 30}));
  EXPECT_FALSE(unrolled(std::vector<double>{0, nan, 30}));
}

TEST(Axis, OddValuesAreCounted) {
  Coordinate lat;
  lat.name = "lat";
  lat.units = "degrees_north";
  const std::vector<double> values{nan, 90.00001, 91, -inf, -999};
  const OddValues odd = odd_values(lat, values);
  EXPECT_EQ(odd.missing, 1);
  EXPECT_EQ(odd.infinite, 1);
  EXPECT_EQ(odd.beyond_poles, 2);
  EXPECT_EQ(odd.example, 91);
  OddValues sum;
  sum.add(odd);
  sum.add(odd);
  EXPECT_EQ(sum.beyond_poles, 4);
  EXPECT_EQ(sum.example, 91);
  lat.units = "m";
  EXPECT_EQ(odd_values(lat, values).beyond_poles, 0);
}

TEST(FillValue, DefaultsAreThoseOfNetcdf) {
  EXPECT_EQ(default_fill(DataType::int64).as<std::int64_t>(), -9223372036854775806LL);
  EXPECT_EQ(default_fill(DataType::int32).as<std::int32_t>(), -2147483647);
  EXPECT_EQ(default_fill(DataType::uint8).as<std::uint8_t>(), 255);
  EXPECT_EQ(default_fill(DataType::float32).as<float>(), 9.9692099683868690e+36f);
  EXPECT_EQ(FillValue(nan), FillValue(nan));
  EXPECT_FALSE(FillValue(-0x1p63) == default_fill(DataType::int64)) << "no double is the default of int64";
  EXPECT_EQ(FillValue(-999.0), FillValue::of_whole(-999));
}

}  // namespace
}  // namespace tailrace::model
