// If a component needs more than the given `memory`, it is refused before its first step. Without a given
// `memory` there is only a warning.
#include "output/memory/memory_format.hpp"
#include "pipeline/tests/play.hpp"

namespace tailrace::pipeline {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using namespace play;

// A format that declares that its library keeps 100 MiB for itself.
class HoardingFormat final : public output::Format {
 public:
  std::string name() const override { return "hoarding"; }
  std::unique_ptr<output::Dataset> create(const output::DatasetSpec& spec,
                                          env::FileSystem& files) const override {
    return output::find_format("memory")->create(spec, files);
  }
  bool can_replace_chunks() const override { return true; }
  bool makes_files() const override { return false; }
  std::size_t cache_bytes(const std::string&) const override { return std::size_t{100} << 20; }
};
const output::FormatRegistration registration{std::make_unique<HoardingFormat>()};

std::string text_with(const std::string& servers) {
  std::string text = configuration_text;
  const std::string before = "format: memory";
  text.replace(text.find(before), before.size(), "format: hoarding");
  return text.insert(text.find("fields:"), servers);
}

TEST(MemoryNeed, is_refused_where_the_bound_was_given) {
  const Cast cast{.clients = 2, .servers = 2, .text = text_with("servers: {count: 2, memory: 64 MiB}\n")};
  try {
    const Play play(cast, "refused");
    FAIL() << "it was not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("component \"bubble\": server 0 must hold 100 MiB at a time, 100 MiB of it "
                                "for the caches of HDF5; memory is 64 MiB; expected"),
                      HasSubstr("{memory: 115 MiB}")));
  }
}

TEST(MemoryNeed, is_refused_where_the_node_has_not_so_much) {
  const Cast cast{.clients = 2,
                  .servers = 2,
                  .memory_left = std::size_t{150} << 20,
                  .text = text_with("servers: {count: 2}\n")};
  try {
    const Play play(cast, "too_much");
    FAIL() << "it was not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    EXPECT_THAT(error.what(),
                AllOf(HasSubstr("server 0 must hold 100 MiB at a time"),
                      HasSubstr("that is 164 MiB, and this node, or its control group, has 150 MiB left")));
  }
}

TEST(MemoryNeed, is_told_where_none_was_given_and_the_run_goes_on) {
  testing::internal::CaptureStderr();
  Play play({.clients = 2, .servers = 2, .text = text_with("")}, "told");
  play.run();
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      AllOf(HasSubstr("warning: component \"bubble\": server 0 must hold 100 MiB at a time"),
            HasSubstr("besides 64 MiB for data in transit; `servers: {memory: 115 MiB}` bounds the sum")));
  Play plain({.clients = 2, .servers = 2}, "plain");
  plain.run();
  for (const char* variable : {"w", "w_mean", "cells", "energy"})
    EXPECT_EQ(output::memory::contents_of("told")->bytes(variable),
              output::memory::contents_of("plain")->bytes(variable));
}

TEST(MemoryNeed, that_the_bound_has_room_for_is_neither) {
  testing::internal::CaptureStderr();
  Play play({.clients = 2,
             .servers = 2,
             .memory = std::size_t{115} << 20,
             .text = text_with("servers: {count: 2, memory: 115 MiB}\n")},
            "enough");
  play.run();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace tailrace::pipeline
