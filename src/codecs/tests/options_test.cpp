#include "codecs/options.hpp"

#include "config/testing/section_conformance.hpp"

namespace tailrace::codecs {
namespace {

const config::Section<CodecOptions> section = compression_section("How chunks are compressed.");

CodecOptions read(const std::string& yaml) {
  config::testing::Attempt attempt;
  const CodecOptions options = config::testing::read(section, yaml, attempt);
  EXPECT_EQ(attempt.problems.text(), "");
  return options;
}

TEST(CompressionSection, IsASection) { config::testing::check_section(section); }

TEST(CompressionSection, ReadsAWordOrAMap) {
  EXPECT_EQ(read("compression: zstd"), (CodecOptions{.codec = "zstd"}));
  EXPECT_EQ(read("compression: {codec: zlib, level: 4, shuffle: false}"),
            (CodecOptions{.codec = "zlib", .level = 4, .shuffle = false}));
}

TEST(CompressionSection, ReadsBounds) {
  const CodecOptions one = read("compression: {keep: {absolute: 0.1}}");
  EXPECT_EQ(one.codec, "zlib");  // every reader has it
  EXPECT_EQ(one.keep, (lossy::Keep{.absolute = 0.1}));
  const CodecOptions all = read(
      "compression: {codec: zstd, keep: {absolute: 1e-3, relative: 1 %, digits: 4, bits: 9, "
      "information: 0.99, verify: sampled}}");
  EXPECT_EQ(all.codec, "zstd");
  EXPECT_EQ(all.keep, (lossy::Keep{.absolute = 1e-3,
                                   .relative = 0.01,
                                   .digits = 4,
                                   .bits = 9,
                                   .information = 0.99,
                                   .verifies_all = false}));
  EXPECT_EQ(lossy::words(*all.keep), "absolute 0.001, relative 1 %, digits 4, bits 9, information 0.99");
  EXPECT_EQ(read("compression: {codec: zstd, keep: {relative: 0.001}}").keep->relative, 0.001);
  EXPECT_EQ(read("compression: {codec: zstd}").keep, std::nullopt);
}

TEST(CompressionSection, AutoIsZstdWithALevelForEachChunk) {
  EXPECT_EQ(read("compression: auto"), (CodecOptions{.codec = "zstd", .prefer = Prefer::ratio}));
  EXPECT_EQ(read("compression: {codec: auto, prefer: speed}").prefer, Prefer::speed);
}

TEST(CompressionSection, TellsWhichBoundIsWrong) {
  config::testing::check_mistakes(
      section,
      {{.yaml = "compression: {keep: {}}",
        .told = "run.yaml:1:21  compression.keep: expected at least one of `absolute`, `relative`, `digits`, "
                "`bits` and `information`"},
       {.yaml = "compression: {keep: {absolute: 0}}",
        .told = "run.yaml:1:32  compression.keep.absolute: expected a number above 0, but got \"0\"; without "
                "`keep` values are stored exactly"},
       {.yaml = "compression: {keep: {absolute: -0.1}}",
        .told = "run.yaml:1:32  compression.keep.absolute: expected a number above 0, but got \"-0.1\""},
       {.yaml = "compression: {keep: {absolute: inf}}",
        .told = "run.yaml:1:32  compression.keep.absolute: expected a number above 0, but got \"inf\""},
       {.yaml = "compression: {keep: 0.1}",
        .told =
            "run.yaml:1:21  compression.keep: expected `{absolute: 0.1}`, in the units of the stored values, "
            "or `{relative: 0.1}`, as a share of each value, but got \"0.1\""},
       {.yaml = "compression: {keep: 2}",
        .told = "run.yaml:1:21  compression.keep: expected `{absolute: 2}`, in the units of the stored "
                "values, but "
                "got \"2\""},
       {.yaml = "compression: {keep: 1 %}",
        .told = "run.yaml:1:21  compression.keep: expected `{relative: 1 %}`, but got \"1 %\""},
       {.yaml = "compression: {keep: much}",
        .told = "run.yaml:1:21  compression.keep: expected bounds such as `{absolute: 0.1}` or `{relative: 1 "
                "%}`, "
                "but got \"much\""},
       {.yaml = "compression: {keep: {relative: 60 %}}",
        .told = "run.yaml:1:32  compression.keep.relative: expected a share such as `1 %` or `0.01`, from "
                "1e-13 % to 50 %, but got \"60 %\""},
       {.yaml = "compression: {keep: {relativ: 1 %}}",
        .told = "run.yaml:1:22  compression.keep.relativ: this key is unknown. Did you mean \"relative\"? "
                "(known: "
                "absolute, bits, digits, information, relative, verify)"},
       {.yaml = "compression: {codec: zstd, prefer: speed}",
        .told = "run.yaml:1:36  compression.prefer: chooses levels for `codec: auto` only"},
       {.yaml = "compression: {codec: auto, level: 3}",
        .told = "run.yaml:1:35  compression.level: is chosen by `codec: auto`; expected one of both"}});
}

TEST(CompressionSection, TellsWhatIsWrong) {
  config::testing::check_mistakes(
      section,
      {{.yaml = "compression: {codec: zlib, level: 20}",
        .told = "run.yaml:1:14  compression: compression level 20 does not exist for codec \"zlib\"; its "
                "levels are 1 (fastest) to 9 (smallest)"},
       {.yaml = "compression: zlip",
        .told = "run.yaml:1:14  compression: \"zlip\" is unknown. Did you mean \"zlib\"? (known: auto, "
                "lorenzo, none, zlib, zstd)"},
       {.yaml = "compression:\n  codec: zstd\n  level: fast\n",
        .told = "run.yaml:3:10  compression.level: expected a whole number from 1 to 22, but got \"fast\""}});
}

}  // namespace
}  // namespace tailrace::codecs
