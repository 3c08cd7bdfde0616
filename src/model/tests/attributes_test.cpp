#include "model/attributes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tailrace::model {
namespace {

using testing::HasSubstr;

std::string name(std::string_view text) { return variable_attribute_complaint(text).value_or("fine"); }
std::string told(const Attributes& attributes, DataType type = DataType::float32) {
  return attributes_complaint(attributes, type).value_or("fine");
}

TEST(Attributes, names_of_the_files_own_are_told_with_what_to_use) {
  EXPECT_THAT(name("coordinates"), HasSubstr("declared with `coordinate`"));
  EXPECT_THAT(name("bounds"), HasSubstr("if `bounds` are given"));
  EXPECT_THAT(name("grid_mapping"), HasSubstr("`grid_mapping` of the grid"));
  EXPECT_THAT(name("cell_measures"), HasSubstr("`measure`"));
  EXPECT_THAT(name("mesh"), HasSubstr("`mesh` of the grid"));
  EXPECT_THAT(name("scale_factor"), HasSubstr("change values that are stored as they are"));
  EXPECT_EQ(name("_FillValue"), "is written automatically, from the `fill_value` of the field");
  EXPECT_THAT(name("CLASS"), HasSubstr("is reserved"));
  for (const char* free : {"comment", "cell_methods", "flag_values", "missing_value", "positive"})
    EXPECT_EQ(name(free), "fine") << free;
}

TEST(Attributes, a_field_may_name_fields_as_its_coordinates) {
  EXPECT_EQ(field_attribute_complaint("coordinates"), std::nullopt);
  EXPECT_THAT(field_attribute_complaint("bounds").value_or("fine"), HasSubstr("if `bounds` are given"));
  EXPECT_EQ(told({{"coordinates", 1.0}}),
            "attribute \"coordinates\": expected the names of fields, but got a number");
}

TEST(Attributes, what_is_held_against_values_has_their_type) {
  using Reals = std::vector<double>;
  using Wholes = std::vector<std::int32_t>;
  EXPECT_TRUE(has_own_type("valid_range"));
  EXPECT_FALSE(has_own_type("comment"));
  EXPECT_EQ(in_type(Wholes{1, 2}, DataType::float32), AttributeValue(std::vector<float>{1, 2}));
  EXPECT_EQ(in_type(2.0, DataType::int64), AttributeValue(std::vector<std::int64_t>{2}));
  EXPECT_EQ(in_type(Reals{1.5}, DataType::int32), std::nullopt);
  EXPECT_EQ(in_type(std::int64_t{1} << 31, DataType::int32), std::nullopt);
  EXPECT_EQ(in_type(-std::ldexp(1.0, 31), DataType::int32), AttributeValue(Wholes{INT32_MIN}));
  EXPECT_EQ(in_type(std::ldexp(1.0, 63), DataType::int64), std::nullopt);
  EXPECT_EQ(in_type(255.0, DataType::uint8), AttributeValue(std::vector<std::uint8_t>{255}));
  EXPECT_EQ(in_type(256.0, DataType::uint8), std::nullopt);
  EXPECT_EQ(in_type(-1.0, DataType::uint8), std::nullopt);
  EXPECT_EQ(in_type(1e39, DataType::float32), std::nullopt);
  EXPECT_EQ(in_type(std::string("1"), DataType::int32), std::nullopt);
  EXPECT_TRUE(in_type(std::nan(""), DataType::float32).has_value());
}

TEST(Attributes, what_is_wrong_with_them_is_told) {
  EXPECT_EQ(told({{"comment", "x"}, {"valid_range", std::vector<double>{0, 1}}}), "fine");
  EXPECT_EQ(told({{"valid_min", "0"}}),
            "attribute \"valid_min\" must have the type of the variable; expected a number of type float32, "
            "but got "
            "\"0\"");
  EXPECT_EQ(
      told({{"valid_range", std::vector<double>{0.5, 1, 2}}}, DataType::int32),
      "attribute \"valid_range\" must have the type of the variable; expected two numbers of type int32, but "
      "got 0.5, 1, 2");
  EXPECT_EQ(told({{"missing_value", 1e300}}),
            "attribute \"missing_value\" must have the type of the variable; expected a number of type "
            "float32, but "
            "got 1e+300");
  EXPECT_EQ(told({{"sizes", std::vector<float>{}}}), "attribute \"sizes\" has no value");
  EXPECT_EQ(told({{"comment", "caf\xE9"}}), "the value of attribute \"comment\" is not UTF-8 from byte 4 on");
  const std::vector<std::int32_t> flags{0, 1, 2};
  EXPECT_EQ(told({{"flag_values", flags}, {"flag_meanings", " dry  wet ice"}}), "fine");
  EXPECT_EQ(
      told({{"flag_values", flags}, {"flag_meanings", "dry wet"}}),
      "attribute \"flag_values\" has 3 numbers; expected as many words in \"flag_meanings\", but got 2");
}

}  // namespace
}  // namespace tailrace::model
