#include "cf/layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/index.hpp"
#include "cf/testing/layout_case.hpp"

namespace tailrace::cf {
namespace {

using namespace layout_case;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST(Layout, writes_time_coordinates_as_cf_asks) {
  const DatasetLayout layout = Case().layout();
  EXPECT_THAT(dims(layout, "time_10s"), ElementsAre("time_10s"));
  EXPECT_EQ(attribute(layout, "time_10s", "units"), "seconds since 2026-01-01 00:00:00");
  EXPECT_EQ(attribute(layout, "time_10s", "calendar"), "standard");
  EXPECT_EQ(attribute(layout, "time_10s", "units_metadata"), "leap_seconds: none");
  EXPECT_EQ(attribute(layout, "time_10s", "standard_name"), "time");
  EXPECT_EQ(attribute(layout, "time_10s", "axis"), "T");
  EXPECT_EQ(attribute(layout, "time_10s", "bounds"), "time_10s_bnds");
  EXPECT_THAT(dims(layout, "time_10s_bnds"), ElementsAre("time_10s", "bnds"));
  EXPECT_THAT(variable(layout, "time_10s_bnds").attributes, IsEmpty());
  EXPECT_FALSE(variable(layout, "time_10s").fill_value.has_value());
  EXPECT_EQ(attribute(layout, "time_instant_5s", "bounds"), "-");
  EXPECT_EQ(find(layout, "time_instant_5s_bnds"), nullptr);
  ASSERT_EQ(layout.axes.size(), 2u);
  EXPECT_EQ(layout.axes[0].bounds_variable, -1);
  EXPECT_TRUE(layout.dataset.dims[base::index(layout.axes[1].dim)].unlimited);
}

TEST(Layout, gives_time_coordinates_the_attributes_of_the_user) {
  Case given;
  given.file.entry.time_attributes = {{"long_name", std::string("time of the forecast")},
                                      {"valid_range", std::vector<std::int32_t>{0, 100}}};
  const DatasetLayout layout = given.layout();
  for (const char* time : {"time_10s", "time_instant_5s"}) {
    EXPECT_EQ(attribute(layout, time, "long_name"), "time of the forecast");
    EXPECT_EQ(attribute(layout, time, "standard_name"), "time");
    const auto& all = variable(layout, time).attributes;
    EXPECT_EQ(all.back().second, output::AttributeValue(std::vector<double>{0, 100}));
  }
}

TEST(Layout, takes_the_bounds_of_snapshots_from_a_field) {
  const auto layout_with = [](std::int64_t numbers, int axis, const std::string& bounds) {
    Case given;
    given.declarations.grids.push_back(make_grid("pairs", {"nv"}, {numbers}));
    given.declarations.fields.push_back(make_field("limits", 1));
    given.add_variable("from_to", 2, axis, time::ReductionKind::snapshot);
    given.file.entry.time_attributes = {{"bounds", bounds}};
    return given.layout();
  };
  const DatasetLayout layout = layout_with(2, 0, "limits");
  EXPECT_EQ(attribute(layout, "time_instant_5s", "bounds"), "from_to");  // as it is called in the file
  EXPECT_THAT(variable(layout, "from_to").attributes, IsEmpty());
  EXPECT_FALSE(variable(layout, "from_to").fill_value.has_value());
  EXPECT_EQ(attribute(layout, "time_10s", "bounds"), "time_10s_bnds");
  EXPECT_EQ(attribute(layout_with(3, 0, "limits"), "time_instant_5s", "bounds"), "-");
  EXPECT_EQ(attribute(layout_with(2, 0, "others"), "time_instant_5s", "bounds"), "-");
  const DatasetLayout windows = layout_with(2, 1, "limits");
  EXPECT_EQ(attribute(windows, "time_instant_5s", "bounds"), "-");
  EXPECT_EQ(attribute(windows, "time_10s", "bounds"), "time_10s_bnds");
  EXPECT_EQ(attribute(windows, "from_to", "long_name"), "limits");
}

TEST(Layout, says_what_an_instant_and_a_window_mean) {
  Case given;
  EXPECT_EQ(attribute(given.layout(), "time_instant_5s", "comment"),
            "each value is that of the first model step at or past each multiple of 5 s");
  EXPECT_EQ(attribute(given.layout(), "time_10s", "comment"),
            "each value covers the interval in time_10s_bnds (every 10 s); time is the interval's middle");
  given.file.time_stamp = settings::TimeStamp::end;
  given.configuration.time.calendar = "none";
  given.configuration.time.start = {};
  EXPECT_THAT(attribute(given.layout(), "time_10s", "comment"),
              HasSubstr("time is the interval's end; the run has no dates"));
  EXPECT_EQ(attribute(given.layout(), "time_10s", "units"), "seconds since 2000-01-01 00:00:00");
  given.file.axes[0].every = time::Period::of_steps(5);
  EXPECT_THAT(attribute(given.layout(), "time_instant_5s", "comment"),
              HasSubstr("past each multiple of 5 steps"));
  given.file.axes[0].every = time::Period::of_months(1);
  given.file.axes[0].cadence = time::Period::of_steps(3);
  EXPECT_THAT(attribute(given.layout(), "time_instant_5s", "comment"),
              StartsWith("each value is that of the first sample (taken every 3 steps) at or past the begin "
                         "of every month"));
}

TEST(Layout, describes_variables) {
  Case given;
  given.declarations.fields[0].attributes = {{"cell_methods", "area: mean"}, {"comment", "from the model"}};
  given.file.variables[1].attributes = {{"comment", std::string("from the user")}};
  const DatasetLayout layout = given.layout();
  EXPECT_THAT(dims(layout, "w_mean"), ElementsAre("time_10s", "z", "y", "x"));
  EXPECT_EQ(attribute(layout, "w_mean", "units"), "m s-1");
  EXPECT_EQ(attribute(layout, "w_mean", "standard_name"), "upward_air_velocity");
  EXPECT_EQ(attribute(layout, "w_mean", "long_name"), "-");
  EXPECT_EQ(attribute(layout, "w_mean", "cell_methods"), "area: mean time_10s: mean");
  EXPECT_EQ(attribute(layout, "w", "cell_methods"), "area: mean time_instant_5s: point");
  EXPECT_EQ(attribute(layout, "w", "comment"), "from the model");
  EXPECT_EQ(attribute(layout, "w_mean", "comment"), "from the user");
  EXPECT_EQ(attribute(layout, "w", "coordinates"), "-");
  EXPECT_EQ(variable(layout, "w").fill_value, default_fill);
}

TEST(Layout, gives_attributes_the_type_of_the_values_they_are_held_against) {
  Case given;
  given.file.variables[0].type = DataType::int32;
  given.file.variables[1].type = DataType::float32;
  given.declarations.fields[0].attributes = {{"valid_range", std::vector<double>{0, 100}},
                                             {"seed", std::vector<std::int64_t>{7}}};
  given.file.variables[0].attributes = {{"flag_values", std::vector<std::int64_t>{1, 2}},
                                        {"cell_methods", std::string("area: sum")}};
  given.file.variables[1].attributes = {{"cell_methods", std::string("area: mean time_10s: mean (of 3)")}};
  const auto get = [](const DatasetLayout& layout, const char* of, const std::string& name) {
    for (const auto& [key, value] : variable(layout, of).attributes)
      if (key == name) return value;
    return output::AttributeValue("none");
  };
  DatasetLayout layout = given.layout();
  EXPECT_EQ(get(layout, "w", "valid_range"), output::AttributeValue(std::vector<std::int32_t>{0, 100}));
  EXPECT_EQ(get(layout, "w", "flag_values"), output::AttributeValue(std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(get(layout, "w", "seed"), output::AttributeValue(std::vector<std::int64_t>{7}));
  EXPECT_EQ(get(layout, "w_mean", "valid_range"), output::AttributeValue(std::vector<float>{0, 100}));
  EXPECT_EQ(attribute(layout, "w", "cell_methods"), "area: sum time_instant_5s: point");
  EXPECT_EQ(attribute(layout, "w_mean", "cell_methods"), "area: mean time_10s: mean (of 3)");
  given.file.variables[1].reduction = time::ReductionKind::std;
  layout = given.layout();
  EXPECT_EQ(get(layout, "w_mean", "valid_range"), output::AttributeValue("none")) << "of other values";
  given.file.variables[0].type = DataType::int16;
  EXPECT_EQ(get(given.layout(), "w", "flag_values"), output::AttributeValue(std::vector<std::int16_t>{1, 2}));
  given.file.variables[0].packing = model::Packing{.scale_factor = 0.5, .add_offset = 0.0};
  EXPECT_EQ(get(given.layout(), "w", "valid_range"), output::AttributeValue("none")) << "of packed numbers";
}

TEST(Layout, gives_scalars_a_name_and_no_spatial_dims) {
  Case given;
  given.add_variable("energy", 1, 1, time::ReductionKind::max);
  const DatasetLayout layout = given.layout();
  EXPECT_THAT(dims(layout, "energy"), ElementsAre("time_10s"));
  EXPECT_EQ(attribute(layout, "energy", "long_name"), "energy");
  EXPECT_EQ(attribute(layout, "energy", "units"), "-");
  EXPECT_THAT(layout.variables[2].shape, IsEmpty());
  EXPECT_EQ(layout.variables[2].records_per_chunk, 4096);
}

TEST(Layout, uses_default_fill_values_of_each_type) {
  Case given;
  given.file.variables[0].type = DataType::int32;
  EXPECT_EQ(variable(given.layout(), "w").fill_value, -2147483647.0);
  given.file.variables[0].type = DataType::int64;
  EXPECT_EQ(variable(given.layout(), "w").fill_value, model::FillValue::of_whole(-9223372036854775806LL));
}

double number(const DatasetLayout& layout, const std::string& of, const std::string& name, bool single) {
  for (const auto& [key, value] : variable(layout, of).attributes)
    if (key == name) return single ? static_cast<double>(std::get<float>(value)) : std::get<double>(value);
  return -1.0;
}

// CF 8.1: the attributes have the type of the unpacked values, the fill value that of the packed ones.
TEST(Layout, describes_packed_variables) {
  Case one;
  one.declarations.fields[0].fill_value = -999.0;
  plan::VariablePlan& packed = one.file.variables[1];
  packed.type = DataType::int16;
  packed.packing = model::Packing{.scale_factor = 0.25, .add_offset = 300.0};
  for (const bool single : {false, true}) {
    packed.unpacked = single ? DataType::float32 : DataType::float64;
    const DatasetLayout layout = one.layout();
    EXPECT_EQ(number(layout, "w_mean", "scale_factor", single), 0.25);
    EXPECT_EQ(number(layout, "w_mean", "add_offset", single), 300.0);
    EXPECT_EQ(variable(layout, "w_mean").type, DataType::int16);
    EXPECT_EQ(variable(layout, "w_mean").fill_value, -32767.0);
    EXPECT_EQ(variable(layout, "w").fill_value, -999.0);
    EXPECT_EQ(attribute(layout, "w", "scale_factor"), "-");
  }
  packed.packing.reset();
  for (const auto& [type, fill] :
       {std::pair(DataType::int16, -999.0), {DataType::int8, -127.0}, {DataType::uint8, 255.0}}) {
    packed.type = type;
    EXPECT_EQ(variable(one.layout(), "w_mean").fill_value, fill) << "the field's own where the type has it";
  }
}

TEST(Layout, writes_global_attributes_and_lets_the_user_have_the_last_word) {
  Case given;
  given.file.entry.attributes = {{"title", std::string("Density current")}, {"source", std::string("mine")}};
  const auto& attributes = given.layout().dataset.attributes;
  EXPECT_EQ(attribute(attributes, "Conventions"), "CF-1.12") << "the first version with leap seconds";
  EXPECT_EQ(attribute(attributes, "history"), "2026: tailrace run");
  EXPECT_EQ(attribute(attributes, "title"), "Density current");
  EXPECT_EQ(attribute(attributes, "source"), "mine");
  EXPECT_EQ(attribute(attributes, "tailrace_configuration"), "output: []\n");
  given.file.entry.attributes.clear();
  EXPECT_THAT(attribute(given.layout().dataset.attributes, "source"),
              StartsWith("component bubble, Tailrace"));
  EXPECT_EQ(attribute(given.layout().dataset.attributes, "title"), "-");
  given.configuration.time.calendar = "noleap";
  EXPECT_EQ(attribute(given.layout().dataset.attributes, "Conventions"), "CF-1.11");
  given.declarations.grids[0].mapping = model::GridMapping{"crs", {{"grid_mapping_name", "healpix"}}};
  EXPECT_EQ(attribute(given.layout().dataset.attributes, "Conventions"), "CF-1.13");
}

TEST(Layout, takes_the_users_chunks) {
  Case given;
  given.file.variables[0].chunk = {2, 1, 4, 100};
  const DatasetLayout layout = given.layout();
  EXPECT_THAT(variable(layout, "w").chunk, ElementsAre(2, 1, 4, 5));
  EXPECT_EQ(layout.variables[0].records_per_chunk, 2);
  EXPECT_THAT(layout.variables[0].chunk, ElementsAre(1, 4, 5));
}

TEST(Layout, does_not_look_at_the_decomposition) {
  const Case given;
  model::Decomposition halves;
  halves.regions = {
      {model::Region::of_box({{0, 0, 0}, {3, 2, 5}}), model::Region::of_box({{0, 2, 0}, {3, 2, 5}})}};
  const DatasetLayout one = given.layout();
  const DatasetLayout two =
      make_layout(given.file, given.configuration, given.declarations, halves, "2026: tailrace run");
  for (std::size_t v = 0; v < one.dataset.variables.size(); ++v)
    EXPECT_EQ(one.dataset.variables[v].chunk, two.dataset.variables[v].chunk);
}

TEST(TimeStampOf, is_the_end_or_the_middle_of_the_interval) {
  time::TimeRecord record;
  record.begin = 10.0;
  record.end = 20.0;
  EXPECT_EQ(time_stamp(record, settings::TimeStamp::end), 20.0);
  EXPECT_EQ(time_stamp(record, settings::TimeStamp::middle), 15.0);
}

}  // namespace
}  // namespace tailrace::cf
