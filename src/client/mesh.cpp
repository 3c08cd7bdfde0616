#include "client/mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/nearest_name.hpp"
#include "client/readable.hpp"

namespace tailrace::client {
namespace {

constexpr std::int64_t most_nodes_per_face = 65536;
constexpr std::int64_t most_nodes = std::numeric_limits<std::int32_t>::max();  // so are they numbered

template <class... Arguments>
[[noreturn]] void refuse(const MeshArguments& mesh, fmt::format_string<Arguments...> format,
                         Arguments&&... arguments) {
  throw Error(ErrorCode::usage, fmt::format("mesh \"{}\": ", mesh.name) +
                                    fmt::format(format, std::forward<Arguments>(arguments)...));
}

void check_arrays(const MeshArguments& mesh) {
  const auto check = [&](const char* array, auto values) {
    check_readable(fmt::format("mesh \"{}\": {}", mesh.name, array), values);
  };
  check("node_x", mesh.node_x);
  check("node_y", mesh.node_y);
  check("face_nodes", mesh.face_nodes);
  check("node_indices", mesh.node_indices);
}

void check_nodes(const MeshArguments& mesh) {
  if (mesh.node_x.size() != mesh.node_y.size())
    refuse(mesh, "{} values of node_x but {} of node_y", mesh.node_x.size(), mesh.node_y.size());
  if (mesh.in_parts()) {
    if (mesh.node_indices.size() != mesh.node_x.size())
      refuse(mesh, "{} values of node_x but {} node_indices", mesh.node_x.size(), mesh.node_indices.size());
  } else if (!mesh.node_indices.empty()) {
    refuse(mesh, "{} node_indices were given without global_nodes, the number of nodes of the whole mesh",
           mesh.node_indices.size());
  }
  if (mesh.nodes() < 1 || mesh.nodes() > most_nodes)
    refuse(mesh, "it has {} nodes; 1 to {} are possible", mesh.nodes(), most_nodes);
}

// Sorted.
std::vector<std::int64_t> checked_indices(const MeshArguments& mesh) {
  std::vector<std::int64_t> sorted(mesh.node_indices.begin(), mesh.node_indices.end());
  std::sort(sorted.begin(), sorted.end());
  if (!sorted.empty() && (sorted.front() < 0 || sorted.back() >= mesh.global_nodes))
    refuse(mesh, "the index {} of a node is outside {} to {}",
           (sorted.front() < 0 ? sorted.front() : sorted.back()) + mesh.first_index, mesh.first_index,
           mesh.global_nodes - 1 + mesh.first_index);
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) refuse(mesh, "this rank gives the node {} twice", *twice + mesh.first_index);
  return sorted;
}

std::int64_t count_of(const model::Runs& cells) {
  std::int64_t count = 0;
  for (const model::Run& run : cells) count += run.count;
  return count;
}

// The global number of the cell at `place` of this rank.
std::int64_t number_of(const model::Runs& cells, std::int64_t place) {
  for (const model::Run& run : cells) {
    if (place < run.count) return run.start + place;
    place -= run.count;
  }
  base::assertion_failed("place", __FILE__, __LINE__, "a cell of this rank");
}

// The nodes of a row, without the padding at its end.
std::size_t nodes_in(std::span<const std::int32_t> row) {
  std::size_t count = row.size();
  while (count > 0 && row[count - 1] == -1) --count;
  return count;
}

class FaceChecks {
 public:
  FaceChecks(const MeshArguments& mesh, const model::Runs& cells)
      : mesh_(mesh), cells_(cells), given_(checked_indices(mesh)) {}

  void check() {
    const auto width = static_cast<std::size_t>(mesh_.nodes_per_face);
    for (face_ = 0; (face_ + 1) * width <= mesh_.face_nodes.size(); ++face_) {
      const auto row = mesh_.face_nodes.subspan(face_ * width, width);
      for (const std::int32_t node : row) check_number(node);
      const auto nodes = row.first(nodes_in(row));
      if (nodes.size() < 3)
        refuse_face("has {} node{}; a face has at least 3", nodes.size(), nodes.size() == 1 ? "" : "s");
      check_different(nodes);
    }
  }

 private:
  void check_number(std::int32_t node) const {
    if (node < -1 || node >= mesh_.nodes())
      refuse_face("the node number {} is outside {} to {} (or {} for none)", node + first(), first(),
                  mesh_.nodes() - 1 + first(), first() - 1);
    if (mesh_.in_parts() && node >= 0 && !std::binary_search(given_.begin(), given_.end(), node))
      refuse_face("face_nodes refers to the node {}, which is not among the {} nodes given on this rank",
                  node, given_.size());
  }

