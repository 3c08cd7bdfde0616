// A second dialect: one registration, and configurations may be written in it.
#include <gmock/gmock.h>

#include "config/sources.hpp"
#include "dialects/dialect.hpp"
#include "dialects/nodes.hpp"
#include "dialects/yaml.hpp"
#include "tailrace/error.hpp"

namespace tailrace::dialects {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsNull;

constexpr std::string_view head = "tiny ";

// `tiny FILE` asks for the field `u` in a file.
class Tiny final : public Dialect {
 public:
  std::string name() const override { return "tiny"; }
  std::string notation() const override { return "the lines of tiny"; }
  std::string legacy_rules() const override { return "nothing differs"; }
  bool recognises(std::string_view text) const override { return text.starts_with(head); }
  config::Sources read_sources(const std::string& path, const config::Reader& reader) const override {
    return {{.name = path, .text = reader(path)}};
  }
  config::Translation translate(const config::Sources& sources, const config::TranslationOptions& options,
                                config::Problems& problems) const override {
    const config::SourceFile& source = sources.front();
    const config::Location where{source.name, 1, 1 + static_cast<int>(head.size())};
    const std::string file = source.text.substr(head.size());
    if (file.empty()) problems.add(where, "", "expected the name of a file");
    config::Node entry = map_node(where), output = map_node(where), tree = map_node(where);
    add_entry(entry, "variables", scalar_node("u", where));
    add_entry(output, file, std::move(entry));
    add_entry(tree, "output", std::move(output));
    return {std::move(tree), {options.legacy ? "legacy" : "plain"}};
  }
};

const DialectRegistration registration{std::make_unique<Tiny>()};

config::Merged merged(const std::map<std::string, std::string>& files, const std::string& first,
                      config::Problems& problems) {
  const config::Reader reader = [&](const std::string& path) { return files.at(path); };
  return config::merge_sources(config::read_sources(first, reader, notations()),
                               {.version_key = "tailrace", .dialects = notations()}, problems);
}

TEST(Dialects, AreFoundByName) {
  EXPECT_THAT(dialect_names(), ElementsAre("monc", "tiny"));
  EXPECT_EQ(find_dialect("tiny")->notation(), "the lines of tiny");
  EXPECT_THAT(find_dialect("tin"), IsNull());
}

TEST(Dialects, HaveTheStandardConventionUnlessTheyDefineOne) {
  EXPECT_EQ(&convention_of("tiny"), &time::standard_convention());
  EXPECT_EQ(&convention_of("no such"), &time::standard_convention());
  EXPECT_EQ(convention_of("monc").name(), "monc");
}

TEST(Dialects, AreTranslatedWhereverYamlMayStand) {
  config::Problems problems;
  const std::map<std::string, std::string> files{
      {"run.yaml", "tailrace: 1\nlegacy: tiny\ninclude: [a.tiny]\n"}, {"a.tiny", "tiny a.nc"}};
  const config::Merged made = merged(files, "run.yaml", problems);
  EXPECT_EQ(problems.text(), "");
  EXPECT_THAT(made.warnings, ElementsAre("legacy"));
  EXPECT_THAT(to_yaml(made.tree), HasSubstr("output:\n  a.nc: {variables: u}\n"));
  EXPECT_EQ(made.tree.find("output")->value.location.text(), "a.tiny:1:6");
}

TEST(Dialects, ReportMistakesWithTheirPlace) {
  config::Problems problems;
  merged({{"a.tiny", "tiny "}}, "a.tiny", problems);
  EXPECT_THAT(problems.text(), HasSubstr("a.tiny:1:6  expected the name of a file"));
}

TEST(Dialects, MustDifferInTheirNames) {
  EXPECT_THAT([] { DialectRegistration(std::make_unique<Tiny>()); },
              ::testing::ThrowsMessage<Error>(HasSubstr("two dialects are called tiny")));
}

}  // namespace
}  // namespace tailrace::dialects
