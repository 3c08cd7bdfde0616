// Dimensions, coordinates and meshes of the grids that a file uses.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "cf/layout.hpp"

namespace tailrace::cf {

// The names of dimensions and variables that are taken.
class Names {
 public:
  // Takes the first free name of `wished`, `wished_suffix`, `wished_suffix_2`, ...
  std::string take(const std::string& wished, const std::string& suffix);
  bool is_taken(const std::string& name) const;

 private:
  std::vector<std::string> taken_;
};

// Adds to `layout` what grids need, once for all their variables.
class GridWriter {
 public:
  // `grids` are those of the file's variables, in the order of their first use. Names in `names` are taken.
  GridWriter(DatasetLayout& layout, const plan::DatasetPlan& file, const model::Declarations& declarations,
             Names& names, std::vector<int> grids);

  // Adds the dims; afterwards `dims_of` is valid.
  void add_dims();
  // The same for grids that share each dim by its name, whatever their coordinates. REQUIRES: dims of one
  // name have one extent.
  void share_dims();
  // Adds coordinates and meshes; afterwards `attributes_of` is valid: coordinates, mesh and location of
  // variables on the grid. Call it after the planned variables have their names and indices.
  void add_coordinates();

  // Adds the coordinates in `also_coordinates` of the file: the first of each name that a grid has along a
  // dim of its own.
  void add_further(const std::vector<std::string>& wanted);

  // Adds a scalar coordinate of one variable and returns the name of its variable, which equal coordinates
  // share. Call it after add_coordinates.
  std::string add_scalar(const model::Coordinate& coordinate, const std::string& suffix);

  // For parts of the file that refer to grids, such as meshes.
  Names& names() { return names_; }
  int dim(const std::string& name, std::int64_t size);  // the dim of that name and size, or a new one
  const std::string& dim_name(int number) const { return layout_.dataset.dims[base::index(number)].name; }
  int add_static(output::VariableSpec spec, int field);
  void add_without_data(output::VariableSpec spec);

  const std::vector<int>& dims_of(int grid) const { return dims_.at(grid); }
  const output::Attributes& attributes_of(int grid) const { return attributes_.at(grid); }

 private:
  const model::Grid& grid(int index) const { return declarations_.grids[base::index(index)]; }
  bool conflicts(const std::string& dim) const;
  int dim_of(int grid_index, const std::string& dim) const;
  std::optional<int> dim_before(int grid_index, const std::string& dim) const;
  std::string add_coordinate(int grid_index, const model::Coordinate& coordinate);
  std::string add_described(const model::Coordinate& coordinate, std::vector<int> dims,
                            const std::string& name, const std::string& suffix);
  std::int64_t vertices_of(const model::Coordinate& coordinate) const;
  output::VariableSpec* variable(const std::string& name);
  std::set<std::string> add_formula_terms(int grid_index, const std::map<std::string, std::string>& names);
  std::string add_mapping(int grid_index);
  void place_measure(const std::string& name, const std::vector<std::string>& auxiliary,
                     const output::Attributes& of_grid);
  std::string coordinate_name(int grid_index, const model::Coordinate& coordinate);
  void add_meshes(const std::map<int, std::vector<std::string>>& coordinates);  // names, by grid
  int add_constant(output::VariableSpec spec, const std::vector<double>& values);

  struct Added {
    const model::Coordinate* coordinate;
    std::vector<int> dims;
    std::string name;
  };

  DatasetLayout& layout_;
  const plan::DatasetPlan& file_;
  const model::Declarations& declarations_;
  Names& names_;
  std::vector<int> grids_;
  std::map<int, std::vector<int>> dims_;
  std::map<int, output::Attributes> attributes_;
  std::vector<Added> added_;
  std::vector<std::pair<const model::GridMapping*, std::string>> mappings_;  // and their variables
};

}  // namespace tailrace::cf
