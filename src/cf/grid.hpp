// Dimensions, coordinates and meshes of the grids that a file uses.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cf/layout.hpp"

namespace tailrace::cf {

// Where the name of a dimension or variable may still be free.
class Names {
 public:
  // The first of `wished`, `wished_suffix`, `wished_suffix_2`, ... that nobody took; takes it.
  std::string take(const std::string& wished, const std::string& suffix);
  bool is_taken(const std::string& name) const;

 private:
  std::vector<std::string> taken_;
};

// Adds to `layout` what grids need, once for all variables on them.
class GridWriter {
 public:
  // `grids`: those that variables of the file lie on, in the order of their first use. Names in `names` are
  // taken.
  GridWriter(FileLayout& layout, const plan::FilePlan& file, const model::Declarations& declarations,
             Names& names, std::vector<int> grids);

  // Adds the dims; then `dims_of` holds.
  void add_dims();
  // Adds coordinates and meshes; then `attributes_of` holds: coordinates, mesh and location of variables on
  // the grid. Call it after the planned variables took their names and places.
  void add_coordinates();

  const std::vector<int>& dims_of(int grid) const { return dims_.at(grid); }
  const output::Attributes& attributes_of(int grid) const { return attributes_.at(grid); }

 private:
  const model::Grid& grid(int index) const { return declarations_.grids[static_cast<std::size_t>(index)]; }
  bool conflicts(const std::string& dim) const;
  int dim(const std::string& name, std::int64_t size);
  int dim_of(int grid_index, const std::string& dim) const;
  std::optional<int> dim_before(int grid_index, const std::string& dim) const;
  std::string add_coordinate(int grid_index, const model::Coordinate& coordinate);
  std::string coordinate_name(int grid_index, const model::Coordinate& coordinate, bool is_axis);
  void add_mesh(int grid_index, const std::vector<std::string>& face_coordinates);
  int add_constant(output::VariableSpec spec, const std::vector<double>& values);
  int add_static(output::VariableSpec spec, int field);

  struct Added {
    const model::Coordinate* coordinate;
    std::vector<int> dims;
    std::string name;
  };

  FileLayout& layout_;
  const plan::FilePlan& file_;
  const model::Declarations& declarations_;
  Names& names_;
  std::vector<int> grids_;
  std::map<int, std::vector<int>> dims_;
  std::map<int, output::Attributes> attributes_;
  std::vector<Added> added_;
  std::map<std::string, std::string> meshes_;  // grid and mesh → name of the topology variable
};

}  // namespace tailrace::cf
