// Files whose values are written before their header (header_only_driver).
#include <fmt/format.h>

#include <cstring>

#include "output/netcdf/header_only_driver/header_around.hpp"
#include "output/netcdf/inspect.hpp"
#include "output/tests/raw_files.hpp"

namespace tailrace::output::testing {
namespace {

VariableSpec variable(const std::string& name, model::DataType type, std::vector<int> dims) {
  VariableSpec variable;
  variable.name = name;
  variable.type = type;
  variable.dims = std::move(dims);
  variable.attributes = {{"units", std::string("K")}};
  return variable;
}

void put(const std::string& path, const netcdf::HeaderAround& header) {
  const auto file = open(path, Access::update);
  for (const auto& [address, bytes] : header.pieces.pieces()) file->write(address, bytes);
  file->truncate(header.length);
}

TEST_F(NetcdfFormat, header_finds_values_at_given_addresses) {
  DatasetSpec spec;
  spec.attributes = {{"title", std::string("placed")}};
  spec.dims = {{"y", 3, false}, {"x", 5, false}, {"none", 0, false}};
  spec.variables = {variable("a", model::DataType::float64, {0, 1}),
                    variable("x", model::DataType::int32, {1}), variable("n", model::DataType::int16, {}),
                    variable("e", model::DataType::float32, {2, 1}),
                    variable("twice", model::DataType::uint8, {0, 0})};
  const std::vector<std::size_t> sizes = {120, 20, 2, 0, 9};
  const std::vector<std::uint64_t> places = {8192, 4096, 5001, 0, 7000};  // unordered and unaligned
  const std::string name = path("placed.nc");
  {
    const auto file = open(name, Access::create);
    for (std::size_t i = 0; i < places.size(); ++i)
      file->write(places[i], pattern(sizes[i], static_cast<int>(i)));
  }
  put(name, netcdf::make_header_around(spec, places, 8192 + 120));
  for (std::size_t i = 0; i < places.size(); ++i)
    EXPECT_EQ(read_with_hdf5(name, spec.variables[i].name), pattern(sizes[i], static_cast<int>(i))) << i;
  EXPECT_TRUE(netcdf::inspect(name, false).readable);
}

// The lists of dimension scales must not grow with the square of the number of variables.
TEST_F(NetcdfFormat, has_a_header_that_grows_linearly_with_the_variables) {
  const auto length = [](int variables) {
    DatasetSpec spec;
    spec.dims = {{"x", 2, false}};
    std::vector<std::uint64_t> places;
    for (int i = 0; i < variables; ++i) {
      spec.variables.push_back(variable(fmt::format("v{}", i), model::DataType::float64, {0}));
      places.push_back(4096 + 16 * static_cast<std::uint64_t>(i));
    }
    const std::uint64_t end = 4096 + 16 * static_cast<std::uint64_t>(variables);
    return netcdf::make_header_around(spec, places, end).length - end;
  };
  EXPECT_LT(length(4200), 5 * length(1000));  // more than 64 KiB of references to one dimension
}

}  // namespace
}  // namespace tailrace::output::testing