  void check_different(std::span<const std::int32_t> nodes) {
    sorted_.assign(nodes.begin(), nodes.end());
    std::sort(sorted_.begin(), sorted_.end());
    if (sorted_.front() == -1)
      refuse_face("has a gap, {0}, between its nodes; {0} is expected only behind them", first() - 1);
    const auto twice = std::adjacent_find(sorted_.begin(), sorted_.end());
    if (twice != sorted_.end())
      refuse_face("has the node {} twice; expected different nodes, then {} as padding", *twice + first(),
                  first() - 1);
  }

  template <class... Arguments>
  [[noreturn]] void refuse_face(fmt::format_string<Arguments...> format, Arguments&&... arguments) const {
    refuse(mesh_, "cell {} (counted from {}): {}",
           number_of(cells_, static_cast<std::int64_t>(face_)) + first(), first(),
           fmt::format(format, std::forward<Arguments>(arguments)...));
  }

  // Messages count as the caller does.
  std::int64_t first() const { return mesh_.first_index; }

  const MeshArguments& mesh_;
  const model::Runs& cells_;
  std::vector<std::int64_t> given_;
  std::vector<std::int32_t> sorted_;
  std::size_t face_ = 0;
};

// The centre, the area and the orientation of a face need the places of its nodes.
void check_places(const MeshArguments& mesh) {
  constexpr double pole = 90.0 * (1.0 + 1e-6);  // float32 may round up
  const bool on_sphere = mesh.node_units.empty();
  for (std::size_t i = 0; i < mesh.node_x.size(); ++i) {
    const std::int64_t number =
        (mesh.in_parts() ? mesh.node_indices[i] : static_cast<std::int64_t>(i)) + mesh.first_index;
    const double x = mesh.node_x[i], y = mesh.node_y[i];
    if (!std::isfinite(x) || !std::isfinite(y))
      refuse(mesh, "node {} (counted from {}) is at ({}, {}); expected two finite numbers", number,
             mesh.first_index, x, y);
    if (on_sphere && std::abs(y) > pole)
      refuse(
          mesh,
          "node {} (counted from {}) is at the latitude {}; expected degrees from -90 to 90, or node_units, "
          "such as m, for a plane",
          number, mesh.first_index, y);
  }
}

using Point = std::array<double, 3>;

// The positions of the nodes, by their numbers.
class Nodes {
 public:
  explicit Nodes(const MeshArguments& mesh) : mesh_(mesh) {
    for (std::size_t i = 0; i < mesh.node_indices.size(); ++i) places_.emplace_back(mesh.node_indices[i], i);
    std::sort(places_.begin(), places_.end());
  }

  // The orientation of a polygon: positive if counter-clockwise, 0 if it has no area.
  double turn(std::span<const std::int32_t> polygon) const {
    Point normal{}, centre{};
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const Point a = at(polygon[i]), b = at(polygon[(i + 1) % polygon.size()]);
      for (std::size_t d = 0; d < 3; ++d) {
        const std::size_t e = (d + 1) % 3, f = (d + 2) % 3;
        normal[d] += a[e] * b[f] - a[f] * b[e];
        centre[d] += a[d];
      }
    }
    if (!mesh_.node_units.empty()) return normal[2];
    return normal[0] * centre[0] + normal[1] * centre[1] + normal[2] * centre[2];
  }

 private:
  Point at(std::int64_t number) const {
    auto place = static_cast<std::size_t>(number);
    if (mesh_.in_parts())
      place = std::lower_bound(places_.begin(), places_.end(), std::pair{number, std::size_t{0}})->second;
    const double x = mesh_.node_x[place], y = mesh_.node_y[place];
    if (!mesh_.node_units.empty()) return {x, y, 0.0};
    constexpr double degree = std::numbers::pi / 180.0;
    return {std::cos(y * degree) * std::cos(x * degree), std::cos(y * degree) * std::sin(x * degree),
            std::sin(y * degree)};
  }

  const MeshArguments& mesh_;
  std::vector<std::pair<std::int64_t, std::size_t>> places_;
};

}  // namespace

void check_mesh(const MeshArguments& mesh, const model::Runs& cells) {
  check_arrays(mesh);
  check_nodes(mesh);
  if (mesh.nodes_per_face < 3)
    refuse(mesh, "nodes_per_face is {}; a face has at least 3", mesh.nodes_per_face);
  if (mesh.nodes_per_face > most_nodes_per_face)
    refuse(mesh, "nodes_per_face is {}; at most {} are possible", mesh.nodes_per_face, most_nodes_per_face);
  FaceChecks faces(mesh, cells);
  if (std::ssize(mesh.face_nodes) != count_of(cells) * mesh.nodes_per_face)
    refuse(mesh, "face_nodes has {} values; {} faces on this rank x {} nodes are expected",
           mesh.face_nodes.size(), count_of(cells), mesh.nodes_per_face);
  faces.check();
  check_places(mesh);
}

