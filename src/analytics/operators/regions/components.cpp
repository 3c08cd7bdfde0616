#include "analytics/operators/regions/components.hpp"

#include <algorithm>

#include "analytics/operators/support/arguments.hpp"
#include "base/index.hpp"

namespace tailrace::analytics::operators::regions {
namespace {

// The names in "x, y" or "x y".
std::vector<std::string> split_names(const std::string& list) {
  std::vector<std::string> names(1);
  for (const char c : list) {
    if (c != ',' && c != ' ')
      names.back() += c;
    else if (!names.back().empty())
      names.emplace_back();
  }
  if (names.back().empty()) names.pop_back();
  return names;
}

}  // namespace

bool inside(double value) { return value == value && value != 0.0; }

Components components_of(std::span<const double> condition, const Topology& topology) {
  Components found{.labels = std::vector<std::int64_t>(condition.size(), 0), .count = 0};
  std::vector<std::int64_t> front;
  for (std::size_t first = 0; first < condition.size(); ++first) {
    if (!inside(condition[first]) || found.labels[first] != 0) continue;
    found.labels[first] = ++found.count;
    front.push_back(static_cast<std::int64_t>(first));
    while (!front.empty()) {
      const std::int64_t cell = front.back();
      front.pop_back();
      topology.neighbours(cell, [&](std::int64_t next, std::size_t, int) {
        const auto i = base::index(next);
        if (!inside(condition[i]) || found.labels[i] != 0) return;
        found.labels[i] = found.count;
        front.push_back(next);
      });
    }
  }
  return found;
}

Topology topology_of(const Call& call) {
  const std::vector<bool> consumed = consumed_dims(call);
  const std::vector<std::string> periodic = split_names(text(call, "periodic", ""));
  const Dims& dims = call.arguments[0].dims;
  for (const std::string& name : periodic)
    if (!consumed[place_of(call, name, "periodic")])
      throw CallProblem(-1, "periodic",
                        "periodic dimension \"" + name + "\" is not a dimension of the regions");
  Topology topology;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    if (!consumed[d]) continue;
    topology.extents.push_back(dims[d].extent);
    topology.periodic.push_back(std::count(periodic.begin(), periodic.end(), dims[d].name) > 0);
  }
  return topology;
}

}  // namespace tailrace::analytics::operators::regions
