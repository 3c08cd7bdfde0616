// The configuration of an output stream: what holds for it, who has the last word, and what is refused.
#include "settings/streams.hpp"

#include <gmock/gmock.h>

#include "settings/testing/parsing.hpp"

namespace tailrace::settings {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* of_model =
    "fields: {all: {every: 1 step, names: [\"*\"]}}\noutput:\n  \"{file}\": {write_every: 2 steps, "
    "variables: [{fields: \"*\", every: 1 step}]}\n";

Sources session(const std::string& user) { return {{.name = "run.yaml", .text = "tailrace: 1\n" + user}}; }

Configuration stream(const std::string& user, const std::string& text = of_model) {
  const std::map<std::string, std::string> options{{stream_option, "history"}};
  return parse_configuration(sources_of_stream(session(user), "history", text), &options);
}

std::string complaint_about(const std::string& user, const std::string& text = of_model) {
  try {
    stream(user, text);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(Streams, TakesFilesOfTheModelThatItOpens) {
  const Configuration made = stream("");
  ASSERT_EQ(made.files.size(), 1U);
  EXPECT_TRUE(made.files[0].is_opened_by_model);
  EXPECT_FALSE(made.files[0].gathers);
  EXPECT_EQ(opened_path(made.files[0], "out/a.nc"), "out/a.nc");
  OutputEntry beside;
  beside.path = "{file}_{file}.nc";
  EXPECT_EQ(opened_path(beside, "{file}"), "{file}_{file}.nc");
}

TEST(Streams, GivesTheUserTheLastWord) {
  const Configuration made = stream(
      "servers: {count: 2}\nmodel_time: {calendar: noleap, start: 2026-01-01}\ndefaults: {sync: true}\n"
      "output: {of_session.nc: {variables: [{field: u, every: 1 s}]}}\n"
      "streams:\n  history:\n    output: {\"{file}\": {write_every: 3 steps}, \"{stream}.nc\": "
      "{variables: [{fields: \"*\", every: 1 step}]}}\n  other: {defaults: {sync: false}}\n");
  std::vector<std::string> paths;
  for (const OutputEntry& file : made.files) paths.push_back(file.path);
  EXPECT_THAT(paths, ElementsAre("{file}", "history.nc"));
  EXPECT_EQ(made.files[0].write_every, time::Period::of_steps(3));
  EXPECT_TRUE(made.files[0].sync && made.files[1].sync);
  EXPECT_FALSE(made.files[1].is_opened_by_model);
  EXPECT_EQ(made.time.calendar, "noleap");
  EXPECT_EQ(made.servers.count, 2);
}

TEST(Streams, LeavesOutWhatTheUserGivesWithoutAValue) {
  EXPECT_THAT(stream("streams: {history: {output: {\"{file}\": }}}\n").files, IsEmpty());
}

// The model's part is missing until the stream is opened.
TEST(Streams, AreNotCheckedWithTheSession) {
  const auto parsed = [](const std::string& user) {
    const std::map<std::string, std::string> none;
    return parse_configuration(session(user), &none).files.size();
  };
  EXPECT_EQ(parsed("streams: {history: {output: {\"{file}\": {whatever: {x}}}}}\n"), 0U);
  EXPECT_THROW(parsed("streams: [history]\n"), Error);
  EXPECT_THROW(parsed("streams: {history: 3}\n"), Error);
  EXPECT_THROW(parsed("streams: {history: {servers: {count: 1}}}\n"), Error);
}

TEST(Streams, NamesThePlaceOfAMistake) {
  EXPECT_THAT(complaint_about("streams:\n  history: {outptu: }\n"),
              ::testing::AllOf(HasSubstr("run.yaml:3:13"), HasSubstr("\"output\"")));
  EXPECT_THAT(complaint_about("", "servers: {count: 1}\n"),
              ::testing::AllOf(HasSubstr("<stream history>:1:1"), HasSubstr("belongs to the session")));
  EXPECT_THAT(complaint_about("streams: {history: {checkpoint: {}}}\n"),
              HasSubstr("streams.history.checkpoint"));
  EXPECT_THAT(complaint_about("streams: {history: {output: {\"{file}\": {if_exists: append}}}}\n"),
              HasSubstr("begins anew"));
}

}  // namespace
}  // namespace tailrace::settings
