#include "plan/diagnostic_coordinates.hpp"

#include <algorithm>
#include <map>

#include "base/index.hpp"
#include "model/axis.hpp"
#include "plan/naming/cell_methods.hpp"

namespace tailrace::plan {
namespace {

using analytics::Described;
using analytics::Dim;
using analytics::DimCoordinate;
using analytics::Node;
using analytics::NodeKind;

const model::Coordinate* own_coordinate(const model::Grid& grid, const std::string& dim) {
  for (const model::Coordinate& coordinate : grid.coordinates)
    if (coordinate.name == dim && coordinate.dims == std::vector{dim} && !coordinate.values.empty())
      return &coordinate;
  return nullptr;
}

// The model's flags and limits do not apply to a part of a coordinate.
std::map<std::string, std::string> lasting(const model::Attributes& attributes) {
  std::map<std::string, std::string> kept;
  for (const char* name : {"axis", "positive"})
    if (std::string text = model::text_of(attributes, name); !text.empty()) kept[name] = std::move(text);
  return kept;
}

bool same_cells(const DimCoordinate& a, const DimCoordinate& b) {
  return a.values == b.values && a.units == b.units;
}

// If arguments with different cells are combined, only the order of cells remains.
std::shared_ptr<const DimCoordinate> indices(const Dim& dim) {
  DimCoordinate coordinate{dim.name, {}, "1", "", "index (the coordinates of what is combined differ)"};
  for (std::int64_t i = 0; i < dim.extent; ++i) coordinate.values.push_back(static_cast<double>(i));
  return std::make_shared<DimCoordinate>(std::move(coordinate));
}

model::Coordinate coordinate_of(const DimCoordinate& source) {
  model::Coordinate coordinate;
  coordinate.name = model::axis_complaint(source.values) ? name_if_unordered(source.dim) : source.dim;
  coordinate.dims = {source.dim};
  coordinate.units = source.units;
  coordinate.standard_name = source.standard_name;
  coordinate.long_name = source.long_name;
  coordinate.attributes = {source.attributes.begin(), source.attributes.end()};
  coordinate.values = source.values;
  coordinate.bounds = source.bounds;
  return coordinate;
}

}  // namespace

std::string name_if_unordered(const std::string& dim) { return dim + "_value"; }

DimCoordinate dim_coordinate_of(const model::Coordinate& coordinate) {
  return {coordinate.name,          coordinate.values,    coordinate.units,
          coordinate.standard_name, coordinate.long_name, lasting(coordinate.attributes),
          coordinate.bounds};
}

DiagnosticCoordinates::DiagnosticCoordinates(const analytics::Graph& graph,
                                             const std::vector<InputOrigin>& inputs,
                                             const std::vector<DimCoordinate>& known)
    : graph_(graph), inputs_(inputs), known_(known) {
  std::map<int, const analytics::Diagnostic*> diagnostics;  // by node, the first
  for (const analytics::Diagnostic& diagnostic : graph.diagnostics)
    diagnostics.try_emplace(diagnostic.node, &diagnostic);
  for (const Node& node : graph.nodes) {
    Note made;
    if (node.kind == NodeKind::input)
      made = note_of_input(node);
    else
      for (const Dim& dim : node.shape.dims) made.dims.push_back(made_or_passed(node, dim));
    for (const DimNote& dim : made.dims) made.described.coordinates.push_back(dim.coordinate);
    const auto found = diagnostics.find(static_cast<int>(notes_.size()));
    if (found != diagnostics.end() && made.described.long_name.empty()) name(made, *found->second);
    notes_.push_back(std::move(made));
  }
}

DiagnosticCoordinates::Note DiagnosticCoordinates::note_of_input(const Node& input) const {
  const InputOrigin& origin = inputs_[base::index(input.input)];
  Note made;
  made.units = input.shape.units.value_or("");
  made.described.standard_name = origin.standard_name;
  made.described.long_name = origin.long_name.empty() ? input.name : origin.long_name;
  made.described.attributes = lasting(origin.attributes);
  for (const Dim& dim : input.shape.dims) {
    DimNote& added = made.dims.emplace_back();
    added.declared = origin.grid;
    if (origin.grid == nullptr) continue;
    if (const model::Coordinate* own = own_coordinate(*origin.grid, dim.name)) {
      added.coordinate = std::make_shared<DimCoordinate>(dim_coordinate_of(*own));
      continue;
    }
    for (const DimCoordinate& coordinate : known_)
      if (coordinate.dim == dim.name && std::ssize(coordinate.values) == dim.extent)
        added.coordinate = std::make_shared<DimCoordinate>(coordinate);
  }
  return made;
}

DiagnosticCoordinates::DimNote DiagnosticCoordinates::made_or_passed(const Node& node, const Dim& dim) const {
  if (node.kind == NodeKind::reduction || node.kind == NodeKind::kernel)
    if (auto made = node.op->coordinate_made(node.call, dim.name, arguments_of(node)))
      return {std::make_shared<DimCoordinate>(std::move(*made)), nullptr};
  return passed(node, dim);
}

// The argument with the most dims, which determines those of the result.
DiagnosticCoordinates::DimNote DiagnosticCoordinates::passed(const Node& node, const Dim& dim) const {
  DimNote found;
  std::size_t most = 0;
  bool declared = true;
  bool differ = false;
  for (const int argument : node.args) {
    const analytics::Dims& dims = this->node(argument).shape.dims;
    const auto place = std::find_if(dims.begin(), dims.end(), [&](const Dim& one) {
      return one.name == dim.name && one.extent == dim.extent;
    });
    if (place == dims.end()) continue;
    const DimNote& one = note(argument).dims[base::index(place - dims.begin())];
    declared = declared && one.declared != nullptr;
    differ =
        differ || (one.coordinate && found.coordinate && !same_cells(*one.coordinate, *found.coordinate));
    if ((one.coordinate && !found.coordinate) ||
        (bool(one.coordinate) == bool(found.coordinate) && dims.size() > most)) {
      found = one;
      most = dims.size();
    }
  }
  if (declared) return found;
  return {differ ? indices(dim) : found.coordinate, nullptr};
}

std::vector<Described> DiagnosticCoordinates::arguments_of(const Node& node) const {
  std::vector<Described> arguments;
  for (std::size_t i = 0; i < node.args.size(); ++i) {
    const Note& of = note(node.args[i]);
    // Names apply only in their units: with_units() may give the same node another meaning.
    const bool named =
        !of.described.long_name.empty() && of.units == node.call.arguments[i].units.value_or("");
    const bool wanted = !named && node.kind == NodeKind::kernel;
    arguments.push_back(
        named ? of.described
              : Described{"", wanted ? text_of(graph_, node.args[i]) : "", {}, of.described.coordinates});
  }
  return arguments;
}

// A name that is not an input may be a diagnostic that others use.
void DiagnosticCoordinates::name(Note& note, const analytics::Diagnostic& diagnostic) {
  note.units = diagnostic.units;
  note.described.standard_name = diagnostic.standard_name;
  note.described.long_name = diagnostic.long_name.empty() ? diagnostic.name : diagnostic.long_name;
}

bool DiagnosticCoordinates::as_declared(int node) const {
  const auto& dims = note(node).dims;
  return std::all_of(dims.begin(), dims.end(), [](const DimNote& dim) { return dim.declared != nullptr; });
}

void DiagnosticCoordinates::add_coordinates(int node, const std::vector<const model::Grid*>& sources,
                                            model::Grid& grid) const {
  const std::vector<DimNote>& dims = note(node).dims;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    const model::Coordinate* own =
        dims[d].declared != nullptr ? own_coordinate(*dims[d].declared, grid.dims[d]) : nullptr;
    if (own != nullptr) grid.coordinates.push_back(*own);
    if (dims[d].declared == nullptr && dims[d].coordinate)
      grid.coordinates.push_back(coordinate_of(*dims[d].coordinate));
  }
  const auto stays = [&](const model::Grid& from, const std::string& dim) {
    const auto here = std::find(grid.dims.begin(), grid.dims.end(), dim);
    const auto there = std::find(from.dims.begin(), from.dims.end(), dim);
    if (here == grid.dims.end() || there == from.dims.end()) return false;
    const auto place = base::index(here - grid.dims.begin());
    return dims[place].declared != nullptr &&
           grid.shape[place] == from.shape[base::index(there - from.dims.begin())];
  };
  for (const model::Grid* source : sources)
    for (const model::Coordinate& coordinate : source->coordinates) {
      const bool known = std::any_of(grid.coordinates.begin(), grid.coordinates.end(),
                                     [&](const auto& there) { return there.name == coordinate.name; });
      const bool fits = std::all_of(coordinate.dims.begin(), coordinate.dims.end(),
                                    [&](const std::string& dim) { return stays(*source, dim); });
      const bool has_values = !coordinate.values.empty() || coordinate.field;
      if (!known && fits && has_values) grid.coordinates.push_back(coordinate);
    }
  for (const model::Grid* source : sources) {
    if (!grid.mapping && source->mapping && std::ranges::any_of(grid.coordinates, is_horizontal))
      grid.mapping = source->mapping;
    if (grid.mesh || grid.place || (!source->mesh && !source->place) || !stays(*source, source->indexed_dim))
      continue;
    grid.indexed_dim = source->indexed_dim;
    grid.mesh = source->mesh;
    grid.place = source->place;
  }
}

}  // namespace tailrace::plan
