#include "config/sources.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "config/dialect.hpp"
#include "config/placeholders.hpp"
#include "tailrace/error.hpp"

namespace tailrace::config {
namespace {

using Files = std::map<std::string, std::string>;
using Values = std::map<std::string, std::string>;

Sources read(const Files& files, const std::string& first, const Dialects& dialects = {}) {
  const Reader reader = [&](const std::string& name) {
    if (!files.contains(name)) throw Error(ErrorCode::resource, "cannot read " + name);
    return files.at(name);
  };
  return read_sources(first, reader, dialects);
}

std::string complaint(const Files& files, const std::string& first) {
  try {
    read(files, first);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

// Lists the scalars of the merged tree in order, as `path=text`.
void list_scalars(const Node& node, const std::string& path, std::vector<std::string>& found) {
  if (node.kind == NodeKind::scalar) found.push_back(path + "=" + node.text);
  for (std::size_t i = 0; i < node.items.size(); ++i) list_scalars(node.items[i], path_of(path, i), found);
  for (const NodeEntry& entry : node.entries) list_scalars(entry.value, path_of(path, entry.key), found);
}

// A notation for tests: lines `key = value` behind a line `!lines`; `+ file` includes another.
class Lines final : public Dialect {
 public:
  std::string name() const override { return "lines"; }
  bool recognises(std::string_view text) const override { return text.starts_with("!lines"); }
  Sources read_sources(const std::string& path, const Reader& reader) const override {
    Sources sources{{path, reader(path)}};
    std::istringstream text(sources.front().text);
    for (std::string line; std::getline(text, line);)
      if (line.starts_with("+ ")) sources.push_back({line.substr(2), reader(line.substr(2))});
    return sources;
  }
  Translation translate(const Sources& sources, const TranslationOptions& options,
                        Problems& problems) const override {
    std::string yaml = options.legacy ? "legacy: lines\nas: legacy\n" : "as: new\n";
    yaml += options.values == nullptr ? "values: none\n" : "values: some\n";
    for (const SourceFile& source : sources) {
      std::istringstream text(source.text);
      for (std::string line; std::getline(text, line);)
        if (const auto place = line.find(" = "); place != std::string::npos)
          yaml += line.substr(0, place) + ": " + line.substr(place + 3) + "\n";
    }
    return {parse_yaml(sources.front().name, yaml, problems), {sources.front().name + " was translated"}};
  }
};

const Lines lines;

std::vector<std::string> merged_lines(const Files& files, const std::string& first, const Values* values) {
  Problems problems;
  const MergeOptions options{"tailrace", {&lines}, values};
  const Merged merged = merge_sources(read(files, first, {&lines}), options, problems);
  std::vector<std::string> found = merged.warnings;
  list_scalars(merged.tree, "", found);
  EXPECT_EQ(problems.text(), "");
  return found;
}

std::string parse_complaint(const std::string& text) {
  Problems problems;
  parse_yaml("t.yaml", text, problems);
  return problems.empty() ? "none" : problems.text();
}

TEST(Limits, a_document_that_contains_itself_is_refused_once) {
  const std::string told = parse_complaint("x: &a [*a, *a]\n");
  EXPECT_THAT(told, testing::StartsWith("t.yaml:1:4  x[0][0]"));
  EXPECT_THAT(told, testing::EndsWith(": is nested deeper than 64 levels"));
  EXPECT_EQ(std::ranges::count(told, '\n'), 0);
  EXPECT_THAT(parse_complaint("x: &a {y: *a, z: *a}\n"),
              testing::EndsWith(": is nested deeper than 64 levels"));
}

TEST(Limits, aliases_that_multiply_are_refused) {
  std::string text = "a: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9]\n";
  for (int level = 1; level <= 9; ++level) {
    text += fmt::format("b{0}: &a{0} [", level);
    for (int i = 0; i < 9; ++i) text += fmt::format("{}*a{}", i == 0 ? "" : ", ", level - 1);
    text += "]\n";
  }
  const std::string told = parse_complaint(text);
  EXPECT_THAT(told, testing::StartsWith("t.yaml:"));
  EXPECT_THAT(told, testing::HasSubstr("the file stands for more than 300000 values; aliases (*name) count"));
  EXPECT_EQ(std::ranges::count(told, '\n'), 0);
}

TEST(Limits, what_is_nested_too_deeply_has_a_place) {
  EXPECT_EQ(parse_complaint(std::string(100000, '[')), "t.yaml:1:1  is nested deeper than 64 levels");
  std::string dashes;
  for (int i = 0; i < 100000; ++i) dashes += "- ";
  EXPECT_THAT(parse_complaint(dashes + "1"), testing::EndsWith("is nested deeper than 64 levels"));
}

TEST(Limits, many_values_are_refused_before_they_are_kept) {
  std::string list, names = "names: [";
  for (int i = 0; i < 1000000; ++i) list += "- a\n";
  EXPECT_THAT(parse_complaint(list),
              testing::StartsWith("t.yaml:300000:3  with this, the file stands for more"));
  for (int i = 0; i < 290000; ++i) names += "name,";
  EXPECT_EQ(parse_complaint(names + "]"), "none") << "as many are fine";
}

TEST(Limits, a_file_of_another_encoding_is_refused_with_the_place) {
  EXPECT_EQ(complaint({{"a.yaml", "tailrace: 1\ntitle: caf\xE9\n"}}, "a.yaml"),
            "a.yaml:2:11  the byte 0xe9 is not UTF-8; save the file with this encoding");
  EXPECT_EQ(complaint({{"a.yaml", "\xFF\xFEt"}}, "a.yaml"),
            "a.yaml:1:1  the byte 0xff is not UTF-8; save the file with this encoding");
  EXPECT_EQ(complaint({{"a.yaml", "include: [b.yaml]\n"}, {"b.yaml", "\x80"}}, "a.yaml"),
            "a.yaml:1:11  include: b.yaml:1:1  the byte 0x80 is not UTF-8; save the file with this encoding");
  EXPECT_EQ(complaint({{"a.yaml", "title: \"caf\xC3\xA9\"\n"}}, "a.yaml"), "none");
}

TEST(Limits, files_are_bounded_together) {
  const std::string half(most_bytes / 2, '#');
  EXPECT_EQ(complaint({{"a.yaml", "include: [b.yaml]\n"}, {"b.yaml", half}}, "a.yaml"), "none");
  EXPECT_THAT(
      complaint({{"a.yaml", "include: [b.yaml, c.yaml]\n"}, {"b.yaml", half}, {"c.yaml", half}}, "a.yaml"),
      testing::StartsWith(
          "a.yaml:1:19  include: c.yaml: with this file the configuration has 4194330 bytes"));
  Files chain;
  for (int i = 0; i < 1100; ++i)
    chain[fmt::format("{}.yaml", i)] = fmt::format("include: [{}.yaml]\n", i + 1);
  EXPECT_EQ(complaint(chain, "0.yaml"),
            "999.yaml:1:11  include: 1000.yaml: the configuration includes more than 1000 files");
}

TEST(Sources, TakesADialectWhereverYamlMayStand) {
  const Files files{{"run/main.yaml", "tailrace: 1\ninclude: [old/main.txt]\n"},
                    {"run/old/main.txt", "!lines\n+ more.txt\nx = 2\n"},
                    {"more.txt", "y = 3\n"}};
  EXPECT_THAT(merged_lines(files, "run/main.yaml", nullptr),
              testing::ElementsAre("run/old/main.txt was translated", "tailrace=1", "as=new", "values=none",
                                   "x=2", "y=3"));
  EXPECT_THAT(merged_lines(files, "run/old/main.txt", nullptr),
              testing::ElementsAre("run/old/main.txt was translated", "as=new", "values=none", "x=2", "y=3"));
  EXPECT_EQ(read(files, "run/main.yaml", {&lines}).size(), 3u);
}

TEST(Sources, LegacyIsForAllFilesOfItsDialectWhereverItStands) {
  const Values values{{"whose", "lines"}};
  const Files files{{"old.txt", "!lines\nx = 2\n"},
                    {"behind.yaml", "include: [old.txt, whose.yaml]\n"},
                    {"whose.yaml", "legacy: \"{whose}\"\n"},
                    {"other.yaml", "legacy: others\ninclude: [old.txt]\n"}};
  EXPECT_THAT(
      merged_lines(files, "behind.yaml", &values),
      testing::ElementsAre("old.txt was translated", "as=legacy", "values=some", "x=2", "legacy={whose}"));
  EXPECT_THAT(merged_lines(files, "behind.yaml", nullptr), testing::Contains("as=new"));
  EXPECT_THAT(merged_lines(files, "other.yaml", &values), testing::Contains("as=new"));
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
  list_scalars(merge_sources(sources, {"tailrace"}, problems).tree, "", found);
  EXPECT_EQ(problems.text(), "");
  EXPECT_THAT(found, testing::ElementsAre("tailrace=1", "x.one=1", "x.two=2", "x.three.deep[0]=3",
                                          "x.three.deep[1]=4"));
}

// The merged tree of the user's file and the text of the model.
std::vector<std::string> with_model_text(const std::string& file, const std::string& text) {
  const Reader reader = [&](const std::string&) { return file; };
  const Sources sources = read_sources(file.empty() ? "" : "run.yaml", reader, {}, {}, text);
  Problems problems;
  std::vector<std::string> found;
  list_scalars(merge_sources(sources, {"tailrace"}, problems).tree, "", found);
  EXPECT_EQ(problems.text(), "");
  return found;
}

TEST(Sources, TheUserHasTheLastWordOverTheTextOfTheModel) {
  const auto found = with_model_text("tailrace: 1\nout: {a.nc: {type: x, list: [1]}, b.nc: }\n",
                                     "tailrace: 1\nout: {a.nc: {type: y, list: [2, 3], more: 4}, b.nc: "
                                     "{type: z}, c.nc: {type: u}}\nlast: 5\n");
  EXPECT_THAT(found, testing::ElementsAre("tailrace=1", "out.a.nc.type=x", "out.a.nc.list[0]=1",
                                          "out.a.nc.more=4", "out.c.nc.type=u", "last=5"));
}

TEST(Sources, TheTextOfTheModelMayStandAlone) {
  EXPECT_THAT(with_model_text("", "tailrace: 1\nx: 2\n"), testing::ElementsAre("tailrace=1", "x=2"));
}

TEST(Sources, TheTextOfTheModelIncludesNothingAndHasPlaces) {
  std::string told;
  try {
    with_model_text("tailrace: 1\n", "x: 1\ninclude: [a.yaml]\n");
  } catch (const Error& error) {
    told = error.what();
  }
  EXPECT_THAT(told, testing::HasSubstr("<model>:2:10  include: the text of the model includes no file"));
  try {
    with_model_text("tailrace: 1\n", "x: \xff\n");
  } catch (const Error& error) {
    told = error.what();
  }
  EXPECT_THAT(told, testing::HasSubstr("<model>:1:4  the byte 0xff is not UTF-8"));
}

TEST(Sources, NamesBothPlacesOfAValueGivenTwice) {
  const Sources sources =
      read({{"main.yaml", "include: [b.yaml]\nx: {one: 1}\n"}, {"b.yaml", "x:\n  one: 1\n"}}, "main.yaml");
  Problems problems;
  merge_sources(sources, {"tailrace"}, problems);
  EXPECT_EQ(problems.text(), "b.yaml:2:3  x.one: is given in two files; the other is at main.yaml:2:5");
}

TEST(Sources, ShowsTheCycle) {
  EXPECT_EQ(complaint({{"a.yaml", "include: [b.yaml]"},
                       {"b.yaml", "x: 1\ninclude: [c.yaml]"},
                       {"c.yaml", "include: [b.yaml]"}},
                      "a.yaml"),
            "c.yaml:1:11  include: these files include each other circularly: b.yaml -> c.yaml -> b.yaml");
  EXPECT_EQ(complaint({{"a.yaml", "include: [./a.yaml]"}}, "a.yaml"),
            "a.yaml:1:11  include: these files include each other circularly: a.yaml -> a.yaml");
}

TEST(Sources, SaysWhichIncludeIsMissing) {
  EXPECT_EQ(complaint({{"a.yaml", "x: 1\ninclude: [nowhere.yaml]"}}, "a.yaml"),
            "a.yaml:2:11  include: cannot read nowhere.yaml");
  EXPECT_EQ(complaint({{"a.yaml", "include: b.yaml"}}, "a.yaml"),
            "a.yaml:1:10  include: expected a list of files, such as `include: [fields.yaml]`");
  EXPECT_EQ(complaint({}, "a.yaml"), "cannot read a.yaml");
  EXPECT_EQ(complaint({}, ""),
            "the path of the configuration is empty; expected a file, or a text of the model");
}

TEST(Sources, TellsWhereTheYamlIsBroken) {
  EXPECT_THAT(
      complaint({{"a.yaml", "x: 1\ny: [1, 2\nz: 3\n"}}, "a.yaml"),
      testing::MatchesRegex("a.yaml:3:[0-9]+  this is not YAML: .*a `\\[` before this is not closed."));
  EXPECT_THAT(complaint({{"a.yaml", "x: 1\ny:\n  a: 1\n \tb: 2\n"}}, "a.yaml"),
              testing::StartsWith(
                  "a.yaml:4:2  a tab indents this line, which YAML does not allow; expected spaces ("));
  EXPECT_EQ(complaint({{"a.yaml", "x: 1\ny: {b: 1, b: 2}\n"}}, "a.yaml"),
            "a.yaml:2:11  y.b: is given twice; the first is at a.yaml:2:5");
  EXPECT_THAT(complaint({{"a.yaml", "x: &loop [*loop]\n"}}, "a.yaml"), testing::HasSubstr("a.yaml:1:"));
  EXPECT_EQ(complaint({{"a.yaml", "x: 1\n---\ny: 2\n"}}, "a.yaml"),
            "a.yaml:3:1  the file contains a second YAML document; expected only one");
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

TEST(Placeholders, AreLeftToOthersInTheKeysOfASection) {
  Problems problems;
  Node node = parse_yaml("a.yaml", "output: {'{case}_{end}.nc': {'{end}': '{end}'}}", problems);
  const KeptNames kept{"output", {"end"}};
  EXPECT_THAT(placeholders_in(node, kept), testing::ElementsAre("case", "end"));
  EXPECT_THAT(placeholders_in(parse_yaml("a.yaml", "output: {'{end}.nc': 1}", problems), kept),
              testing::IsEmpty());
  fill_placeholders(node, {{"case", "a"}, {"end", "7"}}, "", problems, kept);
  std::vector<std::string> found;
  list_scalars(node, "", found);
  EXPECT_THAT(found, testing::ElementsAre("output.a_{end}.nc.7=7"));
}

TEST(Placeholders, UnknownOnesGetTheNearestName) {
  Problems problems;
  Node node = parse_yaml("a.yaml", "x:\n  y: 1 / {x_sise}", problems);
  fill_placeholders(node, {{"x_size", "1"}, {"case", "b"}}, "", problems);
  EXPECT_EQ(
      problems.text(),
      "a.yaml:2:6  x.y: the model set no option \"x_sise\". Did you mean \"x_size\"? (known: case, x_size)");
}

}  // namespace
}  // namespace tailrace::config
