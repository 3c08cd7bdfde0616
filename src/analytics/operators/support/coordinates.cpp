#include "analytics/operators/support/coordinates.hpp"

#include "analytics/operators/support/arguments.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::operators {

const DimCoordinate* coordinate_along(const Call& call, const std::vector<Described>& arguments,
                                      const std::string& dim) {
  return arguments.at(0).coordinates.at(place_of(call, dim)).get();
}

DimCoordinate described_as(const DimCoordinate& coordinate, const std::string& dim) {
  DimCoordinate made{
      dim, {}, coordinate.units, coordinate.standard_name, coordinate.long_name, coordinate.attributes};
  if (made.long_name.empty() && made.standard_name.empty()) made.long_name = coordinate.dim;
  return made;
}

DimCoordinate cells_of(const DimCoordinate& coordinate, const std::string& dim,
                       const std::vector<std::int64_t>& indices) {
  DimCoordinate made = described_as(coordinate, dim);
  for (const std::int64_t index : indices) {
    const auto at = base::index(index);
    made.values.push_back(coordinate.values.at(at));
    if (!coordinate.bounds.empty())
      made.bounds.insert(made.bounds.end(), {coordinate.bounds.at(2 * at), coordinate.bounds.at(2 * at + 1)});
  }
  return made;
}

std::vector<double> counted(std::size_t count, double first) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(first + static_cast<double>(i));
  return numbers;
}

}  // namespace tailrace::analytics::operators
