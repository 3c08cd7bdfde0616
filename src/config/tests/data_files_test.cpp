// Files that options name, and sections that hold sections like themselves.
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "config/check.hpp"
#include "config/documents/documents.hpp"
#include "config/sources.hpp"
#include "tailrace/error.hpp"

namespace tailrace::config {
namespace {

using testing::HasSubstr;
using testing::Not;

const std::map<std::string, std::string> files{{"run.yaml", "tailrace: 1\ninclude: [b.yaml]\n"},
                                               {"b.yaml", "table: t.json\nother: no.json\n"},
                                               {"t.json", "{not: [yaml"}};

std::string read_file(const std::string& name) {
  if (!files.contains(name)) throw Error(ErrorCode::resource, "cannot read " + name);
  return files.at(name);
}

FindData find(const std::string& key) {
  return [key](const std::vector<Node>& trees, Problems&) {
    std::vector<DataFile> found;
    for (const Node& tree : trees)
      if (const NodeEntry* entry = tree.find(key))
        found.insert(found.end(), 2, {entry->value.text, entry->value.location, key});
    return found;
  };
}

TEST(DataFiles, ComeBehindTheTreesAndAreNoPartOfThem) {
  const Sources sources = read_sources("run.yaml", read_file, {}, find("table"));
  ASSERT_EQ(sources.size(), 3u) << "each once";
  EXPECT_EQ(sources[2].name, "t.json");
  EXPECT_TRUE(sources[2].is_data);
  EXPECT_FALSE(sources[1].is_data);
  Problems problems;
  EXPECT_EQ(merge_sources(sources, {"tailrace"}, problems).tree.entries.size(), 3u);
  EXPECT_EQ(problems.text(), "");
}

TEST(DataFiles, ThatAreMissingAreToldWhereTheyAreNamed) {
  try {
    read_sources("run.yaml", read_file, {}, find("other"));
    FAIL() << "nothing was said";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "b.yaml:2:8  other: cannot read no.json");
  }
}

// Boxes in boxes, two deep.
Type boxes(int levels) {
  std::vector<Option> options{{.name = "label",
                               .type = text(),
                               .description = "What is in it.",
                               .example = "books",
                               .required = true,
                               .implied_by = {"boxes"}}};
  if (levels > 0)
    options.push_back({.name = "boxes",
                       .type = list(boxes(levels - 1), 1),
                       .description = "More of them.",
                       .example = "[{label: a}]"});
  return section(options);
}

TEST(SectionsInSections, ReadAndToldOnce) {
  const Type type =
      section({{.name = "boxes", .type = list(boxes(2)), .description = "All.", .example = "[]"}});
  Problems problems;
  check(
      parse_yaml("b.yaml", "boxes: [{boxes: [{label: a}, {}]}, {boxes: [{boxes: [{boxes: []}]}]}]", problems),
      type, "", {}, problems);
  EXPECT_THAT(problems.text(), HasSubstr("b.yaml:1:30  boxes[0].boxes[1]: \"label\" is missing (a text)"));
  EXPECT_THAT(problems.text(), HasSubstr("boxes[1].boxes[0].boxes[0].boxes: this key is unknown."));
  const std::string page = documents::reference_markdown(type, "");
  EXPECT_THAT(page, HasSubstr("- Required: yes, unless there is `boxes`"));
  EXPECT_THAT(page, HasSubstr("- Entries: the same options as around it"));
  EXPECT_THAT(page, Not(HasSubstr("boxes[].boxes[].label")));
  const auto json = nlohmann::json::parse(documents::json_schema(type, ""));
  const auto& box = json["properties"]["boxes"]["items"];
  EXPECT_EQ(box["properties"]["boxes"]["items"]["$ref"], "#/properties/boxes/items");
  EXPECT_EQ(json.at(nlohmann::json::json_pointer("/properties/boxes/items")), box);
}

}  // namespace
}  // namespace tailrace::config
