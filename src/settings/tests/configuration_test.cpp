#include "settings/configuration.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "settings/testing/parsing.hpp"
#include "settings/testing/whole.hpp"
#include "tailrace/error.hpp"

namespace tailrace::settings {
namespace {

using testing::complaint;
using testing::fields;
using ::testing::HasSubstr;
using testing::parse;
using testing::whole;
using testing::with_variable;

TEST(Configuration, IsReadAgainOnlyWhereOptionsMayChangeIt) {
  const std::map<std::string, std::string> options{{"run", "b1"}, {"nz", "12"}};
  const auto with = [&](const std::string& path) {
    const Sources sources{{"run.yaml", "tailrace: 1\nfields: {s: {every: 1 step, names: [h]}}\noutput: {\"" +
                                           path + "\": {variables: [{field: h, every: 1 step}]}}\n"}};
    const Configuration without = parse_configuration(sources, nullptr);
    const std::string given = with_options(without, sources, options).files.at(0).path;
    EXPECT_EQ(given, parse_configuration(sources, &options).files.at(0).path);
    return std::pair(without.needs_options, given);
  };
  EXPECT_EQ(with("h.nc"), std::pair(false, std::string("h.nc")));
  EXPECT_EQ(with("{run}.nc"), std::pair(true, std::string("b1.nc")));
  EXPECT_EQ(with("{{run}}.nc"), std::pair(true, std::string("{run}.nc")))
      << "nothing is open, but it is text";
}

TEST(Configuration, ReadsAWholeOne) {
  const Configuration configuration = parse(whole, {{"case", "b1"}, {"nz", "12"}});
  EXPECT_EQ(configuration.servers.mode, Mode::dedicated);
  EXPECT_EQ(configuration.servers.count, 2);
  EXPECT_EQ(configuration.servers.threads, 0);
  EXPECT_EQ(configuration.servers.buffer.bytes, std::size_t{64} << 20);
  EXPECT_EQ(configuration.servers.buffer.when_full, transport::WhenFull::spill);
  EXPECT_EQ(configuration.servers.watchdog_seconds, 0.0);
  EXPECT_EQ(configuration.servers.memory, std::size_t{1} << 30);
  EXPECT_EQ(configuration.time.calendar, "standard");
  EXPECT_EQ(configuration.time.start.year, 2026);
  ASSERT_EQ(configuration.field_groups.size(), 2u);
  EXPECT_EQ(configuration.field_groups[1].fields[0].name, "scalar.vwp");
  EXPECT_EQ(configuration.field_groups[1].every, time::Period::of_steps(5));
  EXPECT_TRUE(configuration.field_groups[1].optional);
  EXPECT_EQ(configuration.groups.at("three_d").size(), 3u);
  ASSERT_EQ(configuration.files.size(), 1u);
  const OutputEntry& file = configuration.files[0];
  EXPECT_EQ(file.path, "profiles_b1.nc");
  EXPECT_EQ(file.write_every, time::Period::of_seconds(100));
  EXPECT_EQ(file.on_error, OnError::retry);
  EXPECT_EQ(file.retry_for_seconds, 120.0);
  EXPECT_EQ(file.codec.codec, "zlib");
  EXPECT_EQ(file.time_stamp, TimeStamp::middle);
  const output::Attributes attributes{
      {"title", std::string("Case b1")}, {"levels", std::vector<double>{1, 2.5}}, {"run", std::int32_t{7}}};
  EXPECT_EQ(file.attributes, attributes);
  ASSERT_EQ(file.variables.size(), 2u);
  EXPECT_EQ(file.variables[0].field, "scalar.vwp");
  EXPECT_EQ(file.variables[0].reduction, time::ReductionKind::mean);
  EXPECT_EQ(file.variables[0].type, model::DataType::float32);
  EXPECT_EQ(file.variables[1].group, "three_d");
  EXPECT_EQ(file.variables[1].reduction, time::ReductionKind::snapshot);
  EXPECT_EQ(file.variables[1].codec->codec, "zstd");
  EXPECT_THAT(file.variables[1].chunk, ::testing::ElementsAre(1, 12, 4));
  EXPECT_EQ(file.variables[1].config_path, "output.profiles_b1.nc.variables[1]");
  EXPECT_EQ(configuration.text, whole);
}

TEST(Configuration, WithoutOptionsBracesAreLeftAlone) {
  const Configuration configuration = parse_configuration({{"run.yaml", whole}}, nullptr);
  EXPECT_EQ(configuration.files[0].path, "profiles_{case}.nc");
  EXPECT_THAT(configuration.open, ::testing::ElementsAre("case", "nz"));
  EXPECT_EQ(
      parse_configuration({{"run.yaml", with_variable("field: '{f}', every: '{t} s', type: '{x}'")}}, nullptr)
          .files[0]
          .variables[0]
          .every_location.line,
      0);
}

TEST(Configuration, TellsAllMistakesInOneGo) {
  EXPECT_EQ(
      complaint("tailrace: 2\n"
                "servers: {mode: dedicatd, count: two}\n"
                "fields:\n"
                "  state: {every: 1 parsec, names: [u], optinal: true}\n"
                "output:\n"
                "  a.nc:\n"
                "    state: io\n"
                "    variables:\n"
                "      - {field: u, time: avarage, every: 10 s}\n"
                "      - {time: mean, every: 1 month}\n"),
      "run.yaml:1:11  tailrace: this Tailrace reads version 1 of the configuration, but got \"2\"\n"
      "run.yaml:2:17  servers.mode: \"dedicatd\" is unknown. Did you mean \"dedicated\"? (known: attached, "
      "dedicated, inline, off)\n"
      "run.yaml:2:34  servers.count: expected a whole number from 1 to 1048576, but got \"two\"\n"
      "run.yaml:4:18  fields.state.every: " +
          [] {
            try {
              time::Period::parse("1 parsec");
            } catch (const Error& error) {
              return std::string(error.what());
            }
            return std::string();
          }() +
          "\n"
          "run.yaml:4:40  fields.state.optinal: this key is unknown. Did you mean \"optional\"? (known: "
          "also_at_end, dims, every, names, "
          "namespace, optional)\n"
          "run.yaml:7:5  output.a.nc.state: is not available yet in this version\n"
          "run.yaml:9:26  output.a.nc.variables[0].time: \"avarage\" is unknown. (known: max, mean, min, "
          "snapshot, std, sum, valid_fraction)\n"
          "run.yaml:10:9  output.a.nc.variables[1]: expected either `field`, `fields` or `group`\n"
          "run.yaml:10:29  output.a.nc.variables[1].every: no step can meet \"every month\": months and "
          "years "
          "need a calendar, and `model_time.calendar` is none");
}

TEST(Configuration, VariablesTakeWhatTheirFileAndAllFilesShare) {
  const Configuration configuration =
      parse("tailrace: 1\n" + fields +
            "defaults: {every: 1 h, compression: zlib, write_every: 6 h}\n"
            "output:\n"
            "  a.nc: {defaults: {operation: mean}, variables: [{field: u}, {field: w, operation: max, every: "
            "2 h}]}\n"
            "  b.nc: {compression: none, variables: [{field: u, type: float32}]}\n");
  const OutputEntry& a = configuration.files[0];
  EXPECT_EQ(a.write_every, time::Period::parse("6 h"));
  EXPECT_EQ(a.variables[0].reduction, time::ReductionKind::mean);
  EXPECT_EQ(a.variables[0].every, time::Period::parse("1 h"));
  EXPECT_EQ(a.variables[1].reduction, time::ReductionKind::max);
  EXPECT_EQ(a.variables[1].every, time::Period::parse("2 h"));
  EXPECT_FALSE(a.codec == codecs::CodecOptions());
  const OutputEntry& b = configuration.files[1];
  EXPECT_EQ(b.codec, codecs::CodecOptions());
  EXPECT_EQ(b.variables[0].reduction, time::ReductionKind::snapshot);
  EXPECT_EQ(complaint("tailrace: 1\n" + fields +
                      "defaults: {every: 1 month}\noutput: {a.nc: {variables: [{field: u}]}}\n"),
            "run.yaml:3:19  output.a.nc.variables[0].every: no step can meet \"every month\": months and "
            "years need a "
            "calendar, and `model_time.calendar` is none");
}

TEST(Configuration, GroupsMayHoldGroups) {
  const Configuration configuration =
      parse("tailrace: 1\n" + fields + "groups: {wind: [u, w], all: [theta, wind]}\n");
  std::vector<std::string> names;
  for (const ListedName& each : configuration.groups.at("all")) names.push_back(each.name);
  EXPECT_THAT(names, ::testing::ElementsAre("theta", "u", "w"));
  EXPECT_EQ(complaint("tailrace: 1\n" + fields + "groups: {a: [u, b], b: [c], c: [a]}\n"),
            "run.yaml:3:33  groups.c: the group \"a\" contains itself: a, b, c, a");
  EXPECT_EQ(complaint("tailrace: 1\n" + fields + "groups: {a: [b, u], b: [c], c: [b]}\n"),
            "run.yaml:3:33  groups.c: the group \"b\" contains itself: b, c, b");
}

TEST(Configuration, AFieldThatTwoGroupsBringCountsOnce) {
  std::string groups = "groups: {g00: [u, w]";
  for (int level = 1; level < 60; ++level)  // 2 to the power of 59 names, if each counted
    groups += fmt::format(", g{0:02}: [g{1:02}, g{1:02}]", level, level - 1);
  const Configuration configuration = parse("tailrace: 1\n" + fields + groups + "}\n");
  std::vector<std::string> names;
  for (const ListedName& each : configuration.groups.at("g59")) names.push_back(each.name);
  EXPECT_THAT(names, ::testing::ElementsAre("u", "w"));
}

TEST(Configuration, GroupsInGroupsHaveLimits) {
  std::string groups = "groups: {a00: [a01]";
  for (int level = 1; level < 70; ++level) groups += fmt::format(", a{:02}: [a{:02}]", level, level + 1);
  EXPECT_THAT(complaint("tailrace: 1\n" + fields + groups + ", a70: [u]}\n"),
              HasSubstr("groups.a63: expected at most 64 levels of groups in groups"));
  std::string wide = "groups:\n  all: [u0";
  for (int name = 1; name < 20'000; ++name) wide += fmt::format(", u{}", name);
  wide += "]\n";
  for (int group = 0; group < 60; ++group) wide += fmt::format("  b{}: [all]\n", group);
  EXPECT_THAT(complaint("tailrace: 1\n" + wide), HasSubstr("expected at most 1000000 names in all groups"));
  EXPECT_EQ(
      complaint("tailrace: 1\n" + fields + "groups: {a: [vv], b: [a, u], c: [b, a]}\n"),
      "run.yaml:3:14  groups.a: \"vv\" is neither listed under `fields`, so that the model is asked for it, "
      "nor under `diagnostics`. (known: theta, u, w)");
}

TEST(Configuration, PatternsNameWhatIsListed) {
  const std::vector<FieldGroup> listed =
      parse("tailrace: 1\nfields: {a: {names: [tas, scalar.tasmax, pr]}}\n").field_groups;
  EXPECT_THAT(names_like("tas*", listed, {}), ::testing::ElementsAre("tas", "scalar.tasmax"));
  EXPECT_THAT(names_like("scalar.*", listed, {}), ::testing::ElementsAre("scalar.tasmax"));
  EXPECT_THAT(names_like("?r", listed, {}), ::testing::ElementsAre("pr"));
  EXPECT_EQ(complaint(with_variable("fields: 'tas*', every: 1 s")),
            "run.yaml:3:38  output.a.nc.variables[0].fields: no name listed under `fields` or `diagnostics` "
            "is like \"tas*\". (known: theta, u, w)");
  EXPECT_THAT(complaint(with_variable("fields: 'thta*', every: 1 s")),
              HasSubstr("is like \"thta*\". Did you mean \"theta\"?"));
  EXPECT_NO_THROW(parse_configuration({{"run.yaml",
                                        "tailrace: 1\nfields: {a: {names: [u, '{name}']}}\n"
                                        "output: {a.nc: {variables: [{fields: 'tas*', every: 1 s}]}}\n"}},
                                      nullptr));
  EXPECT_THAT(complaint(with_variable("fields: '*', name: x, every: 1 s")),
              HasSubstr("cannot share one name"));
  EXPECT_THAT(complaint(with_variable("fields: '*', field: u, every: 1 s")),
              HasSubstr("expected either `field`, `fields` or `group`"));
}

TEST(Configuration, NamesMustLeadSomewhere) {
  EXPECT_EQ(
      complaint(with_variable("field: thta, every: 1 s")),
      "run.yaml:3:37  output.a.nc.variables[0].field: \"thta\" is neither listed under `fields`, so that "
      "the model is asked for it, nor under `diagnostics`. Did you mean \"theta\"? (known: theta, u, w)");
  EXPECT_EQ(
      complaint(with_variable("group: three, every: 1 s") + "groups: {three_d: [u], wind: [v]}\n"),
      "run.yaml:3:37  output.a.nc.variables[0].group: \"three\" is not among the `groups`. Did you mean "
      "\"three_d\"? (known: three_d, wind)\n"
      "run.yaml:4:31  groups.wind: \"v\" is neither listed under `fields`, so that the model is asked for "
      "it, nor under `diagnostics`. (known: theta, u, w)");
  EXPECT_THAT(complaint("tailrace: 1\nfields: {b: {names: [vwp], namespace: scalar}}\n"
                        "output: {a.nc: {variables: [{field: vwp, every: 1 s}]}}"),
              HasSubstr("Did you mean \"scalar.vwp\"?"));
  EXPECT_EQ(
      complaint("tailrace: 1\nfields:\n  a: {names: [u]}\n  b: {names: [w, u]}\n"),
      "run.yaml:4:18  fields.b.names: \"u\" is listed twice under `fields`; the first is at run.yaml:3:15");
}

TEST(Configuration, RefusesWhatContradictsItself) {
  EXPECT_EQ(complaint("tailrace: 1\nservers: {count: 1, per_node: 2}\n"),
            "run.yaml:2:31  servers.per_node: `count` is given too; expected only one of them");
  EXPECT_EQ(complaint("tailrace: 1\nservers: {per_domain: 1, per_node: 2}\n"),
            "run.yaml:2:23  servers.per_domain: `per_node` is given too; expected only one of them");
  EXPECT_EQ(complaint("tailrace: 1\nservers: {count: '{n}'}\n"),
            "run.yaml:2:10  servers: \"{n}\" cannot be used here: this part is read before the model gives "
            "its options\n"
            "run.yaml:2:18  servers.count: the model set no option \"n\". (known: none)");
  EXPECT_EQ(
      complaint("tailrace: 1\nmodel_time: {start: 2026-01-01}\n"),
      "run.yaml:2:21  model_time.start: a start date needs a calendar, and `model_time.calendar` is none");
  EXPECT_EQ(
      complaint("tailrace: 1\nmodel_time: {calendar: noleap}\n"),
      "run.yaml:2:24  model_time.calendar: a calendar needs a `start`, the date at which model time is 0");
  EXPECT_THAT(complaint("tailrace: 1\nmodel_time: {calendar: 360_day, start: 2026-01-31}\n"),
              ::testing::StartsWith("run.yaml:2:40  model_time.start: "));
  EXPECT_THAT(complaint("tailrace: 1\nservers: {buffer: 1 kB}\n"),
              HasSubstr("servers.buffer: expected 64 KiB or more"));
  EXPECT_EQ(complaint("tailrace: 1\n" + fields +
                      "output:\n  a.nc: {variables: [{field: u, every: 1 s}]}\n"
                      "  ./a.nc: {variables: [{field: w, every: 1 s}]}\n"),
            "run.yaml:5:3  output../a.nc: is the same file as \"a.nc\" at run.yaml:4:3");
  EXPECT_EQ(complaint("tailrace: 1\n" + fields + "output:\n  a.nc: {variables: []}\n  a.nc: {}\n"),
            "run.yaml:5:3  output.a.nc: is given twice; the first is at run.yaml:4:3");
  EXPECT_THAT(complaint(with_variable("field: u, every: 1 s, compression: {codec: zlib, level: 20}")),
              ::testing::StartsWith("run.yaml:3:65  output.a.nc.variables[0].compression: "));
  EXPECT_THAT(complaint(with_variable("group: g, name: x, every: 1 s") + "groups: {g: [u]}"),
              HasSubstr("a `group` or pattern has many variables, which cannot share one name; `suffix` is "
                        "appended to each"));
  EXPECT_THAT(
      complaint(with_variable("field: u, name: 2u, every: 1 s")),
      HasSubstr("name: expected letters, digits and underscores, not starting with a digit, but got \"2u\""));
}

TEST(Configuration, ABoundIsNotGivenBesidePacking) {
  EXPECT_THAT(
      complaint(with_variable(
          "field: u, every: 1 s, pack: {range: [0, 1]}, compression: {codec: zstd, keep: {absolute: 0.1}}")),
      HasSubstr("run.yaml:3:108  output.a.nc.variables[0].compression.keep: cannot be given beside `pack`"));
}

TEST(Configuration, SuffixesHoldOnlyWhatNamesMay) {
  const std::string group = "groups: {g: [u, w]}\n";
  EXPECT_EQ(
      complaint(with_variable("group: g, every: 1 s, suffix: -mean") + group),
      "run.yaml:3:60  output.a.nc.variables[0].suffix: expected letters, digits and underscores, but got "
      "\"-mean\"");
}

TEST(Configuration, KnowsWhatIsNotAvailableYet) {
  EXPECT_THAT(complaint("tailrace: 1\n" + fields +
                        "output:\n  a.nc: {state: io, variables: [{field: u, every: 1 s}]}\n"),
              HasSubstr("output.a.nc.state: is not available yet in this version"));
}

TEST(Configuration, ReadsFormerNamesWithAWarning) {
  const Configuration configuration =
      parse("tailrace: 1\ntime: {calendar: noleap, start: 2026-01-01}\n" + fields +
            "output:\n  a.nc: {series: true, variables: [{field: u, every: 1 s}]}\n");
  EXPECT_EQ(configuration.time.calendar, "noleap");
  EXPECT_TRUE(configuration.files[0].series);
  EXPECT_THAT(configuration.warnings,
              ::testing::ElementsAre("run.yaml:2:1  time: is now called `model_time`",
                                     "run.yaml:5:10  output.a.nc.series: is now called `file_per_write`"));
  EXPECT_EQ(
      complaint("tailrace: 1\ntime: {calendar: none}\nmodel_time: {calendar: none}\n"),
      "run.yaml:2:1  time: is now called `model_time`, and \"model_time\" is given too, at run.yaml:3:1; "
      "expected only one");
}

TEST(Configuration, SaysWhatBecomesOfAnExistingFile) {
  const auto file = [](const std::string& options) {
    return parse("tailrace: 1\n" + fields + "output:\n  a.nc: {" + options +
                 "variables: [{field: u, every: 1 s}]}\n");
  };
  using output::IfExists;
  const OutputEntry silent = file("").files[0];
  EXPECT_EQ(if_exists(silent, -5.0), IfExists::replace);
  EXPECT_EQ(if_exists(silent, 0.0), IfExists::replace);
  EXPECT_EQ(if_exists(silent, 0.5), IfExists::fail);
  EXPECT_EQ(silent.if_exists_location.line, 0);
  for (const double begin : {0.0, 7.0}) {
    EXPECT_EQ(if_exists(file("if_exists: fail, ").files[0], begin), IfExists::fail);
    EXPECT_EQ(if_exists(file("if_exists: replace, ").files[0], begin), IfExists::replace);
  }
  const Configuration former = file("overwrite: false, ");
  EXPECT_EQ(former.files[0].if_exists, IfExists::fail);
  EXPECT_THAT(former.warnings,
              ::testing::ElementsAre("run.yaml:4:10  output.a.nc.overwrite: is now called `if_exists`",
                                     "run.yaml:4:21  output.a.nc.if_exists: \"false\" is now called `fail`"));
}

TEST(Configuration, ReadsFilesFromDisk) {
  const auto folder = std::filesystem::temp_directory_path() / "tailrace_configuration_test";
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text) { std::ofstream(folder / name) << text; };
  write("run.yaml", "tailrace: 1\ninclude: [fields.yaml]\n");
  write("fields.yaml", fields);
  const Sources sources = read_sources(folder / "run.yaml");
  const std::map<std::string, std::string> none;
  EXPECT_EQ(parse_configuration(sources, &none).field_groups[0].fields.size(), 3u);
  write("fields.yaml", "include: [run.yaml]\n");
  try {
    read_sources(folder / "run.yaml");
    FAIL() << "the cycle was not seen";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("these files include each other circularly: " + (folder / "run.yaml").string()));
  }
  EXPECT_THROW(read_sources(folder / "nowhere.yaml"), Error);
  std::filesystem::remove_all(folder);
}

TEST(Configuration, DocumentsEveryOption) {
  const std::string page = reference_markdown();
  for (const char* path :
       {"`tailrace`", "`servers.buffer`", "`fields.<name>.every`", "`output.<file>.variables[].every`",
        "`output.<file>.compression.codec`", "`checkpoint.keep`"})
    EXPECT_THAT(page, HasSubstr(path));
  const auto json = nlohmann::json::parse(json_schema());
  EXPECT_EQ(json["required"], nlohmann::json({"tailrace"}));
  EXPECT_TRUE(json["properties"]["output"]["additionalProperties"]["properties"].contains("variables"));
}

}  // namespace
}  // namespace tailrace::settings
