#include "part.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>

namespace igcm::model {
namespace {

using Numbers = std::vector<std::int32_t>;

// Positions of global numbers in a list.
class Lookup {
 public:
  explicit Lookup(const Numbers& numbers) {
    at_.reserve(numbers.size());
    for (std::size_t k = 0; k < numbers.size(); ++k) at_.emplace(numbers[k], static_cast<std::int32_t>(k));
  }
  std::int32_t operator()(std::int32_t number) const {
    const auto found = at_.find(number);
    return found == at_.end() ? -1 : found->second;
  }

 private:
  std::unordered_map<std::int32_t, std::int32_t> at_;
};

template <class Entries>
void make_local(Entries& entries, const Lookup& lookup) {
  for (auto& entry : entries)
    for (std::int32_t& number : entry) number = number < 0 ? -1 : lookup(number);
}

// Neighbours of the vertices from `begin` on that are not in the list are appended, in their global order.
void append_ring(const grid::Sphere& sphere, Numbers& vertices, std::set<std::int32_t>& there,
                 std::size_t begin) {
  const grid::Numbering& numbering = sphere.numbering();
  std::set<std::int32_t> ring;
  for (std::size_t k = begin; k < vertices.size(); ++k) {
    const grid::Surroundings around = numbering.diamonds().around(numbering.place(vertices[k]));
    for (int m = 0; m < around.degree; ++m) {
      const std::int32_t beside = numbering.vertex(around.vertices[m]);
      if (!there.contains(beside)) ring.insert(beside);
    }
  }
  vertices.insert(vertices.end(), ring.begin(), ring.end());
  there.insert(ring.begin(), ring.end());
}

// Edges and cells all of whose vertices are local, from the surroundings of the local vertices; own ones
// first.
void find_edges_and_cells(const grid::Sphere& sphere, const std::set<std::int32_t>& there, Part& part) {
  const grid::Numbering& numbering = sphere.numbering();
  std::set<std::int32_t> edges, cells;
  const auto all_there = [&](const auto& places) {
    return std::ranges::all_of(places, [&](grid::Place p) { return there.contains(numbering.vertex(p)); });
  };
  for (const std::int32_t vertex : part.vertex_numbers) {
    const grid::Surroundings around = numbering.diamonds().around(numbering.place(vertex));
    for (int k = 0; k < around.degree; ++k) {
      if (all_there(numbering.diamonds().ends_of(around.edges[k])))
        edges.insert(numbering.edge(around.edges[k]));
      if (all_there(numbering.diamonds().corners_of(around.cells[k])))
        cells.insert(numbering.cell(around.cells[k]));
    }
  }
  const std::int64_t first = part.vertex_numbers.front(), end = first + part.own_vertices;
  // Own ones in front, in their global order; each owner has `each` of them.
  const auto take = [&](Numbers& numbers, const std::set<std::int32_t>& found, int each) {
    numbers.assign(found.begin(), found.end());
    const auto halo = std::ranges::stable_partition(
        numbers, [&](std::int32_t n) { return n / each >= first && n / each < end; });
    return halo.begin() - numbers.begin();
  };
  part.own_edges = take(part.edge_numbers, edges, 3);
  part.own_cells = take(part.cell_numbers, cells, 2);
}

}  // namespace

Part make_part(const grid::Sphere& sphere, int rank, int ranks, int rings) {
  Part part;
  const std::int64_t rhombi = sphere.numbering().rhombi();
  if (ranks > rhombi)
    throw std::invalid_argument(std::to_string(ranks) + " ranks of the model for " +
                                std::to_string(rhombi + 2) + " hexagons; expected at most " +
                                std::to_string(rhombi) + " ranks, or a finer grid");
  for (int r = 0; r <= ranks; ++r) part.first_of_rank.push_back(rhombi * r / ranks);
  part.first_of_rank.back() += 2;  // the poles
  const std::int64_t first = part.first_of_rank[rank], end = part.first_of_rank[rank + 1];
  for (std::int64_t h = first; h < end; ++h) part.vertex_numbers.push_back(static_cast<std::int32_t>(h));
  part.own_vertices = end - first;
  std::set<std::int32_t> there(part.vertex_numbers.begin(), part.vertex_numbers.end());
  std::size_t begin = 0;
  for (int ring = 0; ring < rings; ++ring) {
    const std::size_t before = part.vertex_numbers.size();
    append_ring(sphere, part.vertex_numbers, there, begin);
    begin = before;
  }
  find_edges_and_cells(sphere, there, part);

  part.grid = sphere.entries(part.cell_numbers, part.edge_numbers, part.vertex_numbers);
  const Lookup vertex(part.vertex_numbers), edge(part.edge_numbers), cell(part.cell_numbers);
  make_local(part.grid.vertex_of_cell, vertex);
  make_local(part.grid.edge_of_cell, edge);
  make_local(part.grid.neighbor_cell_index, cell);
  make_local(part.grid.edge_vertices, vertex);
  make_local(part.grid.adjacent_cell_of_edge, cell);
  make_local(part.grid.vertices_of_vertex, vertex);
  make_local(part.grid.edges_of_vertex, edge);
  make_local(part.grid.cells_of_vertex, cell);
  return part;
}

}  // namespace igcm::model
