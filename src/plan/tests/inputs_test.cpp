#include "plan/inputs.hpp"

#include <gmock/gmock.h>

#include <array>
#include <string>

#include "input/options.hpp"

namespace tailrace::plan {
namespace {

using testing::ElementsAre;

model::Declarations atmosphere() {
  model::Declarations declarations;
  model::Grid grid;
  grid.name = "air";
  grid.kind = model::GridKind::block;
  grid.dims = {"z", "y", "x"};
  grid.shape = {4, 5, 7};
  for (const auto& [name, dim, units] :
       {std::array{"height", "z", "m"}, std::array{"lat", "y", "degrees_north"},
        std::array{"lon", "x", "degrees_east"}}) {
    model::Coordinate& coordinate = grid.coordinates.emplace_back();
    coordinate.name = name;
    coordinate.dims = {dim};
    coordinate.units = units;
  }
  declarations.grids = {grid};
  const auto add = [&](const std::string& name, bool is_input, bool is_optional = false) {
    model::Field field;
    field.name = name;
    field.grid = 0;
    field.is_input = is_input;
    field.is_optional = is_optional;
    declarations.fields.push_back(field);
  };
  add("pressure", false);
  add("ozone", true);
  add("dust", true, true);
  add("soot", true, true);
  return declarations;
}

input::Entry entry(const std::string& name, int line, const std::vector<std::string>& fields) {
  input::Entry made;
  made.name = name;
  made.location = {"run.yaml", line, 3};
  for (const std::string& field : fields) {
    input::FieldRequest& request = made.fields.emplace_back();
    request.name = request.variable = field;
    request.location = {"run.yaml", ++line, 5};
  }
  return made;
}

struct Planned {
  Plan plan;
  std::string problems;
};

Planned planned(const input::Options& options) {
  settings::Configuration configuration;
  configuration.sections.set(options);
  Planned made;
  config::Problems problems;
  plan_inputs(configuration, atmosphere(), made.plan, problems);
  made.problems = problems.text();
  return made;
}

TEST(Inputs, AreThoseOfBothSides) {
  input::Options options{{entry("gases", 4, {"soot", "ozone"})}};
  options.entries[0].lead_records = 3;
  options.entries[0].fields[1].vertical = input::VerticalRequest{.to = "pressure", .options = {}};
  const auto [plan, problems] = planned(options);
  EXPECT_EQ(problems, "");
  EXPECT_THAT(plan.warnings, ElementsAre());
  ASSERT_EQ(plan.inputs.size(), 2u);
  EXPECT_EQ(plan.inputs[0].field, 1);
  EXPECT_EQ(plan.inputs[0].needs, 0);
  EXPECT_EQ(plan.inputs[0].records_ahead, 3);
  EXPECT_EQ(plan.inputs[0].levels_dim, 0);
  EXPECT_EQ(plan.inputs[1].field, 3);
  EXPECT_EQ(plan.inputs[1].levels_dim, -1);
}

TEST(Inputs, ThatAreMissingGetTheNearestName) {
  EXPECT_EQ(planned({{entry("gases", 4, {"ozon"})}}).problems,
            "run.yaml:4:3  input: the model needs the input \"ozone\", and no entry of `input` provides it. "
            "Did you mean \"ozon\"? (known: ozon)");
  EXPECT_EQ(
      planned({}).problems,
      "input: the model needs the input \"ozone\", and no entry of `input` provides it. There is none at "
      "all.");
  settings::Configuration without;
  Plan plan;
  config::Problems problems;
  plan_inputs(without, atmosphere(), plan, problems);
  EXPECT_EQ(problems.text(), planned({}).problems);
}

TEST(Inputs, ThatNobodyAsksForAreTold) {
  const auto [plan, problems] = planned({{entry("gases", 4, {"ozone", "dusk", "methane"})}});
  EXPECT_EQ(problems, "");
  EXPECT_THAT(
      plan.warnings,
      ElementsAre("run.yaml:6:5  input.gases.fields.dusk: the model declares no input \"dusk\", so it is "
                  "not read. Did you mean \"dust\"?",
                  "run.yaml:7:5  input.gases.fields.methane: the model declares no input \"methane\", so "
                  "it is not read."));
  EXPECT_EQ(
      planned({{entry("gases", 4, {"ozone", "pressure"})}}).problems,
      "run.yaml:6:5  input.gases.fields.pressure: \"pressure\" is a field that the model puts; expected "
      "one of its inputs");
}

TEST(Inputs, AreInterpolatedToWhatTheModelHas) {
  input::Options options{{entry("gases", 4, {"ozone"})}};
  const auto with_target = [&](const std::string& to) {
    options.entries[0].fields[0].vertical = input::VerticalRequest{.to = to, .options = {}};
    return planned(options);
  };
  EXPECT_EQ(with_target("height").problems, "");
  EXPECT_EQ(with_target("height").plan.inputs[0].needs, std::nullopt);
  EXPECT_EQ(
      with_target("presure").problems,
      "run.yaml:5:5  input.gases.fields.ozone.vertical.to: expected a coordinate of grid \"air\" or a field "
      "of real numbers that the model puts on it, but there is no \"presure\". Did you mean \"pressure\"? "
      "(known: height, lat, lon, pressure)");
  EXPECT_NE(with_target("dust").problems, "");
}

}  // namespace
}  // namespace tailrace::plan
