#include "analytics/operators/support/axes.hpp"

#include "analytics/operators/support/arguments.hpp"

namespace tailrace::analytics::operators {

const Axis* axis_along(const Call& call, const std::vector<Described>& arguments, const std::string& dim) {
  return arguments.at(0).axes.at(place_of(call, dim)).get();
}

Axis described_as(const Axis& axis, const std::string& dim) {
  Axis made{dim, {}, axis.units, axis.standard_name, axis.long_name, axis.attributes};
  if (made.long_name.empty() && made.standard_name.empty()) made.long_name = axis.dim;
  return made;
}

Axis cells_of(const Axis& axis, const std::string& dim, const std::vector<std::int64_t>& indices) {
  Axis made = described_as(axis, dim);
  for (const std::int64_t index : indices) {
    const auto at = static_cast<std::size_t>(index);
    made.values.push_back(axis.values.at(at));
    if (!axis.bounds.empty())
      made.bounds.insert(made.bounds.end(), {axis.bounds.at(2 * at), axis.bounds.at(2 * at + 1)});
  }
  return made;
}

std::vector<double> counted(std::size_t count, double first) {
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(first + static_cast<double>(i));
  return numbers;
}

}  // namespace tailrace::analytics::operators
