#include "client/mesh.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
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
    refuse(mesh, "the index {} of a node is outside 0 to {}",
           sorted.front() < 0 ? sorted.front() : sorted.back(), mesh.global_nodes - 1);
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) refuse(mesh, "this rank gives the node {} twice", *twice);
  return sorted;
}

void check_faces(const MeshArguments& mesh, const std::vector<std::int64_t>& given) {
  for (const std::int32_t node : mesh.face_nodes) {
    if (node < -1 || node >= mesh.nodes())
      refuse(mesh, "the node number {} is outside 0 to {} (or -1 for none)", node, mesh.nodes() - 1);
    if (mesh.in_parts() && node >= 0 && !std::binary_search(given.begin(), given.end(), node))
      refuse(mesh, "face_nodes refers to the node {}, which is not among the {} nodes given on this rank",
             node, given.size());
  }
}

}  // namespace

void check_mesh(const MeshArguments& mesh, std::int64_t faces) {
  check_arrays(mesh);
  check_nodes(mesh);
  if (mesh.nodes_per_face < 3)
    refuse(mesh, "nodes_per_face is {}; a face has at least 3", mesh.nodes_per_face);
  if (mesh.nodes_per_face > most_nodes_per_face)
    refuse(mesh, "nodes_per_face is {}; at most {} are possible", mesh.nodes_per_face, most_nodes_per_face);
  check_faces(mesh, checked_indices(mesh));
  if (std::ssize(mesh.face_nodes) != faces * mesh.nodes_per_face)
    refuse(mesh, "face_nodes has {} values; {} faces on this rank x {} nodes are expected",
           mesh.face_nodes.size(), faces, mesh.nodes_per_face);
}

NodeShare node_share(std::int64_t nodes, int rank, int ranks) {
  const std::int64_t begin = nodes * rank / ranks;
  return {begin, nodes * (rank + 1) / ranks - begin};
}

int rank_with_node(std::int64_t node, std::int64_t nodes, int ranks) {
  return static_cast<int>(((node + 1) * ranks - 1) / nodes);
}

}  // namespace tailrace::client
