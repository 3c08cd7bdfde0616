#include "pipeline/regridding/lay_over.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace tailrace::pipeline::regridding {
namespace {

using testing::ElementsAre;

template <class Value>
RegriddedPart part_of(const std::vector<Value>& values, std::vector<double> fraction = {}) {
  RegriddedPart part{
      .part = 3, .values = base::SlabPool().take(values.size() * sizeof(Value)), .fraction = {}};
  std::memcpy(part.values.data(), values.data(), part.values.size());
  part.fraction = std::move(fraction);
  return part;
}

template <class Value>
std::vector<Value> values_of(const RegriddedPart& part) {
  std::vector<Value> values(part.values.size() / sizeof(Value));
  std::memcpy(values.data(), part.values.data(), part.values.size());
  return values;
}

TEST(LayOver, TakesWhatTheChildHas) {
  RegriddedPart parent = part_of<float>({1, 2, -9, -9}, {1.0, 0.9, 0.1, 0.2});
  lay_over(part_of<float>({-9, 5, 6, -9}, {0.3, 0.8, 0.7, 0.0}), model::DataType::float32, -9.0, parent);
  EXPECT_THAT(values_of<float>(parent), ElementsAre(1, 5, 6, -9));
  EXPECT_THAT(parent.fraction, ElementsAre(1.0, 0.8, 0.7, 0.2));
}

TEST(LayOver, KnowsNaNAsMissing) {
  const double none = std::numeric_limits<double>::quiet_NaN();
  RegriddedPart parent = part_of<double>({1, none, 3});
  lay_over(part_of<double>({none, 5, none}), model::DataType::float64, none, parent);
  EXPECT_THAT(values_of<double>(parent), ElementsAre(1, 5, 3));
  lay_over(part_of<double>({none, -9, -9}), model::DataType::float64, -9.0, parent);
  EXPECT_TRUE(std::isnan(values_of<double>(parent)[0])) << "a value of the child like any other";
}

TEST(LayOver, KeepsAllDigitsOfLargeIntegers) {
  const std::int64_t large = (std::int64_t{1} << 60) + 1;
  RegriddedPart parent = part_of<std::int64_t>({7, large - 1});
  lay_over(part_of<std::int64_t>({large, large - 1}), model::DataType::int64,
           model::FillValue::of_whole(large - 1), parent);
  EXPECT_THAT(values_of<std::int64_t>(parent), ElementsAre(large, large - 1));
}

}  // namespace
}  // namespace tailrace::pipeline::regridding
