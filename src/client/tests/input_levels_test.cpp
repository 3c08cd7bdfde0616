// Vertical interpolation of input fields against a computation of the test, column by column.
#include <gmock/gmock.h>

#include <random>

#include "client/tests/input_bench.hpp"

namespace tailrace::client::testing {
namespace {

using model::DataType;
using ::testing::HasSubstr;

constexpr std::int64_t file_levels = 6;

// Grids with 5 levels that lie first, in the middle, or last; this rank has two blocks, the second of which
// has levels 1 to 3 only.
struct Shape {
  std::vector<std::string> dims;
  std::vector<std::int64_t> extents, offset, count, second_offset, second_count;
  std::size_t level_dim;
};
std::vector<Shape> shapes() {
  return {{{"k", "y", "x"}, {5, 3, 90}, {0, 0, 2}, {5, 2, 77}, {1, 2, 4}, {3, 1, 9}, 0},
          {{"y", "k", "x"}, {3, 5, 90}, {0, 0, 2}, {2, 5, 77}, {2, 1, 4}, {1, 3, 9}, 1},
          {{"y", "x", "k"}, {3, 90, 5}, {0, 2, 0}, {2, 77, 5}, {2, 4, 1}, {1, 9, 3}, 2}};
}

const std::vector<double> model_levels{900, 700, 650, 300, 20};

Declarer declared_on(const Shape& shape, DataType type) {
  Declarer declarer("bubble", 0, 1);
  GridArguments grid;
  grid.name = "air";
  grid.dims = shape.dims;
  grid.shape = shape.extents;
  grid.offset = shape.offset;
  grid.count = shape.count;
  declarer.grid(grid);
  declarer.add_block("air", shape.second_offset, shape.second_count);
  model::Coordinate coordinate;
  coordinate.name = "plev";
  coordinate.dims = {"k"};
  coordinate.units = "hPa";
  declarer.coordinate("air", coordinate, model_levels);
  for (const char* name : {"f", "pressure"}) {
    model::Field field;
    field.name = name;
    field.type = type;
    declarer.field("air", field);
  }
  declarer.settle_coordinates();
  return declarer;
}

// One cell of this rank: its column, counted over both blocks, its level in the grid, and its place among the
// values of a record of which each column has `levels` values.
struct Cell {
  std::int64_t column = 0, level = 0;
};
std::vector<Cell> cells_of(const Shape& shape) {
  std::vector<Cell> cells;
  std::int64_t columns_before = 0;
  for (const bool second : {false, true}) {
    const auto& count = second ? shape.second_count : shape.count;
    const auto& offset = second ? shape.second_offset : shape.offset;
    for (std::int64_t a = 0; a < count[0]; ++a)
      for (std::int64_t b = 0; b < count[1]; ++b)
        for (std::int64_t c = 0; c < count[2]; ++c) {
          const std::array<std::int64_t, 3> at{a, b, c};
          std::int64_t column = 0;
          for (std::size_t d = 0; d < 3; ++d)
            if (d != shape.level_dim) column = column * count[d] + at[d];
          cells.push_back({columns_before + column, offset[shape.level_dim] + at[shape.level_dim]});
        }
    columns_before += count[0] * count[1] * count[2] / count[shape.level_dim];
  }
  return cells;
}
// The same for a record with the file's levels in place of the grid's.
std::vector<Cell> cells_of_record(Shape shape) {
  shape.count[shape.level_dim] = shape.second_count[shape.level_dim] = file_levels;
  shape.offset[shape.level_dim] = shape.second_offset[shape.level_dim] = 0;
  return cells_of(shape);
}

double value_at(std::int64_t column, std::int64_t level, std::int64_t record) {
  return std::sin(0.3 * static_cast<double>(column) + 1.1 * static_cast<double>(level * level)) +
         0.25 * static_cast<double>(record);
}
double pressure_at(std::int64_t column, std::int64_t level, std::int64_t record) {
  return 1000.0 - 150.0 * static_cast<double>(level) - 0.5 * static_cast<double>(column % 13) -
         3.0 * static_cast<double>(record);
}

// Linear in the coordinate or in its logarithm, along levels that descend; `beyond` the last value is held.
double interpolate(const std::vector<double>& from, const std::vector<double>& values, double to, bool log) {
  if (to >= from.front()) return values.front();
  if (to <= from.back()) return values.back();
  std::size_t i = 0;
  while (from[i + 1] > to) ++i;
  const auto along = [&](double level) { return log ? std::log(level) : level; };
  const double part = (along(to) - along(from[i])) / (along(from[i + 1]) - along(from[i]));
  return values[i] + part * (values[i + 1] - values[i]);
}

input::PreparedField on_levels(const std::string& to, bool come_with_records, bool log, DataType travels_as) {
  auto field = prepared(0, {0, 10, 20});
  field.travels_as = travels_as;
  field.request.vertical = input::VerticalRequest{
      to, {log ? input::VerticalRule::logarithmic : input::VerticalRule::linear, input::Beyond::hold}};
  field.vertical = input::FileLevels{{}, come_with_records, file_levels};
  for (std::int64_t l = 0; l < file_levels && !come_with_records; ++l)
    field.vertical->levels.push_back(pressure_at(0, l, 0));
  return field;
}

template <class T>
void expect_levels(const std::string& to, bool come_with_records, bool log, DataType travels_as,
                   double tolerance) {
  for (const Shape& shape : shapes()) {
    const auto record_cells = cells_of_record(shape);
    const auto rounded = [&](double value) {
      return travels_as == DataType::float32 ? static_cast<double>(static_cast<float>(value)) : value;
    };
    InputBench bench(declared_on(shape, model::data_type_of<T>()),
                     {on_levels(to, come_with_records, log, travels_as)}, [&](int, std::int64_t record) {
                       std::vector<double> values;
                       for (const Cell& cell : record_cells)
                         values.push_back(value_at(cell.column, cell.level, record));
                       for (const Cell& cell : record_cells)
                         if (come_with_records)
                           values.push_back(pressure_at(cell.column, cell.level, record));
                       return values;
                     });
    const auto cells = cells_of(shape);
    for (const double time : {0.0, 4.0, 17.0}) {
      std::vector<T> present;  // of this step: other levels in each column
      for (const Cell& cell : cells)
        present.push_back(static_cast<T>(800 - 130 * static_cast<double>(cell.level) -
                                         0.7 * static_cast<double>(cell.column) + time));
      bench.present = {model::data_type_of<T>(), std::as_bytes(std::span(present))};
      bench.step(time);
      const auto got = bench.get<T>(0, cells.size());
      const auto before = static_cast<std::int64_t>(time / 10);
      const double part = time / 10 - static_cast<double>(before);
      for (std::size_t i = 0; i < cells.size(); ++i) {
        std::vector<double> from, values;
        for (std::int64_t l = 0; l < file_levels; ++l) {
          const auto in_time = [&](const auto& at) {
            const double a = at(before), b = part > 0 ? at(before + 1) : a;
            return a + part * (b - a);
          };
          values.push_back(in_time([&](std::int64_t r) { return rounded(value_at(cells[i].column, l, r)); }));
          from.push_back(come_with_records
                             ? in_time([&](std::int64_t r) { return pressure_at(cells[i].column, l, r); })
                             : pressure_at(0, l, 0));
        }
        const double level =
            to == "plev" ? model_levels[base::index(cells[i].level)] : static_cast<double>(present[i]);
        ASSERT_NEAR(static_cast<double>(got[i]), interpolate(from, values, level, log), tolerance)
            << to << " of " << shape.dims[0] << shape.dims[1] << shape.dims[2] << " at " << time << ", cell "
            << i;
      }
    }
  }
}

TEST(InputLevels, fixed_ones_of_a_coordinate) {
  for (const bool log : {false, true}) {
    expect_levels<double>("plev", false, log, DataType::float64, 1e-12);
    expect_levels<float>("plev", false, log, DataType::float32, 1e-6);
  }
}

TEST(InputLevels, those_of_a_field_at_this_step) {
  for (const bool log : {false, true}) {
    expect_levels<double>("pressure", false, log, DataType::float64, 1e-12);
    expect_levels<float>("pressure", false, log, DataType::float32, 1e-6);
  }
}

TEST(InputLevels, hybrid_ones_that_come_with_the_records) {
  for (const bool log : {false, true})
    for (const char* to : {"plev", "pressure"}) {
      expect_levels<double>(to, true, log, DataType::float64, 1e-12);
      expect_levels<double>(to, true, log, DataType::float32, 1e-12);
    }
}

TEST(InputLevels, errors_name_the_field_its_levels_and_the_cell) {
  const Shape shape = shapes()[1];
  const auto values = [&](int, std::int64_t) {
    return std::vector<double>(cells_of_record(shape).size(), 1.0);
  };
  InputBench not_put(declared_on(shape, DataType::float64),
                     {on_levels("pressure", false, true, DataType::float64)}, values);
  not_put.step(5);
  const std::size_t count = cells_of(shape).size();
  EXPECT_EQ(
      input_error([&] { not_put.get<double>(0, count); }, ErrorCode::usage),
      "input \"made up\" (run.yml:7:5), variable var: its levels are those of field \"pressure\", which was "
      "not put at this step; put it before the get");
  const std::vector<double> bad(count, -5);
  not_put.present = {DataType::float64, std::as_bytes(std::span(bad))};
  EXPECT_EQ(
      input_error([&] { not_put.get<double>(0, count); }, ErrorCode::resource),
      "input \"made up\" (run.yml:7:5), variable var: a level of the model is -5, and `interpolate: log` "
      "needs levels above 0 (record 100 of forcing.nc, record 101 of forcing.nc)");

  auto beyond = on_levels("plev", false, false, DataType::float64);
  beyond.request.vertical->options.beyond = input::Beyond::missing;
  InputBench lacks(declared_on(shape, DataType::float64), {beyond}, values);
  lacks.step(0);
  EXPECT_THAT(input_error([&] { lacks.get<double>(0, count); }, ErrorCode::resource),
              HasSubstr("variable var: the value of cell (0, 4, 2) (counted from 0) is missing"));
  EXPECT_THAT(
      input_error(
          [&] {
            InputBench(declared_on(shape, DataType::float64),
                       {on_levels("presure", false, false, DataType::float64)}, values);
          },
          ErrorCode::configuration),
      HasSubstr("run.yml:7:5: `vertical.to` of \"made up\" is \"presure\", which is neither a coordinate of "
                "its grid nor a field"));
}

}  // namespace
}  // namespace tailrace::client::testing
