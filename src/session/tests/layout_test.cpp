#include "session/layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "session/chunk_shape.hpp"

namespace tailrace::session {
namespace {

using model::DataType;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr double default_fill = 9.969209968386869e+36;

model::Grid make_grid(const std::string& name, const std::vector<std::string>& dims,
                      const std::vector<std::int64_t>& shape) {
  model::Grid grid;
  grid.name = name;
  grid.kind = model::GridKind::block;
  grid.dims = dims;
  grid.shape = shape;
  return grid;
}

model::Coordinate make_coordinate(const std::string& name, const std::vector<std::string>& dims,
                                  const std::vector<double>& values,
                                  std::optional<int> field = std::nullopt) {
  model::Coordinate coordinate;
  coordinate.name = name;
  coordinate.dims = dims;
  coordinate.units = "m";
  coordinate.values = values;
  coordinate.field = field;
  return coordinate;
}

model::Field make_field(const std::string& name, int grid, DataType type = DataType::float64,
                        bool is_static = false) {
  model::Field field;
  field.name = name;
  field.grid = grid;
  field.type = type;
  field.is_static = is_static;
  return field;
}

// What a test starts from: a box model with a field w on (z, y, x), a scalar, and a file for one variable of
// each.
struct Case {
  Configuration configuration;
  model::Declarations declarations;
  FilePlan file;

