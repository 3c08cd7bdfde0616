// MONC's XML among YAML.
#include "dialects/dialect.hpp"

#include <gmock/gmock.h>

#include "dialects/monc/tests/support.hpp"

namespace tailrace::dialects::monc::testing {
namespace {

Sources read(const Files& files, const std::string& first) {
  return config::read_sources(first, reader_of(files), notations());
}

config::Merged merged(const Sources& sources, const std::map<std::string, std::string>& options,
                      Problems& problems) {
  return config::merge_sources(sources, {"tailrace", notations(), &options}, problems);
}

// Lists the scalars of the merged tree in order, as `path=text`.
void list_scalars(const Node& node, const std::string& path, std::vector<std::string>& found) {
  using config::path_of;
  if (node.kind == NodeKind::scalar) found.push_back(path + "=" + node.text);
  for (std::size_t i = 0; i < node.items.size(); ++i) list_scalars(node.items[i], path_of(path, i), found);
  for (const NodeEntry& entry : node.entries) list_scalars(entry.value, path_of(path, entry.key), found);
}

const std::string monc_xml =
    "#include \"io/more.xml\"\n"
    "<data-writing><file name=\"{out}\" write_time_frequency=\"{w}\">"
    "<include field=\"th\" time_manipulation=\"averaged\" output_frequency=\"20\"/></file></data-writing>\n";
const std::string monc_more =
    "<data-definition name=\"d\" frequency=\"5\">"
    "<field name=\"th\" type=\"array\" data_type=\"double\" size=\"z,y,x\" "
    "collective=true/></data-definition>\n";

TEST(Dialect, StandsWhereverYamlMay) {
  const std::map<std::string, std::string> options{{"out", "a.nc"}, {"w", "60.0"}};
  const Files files{{"run/tailrace.yaml", "tailrace: 1\ninclude: [monc/io/main.xml]\nservers: {count: 2}\n"},
                    {"run/monc/io/main.xml", monc_xml},
                    {"run/monc/io/more.xml", monc_more}};
  for (const std::string first : {"run/tailrace.yaml", "run/monc/io/main.xml"}) {
    const bool yaml = first == "run/tailrace.yaml";
    const Sources sources = read(files, first);
    ASSERT_EQ(sources.size(), yaml ? 3u : 2u);
    Problems problems;
    std::vector<std::string> found;
    const auto [tree, warnings] = merged(sources, options, problems);
    list_scalars(tree, "", found);
    EXPECT_EQ(problems.text(), "");
    EXPECT_THAT(found, ::testing::IsSupersetOf({"fields.d.names[0]=th", "output.a.nc.write_every=60.0 s",
                                                "output.a.nc.variables[0].field=th"}));
    EXPECT_EQ(tree.find("servers") != nullptr, yaml);
    EXPECT_THAT(warnings, ::testing::Contains(::testing::HasSubstr("main.xml:2:")));
  }
}

TEST(Dialect, LegacyIsForAllFilesWhereverItStands) {
  const std::map<std::string, std::string> options{{"out", "a.nc"}, {"w", "60.0"}, {"whose", "monc"}};
  const Files files{{"main.xml", monc_xml},
                    {"io/more.xml", monc_more},
                    {"plain.yaml", "tailrace: 1\ninclude: [main.xml]\n"},
                    {"before.yaml", "tailrace: 1\nlegacy: monc\ninclude: [main.xml]\n"},
                    {"behind.yaml", "tailrace: 1\ninclude: [main.xml, whose.yaml]\n"},
                    {"whose.yaml", "tailrace: 1\nlegacy: \"{whose}\"\n"}};
  for (const auto& [first, every] :
       std::map<std::string, std::string>{{"plain.yaml", "20 s"},
                                          {"before.yaml", "0.20000000298023224 s"},
                                          {"behind.yaml", "0.20000000298023224 s"}}) {
    Problems problems;
    std::vector<std::string> found;
    list_scalars(merged(read(files, first), options, problems).tree, "", found);
    EXPECT_EQ(problems.text(), "");
    EXPECT_THAT(found, ::testing::Contains("output.a.nc.variables[0].every=" + every)) << first;
  }
}

TEST(Dialect, MistakesInIncludedXmlHaveTheirPlace) {
  const Files files{{"tailrace.yaml", "tailrace: 1\ninclude: [main.xml]\n"},
                    {"main.xml",
                     "<data-writing><file name=\"a.nc\" write_time_frequency=\"1.0\">"
                     "<include group=\"none\" time_manipulation=\"none\"/></file></data-writing>"}};
  Problems problems;
  merged(read(files, "tailrace.yaml"), {}, problems);
  EXPECT_THAT(problems.text(), ::testing::HasSubstr("main.xml:1:"));
  EXPECT_THAT(problems.text(), ::testing::HasSubstr("the group \"none\" is unknown"));
  const Files gone{{"tailrace.yaml", "include: [main.xml]"}, {"main.xml", "#include \"gone.xml\"\n<a/>"}};
  EXPECT_THAT([&] { read(gone, "tailrace.yaml"); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("gone.xml")));
}

}  // namespace
}  // namespace tailrace::dialects::monc::testing
