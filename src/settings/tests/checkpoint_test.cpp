#include "settings/checkpoint.hpp"

#include "config/testing/section_conformance.hpp"

namespace tailrace::settings {
namespace {

TEST(CheckpointSection, IsASection) { config::testing::check_section(checkpoint_section()); }

TEST(CheckpointSection, ReadsAllItsOptions) {
  config::testing::Attempt attempt;
  const CheckpointOptions options =
      config::testing::read(checkpoint_section(),
                            "checkpoint: {directory: a/b, burst_buffer: /local/me, every: 6 h, keep: 5, "
                            "fields: [u, \"q_*\"], restart: "
                            "require, on_signal: false, on_error: skip}",
                            attempt);
  EXPECT_EQ(attempt.problems.text(), "");
  EXPECT_TRUE(options.is_asked_for);
  EXPECT_EQ(options.directory, "a/b");
  EXPECT_EQ(options.burst_buffer, "/local/me");
  EXPECT_EQ(options.every.name(), time::Period::parse("6 h").name());
  EXPECT_EQ(options.keep, 5);
  ASSERT_EQ(options.fields.size(), 2U);
  EXPECT_EQ(options.fields[1].name, "q_*");
  EXPECT_EQ(options.restart, Restart::require);
  EXPECT_FALSE(options.on_signal);
  EXPECT_EQ(options.on_error, OnCheckpointError::skip);
}

TEST(CheckpointSection, TellsWhatIsWrong) {
  config::testing::check_mistakes(
      checkpoint_section(),
      {{.yaml = "checkpoint: {keep: 0, every: 1 h}",
        .told = "run.yaml:1:20  checkpoint.keep: expected a whole number from 1 to 1000, but got \"0\""},
       {.yaml = "checkpoint: {directory: restart}",
        .told = "run.yaml:1:13  checkpoint: \"every\" is missing (a period such as `10 s`, `6 h`, `5 steps` "
                "or `1 month`, "
                "or `never`)"},
       {.yaml = "checkpoint: {every: 1 h, restart: always}",
        .told = "run.yaml:1:35  checkpoint.restart: \"always\" is unknown. (known: at_initial_step, auto, "
                "never, require)"},
       {.yaml = "checkpoint: {every: 1 h, fields: [u], also_at_end: true}",
        .told = "run.yaml:1:52  checkpoint.also_at_end: expected `false`, since the checkpoint has `fields`: "
                "at its "
                "end the model does not put them; or `fields` left out, where the model has restart files of "
                "its own"},
       {.yaml = "checkpoint: {every: 1 h, burst_buffer: local/me}",
        .told = "run.yaml:1:40  checkpoint.burst_buffer: expected a path from the root, such as "
                "`/local/scratch/me`, of a directory on a disk of each node"},
       {.yaml = "checkpoint: {every: 1 h, burst_buffer: \"/local/{case}\"}",
        .told = "run.yaml:1:40  checkpoint.burst_buffer: this path may not contain `{name}`: a restart "
                "reads it before the model gives its options; only `{component}` is known by then"},
       {.yaml = "checkpoint: {every: 1 h, directory: \"{component}/{member}\"}",
        .told = "run.yaml:1:37  checkpoint.directory: this path may not contain `{name}`: a restart reads it "
                "before the model gives its options; only `{component}` is known by then"},
       {.yaml = "checkpoint: {every: 1 h, evry: 2 h}",
        .told = "run.yaml:1:26  checkpoint.evry: this key is unknown. Did you mean \"every\"? (known: "
                "also_at_end, before_time_limit, burst_buffer, directory, every, fields, keep, on_error, "
                "on_signal, "
                "restart, time_limit)"},
       {.yaml = "checkpoint: {every: 1 h, time_limit: 5 min}",
        .told = "run.yaml:1:38  checkpoint.time_limit: the limit of the job is used by `before_time_limit` "
                "alone; "
                "expected that key too, such as `before_time_limit: 10 min`"}});
}

}  // namespace
}  // namespace tailrace::settings
