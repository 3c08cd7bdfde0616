// Names of files that hold limits: what they become, and which are refused.
#include <gmock/gmock.h>

#include "settings/testing/parsing.hpp"

namespace tailrace::settings {
namespace {

using testing::complaint;
using testing::fields;
using ::testing::HasSubstr;
using testing::parse;

// The problems of a file with that path and these options.
std::string name_complaint(const std::string& path, const std::string& options,
                           const std::string& time = "{calendar: noleap, start: 2026-01-01}") {
  return complaint("tailrace: 1\n" + fields + "model_time: " + time + "\noutput:\n  \"" + path + "\": {" +
                   options + "variables: [{field: u, every: 1 s}]}\n");
}

TEST(FileNames, LetsLimitsStandInNamesOfFiles) {
  const std::map<std::string, std::string> options{{"case", "storm"}, {"start", "of the model"}};
  const std::string text =
      "tailrace: 1\n" + fields +
      "output:\n  \"{case}_{start}_{end}.nc\":\n    new_file_every: 10 s\n    attributes: "
      "{title: \"{start}\"}\n    variables: [{field: u, every: 1 s}]\n";
  const OutputEntry file = parse(text, options).files[0];
  EXPECT_EQ(file.path, "storm_{start}_{end}.nc");
  EXPECT_EQ(file.attributes[0].second, output::AttributeValue(std::string("of the model")));
  EXPECT_TRUE(file.has_many_files());
  EXPECT_EQ(file.file_period(), time::Period::of_seconds(10.0));
  EXPECT_EQ(file.write_every, time::Period::of_steps(1));
  EXPECT_THAT(parse_configuration({{"run.yaml", text}}, nullptr).open,
              ::testing::ElementsAre("case", "start"));
  EXPECT_EQ(name_complaint("a_{start:%Y%m}.nc", "new_file_every: 1 month, "), "none");
  EXPECT_EQ(name_complaint("a_{start}.nc", ""), "none");
}

TEST(FileNames, RefusesNamesThatCannotBeMade) {
  const std::string place = "run.yaml:5:3  output.";
  EXPECT_EQ(
      name_complaint("a_{strat:%Y}.nc", "new_file_every: 1 month, "),
      place +
          "a_{strat:%Y}.nc: only `{start:...}` and `{end:...}` can have a form, but \"strat\" has one. Did "
          "you mean \"start\"? (known: end, start)");
  EXPECT_THAT(name_complaint("a_{end:%Y%q}.nc", "new_file_every: 1 month, "),
              HasSubstr("{end:%Y%q}: \"%q\" is no part of a date (known: %Y,"));
  EXPECT_THAT(name_complaint("a_{end}.nc", ""),
              HasSubstr("`{end}` is known only where files end; expected `new_file_every` with it"));
  EXPECT_THAT(name_complaint("a_{start:%Y}.nc", "new_file_every: 10 s, ", "{calendar: none}"),
              HasSubstr("is a date, and `model_time.calendar` is none; expected `{start}` or `{end}` alone"));
  EXPECT_THAT(name_complaint("a_{start:%Y}.nc", "new_file_every: 10 steps, "),
              HasSubstr("is a date, and these files end by steps"));
  EXPECT_THAT(
      name_complaint("a.nc", "new_file_every: 1 month, file_per_write: true, "),
      HasSubstr("output.a.nc.new_file_every: `file_per_write` ends a file with each write; expected only"));
  EXPECT_THAT(name_complaint("a.nc", "new_file_every: 1 month, ", "{calendar: none}"),
              HasSubstr("output.a.nc.new_file_every: "));
}

TEST(FileNames, RefusesNamesOfTwoFiles) {
  EXPECT_EQ(
      name_complaint("a_{start:%Y}.nc", "new_file_every: 1 month, "),
      "run.yaml:5:3  output.a_{start:%Y}.nc: the files from 2026-01-01T00:00:00 and from 2026-02-01T00:00:00 "
      "would both be called a_2026.nc; expected a name that tells them apart, by more of `{start}` or "
      "`{end}`");
  EXPECT_THAT(
      name_complaint("a_{end:%m}.nc", "new_file_every: 1 month, "),
      HasSubstr(
          "the files from 2026-01-01T00:00:00 and from 2027-01-01T00:00:00 would both be called a_01.nc"));
  EXPECT_THAT(name_complaint("a_{end:%m%d}.nc", "new_file_every: 1 d, "),
              HasSubstr("would both be called a_0101.nc"));
  const std::string two =
      "new_file_every: 1 month, variables: [{field: u, every: 1 s}]}\n  \"a_{end:%Y%m}.nc\": {";
  EXPECT_THAT(name_complaint("a_{start:%Y%m}.nc", two + "new_file_every: 1 month, "),
              HasSubstr("a_202601.nc would be a file of \"a_{start:%Y%m}.nc\" at run.yaml:5:3 too"));
}

}  // namespace
}  // namespace tailrace::settings
