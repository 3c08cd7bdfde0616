// Collects the declarations of the model before `ready`, separately on each rank.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/index.hpp"
#include "client/attributes.hpp"
#include "client/coordinate.hpp"
#include "client/grid.hpp"
#include "client/healpix.hpp"
#include "client/mesh.hpp"
#include "model/declarations.hpp"

namespace tailrace::client {

// The values of a static field, sent once, before the first step.
struct StaticValues {
  int field = -1;
  std::vector<std::byte> bytes;
};

// The values of a coordinate as a rank gave them, until all ranks have agreed whether they gave the whole, or
// each its part.
struct GivenCoordinate {
  std::size_t grid = 0, coordinate = 0;  // index of the grid, and of the coordinate in it
  CoordinateForm form;
  std::vector<double> values, bounds;
  std::size_t vertices = 0;  // bounds of each value; 0: none, or not known on a rank without values
  bool computed_bounds = false;

  bool has_values() const { return !values.empty(); }
};

// A wrong call throws Error(usage), with names and sizes. All calls are local: `ready` checks together all
// properties that concern several ranks (blocks cover a grid, all ranks declare the same), so declaring
// costs no message and its calls need not be collective. Regions are stored as ranges, never as an index for
// each cell of the whole grid.
class Declarer {
 public:
  // `rank`: one of the `ranks` of the component. The first rank supplies the values on replicated grids, and
  // each rank hands over its share of the nodes of meshes.
  Declarer(std::string component, int rank, int ranks);

  // Options that the configuration mentions and that have a value already. The model may give `member`
  // another.
  void give_options(const std::map<std::string, std::string>& options);
  void option(const std::string& name, const std::string& value);
  void grid(const GridArguments& grid);
  // Declares a further block of this rank, directly after the grid and its blocks. Values of the rank are
  // those of all its blocks, one after the other.
  void add_block(const std::string& grid, const std::vector<std::int64_t>& offset,
                 const std::vector<std::int64_t>& count);
  // `values`: of the whole grid or of this rank's part; their number shows which. `grid`: a grid, or a
  // field, which then has this one value as a coordinate of its own.
  void coordinate(const std::string& grid, model::Coordinate coordinate, std::span<const double> values,
                  const CoordinateExtras& extras = {});
  void grid_mapping(const std::string& grid, model::GridMapping mapping);
  // A grid of HEALPix cells with their numbers as a coordinate, and its grid mapping.
  void healpix_grid(const HealpixArguments& healpix);
  void mesh(const std::string& grid, const MeshArguments& mesh);
  void mesh_location(const std::string& grid, const MeshPlaceArguments& place);
  // See client/attributes.hpp.
  void set_attribute(const std::string& field, const std::string& name, const model::AttributeValue& value) {
    client::set_attribute(declarations_, field, name, value);
  }
  int field(const std::string& grid, model::Field field);  // empty grid: scalar; returns the field's index
  // Declares a field that the model gets from files. Names of inputs and of other fields differ.
  int input(const std::string& grid, model::Field field);
  // Gives the field a second name. A put supplies both, each wherever it is wanted. `grid`: index of a grid
  // with the same cells.
  void add_namesake(int field, const std::string& name, int grid);
  void move_field(int field, int grid) { declarations_.fields[base::index(field)].grid = grid; }

  // The coordinates of grids as they were given, in the order of the calls; empty after settle_coordinates().
  const std::vector<GivenCoordinate>& given_coordinates() const { return given_coordinates_; }
  // Ends the declarations: gives the coordinates their values, or the static fields that deliver them, behind
  // all other fields. `agreed`: by coordinate, what all ranks mean, with exactly one form; of a whole one
  // that this rank lacks also the values and bounds, and of parts the vertices. Throws Error(usage) for
  // computed bounds of parts.
  void settle_coordinates(std::vector<GivenCoordinate> agreed);
  // The same without other ranks: what may be the whole is the whole.
  void settle_coordinates();

  // Complete after settle_coordinates(); before, coordinates have no values.
  const model::Declarations& declarations() const { return declarations_; }
  // The regions that this rank hands over, by grid: those of its first blocks.
  const std::vector<model::Region>& regions() const { return regions_; }
  // The same for all blocks of a grid, in their order.
  std::vector<model::Region> blocks(std::size_t grid) const;
  std::size_t most_blocks() const;             // of a grid
  std::int64_t cells(std::size_t grid) const;  // of all blocks
  // The shapes of the arrays that this rank puts, by grid; with several blocks, the number of their cells.
  const std::vector<std::vector<std::int64_t>>& local_shapes() const { return local_shapes_; }
  const std::vector<std::vector<int>>& namesakes() const { return namesakes_; }  // by field; may be shorter
  const std::vector<StaticValues>& statics() const { return statics_; }
  const std::vector<GivenNodes>& given_nodes() const { return given_nodes_; }  // of meshes in parts
  // The nodes of this rank's faces, which are kept until forget_corner_nodes().
  const CornerNodes& corner_nodes(const std::string& mesh) const;
  void forget_corner_nodes() { corner_nodes_ = {}; }

 private:
  struct Named {  // the names of one kind that the model has declared so far
    int count = 0;
    std::string last;
  };
  static void check_next_name(const std::string& kind, const std::string& name, Named& before);
  int find_grid(const std::string& name) const;
  void coordinate_of_field(const std::string& name, model::Coordinate coordinate,
                           std::span<const double> values, const CoordinateExtras& extras);
  int add_grid(model::Grid grid, model::Region region, std::vector<std::int64_t> local_shape);
  int part_of_grid(int grid, const std::vector<std::string>& dims);
  int place_field(const std::string& grid, model::Field field);
  int add_field(model::Field field);
  // The same without the blocks that another rank, or another block, hands over.
  std::vector<double> handed_over(int whole, const std::vector<std::string>& dims,
                                  std::span<const double> values) const;
  std::vector<std::vector<std::int64_t>> shapes_of_blocks(std::size_t grid) const;
  int add_static(int grid, const std::string& name, model::DataType type);
  void give_static(int field, std::vector<std::byte> bytes);
  int add_values(int grid, const std::string& name, std::span<const double> values);
  int add_numbers(int grid, const std::string& name, std::span<const double> values);  // as int64
  int add_bounds(int part, const std::string& coordinate, const GivenCoordinate& given);
  std::size_t indexed_place(std::size_t grid) const;
  // `width`: number of nodes for each cell along the indexed dimension.
  int add_connectivity(std::size_t grid, const std::string& name, std::int64_t width,
                       std::span<const std::int32_t> nodes);
  model::Mesh add_nodes(int grid, const MeshArguments& mesh);

  int rank_, ranks_;
  Named grids_, fields_, inputs_;
  model::Declarations declarations_;
  std::map<std::string, std::string> given_options_;  // that the model has not replaced
  std::unordered_set<std::string> known_fields_;
  std::vector<model::Region> regions_;
  std::map<std::size_t, std::vector<model::Region>> further_blocks_;  // by grid
  std::vector<std::vector<std::int64_t>> local_shapes_;
  std::vector<std::vector<int>> namesakes_;
  std::vector<StaticValues> statics_;
  std::vector<GivenNodes> given_nodes_;
  std::vector<CornerNodes> corner_nodes_;
  std::vector<GivenCoordinate> given_coordinates_;
};

}  // namespace tailrace::client
