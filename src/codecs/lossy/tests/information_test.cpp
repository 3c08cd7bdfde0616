#include "codecs/lossy/information.hpp"

#include <gtest/gtest.h>

#include "codecs/lossy/testing/fields.hpp"

namespace tailrace::codecs::lossy {
namespace {

constexpr std::int64_t rows = 37, columns = 501;

// A wave whose bits below 2^-so many are chance.
std::vector<float> wave_with_noise(double noise) {
  std::mt19937 random(7);
  std::vector<float> values;
  for (std::int64_t y = 0; y < rows; ++y)
    for (std::int64_t x = 0; x < columns; ++x)
      values.push_back(static_cast<float>(1.5 + 0.4 * std::sin(0.02 * double(x) + 0.3 * double(y)) +
                                          noise * (double(random() % 65536) / 65536.0 - 0.5)));
  return values;
}

std::optional<int> bits_of(const std::vector<float>& values, double share = 0.99) {
  return bits_that_keep(share, testing::bytes_of(values),
                        {model::DataType::float32, {rows, columns}, testing::fill_value});
}

TEST(Information, EndsWhereTheNoiseBegins) {
  const int fine = *bits_of(wave_with_noise(0x1p-10)), coarse = *bits_of(wave_with_noise(0x1p-5));
  EXPECT_GE(fine, 7);
  EXPECT_LE(fine, 12);
  EXPECT_GE(coarse, 3);
  EXPECT_LE(coarse, 7);
  EXPECT_GE(*bits_of(wave_with_noise(0x1p-10), 1.0), fine);
  EXPECT_LE(*bits_of(wave_with_noise(0x1p-10), 0.5), fine);
}

TEST(Information, OfBitsThatAreChanceIsNothing) {
  std::mt19937 random(3);
  std::vector<float> values(rows * columns);
  for (float& value : values)
    value = std::bit_cast<float>(static_cast<std::uint32_t>(0x3f800000U | (random() & 0x7fffffU)));
  EXPECT_EQ(bits_of(values), std::nullopt);
}

TEST(Information, ConstantsAndFillValuesHaveNone) {
  EXPECT_EQ(bits_of(std::vector<float>(rows * columns, 273.15F)), std::nullopt);
  EXPECT_EQ(bits_of(std::vector<float>(rows * columns, float(testing::fill_value))), std::nullopt);
  EXPECT_EQ(bits_of(std::vector<float>(rows * columns, NAN)), std::nullopt);
}

// Half the pairs of a bit are (0, 0) and half (1, 1): the bit is known from its neighbour, so it carries one
// bit. A bit that is always the same carries nothing.
TEST(Information, OfABitThatItsNeighbourTells) {
  std::vector<float> values;
  for (std::int64_t y = 0; y < rows + 1; ++y) values.insert(values.end(), columns, y % 2 == 0 ? 1.0F : 1.5F);
  const auto information =
      information_of_bits(testing::bytes_of(values), {model::DataType::float32, {rows + 1, columns}, {}});
  EXPECT_EQ(information.size(), 32U);
  EXPECT_NEAR(information[9], 1.0, 1e-12);
  EXPECT_EQ(information[0] + information[10] + information[31], 0.0);
}

}  // namespace
}  // namespace tailrace::codecs::lossy