  Case() {
    configuration.calendar_name = "standard";
    configuration.start = calendar::parse_date("2026-01-01");
    configuration.text = "output: []\n";
    declarations.component = "bubble";
    declarations.grids = {make_grid("les", {"z", "y", "x"}, {3, 4, 5})};
    declarations.grids[0].coordinates = {make_coordinate("z", {"z"}, {5.0, 15.0, 25.0})};
    declarations.fields = {make_field("scalar.w", 0), make_field("energy", -1)};
    declarations.fields[0].units = "m s-1";
    declarations.fields[0].standard_name = "upward_air_velocity";
    file.entry.path = "out.nc";
    add_axis(time::AxisKind::instant, "5 s", "time_instant_5s");
    add_axis(time::AxisKind::window, "10 s", "time_10s");
    add_variable("w", 0, 0, time::ReductionKind::snapshot);
    add_variable("w_mean", 0, 1, time::ReductionKind::mean);
  }
  void add_axis(time::AxisKind kind, const char* every, const char* dim) {
    file.axes.push_back({kind, time::Period::parse(every), time::Period::of_steps(1), dim});
  }
  void add_variable(const std::string& name, int field, int axis, time::ReductionKind reduction) {
    VariablePlan variable;
    variable.name = name;
    variable.field = field;
    variable.axis = axis;
    variable.reduction = reduction;
    variable.type = DataType::float64;
    file.variables.push_back(variable);
  }
  FileLayout layout() const {
    return make_layout(file, configuration, declarations, {}, "2026: tailrace run");
  }
};

const output::VariableSpec* find(const FileLayout& layout, const std::string& name) {
  for (const output::VariableSpec& variable : layout.dataset.variables)
    if (variable.name == name) return &variable;
  return nullptr;
}

const output::VariableSpec& variable(const FileLayout& layout, const std::string& name) {
  const output::VariableSpec* found = find(layout, name);
  if (found == nullptr) throw std::runtime_error("no variable " + name);
  return *found;
}

std::vector<std::string> dims(const FileLayout& layout, const std::string& name) {
  std::vector<std::string> names;
  for (const int dim : variable(layout, name).dims)
    names.push_back(layout.dataset.dims[static_cast<std::size_t>(dim)].name);
  return names;
}

// The attribute as text; "-" where there is none.
std::string attribute(const output::Attributes& attributes, const std::string& name) {
  for (const auto& [key, value] : attributes) {
    if (key != name) continue;
    if (const auto* text = std::get_if<std::string>(&value)) return *text;
    if (const auto* number = std::get_if<std::int32_t>(&value)) return std::to_string(*number);
    return "?";
  }
  return "-";
}
std::string attribute(const FileLayout& layout, const std::string& of, const std::string& name) {
  return attribute(variable(layout, of).attributes, name);
}

std::vector<double> constant(const FileLayout& layout, const std::string& name) {
  for (const output::PlainValues& values : layout.constants) {
    if (layout.dataset.variables[static_cast<std::size_t>(values.variable)].name != name) continue;
    std::vector<double> numbers(values.bytes.size() / sizeof(double));
    std::memcpy(numbers.data(), values.bytes.data(), values.bytes.size());
    return numbers;
  }
  return {};
}

TEST(Layout, writes_time_coordinates_as_cf_asks) {
  const FileLayout layout = Case().layout();
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
  EXPECT_TRUE(layout.dataset.dims[static_cast<std::size_t>(layout.axes[1].dim)].unlimited);
}

TEST(Layout, says_what_an_instant_and_a_window_mean) {
  Case given;
  EXPECT_EQ(attribute(given.layout(), "time_instant_5s", "comment"),
            "each value is that of the first model step at or past each multiple of 5 s");
  EXPECT_EQ(attribute(given.layout(), "time_10s", "comment"),
            "each value covers the interval in time_10s_bnds (every 10 s); time is the interval's end");
  given.file.entry.time_stamp = TimeStamp::middle;
  given.configuration.calendar_name = "none";
  given.configuration.start = {};
  EXPECT_THAT(attribute(given.layout(), "time_10s", "comment"),
              HasSubstr("time is the interval's middle; the run has no dates"));
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
  const FileLayout layout = given.layout();
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

TEST(Layout, gives_scalars_a_name_and_no_spatial_dims) {
  Case given;
  given.add_variable("energy", 1, 1, time::ReductionKind::max);
  const FileLayout layout = given.layout();
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
  EXPECT_EQ(variable(given.layout(), "w").fill_value, -9223372036854775806.0);
}

TEST(Layout, writes_global_attributes_and_lets_the_user_have_the_last_word) {
  Case given;
  given.file.entry.attributes = {{"title", std::string("Density current")}, {"source", std::string("mine")}};
  const auto& attributes = given.layout().dataset.attributes;
  EXPECT_EQ(attribute(attributes, "Conventions"), "CF-1.11");
  EXPECT_EQ(attribute(attributes, "history"), "2026: tailrace run");
  EXPECT_EQ(attribute(attributes, "title"), "Density current");
  EXPECT_EQ(attribute(attributes, "source"), "mine");
  EXPECT_EQ(attribute(attributes, "tailrace_configuration"), "output: []\n");
  given.file.entry.attributes.clear();
  EXPECT_THAT(attribute(given.layout().dataset.attributes, "source"),
              StartsWith("component bubble, Tailrace"));
  EXPECT_EQ(attribute(given.layout().dataset.attributes, "title"), "-");
}

TEST(Layout, writes_coordinates_that_are_known_and_invents_none) {
  const FileLayout layout = Case().layout();
  EXPECT_THAT(dims(layout, "z"), ElementsAre("z"));
  EXPECT_EQ(attribute(layout, "z", "units"), "m");
  EXPECT_EQ(attribute(layout, "z", "long_name"), "z");
  EXPECT_THAT(constant(layout, "z"), ElementsAre(5.0, 15.0, 25.0));
  EXPECT_EQ(find(layout, "x"), nullptr);
}

TEST(Layout, names_coordinates_that_are_not_of_a_dim) {
  Case given;
  given.declarations.grids.push_back(make_grid("les[y,x]", {"y", "x"}, {4, 5}));
  given.declarations.fields.push_back(make_field("les:lat", 1, DataType::float64, true));
  given.declarations.grids[0].coordinates.push_back(make_coordinate("lat", {"y", "x"}, {}, 2));
  given.declarations.grids[0].coordinates.push_back(make_coordinate("height", {"z"}, {1.0, 2.0, 3.0}));
  const FileLayout layout = given.layout();
  EXPECT_EQ(attribute(layout, "w", "coordinates"), "lat height");
  EXPECT_EQ(attribute(layout, "lat", "coordinates"), "-");
  EXPECT_THAT(dims(layout, "lat"), ElementsAre("y", "x"));
  ASSERT_EQ(layout.variables.size(), 3u);  // w, w_mean, lat
  EXPECT_EQ(layout.variables[2].field, 2);
  EXPECT_EQ(layout.variables[2].plan, -1);
  EXPECT_THAT(layout.variables[2].shape, ElementsAre(4, 5));
  EXPECT_THAT(layout.variables[2].chunk, ElementsAre(4, 5));
  EXPECT_THAT(variable(layout, "lat").chunk, IsEmpty());
}

TEST(Layout, cuts_large_static_fields_into_chunks) {
  Case given;
  given.declarations.grids[0] = make_grid("les", {"y", "x"}, {2000, 1000});
  given.declarations.fields.push_back(make_field("les:lat", 0, DataType::float64, true));
  given.declarations.grids[0].coordinates = {make_coordinate("lat", {"y", "x"}, {}, 2)};
  const FileLayout layout = given.layout();
  EXPECT_THAT(layout.variables[2].chunk, ElementsAre(125, 1000));
  EXPECT_EQ(variable(layout, "lat").chunk, layout.variables[2].chunk);
}

TEST(Layout, shares_dims_of_grids_only_where_they_are_the_same) {
  Case given;
  given.declarations.grids.push_back(make_grid("surface", {"y", "x"}, {4, 9}));
  given.declarations.fields.push_back(make_field("rain", 1));
  given.add_variable("rain", 2, 1, time::ReductionKind::mean);
  FileLayout layout = given.layout();
  EXPECT_THAT(dims(layout, "w"), ElementsAre("time_instant_5s", "z", "y", "x_les"));
  EXPECT_THAT(dims(layout, "rain"), ElementsAre("time_10s", "y", "x_surface"));
  given.declarations.grids[1] = make_grid("staggered", {"z", "y"}, {3, 4});
  given.declarations.grids[1].coordinates = {make_coordinate("z", {"z"}, {0.0, 10.0, 20.0})};
  layout = given.layout();
  EXPECT_THAT(dims(layout, "rain"), ElementsAre("time_10s", "z_staggered", "y"));
  EXPECT_THAT(constant(layout, "z_staggered"), ElementsAre(0.0, 10.0, 20.0));
  EXPECT_THAT(constant(layout, "z_les"), ElementsAre(5.0, 15.0, 25.0));
  given.declarations.grids[1].coordinates = given.declarations.grids[0].coordinates;
  layout = given.layout();
  EXPECT_THAT(dims(layout, "rain"), ElementsAre("time_10s", "z", "y"));
  EXPECT_EQ(layout.constants.size(), 1u);
}

// Three grids of diagnostics with levels: the first and the last have the same.
TEST(Layout, gives_a_dim_to_each_coordinate_that_differs) {
  Case given;
  for (const std::string name : {"low", "high", "low_too"}) {
    model::Grid& grid =
        given.declarations.grids.emplace_back(make_grid("diagnostic " + name, {"z_level", "x"}, {2, 5}));
    const bool high = name == "high";
    grid.coordinates = {make_coordinate("z_level", {"z_level"}, {high ? 9.0 : 1.0, high ? 10.0 : 2.0})};
    given.declarations.fields.push_back(
        make_field(name, static_cast<int>(given.declarations.grids.size()) - 1));
    given.add_variable(name, static_cast<int>(given.declarations.fields.size()) - 1, 0,
                       time::ReductionKind::snapshot);
  }
  FileLayout layout = given.layout();
  EXPECT_THAT(dims(layout, "low"), ElementsAre("time_instant_5s", "z_level_low", "x"));
  EXPECT_THAT(dims(layout, "high"), ElementsAre("time_instant_5s", "z_level_high", "x"));
  EXPECT_EQ(dims(layout, "low_too"), dims(layout, "low"));
  EXPECT_THAT(constant(layout, "z_level_low"), ElementsAre(1.0, 2.0));
  EXPECT_THAT(constant(layout, "z_level_high"), ElementsAre(9.0, 10.0));

  given.declarations.grids[1].coordinates.clear();  // what follows must not share with each other either
  layout = given.layout();
  EXPECT_THAT(dims(layout, "high"), ElementsAre("time_instant_5s", "z_level_high", "x"));
  EXPECT_THAT(dims(layout, "low_too"), ElementsAre("time_instant_5s", "z_level_low_too", "x"));
}

TEST(Layout, writes_bounds_of_coordinates) {
  Case given;
  given.declarations.grids[0].coordinates[0].bounds = {0.0, 10.0, 10.0, 20.0, 20.0, 30.0};
  const FileLayout layout = given.layout();
  EXPECT_EQ(attribute(layout, "z", "bounds"), "z_bnds");
  EXPECT_THAT(dims(layout, "z_bnds"), ElementsAre("z", "bnds"));
  EXPECT_THAT(dims(layout, "time_10s_bnds"), ElementsAre("time_10s", "bnds")) << "of the same pair";
  EXPECT_THAT(constant(layout, "z_bnds"), ElementsAre(0.0, 10.0, 10.0, 20.0, 20.0, 30.0));
}

TEST(Layout, gives_way_to_the_users_names) {
  Case given;
  given.file.variables[0].name = "z";
  const FileLayout layout = given.layout();
  EXPECT_THAT(dims(layout, "z"), ElementsAre("time_instant_5s", "z_les", "y", "x"));
  EXPECT_THAT(constant(layout, "z_les"), ElementsAre(5.0, 15.0, 25.0));
}

TEST(Layout, writes_meshes_as_ugrid_asks) {
  Case given;
  model::Grid icon = make_grid("icon", {"level", "cell"}, {2, 20});
  icon.kind = model::GridKind::indexed;
  icon.indexed_dim = "cell";
  icon.coordinates = {make_coordinate("lon", {"cell"}, {}, 3), make_coordinate("lat", {"cell"}, {}, 4)};
  icon.mesh = model::Mesh{"mesh", {0.0, 1.0, 2.0}, {3.0, 4.0, 5.0}, 3, 2};
  given.declarations.grids = {icon, make_grid("icon[mesh]", {"cell", "mesh_nodes_per_face"}, {20, 3}),
                              make_grid("icon[cell]", {"cell"}, {20})};
  given.declarations.fields = {
      make_field("t", 0), make_field("other", 0), make_field("icon:mesh", 1, DataType::int32, true),
      make_field("icon:lon", 2, DataType::float64, true), make_field("icon:lat", 2, DataType::float64, true)};
  const FileLayout layout = given.layout();
  EXPECT_EQ(attribute(layout.dataset.attributes, "Conventions"), "CF-1.11 UGRID-1.0");
  EXPECT_EQ(attribute(layout, "w", "mesh"), "mesh");
  EXPECT_EQ(attribute(layout, "w", "location"), "face");
  EXPECT_EQ(attribute(layout, "w", "coordinates"), "lon lat");
  EXPECT_EQ(attribute(layout, "mesh", "cf_role"), "mesh_topology");
  EXPECT_EQ(attribute(layout, "mesh", "topology_dimension"), "2");
  EXPECT_EQ(attribute(layout, "mesh", "node_coordinates"), "mesh_node_x mesh_node_y");
  EXPECT_EQ(attribute(layout, "mesh", "face_node_connectivity"), "mesh_face_nodes");
  EXPECT_EQ(attribute(layout, "mesh", "face_coordinates"), "lon lat");
  EXPECT_THAT(dims(layout, "mesh"), IsEmpty());
  EXPECT_THAT(dims(layout, "mesh_face_nodes"), ElementsAre("cell", "mesh_face_nodes_max"));
  EXPECT_EQ(attribute(layout, "mesh_face_nodes", "start_index"), "0");
  EXPECT_EQ(variable(layout, "mesh_face_nodes").fill_value, -1.0);
  EXPECT_EQ(variable(layout, "mesh_face_nodes").type, DataType::int32);
  EXPECT_THAT(constant(layout, "mesh_node_y"), ElementsAre(3.0, 4.0, 5.0));
  EXPECT_EQ(attribute(layout, "mesh_node_x", "units"), "degrees_east");
}

TEST(Layout, takes_the_users_chunks) {
  Case given;
  given.file.variables[0].chunk = {2, 1, 4, 100};
  const FileLayout layout = given.layout();
  EXPECT_THAT(variable(layout, "w").chunk, ElementsAre(2, 1, 4, 5));
  EXPECT_EQ(layout.variables[0].records_per_chunk, 2);
  EXPECT_THAT(layout.variables[0].chunk, ElementsAre(1, 4, 5));
}

TEST(Layout, does_not_look_at_the_decomposition) {
  const Case given;
  model::Decomposition halves;
  halves.regions = {
      {model::Region::of_box({{0, 0, 0}, {3, 2, 5}}), model::Region::of_box({{0, 2, 0}, {3, 2, 5}})}};
  const FileLayout one = given.layout();
  const FileLayout two =
      make_layout(given.file, given.configuration, given.declarations, halves, "2026: tailrace run");
  for (std::size_t v = 0; v < one.dataset.variables.size(); ++v)
    EXPECT_EQ(one.dataset.variables[v].chunk, two.dataset.variables[v].chunk);
}

TEST(ChooseChunk, keeps_small_records_together) {
  EXPECT_EQ(choose_chunk({}, 8, Access::maps).records, 4096);
  const std::vector<std::int64_t> profile{100};
  EXPECT_EQ(choose_chunk(profile, 8, Access::automatic).records, 81);
  EXPECT_THAT(choose_chunk(profile, 8, Access::automatic).cells, ElementsAre(100));
}

TEST(ChooseChunk, cuts_large_records_along_slow_dims) {
  const std::vector<std::int64_t> cube{100, 1000, 1000};
  const ChunkShape chunk = choose_chunk(cube, 8, Access::maps);
  EXPECT_EQ(chunk.records, 1);
  EXPECT_THAT(chunk.cells, ElementsAre(1, 125, 1000));
  const std::vector<std::int64_t> medium{64, 64, 64};
  EXPECT_THAT(choose_chunk(medium, 8, Access::maps).cells, ElementsAre(64, 64, 64));
}

TEST(ChooseChunk, gathers_records_for_series) {
  const std::vector<std::int64_t> plane{1000, 1000};
  const ChunkShape chunk = choose_chunk(plane, 8, Access::series);
  EXPECT_GT(chunk.records, 32);
  EXPECT_LE(chunk.records * chunk.cells[0] * chunk.cells[1] * 8, 1 << 20);
}

TEST(ChooseChunk, stays_within_bounds_whatever_the_shape) {
  for (std::int64_t a = 1; a < 5000; a = a * 3 + 1) {
    for (std::int64_t b = 1; b < 3000000; b = b * 7 + 2) {
      const std::vector<std::int64_t> shape{a, b};
      for (const std::size_t element : {4ul, 8ul}) {
        const ChunkShape chunk = choose_chunk(shape, element, Access::automatic);
        const std::int64_t cells = chunk.cells[0] * chunk.cells[1];
        const std::int64_t bytes = cells * chunk.records * static_cast<std::int64_t>(element);
        EXPECT_LE(bytes, 2 << 20) << a << " x " << b;
        if (a * b * static_cast<std::int64_t>(element) >= 1 << 20) {
          EXPECT_GE(bytes, 256 << 10) << a << " x " << b;
        }
        EXPECT_LE(chunk.cells[0], a);
        EXPECT_LE(chunk.cells[1], b);
      }
    }
  }
}

TEST(TimeStampOf, is_the_end_or_the_middle_of_the_interval) {
  time::TimeRecord record;
  record.begin = 10.0;
  record.end = 20.0;
  EXPECT_EQ(time_stamp(record, TimeStamp::end), 20.0);
  EXPECT_EQ(time_stamp(record, TimeStamp::middle), 15.0);
}

}  // namespace
}  // namespace tailrace::session
