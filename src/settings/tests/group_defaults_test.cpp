#include <gmock/gmock.h>

#include <string>

#include "settings/configuration.hpp"
#include "settings/testing/parsing.hpp"

namespace tailrace::settings {
namespace {

using testing::complaint;
using testing::fields;
using ::testing::HasSubstr;
using testing::parse;

std::string with(const std::string& variables) {
  return "tailrace: 1\n" + fields +
         "defaults: {every: 1 h, type: float64, compression: zlib}\noutput:\n  a.nc:\n    defaults: "
         "{operation: min}\n"
         "    compression: none\n    variables:\n" +
         variables;
}

TEST(GroupDefaults, HoldForTheVariablesBelow) {
  const auto variables = parse(with(R"(      - {field: u}
      - defaults: {operation: mean, chunk: [2, 3], compression: zstd}
        variables:
          - {field: w}
          - {field: theta, operation: max, compression: none}
          - defaults: {every: 5 s, type: float32}
            variables: [{group: g}]
      - {field: w, suffix: _last}
groups: {g: [u]}
)"))
                             .files.at(0)
                             .variables;
  ASSERT_EQ(variables.size(), 5u);
  const auto codec = [&](std::size_t i) {
    return variables[i].codec ? variables[i].codec->codec : "of the file";
  };
  EXPECT_EQ(variables[0].reduction, time::ReductionKind::min);
  EXPECT_EQ(codec(0), "of the file");
  EXPECT_EQ(variables[1].reduction, time::ReductionKind::mean);
  EXPECT_EQ(variables[1].every, time::Period::of_seconds(3600));
  EXPECT_THAT(variables[1].chunk, ::testing::ElementsAre(2, 3));
  EXPECT_EQ(codec(1), "zstd");
  EXPECT_EQ(variables[2].reduction, time::ReductionKind::max);
  EXPECT_EQ(codec(2), "none");
  EXPECT_EQ(variables[3].group, "g");
  EXPECT_EQ(variables[3].config_path, "output.a.nc.variables[1].variables[2].variables[0]");
  EXPECT_EQ(variables[3].every, time::Period::of_seconds(5));
  EXPECT_EQ(variables[3].type, model::DataType::float32);
  EXPECT_EQ(variables[3].reduction, time::ReductionKind::mean);
  EXPECT_EQ(codec(3), "zstd");
  EXPECT_EQ(variables[4].type, model::DataType::float64);
  EXPECT_TRUE(variables[4].chunk.empty()) << "a group ends where it ends";
}

TEST(GroupDefaults, TellWhatIsWrong) {
  const auto said = [](const std::string& entry) { return complaint(with("      - " + entry + "\n")); };
  EXPECT_THAT(
      said("{field: u, defaults: {every: 1 s}}"),
      HasSubstr(
          "run.yaml:9:30  output.a.nc.variables[0].defaults: is for `variables` below it; expected both"));
  EXPECT_THAT(
      said("{every: 1 s, variables: [{field: u}]}"),
      HasSubstr("variables[0].every: cannot be given beside `variables`; expected it under `defaults`"));
  EXPECT_THAT(said("{defaults: {evry: 1 s}, variables: [{field: u}]}"), HasSubstr("Did you mean \"every\"?"));
  EXPECT_THAT(said("{defaults: {every: 1 s}, variables: []}"),
              HasSubstr("variables[0].variables: expected at least 1 entry, but got 0"));
  EXPECT_THAT(said("{defaults: {every: 1 s}, variables: [{field: uu}]}"),
              HasSubstr("output.a.nc.variables[0].variables[0].field: \"uu\" is neither"));
  EXPECT_THAT(said("{variables: [{variables: [{variables: [{variables: [{field: u}]}]}]}]}"),
              HasSubstr("variables[0].variables[0].variables[0].variables[0]"));
}

}  // namespace
}  // namespace tailrace::settings
