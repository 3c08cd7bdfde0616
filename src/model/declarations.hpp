// All that one component of a coupled run has declared before it calls `ready`. The names in the
// configuration refer to these declarations. Clients build them, the component's first rank checks them, and
// every client and server gets them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "model/attributes.hpp"
#include "model/data_type.hpp"
#include "model/regions.hpp"

namespace tailrace::model {

// The values are part of messages: do not renumber.
enum class GridKind : std::uint8_t {
  replicated = 0,  // every rank has the whole; the component's first rank sends it (scalars: no dimensions)
  block = 1,       // global shape, offset, count
  indexed = 2,     // one dimension is a list of global indices
  partial = 3,     // every rank has a contribution of the full shape, to be reduced over the ranks
};

// Values of a coordinate that readers stumble over, counted over all ranks.
struct OddValues {
  std::int64_t missing = 0;  // NaN
  std::int64_t infinite = 0;
  std::int64_t beyond_poles = 0;  // of a latitude in degrees
  double example = 0.0;           // the first that is infinite or beyond the poles

  void add(const OddValues& other);
};

// A coordinate of a grid. `dims` is a subset of the grid's dims, in the grid's order; without dims, one value
// applies to all cells.
struct Coordinate {
  std::string name;
  std::vector<std::string> dims;
  std::string units;
  std::string standard_name;
  std::string long_name;
  Attributes attributes;       // further ones, such as axis or positive
  std::vector<double> values;  // all of them, C order; may be empty if `field` delivers them
  std::vector<double> bounds;  // none, or the vertices of each value (two for a dimension coordinate)
  std::optional<int> field;    // index of the static field whose blocks hold the values (decomposed dims)
  std::optional<int> bounds_field =
      {};                    // index of that with the bounds; its last dim is that of the vertices
  std::string measure = {};  // `area`, `volume`: the size of cells (CF 7.2), not their position
  std::uint64_t digest = 0;  // of all values and bounds, however the ranks share them; 0: not known (yet)
  OddValues odd = {};        // set in `ready`
};

// Topology of an unstructured (indexed) grid; UGRID 1.0.
struct Mesh {
  std::string name;                 // of the UGRID mesh variable
  std::int64_t nodes = 0;           // of the whole mesh
  int node_x_field = -1;            // static field (node) of float64: each rank has an equal share of the
  int node_y_field = -1;            // nodes, whichever it gave
  std::string node_units = {};      // of both, in a plane; empty: degrees east and north
  bool in_parts = false;            // no rank gave all nodes
  std::uint64_t nodes_digest = 0;   // unless in parts: of the nodes, of which all ranks gave the same
  std::int64_t nodes_per_face = 0;  // width of the connectivity; rows of faces with fewer nodes end in -1
  int connectivity_field = -1;      // static field (face, nodes_per_face) of int32, 0-based node numbers
};

// How the coordinates of a grid lie on the Earth (CF 5.6).
struct GridMapping {
  std::string name;       // of its variable
  Attributes attributes;  // grid_mapping_name and its parameters
};

enum class MeshElement : std::uint8_t { face = 0, edge = 1, node = 2 };

// For a grid whose cells are the edges or nodes of another grid's mesh.
struct MeshPlace {
  int grid = -1;  // with the mesh
  MeshElement element = MeshElement::node;
  int connectivity_field = -1;  // of edges: static field (edge, 2) of int32
};

struct Grid {
  std::string name;
  GridKind kind = GridKind::replicated;
  std::vector<std::string> dims;    // slowest first
  std::vector<std::int64_t> shape;  // global extents
  std::string indexed_dim;          // of an indexed grid: the dim whose cells are listed
  std::vector<Coordinate> coordinates;
  std::optional<Mesh> mesh;
  std::optional<MeshPlace> place = {};
  std::optional<GridMapping> mapping = {};
  // Cells that no rank holds are missing, by the configuration (`holes: missing`); not part of messages.
  bool holes_are_missing = false;

  std::int64_t size() const;
};

struct Field {
  std::string name;  // may carry a namespace: scalar.vwp
  int grid = -1;     // index into Declarations::grids
  DataType type = DataType::float64;
  std::string units;
  std::string standard_name;
  std::string long_name;
  Attributes attributes;
  std::optional<FillValue> fill_value;       // marks a missing value; NaN: every NaN does
  std::vector<Coordinate> coordinates = {};  // besides those of its grid: without dims
  bool is_static = false;                    // Tailrace puts it once, in `ready` (coordinates, connectivity)
  bool is_input = false;     // the model gets it, of files that the servers read (the section `input`)
  bool is_optional = false;  // of an input: the configuration need not provide it
  // Its fill value is that of a mask or of holes of the grid, by the configuration: the same cells are
  // missing at all times. Not part of messages.
  bool is_only_masked = false;

  bool is_put() const { return !is_static && !is_input; }  // by the model
};

// The cells of stations, if the ranks had to search for them together since none has all coordinates.
struct FoundCells {
  std::string file;  // the file under `output` that has the stations
  std::vector<std::int64_t>
      fields;  // the static fields of the two coordinates; -1 for one that all ranks have
  std::vector<std::int64_t> cells;  // one for each station, in C order over the dims of the coordinates
  std::vector<double> reach;        // the least and the largest value of each coordinate
};

struct Declarations {
  std::string component;
  std::map<std::string, std::string> options;
  std::vector<Grid> grids;
  std::vector<Field> fields;
  std::optional<std::vector<FoundCells>> found_cells = {};  // none: not yet searched
  Attributes attributes = {};                               // of all files of the component

  std::optional<int> find_field(const std::string& name) const;
  std::optional<int> find_grid(const std::string& name) const;
  std::vector<std::string> field_names() const;  // of those that the model puts
  std::vector<std::string> input_names() const;
  std::vector<std::string> grid_names() const;

  bool operator==(const Declarations&) const;  // compares them as messages, so exactly
  std::vector<std::byte> to_bytes() const;
  static Declarations from_bytes(std::span<const std::byte> bytes);
};

// A part of the decomposition besides the first block of each rank.
struct FurtherPart {
  int rank = 0;          // whose server has it
  bool is_hole = false;  // cells that no rank holds (with_holes)
  bool operator==(const FurtherPart&) const = default;
};

// The cells of each part: regions[grid][part]. The parts are the first block of each rank of the component,
// by rank, and then further ones.
struct Decomposition {
  std::vector<Regions> regions;
  std::vector<FurtherPart> further = {};

  std::size_t parts() const { return regions.empty() ? 0 : regions.front().size(); }
  std::size_t ranks() const { return parts() - further.size(); }
  int rank_of(int part) const {
    const auto at = static_cast<std::size_t>(part);
    return at < ranks() ? part : further[at - ranks()].rank;
  }
  bool is_hole(int part) const {
    const auto at = static_cast<std::size_t>(part);
    return at >= ranks() && further[at - ranks()].is_hole;
  }

  std::vector<std::byte> to_bytes() const;
  static Decomposition from_bytes(std::span<const std::byte> bytes);
};

// Checks that the blocks of every block or indexed grid cover each cell exactly once, or at most once where
// holes are missing. Throws Error(usage) that names the grid, the ranks and the cells that overlap or are
// missing. REQUIRES: no part is a hole yet.
void check_cover(const Declarations& declarations, const Decomposition& decomposition);

}  // namespace tailrace::model
