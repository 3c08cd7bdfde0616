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

TEST(CompressionSection, TellsWhatIsWrong) {
  config::testing::check_mistakes(
      section,
      {{.yaml = "compression: {codec: zlib, level: 20}",
        .told = "run.yaml:1:14  compression: compression level 20 does not exist for codec \"zlib\"; its "
                "levels are 1 (fastest) to 9 (smallest)"},
       {.yaml = "compression: zlip",
        .told = "run.yaml:1:14  compression: \"zlip\" is unknown. Did you mean \"zlib\"? (known: none, "
                "zlib, zstd)"},
       {.yaml = "compression:\n  codec: zstd\n  level: fast\n",
        .told = "run.yaml:3:10  compression.level: expected a whole number from 1 to 22, but got \"fast\""}});
}

}  // namespace
}  // namespace tailrace::codecs
