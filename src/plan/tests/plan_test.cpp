#include "plan/plan.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>

#include "plan/checks.hpp"
#include "settings/fields.hpp"
#include "tailrace/error.hpp"

namespace tailrace::plan {
namespace {

using testing::HasSubstr;

model::Declarations toy() {
  model::Declarations declarations;
  model::Grid grid;
  grid.name = "les";
  grid.kind = model::GridKind::block;
  grid.dims = {"z", "y", "x"};
  grid.shape = {10, 20, 30};
  grid.coordinates.resize(1);
  grid.coordinates[0].name = "height";
  model::Grid local = grid;
  local.name = "local";
  local.kind = model::GridKind::partial;
  declarations.grids = {grid, local};
  const auto add = [&](const std::string& name, int on, model::DataType type) {
    model::Field field;
    field.name = name;
    field.grid = on;
    field.type = type;
    declarations.fields.push_back(field);
  };
  add("u", 0, model::DataType::float32);
  add("theta", 0, model::DataType::float64);
  add("count", 0, model::DataType::int32);
  add("scalar.vwp", 0, model::DataType::float64);
  add("local_sum", 1, model::DataType::float64);
  add("levels", 0, model::DataType::float64);
  declarations.fields.back().is_static = true;
  add("sst", 0, model::DataType::float64);
  declarations.fields.back().is_input = declarations.fields.back().is_optional = true;
  return declarations;
}

Plan plan_of(const std::string& yaml) {
  const std::map<std::string, std::string> options;
  return make_plan(settings::parse_configuration({{"run.yaml", "tailrace: 1\n" + yaml}}, &options), toy());
}

std::string complaint(const std::string& yaml) {
  try {
    plan_of(yaml);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    return error.what();
  }
  return "none";
}

// Fields on line 2, the file's variables on line 3.
std::string with_fields(const std::string& fields, const std::string& variables) {
  return "fields: {state: {" + fields + "}}\noutput: {a.nc: {variables: [" + variables + "]}}\n";
}

TEST(Plan, ResolvesNamesTypesAndAxes) {
  const Plan plan = plan_of(
      "fields:\n"
      "  state: {names: [u, theta, count]}\n"
      "  budget: {every: 5 steps, names: [vwp], namespace: scalar}\n"
      "groups: {all: [u, count]}\n"
      "output:\n"
      "  a.nc:\n"
      "    compression: zstd\n"
      "    variables:\n"
      "      - {group: all, time: mean, every: 10 s}\n"
      "      - {field: theta, time: max, every: 10 s, compression: none}\n"
      "      - {field: theta, name: theta_now, every: 2.5 s, type: float32, chunk: [4, 10, 20, 30]}\n"
      "      - {field: scalar.vwp, time: mean, every: 10 s}\n"
      "  b.nc: {variables: [{field: u, every: 10 steps}]}\n");
  EXPECT_TRUE(plan.warnings.empty());
  ASSERT_EQ(plan.files.size(), 2u);
  const DatasetPlan& file = plan.files[0];
  ASSERT_EQ(file.axes.size(), 3u);
  EXPECT_EQ(file.axes[0].dim, "time_10s_1step");
  EXPECT_EQ(file.axes[1].dim, "time_instant_2p5s");
  EXPECT_EQ(file.axes[1].kind, time::AxisKind::instant);
  EXPECT_EQ(file.axes[2].dim, "time_10s_5steps");
  ASSERT_EQ(file.variables.size(), 5u);
  EXPECT_EQ(file.variables[0].name, "u");
  EXPECT_EQ(file.variables[0].type, model::DataType::float32);
  EXPECT_EQ(file.variables[0].codec.codec, "zstd");
  EXPECT_EQ(file.variables[1].name, "count");
  EXPECT_EQ(file.variables[1].type, model::DataType::float64);  // the mean of integers
  EXPECT_EQ(file.variables[2].axis, 0);
  EXPECT_EQ(file.variables[2].codec.codec, "none");
  EXPECT_EQ(file.variables[3].name, "theta_now");
  EXPECT_EQ(file.variables[3].type, model::DataType::float32);
  EXPECT_EQ(file.variables[4].name, "vwp");
  EXPECT_EQ(file.variables[4].field, 3);
  EXPECT_EQ(file.variables[4].axis, 2);
  EXPECT_EQ(plan.files[1].axes[0].dim, "time");
  EXPECT_TRUE(plan.fields[3].used);
  EXPECT_FALSE(plan.fields[4].used);
  EXPECT_EQ(plan.fields[3].cadence, time::Period::of_steps(5));
}

TEST(Plan, UnknownFieldsGetTheNearestName) {
  EXPECT_EQ(
      complaint(with_fields("names: [thetta, vwp]", "{field: thetta, time: mean, every: 1 s}")),
      "run.yaml:2:26  fields.state.names: the model declares no field \"thetta\". Did you mean \"theta\"? "
      "(known: "
      "count, local_sum, scalar.vwp, theta, u)\n"
      "run.yaml:2:34  fields.state.names: the model declares no field \"vwp\". Did you mean \"scalar.vwp\"?");
  EXPECT_EQ(complaint(with_fields("names: [levels]", "{field: levels, every: 1 s}")),
            "run.yaml:2:26  fields.state.names: \"levels\" is part of a grid (a coordinate or connectivity); "
            "it is written with the fields of that grid and cannot be written by itself");
}

TEST(Plan, InputsAreInNoFileAndNoCheckpoint) {
  EXPECT_EQ(complaint(with_fields("names: [u, sst]", "{field: sst, every: 1 s}")),
            "run.yaml:2:29  fields.state.names: \"sst\" is an input of the model, which the model does not "
            "put; expected \"input.sst\", the values that the model gets");
  EXPECT_EQ(complaint("checkpoint: {fields: [sst], every: 5 s}\n"),
            "run.yaml:2:23  checkpoint.fields: \"sst\" is an input of the model, which comes from its files "
            "again after a restart");
  const Plan plan = plan_of("checkpoint: {fields: [\"*s*\", \"u\"], every: 5 s}\n");
  EXPECT_FALSE(plan.fields[6].kept);
  EXPECT_TRUE(plan.fields[0].kept);
}

TEST(Plan, TheEndOfTheRunBelongsToSnapshotsOfEachSample) {
  const Plan plan = plan_of(
      "fields: {state: {every: 2 steps, also_at_end: true, names: [u]}}\n"
      "output: {a.nc: {variables: [{field: u, every: 2 steps}, {field: u, name: b, every: 4 steps}]}}\n");
  ASSERT_EQ(plan.files.at(0).axes.size(), 2u);
  EXPECT_TRUE(plan.files[0].axes[0].also_at_end);
  EXPECT_FALSE(plan.files[0].axes[1].also_at_end);
}

TEST(Plan, OptionalFieldsMayBeAbsent) {
  const Plan plan = plan_of(
      "fields: {state: {names: [u]}, more: {optional: true, names: [v, theta]}}\n"
      "output:\n  a.nc: {variables: [{field: u, every: 1 s}, {field: v, every: 1 s}, {field: theta, every: 1 "
      "s}]}\n"
      "  b.nc: {variables: [{field: v, every: 1 s}]}\n");
  ASSERT_EQ(plan.files.size(), 1u);
  EXPECT_EQ(plan.files[0].variables.size(), 2u);
  EXPECT_THAT(plan.warnings,
              testing::ElementsAre(
                  "run.yaml:2:62  fields.more.names: the model declares no field \"v\"; being optional, "
                  "it is left out with its variables",
                  "run.yaml:5:3  output.b.nc: none of its fields exists, so the file is not written"));
  EXPECT_THAT(complaint("fields: {more: {optional: true, names: [v]}}\n"
                        "output: {a.nc: {variables: [{field: w, every: 1 s}]}}"),
              HasSubstr("\"w\" is neither listed under `fields`"));
}

TEST(Plan, OfManyAbsentFieldsOneLineIsSaidAndTheRestForWhoAsks) {
  const Plan plan = plan_of(
      "fields:\n  state: {names: [u]}\n  some: {optional: true, names: [a1, a2, theta, a3]}\n"
      "  more: {optional: true, names: [b1, b2, b3]}\n"
      "output: {a.nc: {variables: [{field: u, every: 1 s}]}}\n");
  EXPECT_THAT(
      plan.warnings,
      testing::ElementsAre("the model declares 1 of the 7 optional fields; the other 6 are left out with "
                           "their variables and the optional diagnostics that need them (TAILRACE_LOG=info "
                           "lists them)"));
  EXPECT_THAT(plan.details,
              testing::ElementsAre(
                  HasSubstr("fields.some.names: the model declares no fields \"a1\", \"a2\", \"a3\""),
                  HasSubstr("fields.more.names: the model declares no fields \"b1\"")));
}

TEST(Plan, OnlyTheFirstNamesThatAreMissingGetAHint) {
  std::string names = "thetta0";
  for (int i = 1; i < 30; ++i) names += fmt::format(", thetta{}", i);
  const std::string said = complaint(with_fields("names: [" + names + "]", "{field: thetta0, every: 1 s}"));
  std::size_t hints = 0, lines = 1;
  for (std::size_t at = 0; (at = said.find("(known: ", at)) != std::string::npos; ++at) ++hints;
  lines += static_cast<std::size_t>(std::count(said.begin(), said.end(), '\n'));
  EXPECT_EQ(hints, static_cast<std::size_t>(settings::FieldHints::most));
  EXPECT_EQ(lines, 30u) << "each is reported all the same";
}

TEST(Plan, PeriodsMustBeMet) {
  EXPECT_EQ(complaint(with_fields("every: 5 steps, names: [u]", "{field: u, every: 7 steps}")),
            "run.yaml:3:47  output.a.nc.variables[0].every: no step can meet \"every 7 steps\": the model "
            "sends \"u\" "
            "every 5 steps, and 7 is not a multiple of 5");
  EXPECT_EQ(
      complaint(with_fields("every: 3 steps, names: [u]", "{field: u, every: 9 steps, offset: 2 steps}")),
      "run.yaml:3:47  output.a.nc.variables[0].every: no step can meet \"every 9 steps, offset by 2 steps\": "
      "the model sends \"u\" every 3 steps, and the offset of 2 steps is not a multiple of 3");
  EXPECT_EQ(complaint(with_fields("every: 5 steps, names: [u]", "{field: u, time: mean, every: 2 steps}")),
            "run.yaml:3:59  output.a.nc.variables[0].every: no step can meet \"every 2 steps\": the model "
            "sends \"u\" "
            "every 5 steps, which is less often");
  EXPECT_THAT(
      complaint(with_fields("every: 10 s, names: [u]", "{field: u, every: 5 s}")),
      HasSubstr(
          "every: no step can meet \"every 5 s\": the model sends \"u\" every 10 s, which is less often"));
  EXPECT_THAT(complaint("model_time: {calendar: noleap, start: 2026-01-01}\n" +
                        with_fields("every: 1 month, names: [u]", "{field: u, time: mean, every: 20 d}")),
              HasSubstr("which is less often"));
  for (const char* period : {"0 s", "-1 s", "0 steps"})
    EXPECT_THAT(complaint(with_fields("names: [u]", std::string("{field: u, every: ") + period + "}")),
                testing::StartsWith("run.yaml:3:47  output.a.nc.variables[0].every: "))
        << period;
  EXPECT_EQ(complaint(with_fields("every: 5 steps, names: [u]", "{field: u, time: mean, every: 7 steps}")),
            "none");
  EXPECT_EQ(complaint(with_fields("every: 0.1 s, names: [u]", "{field: u, every: 0.3 s}")), "none");
  EXPECT_THAT(plan_of(with_fields("every: 10 s, names: [u]", "{field: u, every: 15 s}")).warnings,
              testing::ElementsAre(
                  "run.yaml:3:47  output.a.nc.variables[0].every: snapshots \"every 15 s\" fall between "
                  "the samples of \"u\", which are taken every 10 s; each takes the next sample"));
}

TEST(Plan, AxesAreNamedAsTheUserWishes) {
  const Plan plan =
      plan_of(with_fields("every: 1 step, names: [u, theta, count]",
                          "{field: u, time: mean, every: 10 s, axis: t_10.0}, "
                          "{field: theta, every: 10 s, axis: t_10.0}, "
                          "{field: count, time: mean, every: 10 s, edges: samples, axis: t_10.0}"));
  const auto& axes = plan.files.at(0).axes;
  ASSERT_EQ(axes.size(), 3u);
  EXPECT_EQ(axes[0].dim, "t_10.0");
  EXPECT_EQ(axes[1].dim, "t_10.0_instant");
  EXPECT_EQ(axes[2].dim, "t_10.0_2");
  EXPECT_EQ(axes[2].kind, time::AxisKind::whole_samples);
}

TEST(Plan, LegacyChoosesTheConventionOfAxesAndFiles) {
  const std::string text = with_fields("every: 1 step, names: [u, theta]",
                                       "{field: u, time: mean, every: 10 s}, {field: theta, every: 10 s}, "
                                       "{field: theta, every: 5 steps, name: often}");
  const Plan plan = plan_of("legacy: monc\n" + text);
  const auto& axes = plan.files.at(0).axes;
  ASSERT_EQ(axes.size(), 3u);
  EXPECT_EQ(axes[0].kind, time::AxisKind::whole_samples);
  for (const AxisPlan& axis : axes) EXPECT_EQ(axis.convention->name(), "monc");
  EXPECT_EQ(axes[1].kind, time::AxisKind::instant);
  EXPECT_EQ(plan.files.at(0).convention->name(), "monc");
  const DatasetPlan plain = plan_of(text).files.at(0);
  EXPECT_EQ(plain.convention->name(), "standard");
  EXPECT_EQ(plain.axes.at(0).convention->name(), "standard");
  EXPECT_EQ(plain.axes.at(0).kind, time::AxisKind::window);
  EXPECT_THAT(complaint("legacy: mnc\n" + text),
              HasSubstr("legacy: \"mnc\" is unknown. Did you mean \"monc\"?"));
}

TEST(Plan, FieldsMayComeAtTheEndAlone) {
  const Plan plan =
      plan_of(with_fields("every: never, also_at_end: true, names: [u]", "{field: u, every: never}"));
  EXPECT_EQ(plan.files.at(0).axes.at(0).kind, time::AxisKind::at_end);
  EXPECT_TRUE(plan.fields.at(0).optional);
  EXPECT_THAT(complaint(with_fields("every: never, also_at_end: true, names: [u]",
                                    "{field: u, time: mean, every: never}")),
              HasSubstr("\"u\" is sent only at the end of the run"));
  EXPECT_THAT(complaint(with_fields("every: 2 steps, names: [u]", "{field: u, every: never}")),
              HasSubstr("expected a period: the model sends \"u\" every 2 steps"));
  const Plan nothing = plan_of(with_fields("every: never, names: [u]", "{field: u, every: never}"));
  EXPECT_TRUE(nothing.files.empty());
  EXPECT_THAT(nothing.warnings, testing::Contains(HasSubstr("\"u\" is never sent")));
}

TEST(Plan, FixedFieldsHaveNoTime) {
  const std::string fields =
      "fields: {fixed: {every: once, names: [u, count]}, state: {every: 2 steps, names: [theta]}}\n";
  const auto file = [&](const std::string& variables, const std::string& more = "") {
    return fields + "output: {a.nc: {" + more + "variables: [" + variables + "]}}\n";
  };
  const Plan plan =
      plan_of(file("{field: u, every: once}, {field: count, every: 1 d}, {field: theta, every: 4 steps}"));
  EXPECT_TRUE(plan.fields.at(0).once);
  EXPECT_EQ(plan.files.at(0).axes.size(), 1U);
  EXPECT_EQ(plan.files.at(0).axes.at(0).dim, "time");
  EXPECT_EQ(plan.files.at(0).variables.at(0).axis, -1);
  EXPECT_EQ(plan.files.at(0).variables.at(1).axis, -1);
  EXPECT_EQ(plan.files.at(0).variables.at(2).axis, 0);
  const std::map<std::string, std::string> options;
  const auto tree = describe(settings::parse_configuration(
                                 {{"run.yaml", "tailrace: 1\n" + file("{field: u, every: once}")}}, &options),
                             &plan);
  EXPECT_THAT(tree, HasSubstr("fixed, once: u, count"));
  EXPECT_THAT(tree, HasSubstr("without time, put once"));
  EXPECT_THAT(complaint(file("{field: u, operation: mean, every: 1 d}")),
              HasSubstr("variables[0].operation: \"u\" is sent only once, so only a snapshot can be taken"));
  EXPECT_EQ(plan_of(file("{field: u, every: once, split: z}")).files.at(0).variables.at(0).split, 0);
  EXPECT_THAT(complaint(file("{field: theta, every: once}")),
              HasSubstr("expected a period: the model sends \"theta\" every 2 steps"));
  EXPECT_THAT(complaint(file("{field: u, every: once}", "series: true, write_every: 1 d, ")),
              HasSubstr("a series needs a field that changes with time"));
  EXPECT_THAT(complaint(with_fields("every: once, also_at_end: true, names: [u]", "{field: u, every: once}")),
              HasSubstr("`once` and `also_at_end: true` exclude each other"));
  EXPECT_THAT(complaint(with_fields("every: onse, names: [u]", "{field: u, every: once}")),
              HasSubstr("`once` or `never`"));
}

TEST(Plan, ChunksMustFitTheGrid) {
  const auto chunk = [](const std::string& shape) {
    return complaint(with_fields("names: [u]", "{field: u, every: 1 s, chunk: " + shape + "}"));
  };
  EXPECT_EQ(chunk("[1, 5]"),
            "run.yaml:3:59  output.a.nc.variables[0].chunk: u: expected 4 numbers (records, z, y, x), "
            "because grid \"les\" "
            "has 3 dimensions, but got 2");
  EXPECT_THAT(chunk("[1, 10, 21, 30]"),
              HasSubstr("chunk: u: expected at most 20 along \"y\", the extent of grid \"les\", but got 21"));
  EXPECT_THAT(chunk("[1, 0, 20, 30]"),
              HasSubstr("chunk[1]: expected a whole number of 1 or more, but got \"0\""));
  EXPECT_EQ(chunk("[1000, 10, 20, 30]"), "none");
}

TEST(Plan, NamesInAFileAreUnique) {
  EXPECT_EQ(
      complaint(with_fields("names: [u]", "{field: u, every: 1 s}, {field: u, time: mean, every: 1 s}")),
      "run.yaml:3:53  output.a.nc.variables[1]: the file already has a variable \"u\", from run.yaml:3:29; "
      "give one "
      "of them another `name` or a `suffix`, or write them to two files");
  for (const char* name : {"time", "time_bnds", "height", "y"})
    EXPECT_EQ(complaint(with_fields("names: [u]",
                                    std::string("{field: u, time: mean, every: 1 s, name: ") + name + "}")),
              std::string("run.yaml:3:29  output.a.nc: \"") + name +
                  "\" is the name of a coordinate or dimension in this file; give the variable another "
                  "`name` or a `suffix`");
}

TEST(Plan, ASuffixLetsAFileHoldFieldsTwice) {
  const Plan plan = plan_of(
      "fields: {state: {names: [u, scalar.vwp]}}\n"
      "groups: {all: [u, scalar.vwp]}\n"
      "output:\n"
      "  a.nc:\n"
      "    variables:\n"
      "      - {group: all, every: 10 s}\n"
      "      - {group: all, suffix: _mean, time: mean, every: 10 s}\n"
      "      - {field: u, suffix: _largest, time: max, every: 10 s}\n"
      "      - {field: u, name: speed, suffix: _5, time: max, every: 5 s}\n");
  std::vector<std::string> names;
  for (const VariablePlan& variable : plan.files.at(0).variables) names.push_back(variable.name);
  EXPECT_THAT(names, testing::ElementsAre("u", "vwp", "u_mean", "vwp_mean", "u_largest", "speed_5"));
  EXPECT_EQ(plan.files[0].variables[3].field_name, "scalar.vwp");
  EXPECT_THAT(complaint(with_fields("names: [u]",
                                    "{field: u, suffix: _a, every: 1 s}, {field: u, name: u_a, every: 1 s}")),
              HasSubstr("the file already has a variable \"u_a\""));
  EXPECT_THAT(complaint(with_fields("names: [u]", "{field: u, name: t, suffix: ime, every: 1 s}")),
              HasSubstr("\"time\" is the name of a coordinate or dimension"));
}

TEST(Plan, PartialGridsNeedDiagnostics) {
  EXPECT_EQ(complaint(with_fields("names: [local_sum]", "{field: local_sum, every: 1 s}")),
            "run.yaml:3:37  output.a.nc.variables[0]: field \"local_sum\" lies on the partial grid "
            "\"local\": each rank holds a contribution, not a part; write a diagnostic such as "
            "\"sum(local_sum, rank)\"");
}

TEST(Plan, WarnsOfABoundWithoutEffect) {
  const auto warnings = [](const std::string& of_file, const std::string& bits) {
    return plan_of("fields: {state: {names: [u]}}\noutput: {a.nc: {" + of_file +
                   "variables: [{field: u, every: 5 s, type: float32" + bits + "}]}}\n")
        .warnings;
  };
  EXPECT_THAT(warnings("", ", compression: {codec: zstd, keep: {bits: 24}}"),
              ::testing::Contains(HasSubstr(
                  "output.a.nc.variables[0].compression.keep: \"u\" is stored as float32, whose "
                  "mantissa has 23 bits, and so without an error: expected at most 23 `bits`, but got "
                  "24")));
  EXPECT_THAT(warnings("compression: {codec: zstd, keep: {bits: 52}}, ", ""),
              ::testing::Contains(::testing::StartsWith("run.yaml:3:10  output.a.nc.compression.keep: ")));
  EXPECT_THAT(warnings("", ", compression: {codec: zstd, keep: {bits: 23}}"), ::testing::IsEmpty());
}

TEST(Describe, DrawsThePlan) {
  const std::map<std::string, std::string> options;
  const settings::Configuration configuration = settings::parse_configuration(
      {{"run.yaml", "tailrace: 1\nservers: {mode: off}\n" +
                        with_fields("names: [u, scalar.vwp]",
                                    "{field: u, every: 5 s}, {field: scalar.vwp, time: mean, every: 10 s}")}},
      &options);
  const Plan plan = make_plan(configuration, toy());
  EXPECT_EQ(
      describe(configuration, &plan),
      "tailrace\n"
      "├─ servers: off, nothing is written\n"
      "├─ time: seconds of model time\n"
      "├─ fields that the model is asked for\n"
      "│  └─ state, every step: u, scalar.vwp\n"
      "└─ output\n"
      "   └─ a.nc (netcdf, not compressed), written when records are complete (small ones once a minute), on "
      "error: stop\n"
      "      ├─ time_instant_5s: instants every 5 s, sampled every step\n"
      "      │  └─ u: snapshot, float32, not compressed\n"
      "      ├─ time_10s: windows every 10 s, sampled every step\n"
      "      │  └─ vwp: mean of scalar.vwp, float64, not compressed\n"
      "      └─ 2 time axes, of which many readers know the first only; as 2 files each has one, `time`:\n"
      "         ├─ u\n"
      "         └─ vwp\n");
}

struct FormatOfALibrary final : output::Format {
  std::string danger;
  std::string name() const override { return "of_a_library"; }
  std::unique_ptr<output::Dataset> create(const output::DatasetSpec&, env::FileSystem&) const override {
    return nullptr;
  }
  bool can_replace_chunks() const override { return true; }
  bool makes_files() const override { return true; }
  std::string danger_beside_model() const override { return danger; }
};

TEST(Plan, AnUnsafeLibraryHasNoPlaceBesideTheModel) {
  FormatOfALibrary format;
  settings::ServersOptions servers;
  servers.mode = settings::Mode::attached;
  EXPECT_FALSE(danger_complaint(format, servers));
  format.danger = "the library is not thread-safe";
  const auto complaint = danger_complaint(format, servers);
  ASSERT_TRUE(complaint);
  EXPECT_THAT(*complaint, HasSubstr("the library is not thread-safe, and with `mode: attached`"));
  EXPECT_THAT(*complaint, HasSubstr("servers: {mode: dedicated}"));
  EXPECT_THAT(*complaint, HasSubstr("servers: {model_uses_hdf5: false}"));
  servers.model_uses_hdf5 = false;
  EXPECT_FALSE(danger_complaint(format, servers));
  servers.model_uses_hdf5 = true;
  for (const auto mode : {settings::Mode::dedicated, settings::Mode::inline_})
    EXPECT_FALSE(danger_complaint(format, (servers.mode = mode, servers)));
}

}  // namespace
}  // namespace tailrace::plan
