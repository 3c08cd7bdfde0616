// Reads a small NetCDF-4 file of another program as a whole, such as a table of station positions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tailrace::output::netcdf {

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

// Tell by the first bytes whether a file is NetCDF-4 or a classic NetCDF file, which cannot be read here.
bool is_netcdf4(std::string_view bytes);
bool is_classic_netcdf(std::string_view bytes);

// The variables in the root group of a file with these contents, in the order of their names. Throws
// Error(resource).
std::vector<PlainVariable> variables_of(std::string_view bytes);

}  // namespace tailrace::output::netcdf
