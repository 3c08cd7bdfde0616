// Coordinates of dimensions, and the description of arguments from which operators make new ones.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace tailrace::analytics {

// The coordinate of a dimension.
struct DimCoordinate {
  std::string dim;
  std::vector<double> values;
  std::string units = {};  // empty: unknown
  std::string standard_name = {};
  std::string long_name = {};
  std::map<std::string, std::string> attributes =
      {};                           // those that are valid for any part of it, such as positive
  std::vector<double> bounds = {};  // empty, or a lower and an upper bound for each value
  bool operator==(const DimCoordinate&) const = default;
};

// The description of an argument in addition to its shape.
struct Described {
  std::string standard_name;  // of its values
  std::string long_name;
  std::map<std::string, std::string> attributes;
  // By dimension of the argument; null if it has none.
  std::vector<std::shared_ptr<const DimCoordinate>> coordinates;
};

}  // namespace tailrace::analytics
