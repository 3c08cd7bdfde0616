#include "config/section.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest-spi.h>

#include "config/testing/section_conformance.hpp"
#include "tailrace/error.hpp"

namespace tailrace::config {
namespace {

struct Sail {
  int area = 20;
  bool operator==(const Sail&) const = default;
};

Sail read_sail(const Value& value, Problems& problems) {
  Sail sail;
  if (const Value* area = value.find("area")) sail.area = static_cast<int>(area->integer());
  if (sail.area == 13) problems.add(value.location(), value.path(), "brings bad luck");
  return sail;
}

Section<Sail> sail() {
  return {.option = {.name = "sail",
                     .type = section({{.name = "area",
                                       .type = integer(0, 99),
                                       .description = "How large.",
                                       .example = "30",
                                       .default_value = "20",
                                       .unit = "m2"}}),
                     .description = "What drives her.",
                     .example = "{area: 30}"},
          .read = read_sail};
}

struct Mast {
  int height = 0;
};

Section<Mast> mast() {
  return {.option = {.name = "mast", .type = integer(0, 99), .description = "How high.", .example = "9"},
          .read = [](const Value& value, Problems&) { return Mast{static_cast<int>(value.integer())}; },
          .check =
              [](const Mast& own, const Sections& all, Problems& problems) {
                if (all.is_sound("sail") && all.get<Sail>().area > 2 * own.height)
                  problems.add({"boat.yaml", 1, 1}, "mast", "is too low for the sail");
              }};
}

Option engine() {
  return {.name = "engine", .type = text(), .description = "Which.", .example = "diesel", .available = false};
}

const SectionRegistration registrations[] = {SectionRegistration(mast), SectionRegistration(sail),
                                             SectionRegistration(engine)};

struct Boat {
  Sections values;
  std::string problems;
};

Boat boat(const std::string& yaml) {
  const std::vector<AnySection> all = registered_sections({"sail"});
  std::vector<Option> options;
  for (const AnySection& each : all) options.push_back(each.option);
  Problems problems;
  const Value root = check(parse_yaml("boat.yaml", yaml, problems), section(options), "", {}, problems);
  Boat made{.values = read_all(all, root, problems), .problems = ""};
  check_all(all, made.values, problems);
  made.problems = problems.text();
  return made;
}

TEST(Section, StandsWhereTheOrderSaysAndElseByName) {
  std::vector<std::string> names;
  for (const AnySection& each : registered_sections({"sail"})) names.push_back(each.option.name);
  EXPECT_THAT(names, ::testing::ElementsAre("sail", "engine", "mast"));
}

TEST(Section, IsReadIntoItsOwnType) {
  const Boat given = boat("{mast: 16, sail: {area: 30}}");
  EXPECT_EQ(given.problems, "");
  EXPECT_EQ(given.values.get<Sail>().area, 30);
  EXPECT_EQ(given.values.get<Mast>().height, 16);
  EXPECT_EQ(boat("mast: 10").values.get<Sail>().area, 20);
}

TEST(Section, IsCheckedBesideTheOthers) {
  EXPECT_EQ(boat("{mast: 4, sail: {area: 30}}").problems, "boat.yaml:1:1  mast: is too low for the sail");
  EXPECT_EQ(boat("{mast: 4, sail: {area: 13}}").problems, "boat.yaml:1:17  sail: brings bad luck");
  EXPECT_EQ(boat("{mast: 16, engine: diesel}").problems,
            "boat.yaml:1:12  engine: is not available yet in this version");
}

TEST(Section, CanBeTakenOutOnce) {
  Sections values = boat("{mast: 16}").values;
  EXPECT_EQ(values.take<Mast>().height, 16);
  EXPECT_EQ(values.find<Mast>(), nullptr);
  EXPECT_THROW(values.get<Mast>(), Error);
}

TEST(Section, MayBePartOfAnother) {
  Problems problems;
  const auto whole = [&](const std::string& yaml) {
    return check(parse_yaml("boat.yaml", yaml, problems), section({sail().option}), "", {}, problems);
  };
  EXPECT_EQ(read_part(sail(), whole("sail: {area: 7}"), problems), Sail{7});
  EXPECT_EQ(read_part(sail(), whole("{}"), problems), std::nullopt);
}

TEST(SectionConformance, Passes) {
  testing::check_section(sail());
  testing::check_mistakes(
      sail(), {{.yaml = "sail: {area: 13}", .told = "run.yaml:1:7  sail: brings bad luck"},
               {.yaml = "sail: {area: big}",
                .told = "run.yaml:1:14  sail.area: expected a whole number from 0 to 99, but got \"big\""}});
}

TEST(SectionConformance, SeesDefaultsThatDiffer) {
  EXPECT_NONFATAL_FAILURE(
      {
        Section<Sail> other = sail();
        other.option.type.options[0].default_value = "21";
        testing::check_section(other);
      },
      "the defaults of the declaration are not those of the struct");
}

TEST(SectionConformance, SeesAReaderThatFallsIntoHoles) {
  EXPECT_NONFATAL_FAILURE(
      {
        Section<Sail> other = sail();
        other.option.type.options[0].default_value = "";
        other.read = [](const Value& value, Problems&) {
          return Sail{value.find("area") ? static_cast<int>(value.at("area").integer())
                                         : static_cast<int>(value.at("depth").integer())};
        };
        testing::check_option(other, {.path = "sail.area", .example = ""},
                              nlohmann::json::parse(documents::json_schema(testing::alone(other), "")));
      },
      "holds no depth");
}

}  // namespace
}  // namespace tailrace::config