std::vector<std::int32_t> counter_clockwise(const MeshArguments& mesh) {
  std::vector<std::int32_t> faces(mesh.face_nodes.begin(), mesh.face_nodes.end());
  const Nodes nodes(mesh);
  const auto width = static_cast<std::size_t>(mesh.nodes_per_face);
  for (std::size_t face = 0; face + width <= faces.size(); face += width) {
    const std::span<std::int32_t> row(faces.data() + face, width);
    const std::size_t count = nodes_in(row);
    const auto begin = row.begin(), end = begin + static_cast<std::ptrdiff_t>(count);
    if (nodes.turn(std::span(begin, end)) < 0.0) std::reverse(begin + 1, end);
  }
  return faces;
}

model::MeshElement check_place(const MeshPlaceArguments& place, std::int64_t nodes, const model::Runs& cells,
                               std::int64_t all) {
  static const std::vector<std::string> locations{"edge", "node"};
  const auto refuse_it = [&](const std::string& why) {
    throw Error(ErrorCode::usage, fmt::format("mesh_location of mesh \"{}\": {}", place.mesh, why));
  };
  if (std::ranges::find(locations, place.location) == locations.end())
    refuse_it(fmt::format("the location \"{}\" is unknown.{}", place.location,
                          base::name_hint(place.location, locations)));
  check_readable("mesh_location: edge_nodes", place.edge_nodes);
  if (place.location == "node") {
    if (!place.edge_nodes.empty()) refuse_it("edge_nodes are given, but the location is node");
    if (all != nodes) refuse_it(fmt::format("the grid has {} cells, the mesh {} nodes", all, nodes));
    return model::MeshElement::node;
  }
  if (std::ssize(place.edge_nodes) != 2 * count_of(cells))
    refuse_it(fmt::format("edge_nodes has {} values; {} edges on this rank x 2 nodes are expected",
                          place.edge_nodes.size(), count_of(cells)));
  for (std::size_t edge = 0; 2 * edge < place.edge_nodes.size(); ++edge) {
    const auto ends = place.edge_nodes.subspan(2 * edge, 2);
    const auto refuse_edge = [&](const std::string& why) {
      refuse_it(fmt::format("cell {} (counted from {}): {}",
                            number_of(cells, static_cast<std::int64_t>(edge)) + place.first_index,
                            place.first_index, why));
    };
    for (const std::int32_t node : ends)
      if (node < 0 || node >= nodes)
        refuse_edge(fmt::format("the node number {} is outside {} to {}", node + place.first_index,
                                place.first_index, nodes - 1 + place.first_index));
    if (ends[0] == ends[1])
      refuse_edge(fmt::format("the edge begins and ends at node {}", ends[0] + place.first_index));
  }
  return model::MeshElement::edge;
}

NodeShare node_share(std::int64_t nodes, int rank, int ranks) {
  const std::int64_t begin = nodes * rank / ranks;
  return {begin, nodes * (rank + 1) / ranks - begin};
}

int rank_with_node(std::int64_t node, std::int64_t nodes, int ranks) {
  return static_cast<int>(((node + 1) * ranks - 1) / nodes);
}

CornerNodes::CornerNodes(const MeshArguments& mesh)
    : mesh_(mesh.name), numbers_(mesh.face_nodes.begin(), mesh.face_nodes.end()) {
  std::ranges::sort(numbers_);
  numbers_.erase(std::unique(numbers_.begin(), numbers_.end()), numbers_.end());
  std::erase(numbers_, -1);
  std::vector<std::pair<std::int64_t, std::size_t>> given;
  for (std::size_t i = 0; i < mesh.node_indices.size(); ++i) given.emplace_back(mesh.node_indices[i], i);
  std::ranges::sort(given);
  for (const std::int64_t number : numbers_) {
    auto at = static_cast<std::size_t>(number);
    if (mesh.in_parts()) at = std::ranges::lower_bound(given, std::pair{number, std::size_t{0}})->second;
    x_.push_back(mesh.node_x[at]);
    y_.push_back(mesh.node_y[at]);
  }
}

std::pair<double, double> CornerNodes::place_of(std::int64_t node) const {
  const auto at = base::index(std::ranges::lower_bound(numbers_, node) - numbers_.begin());
  return {x_[at], y_[at]};
}

}  // namespace tailrace::client
