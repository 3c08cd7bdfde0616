// Coordinates of dimensions, and what operators are told of their arguments to make new ones.
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
  std::map<std::string, std::string> attributes = {};  // those that hold for any part: coordinate, positive
  std::vector<double> bounds = {};                     // none, or a lower and an upper one for each value
  bool operator==(const DimCoordinate&) const = default;
};

// An argument, besides its shape.
struct Described {
  std::string standard_name;  // of its values
  std::string long_name;
  std::map<std::string, std::string> attributes;
  std::vector<std::shared_ptr<const DimCoordinate>>
      coordinates;  // of each of its dimensions; null where there is none
};

}  // namespace tailrace::analytics
