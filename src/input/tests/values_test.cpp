#include "input/values.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "base/error.hpp"

namespace tailrace::input {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

VariableHeader variable(model::DataType type, std::map<std::string, AttributeValue> attributes) {
  VariableHeader header;
  header.name = "tos";
  header.type = type;
  header.is_number = true;
  header.attributes = std::move(attributes);
  return header;
}

std::vector<double> numbers(std::initializer_list<double> values) { return values; }

template <class T>
std::vector<double> unpacked(const VariableHeader& header, const std::vector<T>& stored, double factor = 1.0,
                             double shift = 0.0) {
  ValueRules rules = rules_of(header);
  rules.factor = factor;
  rules.shift = shift;
  std::vector<double> values(stored.size());
  unpack(std::as_bytes(std::span(stored)), model::data_type_of<T>(), rules, values);
  for (double& value : values)
    if (std::isnan(value)) value = -12345;  // to be compared
  return values;
}

TEST(Values, are_unpacked_and_missing_ones_marked) {
  const auto packed = variable(model::DataType::int16, {{"scale_factor", numbers({0.5})},
                                                        {"add_offset", numbers({270})},
                                                        {"_FillValue", numbers({-32768})},
                                                        {"missing_value", numbers({-1, -2})},
                                                        {"valid_range", numbers({-100, 100})}});
  EXPECT_THAT(unpacked<std::int16_t>(packed, {0, 10, -32768, -1, -2, 101, -101, 100}),
              ElementsAre(270, 275, -12345, -12345, -12345, -12345, -12345, 320));
  EXPECT_THAT(unpacked<std::int16_t>(packed, {0, 10}, 2.0, -540), ElementsAre(0, 10))
      << "units after packing";
}

TEST(Values, nan_and_default_fill_values_are_missing) {
  const float fill = 9.9692099683868690e+36f;
  EXPECT_THAT(unpacked<float>(variable(model::DataType::float32, {}), {1, std::nanf(""), fill, INFINITY}),
              ElementsAre(1, -12345, -12345, INFINITY));
  EXPECT_THAT(unpacked<std::int8_t>(variable(model::DataType::int8, {}), {1, -127}), ElementsAre(1, -127))
      << "small types use all their numbers";
  EXPECT_THAT(
      unpacked<std::int32_t>(variable(model::DataType::int32, {{"valid_min", numbers({0})}}), {-1, 0}),
      ElementsAre(-12345, 0));
}

TEST(Values, may_be_without_a_sign) {
  const auto header =
      variable(model::DataType::int8, {{"_Unsigned", std::string("true")}, {"_FillValue", numbers({-1})}});
  EXPECT_THAT(unpacked<std::int8_t>(header, {1, -2, -1}), ElementsAre(1, 254, -12345));
}

TEST(Values, attributes_that_are_no_numbers_are_refused) {
  try {
    rules_of(variable(model::DataType::int8, {{"scale_factor", std::string("two")}}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "the attribute scale_factor of tos is not a number");
  }
}

template <class T>
std::vector<T> converted(const std::vector<double>& values, const MissingOption& missing = {}) {
  std::vector<T> result(values.size());
  convert(values, missing, model::data_type_of<T>(), std::as_writable_bytes(std::span(result)));
  return result;
}

std::string refusal(const std::vector<double>& values, model::DataType type) {
  std::vector<std::byte> result(values.size() * model::size_of(type));
  try {
    convert(values, {}, type, result);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Values, are_converted_to_the_type_of_the_model) {
  EXPECT_THAT(converted<float>({0.1, -1e30}), ElementsAre(0.1f, -1e30f));
  EXPECT_THAT(converted<std::int32_t>({3, -7}), ElementsAre(3, -7));
  const double none = std::nan("");
  EXPECT_THAT(converted<double>({none, 1}, {MissingOption::Kind::value, 0.0}), ElementsAre(0, 1));
  EXPECT_THAT(converted<std::int32_t>({none, 1}, {MissingOption::Kind::keep, -999}), ElementsAre(-999, 1));
  EXPECT_THAT(refusal({1, none}, model::DataType::float64),
              HasSubstr("the value of cell 1 (counted from 0) is missing"));
  EXPECT_EQ(refusal({1, 2.5}, model::DataType::int32),
            "the value 2.5 of cell 1 (counted from 0) does not fit the model's type, int32");
  EXPECT_THAT(refusal({1e39}, model::DataType::float32), HasSubstr("does not fit"));
  EXPECT_THAT(refusal({3e9}, model::DataType::int32), HasSubstr("does not fit"));
}

}  // namespace
}  // namespace tailrace::input
