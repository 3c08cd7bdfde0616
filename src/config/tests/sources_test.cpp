#include "config/sources.hpp"

#include <gmock/gmock.h>

#include <map>

#include "config/placeholders.hpp"
#include "tailrace/error.hpp"

namespace tailrace::config {
namespace {

using Files = std::map<std::string, std::string>;

Sources read(const Files& files, const std::string& first) {
  return read_sources(first, [&](const std::string& name) {
    if (!files.contains(name)) throw Error(ErrorCode::resource, "cannot read " + name);
    return files.at(name);
  });
}

std::string complaint(const Files& files, const std::string& first) {
  try {
    read(files, first);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

// What the merged tree holds, as `path=text` in order.
void list_scalars(const Node& node, const std::string& path, std::vector<std::string>& found) {
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

TEST(Sources, TakesMoncsXmlWhereverYamlMayStand) {
  const std::map<std::string, std::string> options{{"out", "a.nc"}, {"w", "60.0"}};
  const Files files{{"run/tailrace.yaml", "tailrace: 1\ninclude: [monc/io/main.xml]\nservers: {count: 2}\n"},
                    {"run/monc/io/main.xml", monc_xml},
                    {"run/monc/io/more.xml", monc_more}};
  for (const std::string first : {"run/tailrace.yaml", "run/monc/io/main.xml"}) {
    const bool yaml = first == "run/tailrace.yaml";
    const Sources sources = read(files, first);
    ASSERT_EQ(sources.size(), yaml ? 3u : 2u);
    Problems problems;
    std::vector<std::string> found, warnings;
    const Node tree = merge_sources(sources, "tailrace", &options, problems, warnings);
    list_scalars(tree, "", found);
    EXPECT_EQ(problems.text(), "");
    EXPECT_THAT(found, testing::IsSupersetOf({"fields.d.names[0]=th", "output.a.nc.write_every=60.0 s",
                                              "output.a.nc.variables[0].field=th"}));
    EXPECT_EQ(tree.find("servers") != nullptr, yaml);
    EXPECT_THAT(warnings, testing::Contains(testing::HasSubstr("main.xml:2:")));
  }
}

TEST(Sources, LegacyIsForAllFilesWhereverItStands) {
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
    std::vector<std::string> found, warnings;
    list_scalars(merge_sources(read(files, first), "tailrace", &options, problems, warnings), "", found);
    EXPECT_EQ(problems.text(), "");
    EXPECT_THAT(found, testing::Contains("output.a.nc.variables[0].every=" + every)) << first;
  }
}

TEST(Sources, MistakesInIncludedXmlHaveTheirPlace) {
  const Files files{{"tailrace.yaml", "tailrace: 1\ninclude: [main.xml]\n"},
                    {"main.xml",
                     "<data-writing><file name=\"a.nc\" write_time_frequency=\"1.0\">"
                     "<include group=\"none\" time_manipulation=\"none\"/></file></data-writing>"}};
  Problems problems;
  merge_sources(read(files, "tailrace.yaml"), "tailrace", problems);
  EXPECT_THAT(problems.text(), testing::HasSubstr("main.xml:1:"));
  EXPECT_THAT(problems.text(), testing::HasSubstr("the group \"none\" is unknown"));
  EXPECT_THAT(
      complaint({{"tailrace.yaml", "include: [main.xml]"}, {"main.xml", "#include \"gone.xml\"\n<a/>"}},
                "tailrace.yaml"),
      testing::HasSubstr("gone.xml"));
}

TEST(Sources, MergesIncludedFilesDeeply) {
  const Sources sources =
      read({{"run/main.yaml", "tailrace: 1\ninclude: [parts/a.yaml, b.yaml]\nx: {one: 1}\n"},
            {"run/parts/a.yaml", "tailrace: 1\ninclude: [../b.yaml]\nx: {two: 2}\n"},
            {"run/b.yaml", "x: {three: {deep: [3, 4]}}\ny: \n"}},
           "run/main.yaml");
  ASSERT_EQ(sources.size(), 3u);  // b is read once
  EXPECT_EQ(sources[1].name, "run/parts/a.yaml");
  Problems problems;
  std::vector<std::string> found;
  list_scalars(merge_sources(sources, "tailrace", problems), "", found);
  EXPECT_EQ(problems.text(), "");
  EXPECT_THAT(found, testing::ElementsAre("tailrace=1", "x.one=1", "x.two=2", "x.three.deep[0]=3",
                                          "x.three.deep[1]=4"));
}

TEST(Sources, NamesBothPlacesOfAValueGivenTwice) {
  const Sources sources =
      read({{"main.yaml", "include: [b.yaml]\nx: {one: 1}\n"}, {"b.yaml", "x:\n  one: 1\n"}}, "main.yaml");
  Problems problems;
  merge_sources(sources, "tailrace", problems);
  EXPECT_EQ(problems.text(), "b.yaml:2:3  x.one: is given in two files; the other is at main.yaml:2:5");
}

TEST(Sources, ShowsTheCycle) {
  EXPECT_EQ(complaint({{"a.yaml", "include: [b.yaml]"},
                       {"b.yaml", "x: 1\ninclude: [c.yaml]"},
                       {"c.yaml", "include: [b.yaml]"}},
                      "a.yaml"),
            "c.yaml:1:11  include: these files include each other in a circle: b.yaml -> c.yaml -> b.yaml");
  EXPECT_EQ(complaint({{"a.yaml", "include: [./a.yaml]"}}, "a.yaml"),
            "a.yaml:1:11  include: these files include each other in a circle: a.yaml -> a.yaml");
}

TEST(Sources, SaysWhichIncludeIsMissing) {
  EXPECT_EQ(complaint({{"a.yaml", "x: 1\ninclude: [nowhere.yaml]"}}, "a.yaml"),
            "a.yaml:2:11  include: cannot read nowhere.yaml");
  EXPECT_EQ(complaint({{"a.yaml", "include: b.yaml"}}, "a.yaml"),
            "a.yaml:1:10  include: expected a list of files, such as `include: [fields.yaml]`");
  EXPECT_EQ(complaint({}, "a.yaml"), "cannot read a.yaml");
}

TEST(Sources, TellsWhereTheYamlIsBroken) {
  EXPECT_THAT(complaint({{"a.yaml", "x: 1\ny: [1, 2\nz: 3\n"}}, "a.yaml"),
              testing::MatchesRegex("a.yaml:3:[0-9]+  this is not YAML: .*"));
  EXPECT_EQ(complaint({{"a.yaml", "x: 1\ny: {b: 1, b: 2}\n"}}, "a.yaml"),
            "a.yaml:2:11  y.b: is given twice; the first is at a.yaml:2:5");
  EXPECT_THAT(complaint({{"a.yaml", "x: &loop [*loop]\n"}}, "a.yaml"), testing::HasSubstr("a.yaml:1:"));
  EXPECT_EQ(complaint({{"a.yaml", "x: 1\n---\ny: 2\n"}}, "a.yaml"),
            "a.yaml:3:1  the file holds a second YAML document; one is expected");
  EXPECT_EQ(complaint({{"a.yaml", "# nothing\n"}}, "a.yaml"), "none");
}

TEST(Placeholders, AreFilledInKeysAndScalars) {
  Problems problems;
  Node node = parse_yaml("a.yaml", "{'out_{case}.nc': '{nx} of {{nx}}, 10^{-3}, {', n: ['{ny}']}", problems);
  EXPECT_THAT(placeholders_in(node), testing::ElementsAre("case", "nx", "ny"));
  fill_placeholders(node, {{"case", "a"}, {"nx", "12"}, {"ny", "3"}}, "", problems);
  std::vector<std::string> found;
  list_scalars(node, "", found);
  EXPECT_EQ(problems.text(), "");
  EXPECT_THAT(found, testing::ElementsAre("out_a.nc=12 of {nx}, 10^{-3}, {", "n[0]=3"));
}

TEST(Placeholders, UnknownOnesGetTheNearestName) {
  Problems problems;
  Node node = parse_yaml("a.yaml", "x:\n  y: 1 / {x_sise}", problems);
  fill_placeholders(node, {{"x_size", "1"}, {"case", "b"}}, "", problems);
  EXPECT_EQ(
      problems.text(),
      "a.yaml:2:6  x.y: the model gave no option \"x_sise\". Did you mean \"x_size\"? (known: case, x_size)");
}

}  // namespace
}  // namespace tailrace::config
