// The coordinates of diagnostics: the model's where operators left a dimension as it was, else what the
// operators say of the dimensions that they make.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analytics/dim_coordinate.hpp"
#include "analytics/graph.hpp"
#include "model/declarations.hpp"

namespace tailrace::plan {

// What the model said of an input of the graph.
struct InputOrigin {
  const model::Grid* grid = nullptr;
  std::string standard_name, long_name;
  model::Attributes attributes;
};

// CF 1.2: a coordinate variable, which has the name of its dim, is monotonic. The coordinate of a dim whose
// values are not has this name.
std::string name_if_unordered(const std::string& dim);

analytics::DimCoordinate dim_coordinate_of(
    const model::Coordinate& coordinate);  // of a coordinate of one dim, its own

class DiagnosticCoordinates {
 public:
  // `known`: coordinates by dim, for grids that lack them. All must live longer.
  DiagnosticCoordinates(const analytics::Graph& graph, const std::vector<InputOrigin>& inputs,
                        const std::vector<analytics::DimCoordinate>& known);

  // Whether all dims of the node are dims of the model, with the cells that the model gave them.
  bool as_declared(int node) const;
  // Gives `grid`, which has the dims of `node`, its coordinates; `sources` are the grids of what it is
  // computed from, whose further coordinates, mesh and mapping stay where their dims did.
  void add_coordinates(int node, const std::vector<const model::Grid*>& sources, model::Grid& grid) const;

 private:
  struct DimNote {
    std::shared_ptr<const analytics::DimCoordinate> coordinate;  // null: unknown
    const model::Grid* declared = nullptr;  // whose dim it is, unchanged; null: an operator made it
  };
  // Of a node.
  struct Note {
    std::vector<DimNote> dims;
    analytics::Described described;
    std::string units;  // of the values that `described` names
  };

  const analytics::Node& node(int number) const { return graph_.nodes[static_cast<std::size_t>(number)]; }
  const Note& note(int number) const { return notes_[static_cast<std::size_t>(number)]; }
  Note note_of_input(const analytics::Node& input) const;
  DimNote made_or_passed(const analytics::Node& node, const analytics::Dim& dim) const;
  DimNote passed(const analytics::Node& node, const analytics::Dim& dim) const;
  std::vector<analytics::Described> arguments_of(const analytics::Node& node) const;
  static void name(Note& note, const analytics::Diagnostic& diagnostic);

  const analytics::Graph& graph_;
  const std::vector<InputOrigin>& inputs_;
  const std::vector<analytics::DimCoordinate>& known_;
  std::vector<Note> notes_;  // one a node
};

}  // namespace tailrace::plan
