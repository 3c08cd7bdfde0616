// The names of stations and the featureType of a file.
#include "cf/points.hpp"

#include <gmock/gmock.h>

#include "base/index.hpp"
#include "plan/analysis.hpp"

namespace tailrace::cf {
namespace {

using ::testing::ElementsAre;

// u with levels, p without, both at stations where asked.
DatasetLayout laid_out(const std::string& variables, const std::string& more = "") {
  model::Declarations declarations;
  const auto coordinate = [](const std::string& name, const std::vector<double>& values) {
    model::Coordinate made;
    made.name = name;
    made.dims = {name};
    made.values = values;
    return made;
  };
  for (const bool levels : {true, false}) {
    model::Grid& grid = declarations.grids.emplace_back();
    grid.name = levels ? "air" : "surface";
    grid.kind = model::GridKind::block;
    grid.dims = levels ? std::vector<std::string>{"z", "y", "x"} : std::vector<std::string>{"y", "x"};
    grid.shape = levels ? std::vector<std::int64_t>{2, 3, 4} : std::vector<std::int64_t>{3, 4};
    grid.coordinates = {coordinate("y", {0, 1, 2}), coordinate("x", {0, 1, 2, 3})};
    if (levels) grid.coordinates.push_back(coordinate("z", {1, 2}));
    if (levels) grid.coordinates.back().attributes = {{"axis", std::string("Z")}};
    model::Field& field = declarations.fields.emplace_back();
    field.name = levels ? "u" : "p";
    field.grid = levels ? 0 : 1;
  }
  const std::map<std::string, std::string> options;
  const auto configuration = settings::parse_configuration(
      {{"run.yaml",
        "tailrace: 1\nfields: {state: {names: [u, p]}}\noutput: {a.nc: {stations: {points: {Bergen: {x: "
        "1, y: 1}, Ålesund: {x: 2, y: 1}}}, " +
            more + "variables: [" + variables + "]}}\n"}},
      &options);
  const plan::Plan plan = plan::make_plan(configuration, declarations);
  return make_layout(plan.files.at(0), configuration, plan.analysis->declarations, {}, "");
}

std::string attribute(const output::Attributes& attributes, const std::string& name) {
  for (const auto& [key, value] : attributes)
    if (key == name) return std::get<std::string>(value);
  return "none";
}

TEST(StationNames, AreAnIdentifier) {
  const DatasetLayout layout = laid_out("{field: p, every: 1 step}");
  ASSERT_EQ(layout.dataset.texts.size(), 1u);
  const output::TextSpec& text = layout.dataset.texts[0];
  EXPECT_THAT(text.values, ElementsAre("Bergen", "Ålesund"));
  EXPECT_EQ(attribute(text.attributes, "cf_role"), "timeseries_id");
  EXPECT_EQ(layout.dataset.dims.at(base::index(text.dims.at(0))).name, "station");
  EXPECT_EQ(layout.dataset.dims.at(base::index(text.dims.at(1))).size, 8);
  for (const output::VariableSpec& variable : layout.dataset.variables)
    if (variable.name == "p") {
      EXPECT_EQ(attribute(variable.attributes, "coordinates"), "x y station_name");
    }
}

TEST(FeatureType, IsThatOfAllVariables) {
  const auto type = [](const std::string& variables, const std::string& more = "") {
    return attribute(laid_out(variables, more).dataset.attributes, "featureType");
  };
  const std::string p = "{field: p, every: 1 step}", u = "{field: u, every: 1 step}";
  EXPECT_EQ(type(p), "timeSeries");
  EXPECT_EQ(type(u), "timeSeriesProfile");
  EXPECT_EQ(type(p + ", " + u), "none");
  EXPECT_EQ(type(p, "attributes: {featureType: mine}, "), "mine");
}

}  // namespace
}  // namespace tailrace::cf
