// The coordinates of diagnostics: those of the model for dimensions that operators leave unchanged, otherwise
// those that the operators give to their dimensions.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analytics/dim_coordinate.hpp"
#include "analytics/graph.hpp"
#include "base/index.hpp"
#include "model/declarations.hpp"

namespace tailrace::plan {

// The declarations of an input of the graph.
struct InputOrigin {
  const model::Grid* grid = nullptr;
  std::string standard_name, long_name;
  model::Attributes attributes;
};

// A coordinate variable, which has the name of its dim, must be monotonic (CF 1.2). A coordinate that is not
// monotonic gets this name instead.
std::string name_if_unordered(const std::string& dim);

analytics::DimCoordinate dim_coordinate_of(
    const model::Coordinate& coordinate);  // of a coordinate of one dim, its own

class DiagnosticCoordinates {
 public:
  // `known` are coordinates by dim, for grids that lack them. All arguments must live longer.
  DiagnosticCoordinates(const analytics::Graph& graph, const std::vector<InputOrigin>& inputs,
                        const std::vector<analytics::DimCoordinate>& known);

  // True if all dims of the node are unchanged dims of the model.
  bool as_declared(int node) const;
  // Adds coordinates to `grid`, which has the dims of `node`. `sources` are the grids of the fields from
  // which it is computed: their other coordinates, mesh and mapping are kept if their dims are unchanged.
  void add_coordinates(int node, const std::vector<const model::Grid*>& sources, model::Grid& grid) const;

 private:
  struct DimNote {
    std::shared_ptr<const analytics::DimCoordinate> coordinate;  // null: unknown
    const model::Grid* declared = nullptr;  // the grid of the unchanged dim; null: an operator made it
  };
  // The note on a node.
  struct Note {
    std::vector<DimNote> dims;
    analytics::Described described;
    std::string units;  // of the values that `described` names
  };

  const analytics::Node& node(int number) const { return graph_.nodes[base::index(number)]; }
  const Note& note(int number) const { return notes_[base::index(number)]; }
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
