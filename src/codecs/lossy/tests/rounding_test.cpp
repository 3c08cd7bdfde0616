#include "codecs/lossy/rounding.hpp"

#include <gmock/gmock.h>

#include "codecs/lossy/prediction.hpp"
#include "codecs/lossy/testing/rounding_conformance.hpp"

namespace tailrace::codecs::lossy {
namespace {

std::vector<Keep> bounds() {
  std::vector<Keep> all;
  for (const double absolute : {1.0, 0.1, 0.25, 1e-3, 1e-30, 7e20, 1e38, 1e-320, 1e300})
    all.push_back({.absolute = absolute});
  for (const double relative : {0.5, 0.25, 0.1, 0.01, 0.001, 1e-5, 1e-8, 1e-15})
    all.push_back({.relative = relative});
  for (int digits = 1; digits <= 15; ++digits) all.push_back({.digits = digits});
  for (const int bits : {1, 2, 6, 9, 15, 22, 23, 24, 51, 52}) all.push_back({.bits = bits});
  all.push_back({.absolute = 0.1, .relative = 0.01});
  all.push_back({.absolute = 1e-3, .digits = 3});
  all.push_back({.relative = 0.01, .digits = 3, .bits = 4});
  all.push_back({.absolute = 5.0, .relative = 0.3, .digits = 2, .bits = 2});
  return all;
}

TEST(Rounding, EveryBackendKeepsTheContract) {
  for (const RoundingBackend& backend : rounding_backends()) {
    int made = 0;
    for (const Keep& keep : bounds())
      for (const auto type : {model::DataType::float32, model::DataType::float64})
        for (const std::optional<double> fill :
             {std::optional<double>(), std::optional(testing::fill_value)}) {
          const RoundingRequest request{keep, type, fill};
          const auto rounding = backend.make(request);
          if (!rounding) continue;
          EXPECT_EQ(rounding->name(), backend.name);
          testing::check_rounding(*rounding, request);
          ++made;
        }
    EXPECT_GT(made, 20) << backend.name;
  }
}

TEST(Rounding, BackendsAgreeWhereBothCan) {
  for (const Keep& keep : {Keep{.absolute = 0.1}, Keep{.bits = 9}})
    for (const auto& [name, values] : testing::fields<float>(4099, 3)) {
      const RoundingRequest request{keep, model::DataType::float32, testing::fill_value};
      testing::Bytes fast = testing::bytes_of(values), general = fast;
      make_rounding(request)->round(fast);
      rounding_backends().back().make(request)->round(general);
      EXPECT_EQ(fast, general) << name << ", " << words(keep);
    }
}

TEST(Rounding, ForPredictionKeepsTheContract) {
  for (const Keep& keep : bounds())
    for (const auto type : {model::DataType::float32, model::DataType::float64})
      if (keep.absolute || keep.relative) {
        const RoundingRequest request{keep, type, testing::fill_value};
        testing::check_rounding(*make_rounding_for_prediction(request), request);
      }
}

TEST(Rounding, ForPredictionTakesEqualStepsAndBits) {
  const auto backend_of = [](const Keep& keep) {
    return make_rounding_for_prediction({keep, model::DataType::float32, {}})->name();
  };
  EXPECT_EQ(backend_of({.absolute = 0.1}), "equal_steps");
  EXPECT_EQ(backend_of({.absolute = 0.1, .relative = 0.1}), "granular");
  EXPECT_EQ(backend_of({.relative = 0.01}), "bitround");
  EXPECT_EQ(backend_of({.digits = 3}), "granular");
}

std::vector<float> rounded(const Keep& keep, std::vector<float> values) {
  testing::Bytes bytes = testing::bytes_of(values);
  make_rounding({keep, model::DataType::float32, {}})->round(bytes);
  return testing::values_of<float>(bytes);
}

TEST(Rounding, TakesTheLargestStepThatHolds) {
  using ::testing::ElementsAre;
  EXPECT_THAT(rounded({.absolute = 1.0}, {0.9F, 1.1F, 2.9F, 3.1F, -3.1F, 54.2F}),
              ElementsAre(0.0F, 2.0F, 2.0F, 4.0F, -4.0F, 54.0F));
  EXPECT_THAT(rounded({.absolute = 0.1}, {0.07F, 0.3F}), ElementsAre(0.125F, 0.25F));
  EXPECT_THAT(rounded({.bits = 2}, {1.1F, 1.2F, 1.9F, 10.4F}), ElementsAre(1.0F, 1.25F, 2.0F, 10.0F));
  // 1 % of 1.7 allows multiples of 1/32, 1 % of 1.1 those of 1/64.
  EXPECT_THAT(rounded({.relative = 0.01}, {1.7F, 1.1F}), ElementsAre(1.6875F, 1.09375F));
  // Half a unit in the second digit is 0.05 for 1.234 and 0.5 for 12.34.
  EXPECT_THAT(rounded({.digits = 2}, {1.234F, 12.34F}), ElementsAre(1.25F, 12.0F));
}

TEST(Rounding, HalvesGoToTheEvenMultiple) {
  EXPECT_THAT(rounded({.absolute = 1.0}, {1.0F, 3.0F, 5.0F, -1.0F}),
              ::testing::ElementsAre(0.0F, 4.0F, 4.0F, 0.0F));
  EXPECT_THAT(rounded({.bits = 1}, {1.25F, 1.75F}), ::testing::ElementsAre(1.0F, 2.0F));
}

TEST(Comparison, FindsWhatIsOutOfTheBound) {
  const auto fits = [](float x, float y, const Keep& keep) {
    return compare(testing::bytes_of<float>({x}), testing::bytes_of<float>({y}), keep,
                   model::DataType::float32, testing::fill_value)
        .has_value();
  };
  EXPECT_TRUE(fits(1.0F, 1.1F, {.absolute = 0.11}));
  EXPECT_FALSE(fits(1.0F, 1.1F, {.absolute = 0.09}));
  EXPECT_TRUE(fits(-100.0F, -99.0F, {.relative = 0.01}));
  EXPECT_FALSE(fits(-100.0F, -98.9F, {.relative = 0.01}));
  EXPECT_TRUE(fits(1234.0F, 1230.0F, {.digits = 3}));
  EXPECT_FALSE(fits(1234.0F, 1239.1F, {.digits = 3}));
  EXPECT_TRUE(fits(1.0F, 1.125F, {.bits = 2}));
  EXPECT_FALSE(fits(1.0F, 1.126F, {.bits = 2}));
  const float infinity = std::numeric_limits<float>::infinity();
  const Keep wide{.absolute = 1e30};
  EXPECT_FALSE(fits(1.0F, infinity, wide));
  EXPECT_FALSE(fits(infinity, 1.0F, wide));
  EXPECT_FALSE(fits(std::numeric_limits<float>::quiet_NaN(), 1.0F, wide));
  EXPECT_FALSE(fits(0.0F, -0.0F, wide));
  EXPECT_FALSE(fits(std::numeric_limits<float>::denorm_min(), 0.0F, wide));
  EXPECT_FALSE(fits(-999.0F, static_cast<float>(testing::fill_value), wide));
  EXPECT_FALSE(fits(static_cast<float>(testing::fill_value), -999.0F, wide));
}

TEST(Comparison, GivesTheLargestErrors) {
  const auto reached = compare(testing::bytes_of<double>({1.0, -10.0, 0.0, std::nan("")}),
                               testing::bytes_of<double>({1.25, -10.5, 0.0, std::nan("")}), {.absolute = 1.0},
                               model::DataType::float64, {});
  ASSERT_TRUE(reached);
  EXPECT_EQ(reached->absolute, 0.5);
  EXPECT_EQ(reached->relative, 0.25);
}

}  // namespace
}  // namespace tailrace::codecs::lossy
