// A small file of NetCDF-4 that others made, as a whole: its variables with what readers need of them.
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
  std::vector<std::string> dims;  // slowest first; without that of the characters of texts
  std::vector<std::int64_t> shape;
  std::map<std::string, std::string> attributes;  // those that are text
  std::optional<double> fill_value;               // _FillValue
  // In C order; one of them, or none for types that are neither numbers nor text.
  std::vector<double> numbers;
  std::vector<std::string> texts;
};

// By the first bytes: NetCDF-4, or one of the forms before, which nothing here reads.
bool is_netcdf4(std::string_view bytes);
bool is_classic_netcdf(std::string_view bytes);

// Of the root group of a file, whose bytes these are, in the order of their names. Throws Error(resource).
std::vector<PlainVariable> variables_of(std::string_view bytes);

}  // namespace tailrace::output::netcdf
