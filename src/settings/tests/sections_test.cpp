// The sections that stand in this room, and that all sections together are the configuration.
#include "config/testing/section_conformance.hpp"
#include "settings/configuration.hpp"
#include "settings/in_situ/in_situ.hpp"
#include "settings/schema.hpp"

namespace tailrace::settings {
namespace {

using config::testing::check_section;

TEST(Sections, OfThisRoomAreSections) {
  check_section(fields_section());
  check_section(diagnostics_section());
  check_section(groups_section());
  check_section(files_section());
  check_section(in_situ_section());
}

TEST(Sections, OfAFileAreSections) {
  check_section(variables_section());
  check_section(option_tables_section());
}

TEST(Sections, TellWhatIsMissing) {
  config::testing::check_mistakes(diagnostics_section(),
                                  {{.yaml = "diagnostics:\n  a: {units: K}",
                                    .told = "run.yaml:2:6  diagnostics.a: \"is\" is missing (a text)"}});
}

TEST(Sections, StandInTheOrderOfTheReference) {
  std::vector<std::string> names;
  for (const config::AnySection& each : sections()) names.push_back(each.option.name);
  EXPECT_THAT(names, testing::ElementsAre("servers", "model_time", "cmip", "names", "fields", "diagnostics",
                                          "operators", "groups", "defaults", "output", "in_situ", "input",
                                          "regrid", "yac", "checkpoint"));
}

// As a room above this one would add it: nothing here knows it.
struct Lanterns {
  int count = 0;
};

config::Section<Lanterns> lanterns() {
  return {.option = {.name = "lanterns",
                     .type = config::integer(0, 9),
                     .description = "How many.",
                     .example = "3"},
          .read = [](const config::Value& value,
                     config::Problems&) { return Lanterns{.count = static_cast<int>(value.integer())}; },
          .check =
              [](const Lanterns& own, const config::Sections& all, config::Problems& problems) {
                const int servers = all.get<ServersOptions>().count;
                if (own.count > servers) problems.add({"run.yaml", 1, 1}, "lanterns", "more than servers");
              }};
}

TEST(Sections, OfOtherRoomsAreReadAndChecked) {
  const std::vector<config::AnySection> two{config::any_section(servers_section()),
                                            config::any_section(lanterns())};
  const auto read = [&](const std::string& yaml, config::Problems& problems) {
    const auto node = config::parse_yaml("run.yaml", yaml, problems);
    const auto root = config::check(node, config::section({two[0].option, two[1].option}), "", {}, problems);
    const config::Sections values = config::read_all(two, root, problems);
    config::check_all(two, values, problems);
    return values;
  };
  config::Problems problems;
  EXPECT_EQ(read("lanterns: 1", problems).get<Lanterns>().count, 1);
  EXPECT_EQ(read("{}", problems).get<Lanterns>().count, 0);
  EXPECT_EQ(problems.text(), "");
  const config::Sections values = read("{lanterns: 2, servers: {count: x}}", problems);
  EXPECT_FALSE(values.is_sound("servers"));
  EXPECT_TRUE(values.is_sound("lanterns"));
  EXPECT_THROW(values.get<std::string>(), Error);
  EXPECT_THAT(problems.text(), testing::EndsWith("expected a whole number from 1 to 1048576, but got \"x\""));
}

}  // namespace
}  // namespace tailrace::settings
