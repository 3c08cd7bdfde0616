// The grids of regridded variables in files.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "cf/testing/layout_case.hpp"
#include "plan/regridding.hpp"

namespace tailrace::cf {
namespace {

using namespace layout_case;
using testing::ElementsAre;
using testing::IsEmpty;

model::Coordinate degrees(const std::string& name, const std::string& units, std::vector<double> values) {
  model::Coordinate made = make_coordinate(name, {name}, values);
  made.units = units;
  for (const double value : values) made.bounds.insert(made.bounds.end(), {value - 5.0, value + 5.0});
  return made;
}

model::Declarations planet() {
  model::Declarations declarations;
  declarations.grids = {make_grid("air", {"lev", "lat", "lon"}, {7, 4, 6})};
  declarations.grids[0].coordinates = {make_coordinate("lev", {"lev"}, {1, 2, 3, 4, 5, 6, 7}),
                                       degrees("lat", "degrees_north", {-15, -5, 5, 15}),
                                       degrees("lon", "degrees_east", {5, 15, 25, 35, 45, 55})};
  declarations.fields = {make_field("ta", 0, DataType::float32), make_field("land", 0, DataType::int32)};
  declarations.fields[0].attributes = {{"cell_measures", "area: areacella"}, {"comment", "of the model"}};
  return declarations;
}

struct Planned {
  plan::Plan plan;
  std::vector<DatasetLayout> layouts;
};

Planned planned(const std::string& file) {
  const std::map<std::string, std::string> none;
  const settings::Configuration configuration = settings::parse_configuration(
      {{"run.yaml",
        "tailrace: 1\nfields: {state: {every: 1 h, names: [ta, land]}}\noutput: {" + file + "}\n"}},
      &none);
  Planned made{plan::make_plan(configuration, planet()), {}};
  for (const plan::DatasetPlan& one : made.plan.files)
    made.layouts.push_back(make_layout(one, configuration, made.plan.regridding->declarations, {}, "today"));
  return made;
}

TEST(RegriddedLayout, HasTheGridMappingOfHealpix) {
  const Planned of = planned(
      "a.nc: {regrid: {to: {healpix: {level: 2}}}, variables: [{field: ta, operation: mean, every: 6 h}]}");
  const DatasetLayout& layout = of.layouts.at(0);
  EXPECT_THAT(dims(layout, "ta"), ElementsAre("time", "lev", "cell"));
  EXPECT_EQ(attribute(layout, "ta", "grid_mapping"), "crs");
  EXPECT_EQ(attribute(layout, "ta", "cell_methods"), "area: mean time: mean");
  EXPECT_EQ(attribute(layout, "ta", "cell_measures"), "-") << "that is of the source";
  EXPECT_EQ(attribute(layout, "ta", "comment"), "of the model");
  EXPECT_EQ(attribute(layout, "crs", "grid_mapping_name"), "healpix");
  EXPECT_EQ(attribute(layout, "crs", "indexing_scheme"), "nested");
  EXPECT_THAT(dims(layout, "cell"), ElementsAre("cell"));
  EXPECT_EQ(variable(layout, "cell").type, DataType::int64);
  EXPECT_EQ(attribute(layout, "cell", "standard_name"), "healpix_index");
  EXPECT_EQ(find(layout, "lat"), nullptr);
  EXPECT_EQ(find(layout, "lev") != nullptr, true);
  for (const auto& [name, value] : layout.dataset.attributes)
    if (name == "Conventions") {
      EXPECT_EQ(value, output::AttributeValue(std::string("CF-1.13")));
    }
}

TEST(RegriddedLayout, HasRowsWithBounds) {
  const Planned of = planned(
      "a.nc: {regrid: {to: {gaussian: F2}}, variables: [{field: ta, every: 1 h}, {field: ta, name: own, "
      "every: 1 h, "
      "regrid: none}]}");
  const DatasetLayout& layout = of.layouts.at(0);
  EXPECT_THAT(dims(layout, "ta"), ElementsAre("time", "lev", "lat_gaussian_f2", "lon_gaussian_f2"));
  EXPECT_THAT(dims(layout, "own"), ElementsAre("time", "lev", "lat_air", "lon_air"));
  EXPECT_EQ(attribute(layout, "lat_gaussian_f2", "bounds"), "lat_gaussian_f2_bnds");
  EXPECT_EQ(attribute(layout, "ta", "cell_methods"), "area: mean time: point");
  EXPECT_EQ(attribute(layout, "own", "cell_methods"), "time: point");
  EXPECT_EQ(attribute(layout, "own", "cell_measures"), "area: areacella");
}

TEST(RegriddedLayout, SaysWhatFourCellsBecame) {
  const Planned of = planned(
      "a.nc: {regrid: {to: {healpix: {level: 2}}, with_fraction: true}, pyramid: {levels: 1}, variables: "
      "[{field: ta, operation: max, every: 6 h}, {field: ta, name: mean, operation: mean, every: 6 h}]}");
  ASSERT_EQ(of.layouts.size(), 2u);
  EXPECT_EQ(attribute(of.layouts[0], "ta", "cell_methods"), "area: mean time: maximum");
  EXPECT_EQ(attribute(of.layouts[1], "ta", "cell_methods"), "area: mean time: maximum area: maximum");
  EXPECT_EQ(attribute(of.layouts[1], "mean", "cell_methods"), "area: mean time: mean");
  EXPECT_EQ(attribute(of.layouts[1], "ta_fraction", "units"), "1");
  EXPECT_THAT(dims(of.layouts[1], "ta_fraction"), ElementsAre("time", "lev", "cell"));
}

TEST(RegriddedLayout, HasChunksOfWholeCoarserCells) {
  for (const char* type : {"float32", "float64"}) {
    const Planned of =
        planned(std::string("a.zarr: {format: zarr, regrid: {to: {healpix: {level: 9}}}, variables: "
                            "[{field: ta, every: 1 h, type: ") +
                type + "}]}");
    const std::int64_t cells = of.layouts.at(0).variables.at(0).chunk.at(1);
    const std::set<std::int64_t> powers{1 << 12, 1 << 14, 1 << 16, 1 << 18};
    EXPECT_TRUE(powers.contains(cells)) << cells;
    EXPECT_GE(cells * (type == std::string("float32") ? 4 : 8), 1 << 19);
    const VariableLayout& numbers = of.layouts[0].variables.back();
    EXPECT_TRUE(powers.contains(numbers.chunk.at(0))) << numbers.chunk[0];
  }
}

}  // namespace
}  // namespace tailrace::cf
