// Reads a small NetCDF-4 file of another program as a whole.
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
  std::vector<std::string> dims;  // slowest first; without the dim of the characters of texts
  std::vector<std::int64_t> shape;
  std::map<std::string, std::string> attributes;  // those that are text
  std::optional<double> fill_value;               // _FillValue
  // In C order. Both are empty for a type that is neither a number nor text.
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
