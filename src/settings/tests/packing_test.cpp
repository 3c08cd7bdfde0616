// How `pack` is read.
#include <gmock/gmock.h>

#include "settings/testing/parsing.hpp"

namespace tailrace::settings {
namespace {

using testing::complaint;
using ::testing::HasSubstr;
using testing::parse;
using testing::with_variable;

TEST(Packing, ReadsHowValuesArePacked) {
  const auto variable = [](const std::string& words) {
    return parse(with_variable("field: u, every: 1 s, " + words)).files.at(0).variables.at(0);
  };
  EXPECT_EQ(variable("type: uint8").type, model::DataType::uint8);
  EXPECT_FALSE(variable("type: int8").pack);
  const VariableEntry scaled = variable("pack: {scale_factor: 0.01, add_offset: -3}");
  EXPECT_EQ(scaled.type, model::DataType::int16);
  EXPECT_EQ(scaled.pack->scale_factor, 0.01);
  EXPECT_EQ(scaled.pack->add_offset, -3.0);
  const VariableEntry ranged = variable("type: uint8, pack: {range: [-1.5, 4]}");
  EXPECT_EQ(ranged.type, model::DataType::uint8);
  EXPECT_EQ(ranged.pack->range, std::pair(-1.5, 4.0));
}

TEST(Packing, RefusesPackingThatMeansNothing) {
  const std::string at = "run.yaml:3:";
  const auto about = [](const std::string& words) {
    return complaint(with_variable("field: u, every: 1 s, " + words));
  };
  EXPECT_THAT(about("pack: {}"), HasSubstr("variables[0].pack: expected either `scale_factor` or `range`"));
  EXPECT_THAT(about("pack: {scale_factor: 1, range: [0, 1]}"), HasSubstr("expected either"));
  EXPECT_THAT(about("pack: {scale_factor: 0}"),
              HasSubstr("pack.scale_factor: expected a number other than 0"));
  EXPECT_THAT(about("pack: {range: [2, 1]}"),
              HasSubstr("expected the least and the largest value, such as [180, 340], but got [2, 1]"));
  EXPECT_THAT(about("pack: {range: [1, 2, 3]}"), HasSubstr("but got 3 numbers"));
  EXPECT_THAT(about("pack: {range: [1, 2], add_offset: 1}"),
              HasSubstr("pack.add_offset: is computed from `range`"));
  EXPECT_THAT(about("type: float32, pack: {range: [1, 2]}"),
              HasSubstr("values are packed into int8, uint8, int16 or int32, but `type` is float32"));
  EXPECT_THAT(about("pack: {scale: 2}"), HasSubstr("scale_factor"));
  EXPECT_THAT(about("type: int61"), HasSubstr("int16"));
  EXPECT_THAT(
      about("pack: {range: [1, 2]}, attributes: {scale_factor: 2}"),
      HasSubstr(
          "variables[0].attributes.scale_factor: is part of how values are packed, and follows from `pack`"));
  EXPECT_THAT(about("pack: {range: [1, 2]}, attributes: {valid_min: 2}"), HasSubstr(at));
  EXPECT_THAT(about("pack: {range: [1, 2]}, attributes: {valid_min: 2}"),
              HasSubstr("attributes.valid_min: would be held against the packed numbers"));
}

}  // namespace
}  // namespace tailrace::settings
