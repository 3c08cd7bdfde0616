#include "config/schema.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "config/check.hpp"
#include "config/documents/documents.hpp"
#include "tailrace/error.hpp"

namespace tailrace::config {
namespace {

using testing::HasSubstr;

Option valid_option() {
  return {.name = "speed", .type = integer(0, 9), .description = "How fast.", .example = "3"};
}

Type boat() {
  return section({
      {.name = "name",
       .type = text(),
       .description = "What she is called.",
       .example = "Anna",
       .required = true},
      {.name = "speed",
       .type = integer(0, 9),
       .description = "How fast.",
       .example = "3",
       .default_value = "5"},
      {.name = "draught", .type = real(0.0), .description = "How deep.", .example = "1.5", .unit = "m"},
      {.name = "rig",
       .type = choice({"sloop", "ketch"}, {"junk"}),
       .description = "Which sails.",
       .example = "ketch"},
      {.name = "crew", .type = integer_or({"auto"}, 1), .description = "How many.", .example = "auto"},
      {.name = "hold",
       .type = size(),
       .description = "How much.",
       .example = "2 kB",
       .default_value = "1 KiB"},
      {.name = "afloat",
       .type = flag(),
       .description = "Whether she swims.",
       .example = "true",
       .default_value = "true"},
      {.name = "ports", .type = list(text(), 1), .description = "Where to.", .example = "[Kiel]"},
      {.name = "radio", .type = text(), .description = "Which.", .example = "VHF", .available = false},
      {.name = "notes",
       .type = map("note", either({plain(), list(real(-10, 10))})),
       .description = "Anything.",
       .example = "{year: 1999}"},
  });
}

Value read(const std::string& yaml, Problems& problems, bool allow_open = false) {
  return check(parse_yaml("boat.yaml", yaml, problems), boat(), "", {.allow_open = allow_open}, problems);
}

std::string mistakes(const std::string& yaml) {
  Problems problems;
  read(yaml, problems);
  return problems.text();
}

TEST(Schema, ReadsEveryTypeAndFillsInDefaults) {
  Problems problems;
  const Value value = read(
      "name: Anna\ndraught: 1.5\nrig: ketch\ncrew: auto\nports: [Kiel, Oslo]\n"
      "notes: {year: 1999, code: '1999', ratio: 0.5, series: [1, 2.5]}\n",
      problems);
  EXPECT_EQ(problems.text(), "");
  EXPECT_EQ(value.at("name").text(), "Anna");
  EXPECT_EQ(value.at("speed").integer(), 5);
  EXPECT_EQ(value.at("speed").location().line, 0);
  EXPECT_EQ(value.at("draught").real(), 1.5);
  EXPECT_EQ(value.at("draught").location().text(), "boat.yaml:2:10");
  EXPECT_EQ(value.at("rig").text(), "ketch");
  EXPECT_FALSE(value.at("crew").is_integer());
  EXPECT_EQ(value.at("hold").bytes(), 1024u);
  EXPECT_TRUE(value.at("afloat").flag());
  EXPECT_EQ(value.at("ports").items()[1].text(), "Oslo");
  EXPECT_EQ(value.find("radio"), nullptr);
  const Value& notes = value.at("notes");
  EXPECT_EQ(notes.at("year").integer(), 1999);
  EXPECT_EQ(notes.at("code").kind(), Kind::text);
  EXPECT_EQ(notes.at("ratio").real(), 0.5);
  EXPECT_EQ(notes.at("series").items()[1].real(), 2.5);
  EXPECT_THROW(value.at("name").integer(), Error);
}

TEST(Schema, TellsAllMistakesAtOnceWithTheirPlaces) {
  EXPECT_EQ(mistakes("sped: 3\n"
                     "speed: fast\n"
                     "rig: kech\n"
                     "crew: 0\n"
                     "hold: 12\n"
                     "afloat: yes\n"
                     "ports: []\n"
                     "draught: -1\n"
                     "radio: VHF\n"
                     "notes: 3\n"),
            "boat.yaml:1:1  sped: this key is unknown. Did you mean \"speed\"? (known: afloat, crew, "
            "draught, hold, name, "
            "notes, ports, radio, rig, speed)\n"
            "boat.yaml:1:1  \"name\" is missing (a text)\n"
            "boat.yaml:2:8  speed: expected a whole number from 0 to 9, but got \"fast\"\n"
            "boat.yaml:3:6  rig: \"kech\" is unknown. Did you mean \"ketch\"? (known: ketch, sloop)\n"
            "boat.yaml:4:7  crew: expected a whole number of 1 or more or `auto`, but got \"0\"\n"
            "boat.yaml:5:7  hold: expected a size such as `256 MiB` (B, kB, MB, GB, TB, KiB, MiB, GiB, TiB), "
            "but got "
            "\"12\"\n"
            "boat.yaml:6:9  afloat: expected `true` or `false`, but got \"yes\"\n"
            "boat.yaml:7:8  ports: expected at least 1 entry, but got 0\n"
            "boat.yaml:8:10  draught: expected a number of 0 or more, but got \"-1\"\n"
            "boat.yaml:9:1  radio: is not available yet in this version\n"
            "boat.yaml:10:8  notes: expected a map of named entries, but got \"3\"");
}

TEST(Schema, KnowsWhatComesLater) {
  EXPECT_EQ(mistakes("{name: Anna, rig: junk}"),
            "boat.yaml:1:19  rig: \"junk\" is not available yet in this version");
  EXPECT_EQ(mistakes("{name: Anna, radio: }"), "");
}

Type renamed() {
  Option option = valid_option();
  option.deprecated_names = {"pace", "knots"};
  return section({option});
}

TEST(Schema, ReadsFormerNamesWithANote) {
  const auto read_renamed = [](const std::string& yaml, Problems& problems) {
    return check(parse_yaml("boat.yaml", yaml, problems), renamed(), "", {}, problems);
  };
  Problems problems;
  const Value value = read_renamed("\nknots: 7", problems);
  EXPECT_TRUE(problems.empty());
  EXPECT_EQ(value.at("speed").integer(), 7);
  EXPECT_THAT(problems.notes(), testing::ElementsAre("boat.yaml:2:1  knots: is now called `speed`"));
  read_renamed("{pace: 10}", problems);
  read_renamed("{speed: 1, pace: 2}", problems);
  read_renamed("{knot: 2}", problems);
  read_renamed("{seed: 2}", problems);
  EXPECT_EQ(
      problems.text(),
      "boat.yaml:1:2  knot: this key is unknown. Did you mean \"speed\", formerly \"knots\"?\n"
      "boat.yaml:1:2  seed: this key is unknown. Did you mean \"speed\"? (known: speed)\n"
      "boat.yaml:1:8  speed: expected a whole number from 0 to 9, but got \"10\"\n"
      "boat.yaml:1:12  pace: is now called `speed`, and \"speed\" is given too, at boat.yaml:1:2; expected "
      "only one");
}

TEST(Schema, ReadsFormerWordsWithANote) {
  Option option = valid_option();
  option.type = choice({"sail", "row"});
  option.type.former = {{"true", "sail"}, {"oars", "row"}};
  option.example = "sail";
  option.default_value = "row";
  const auto read_words = [&](const std::string& yaml, Problems& problems) {
    return check(parse_yaml("boat.yaml", yaml, problems), section({option}), "", {}, problems);
  };
  Problems problems;
  EXPECT_EQ(read_words("speed: true", problems).at("speed").text(), "sail");
  EXPECT_EQ(read_words("speed: row", problems).at("speed").text(), "row");
  EXPECT_THAT(problems.notes(), testing::ElementsAre("boat.yaml:1:8  speed: \"true\" is now called `sail`"));
  const auto properties = nlohmann::json::parse(documents::json_schema(section({option}), ""))["properties"];
  EXPECT_EQ(properties["speed"]["anyOf"][0]["enum"], nlohmann::json({"sail", "row", true, "oars"}));
}

TEST(Schema, DocumentsFormerNames) {
  EXPECT_THAT(documents::reference_markdown(renamed(), ""),
              HasSubstr("- Formerly: `pace`, `knots` (still read, with a warning)"));
  const auto properties = nlohmann::json::parse(documents::json_schema(renamed(), ""))["properties"];
  EXPECT_EQ(properties["pace"]["deprecated"], true);
  EXPECT_EQ(properties["knots"]["description"], "Now `speed`.");
  EXPECT_EQ(properties["knots"]["anyOf"], properties["speed"]["anyOf"]);
  Option twice = valid_option();
  twice.deprecated_names = {"speed"};
  EXPECT_THROW(assert_well_declared(section({twice})), Error);
}

TEST(Schema, ReadsOtherNamesWithoutANote) {
  Option option = valid_option();
  option.aliases = {"pace"};
  const auto read_pace = [&](const std::string& yaml, Problems& problems) {
    return check(parse_yaml("boat.yaml", yaml, problems), section({option}), "", {}, problems);
  };
  Problems problems;
  EXPECT_EQ(read_pace("pace: 7", problems).at("speed").integer(), 7);
  EXPECT_TRUE(problems.notes().empty());
  read_pace("{speed: 1, pace: 2}", problems);
  EXPECT_EQ(problems.text(),
            "boat.yaml:1:12  pace: is another name of `speed`, and \"speed\" is given too, at boat.yaml:1:2; "
            "expected "
            "only one");
  EXPECT_THAT(documents::reference_markdown(section({option}), ""), HasSubstr("- Also called: `pace`"));
}

// A fleet of boats, each with its own crew, in which `defaults` of the fleet and of a boat are asked.
Type fleet() {
  const std::vector<Option> sailor{
      {.name = "rank", .type = text(), .description = "What he is.", .example = "mate", .required = true},
      {.name = "watch",
       .type = integer(1, 3),
       .description = "When he wakes.",
       .example = "2",
       .default_value = "1",
       .belongs_to = "rank"}};
  const std::vector<Option> boat{
      {.name = "rig", .type = text(), .description = "Which sails.", .example = "ketch"}};
  Option crew{.name = "crew",
              .type = list(section(inherited(sailor))),
              .description = "Who.",
              .example = "[{rank: mate}]"};
  std::vector<Option> all = boat;
  std::ranges::copy(sailor, std::back_inserter(all));
  Option boats{
      .name = "boats",
      .type = map("boat", joined_section({inherited(boat), {crew, defaults_option("Crew.", sailor)}})),
      .description = "All.",
      .example = "{a: {}}"};
  return section({defaults_option("Fleet.", all), boats});
}

TEST(Schema, AsksTheDefaultsAroundASection) {
  Problems problems;
  const auto read_fleet = [&](const std::string& yaml) {
    return check(parse_yaml("fleet.yaml", yaml, problems), fleet(), "", {}, problems);
  };
  const Value root = read_fleet(
      "defaults: {rig: sloop, rank: mate, watch: 3}\n"
      "boats:\n"
      "  a: {crew: [{}, {rank: cook}]}\n"
      "  b: {rig: ketch, defaults: {rank: boy}, crew: [{}, {watch: 2}]}\n");
  EXPECT_EQ(problems.text(), "");
  const Value& a = root.at("boats").at("a");
  EXPECT_EQ(a.at("rig").text(), "sloop");
  EXPECT_EQ(a.at("crew").items()[0].at("rank").text(), "mate");
  EXPECT_EQ(a.at("crew").items()[0].at("rank").location().text(), "fleet.yaml:1:30");
  EXPECT_EQ(a.at("crew").items()[0].at("watch").integer(), 3);
  EXPECT_EQ(a.at("crew").items()[1].at("watch").integer(), 1);  // it belongs to the rank, which is his own
  const Value& b = root.at("boats").at("b");
  EXPECT_EQ(b.at("rig").text(), "ketch");
  EXPECT_EQ(b.at("crew").items()[0].at("rank").text(), "boy");
  EXPECT_EQ(b.at("crew").items()[1].at("watch").integer(), 2);

  read_fleet("{defaults: {watch: 9}, boats: {a: {crew: [{rank: boy}, {}]}}}");
  EXPECT_EQ(problems.text(),
            "fleet.yaml:1:20  defaults.watch: expected a whole number from 1 to 3, but got \"9\"\n"
            "fleet.yaml:1:56  boats.a.crew[1]: \"rank\" is missing (a text), here and in `defaults`");
  const auto json = nlohmann::json::parse(documents::json_schema(fleet(), ""));
  EXPECT_FALSE(json["properties"]["boats"]["additionalProperties"]["properties"]["crew"]["items"].contains(
      "required"));
}

TEST(Schema, LeavesOpenValuesUncheckedOnlyWhereAllowed) {
  const std::string yaml = "{name: '{n}', speed: '{v}', rig: '{r}', notes: {x: '{y}'}}";
  Problems problems;
  const Value value = read(yaml, problems, true);
  EXPECT_EQ(problems.text(), "");
  EXPECT_TRUE(value.at("speed").open());
  EXPECT_EQ(value.at("speed").integer(), 0);
  EXPECT_EQ(value.at("rig").text(), "sloop");
  EXPECT_THAT(mistakes(yaml), HasSubstr("speed: expected a whole number from 0 to 9, but got \"{v}\""));
}

TEST(Schema, ExplainsBracesWithoutQuotes) {
  EXPECT_EQ(mistakes("{name: Anna, speed: {v}}"),
            "boat.yaml:1:21  speed: expected a whole number from 0 to 9, but got a map. If you mean the "
            "option of that name, write \"{v}\" in quotes");
}

TEST(Schema, RefusesCarelessDeclarations) {
  EXPECT_NO_THROW(assert_well_declared(boat()));
  const auto refuses = [](const Option& option) {
    EXPECT_THROW(assert_well_declared(section({option})), Error) << option.name << " " << option.description;
  };
  Option option = valid_option();
  option.name = "topSpeed";
  refuses(option);
  option = valid_option();
  option.description = "How fast";
  refuses(option);
  option = valid_option();
  option.description = "how fast.";
  refuses(option);
  option = valid_option();
  option.example = "";
  refuses(option);
  option = valid_option();
  option.example = "10";
  refuses(option);
  option = valid_option();
  option.default_value = "fast";
  refuses(option);
  EXPECT_THROW(assert_well_declared(section({valid_option(), valid_option()})), Error);
  EXPECT_THROW(assert_well_declared(section({{.name = "boats",
                                              .type = map("name", section({valid_option(), valid_option()})),
                                              .description = "All boats."}})),
               Error);
}

TEST(Reference, ShowsEveryOption) {
  const std::string page = documents::reference_markdown(
      section({{.name = "boats", .type = map("boat", boat()), .description = "All boats."}}), "# Harbour\n");
  EXPECT_THAT(
      page, testing::StartsWith("# Harbour\n\n## `boats`\n\nAll boats.\n\n- Type: a map of named entries\n"));
  EXPECT_THAT(
      page, HasSubstr("### `boats.<boat>.draught`\n\nHow deep.\n\n- Type: a number of 0 or more\n- Unit: m\n"
                      "- Since: 0.1\n- Example: `draught: 1.5`\n"));
  EXPECT_THAT(page, HasSubstr("- Not available yet: `junk`\n"));
}

TEST(JsonSchema, SaysTheSame) {
  const auto json = nlohmann::json::parse(documents::json_schema(boat(), "Boat"));
  EXPECT_EQ(json["title"], "Boat");
  EXPECT_EQ(json["additionalProperties"], false);
  EXPECT_EQ(json["required"], nlohmann::json({"name"}));
  EXPECT_EQ(json["properties"].size(), boat().options.size());
  EXPECT_EQ(json["properties"]["speed"]["description"], "How fast.");
  EXPECT_EQ(json["properties"]["speed"]["anyOf"][0]["maximum"], 9);
  EXPECT_EQ(json["properties"]["rig"]["anyOf"][0]["enum"], nlohmann::json({"sloop", "ketch"}));
}

}  // namespace
}  // namespace tailrace::config
