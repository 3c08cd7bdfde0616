// Pairs of fields that are the components of a vector along the dims of their grid (`vectors` of `regrid`).
// Diagnostics rotate them to true east and north on their own grid; these are regridded in their place.
//
// With the angle a from east to the x direction, anticlockwise (CF: angle_of_rotation_from_east_to_x):
// east = u cos a - v sin a, north = u sin a + v cos a.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/problems.hpp"
#include "model/declarations.hpp"
#include "settings/configuration.hpp"

namespace tailrace::plan {

// The angle of a grid as an input of expressions.
struct GridAngle {
  std::string name;  // in expressions
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
  // Those of coordinates, which such diagnostics name.
  const std::vector<GridAngle>& angles() const { return angles_; }

  struct Component {
    std::string diagnostic;     // that is regridded in place of the field; empty: the field itself
    std::string standard_name;  // of the component along true east or north; empty: none is known
    std::string described;      // for `tailrace check`: "rotated to true east"; empty: it is not
  };
  // None: the variable's `regrid` names no pair with the field.
  std::optional<Component> find(const settings::VariableEntry& entry, const std::string& field) const;

 private:
  struct Pair {
    std::string east, north;
    Component to_east, to_north;
  };
  void add(const regrid::VectorPair& pair, const std::string& path);
  // How the angle of a grid is called in expressions; none, with a problem, if it has none.
  std::optional<std::string> angle_of(int grid, const regrid::VectorPair& pair, const std::string& path);
  std::optional<std::string> angle_field(int grid) const;
  std::string name_of_angle(int grid, const model::Coordinate& coordinate);
  void add_diagnostic(const std::string& name, const std::string& is, const model::Field& from,
                      const Component& component, const config::Location& where);

  const settings::Configuration& given_;
  const model::Declarations& declarations_;
  config::Problems& problems_;
  std::optional<settings::Configuration> own_;
  std::vector<GridAngle> angles_;
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
