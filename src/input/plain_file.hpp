// Reads a small NetCDF-4 file of another program as a whole, such as a table of station positions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tailrace::input {

struct PlainVariable {
  std::string name;
  std::vector<std::string> dims;  // slowest first; without the dimension of the characters of texts
  std::vector<std::int64_t> shape;
  std::map<std::string, std::string> attributes;  // text attributes only
  std::optional<double> fill_value;               // _FillValue
  // The values in C order, in one of the two; both are empty for other types.
  std::vector<double> numbers;
  std::vector<std::string> texts;
};

// Both look at the first bytes. Classic NetCDF is recognised so that errors can name it; it cannot be read.
bool is_netcdf4(std::string_view bytes);
bool is_classic_netcdf(std::string_view bytes);

// The variables of the root group, sorted by name. `bytes`: the whole file. Takes HDF5's lock. Throws
// Error(resource).
std::vector<PlainVariable> variables_of(std::string_view bytes);

}  // namespace tailrace::input
