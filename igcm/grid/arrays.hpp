// The arrays of a grid by name, for those who treat them alike: the view from C and Fortran, and files.
#pragma once

#include <string_view>
#include <type_traits>

#include "grid.hpp"

namespace igcm::grid {

template <class T>
struct Flat {
  T* data = nullptr;
  std::int64_t length = 0;  ///< entries
  std::int64_t width = 1;   ///< numbers of an entry
};

template <class Number, class Entry>
auto flat(std::vector<Entry>& array) {
  return Flat<Number>{reinterpret_cast<Number*>(array.data()), static_cast<std::int64_t>(array.size()),
                      static_cast<std::int64_t>(sizeof(Entry) / sizeof(Number))};
}

/// Calls visit(name, where, flat array) for every array; where is 'c' (cells), 'e' (edges) or 'v' (vertices).
template <class Visit>
void for_each_array(Grid& g, const Visit& visit) {
  const auto integers = [&](const char* name, char where, auto& array) {
    visit(name, where, flat<std::int32_t>(array));
  };
  const auto signs = [&](const char* name, char where, auto& array) {
    visit(name, where, flat<std::int8_t>(array));
  };
  const auto reals = [&](const char* name, char where, auto& array) {
    visit(name, where, flat<double>(array));
  };
  integers("vertex_of_cell", 'c', g.vertex_of_cell);
  integers("edge_of_cell", 'c', g.edge_of_cell);
  integers("neighbor_cell_index", 'c', g.neighbor_cell_index);
  signs("orientation_of_normal", 'c', g.orientation_of_normal);
  reals("cell_centre", 'c', g.cell_centre);
  reals("cell_area", 'c', g.cell_area);
  reals("kite_area", 'c', g.kite_area);
  integers("edge_vertices", 'e', g.edge_vertices);
  integers("adjacent_cell_of_edge", 'e', g.adjacent_cell_of_edge);
  reals("edge_point", 'e', g.edge_point);
  reals("primal_normal", 'e', g.primal_normal);
  reals("dual_normal", 'e', g.dual_normal);
  reals("edge_length", 'e', g.edge_length);
  reals("dual_edge_length", 'e', g.dual_edge_length);
  signs("degree", 'v', g.degree);
  integers("vertices_of_vertex", 'v', g.vertices_of_vertex);
  integers("edges_of_vertex", 'v', g.edges_of_vertex);
  integers("cells_of_vertex", 'v', g.cells_of_vertex);
  signs("edge_orientation", 'v', g.edge_orientation);
  reals("vertex", 'v', g.vertex);
  reals("dual_area", 'v', g.dual_area);
}

/// Gives the arrays their lengths.
void resize_arrays(Grid& grid, std::int64_t cells, std::int64_t edges, std::int64_t vertices);

/// The array of that name and type of number; no data if there is none.
template <class Number>
Flat<Number> array_named(Grid& grid, std::string_view name) {
  Flat<Number> found;
  for_each_array(grid, [&](const char* own, char, auto array) {
    if constexpr (std::is_same_v<decltype(array), Flat<Number>>)
      if (name == own) found = array;
  });
  return found;
}

}  // namespace igcm::grid
