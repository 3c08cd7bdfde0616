// Pairs of fields that are the components of a vector along the dims of their grid (`vectors` of `regrid`).
//
// True east and north differ from cell to cell, and near a pole by much, so means of them are not those of
// the vector. Therefore a diagnostic makes its three components along the axes of the Earth, along a dim of
// their own; these are regridded, and each target cell makes true east and north of them (Projection).
//
// With the angle a from east to the x direction, anticlockwise (CF: angle_of_rotation_from_east_to_x):
// e = u cos a - v sin a, n = u sin a + v cos a; with the latitude p and the longitude l:
// x = -e sin l - n sin p cos l, y = e cos l - n sin p sin l, z = n cos p.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "config/problems.hpp"
#include "model/declarations.hpp"
#include "plan/projection.hpp"
#include "settings/configuration.hpp"

namespace tailrace::plan {

// The dim of the three components along the axes of the Earth.
inline constexpr const char* vector_dim = "vector_component";

// A coordinate of a grid as an input of expressions, by a name that stands for no other.
struct NamedCoordinate {
  std::string name;
  int grid = -1;
  model::Coordinate coordinate;  // with all values, or with the static field that has them
};

class Vectors {
 public:
  // Adds what is wrong with pairs to `problems`. The arguments must live longer.
  Vectors(const settings::Configuration& configuration, const model::Declarations& declarations,
          config::Problems& problems);
  Vectors(const Vectors&) = delete;  // configuration() may be inside

  // The one given; with diagnostics for the pairs if anything is rotated.
  const settings::Configuration& configuration() const { return own_ ? *own_ : given_; }
  // Those that such diagnostics name; also the axes of the Earth, along vector_dim.
  const std::vector<NamedCoordinate>& coordinates() const { return coordinates_; }

  struct Component {
    std::string diagnostic;  // with the vector, which is regridded in place of the field
    Projection projection = Projection::east;
    std::string standard_name;  // of the component along true east or north; empty: none is known
  };
  // None: the variable's `regrid` names no pair with the field.
  std::optional<Component> find(const settings::VariableEntry& entry, const std::string& field) const;

 private:
  struct Pair {
    std::string east, north;
    Component to_east, to_north;
  };
  void add(const regrid::VectorPair& pair, const regrid::Options& options);
  std::optional<std::array<const model::Field*, 2>> fields_of(const regrid::VectorPair& pair,
                                                              const std::string& path);
  // How these are called in expressions; none, with a problem, if the grid has none.
  std::optional<std::string> angle_of(int grid, const regrid::VectorPair& pair, const std::string& path);
  std::optional<std::string> place_of(int grid, bool is_lat, const regrid::VectorPair& pair,
                                      const std::string& path);
  std::optional<std::string> angle_field(int grid) const;
  std::string name_of(const std::string& what, int grid, const model::Coordinate& coordinate);
  void add_diagnostic(const std::string& name, const std::string& is, const config::Location& where);

  const settings::Configuration& given_;
  const model::Declarations& declarations_;
  config::Problems& problems_;
  std::optional<settings::Configuration> own_;
  std::vector<NamedCoordinate> coordinates_;
  std::vector<Pair> pairs_;
};

// The standard name of a component along true east (or north) whose own is along x (or y): eastward_wind of
// x_wind. The same if it is of true east already; empty if CF has none.
std::string true_name(const std::string& standard_name);

// The angle from east to x, in degrees, at each cell of a grid with a rotated pole (CF 5.6,
// rotated_latitude_longitude), over the two dims of its coordinates grid_latitude and grid_longitude, in the
// grid's order. None: it is no such grid.
std::optional<model::Coordinate> angle_of_rotated_pole(const model::Grid& grid);

}  // namespace tailrace::plan
