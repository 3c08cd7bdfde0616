// The options under `regrid:` of a variable, a file, a group or an input.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "config/location.hpp"

namespace tailrace::regrid {

// Cells between parallels and meridians. Centres in degrees; latitudes are monotonic, longitudes ascend
// within one turn. Bounds are halfway between centres; the outer ones lie half a cell outside, but not beyond
// a pole. A single latitude reaches from pole to pole, and a single longitude around the Earth.
struct LatLon {
  std::vector<double> lat, lon;
  bool operator==(const LatLon&) const = default;
};
// Rows at the latitudes of Gauss's quadrature: F<n> has 2n rows, from the north, of 4n cells each, the first
// of them at longitude 0. Bounds are halfway between centres, and the outer ones at the poles.
struct Gaussian {
  int number = 0;
  bool operator==(const Gaussian&) const = default;
};
enum class HealpixOrder : std::uint8_t { nested, ring };
// 12 * 4^level cells (Gorski et al. 2005).
struct Healpix {
  int level = 0;
  HealpixOrder order = HealpixOrder::nested;
  std::int64_t cells() const { return std::int64_t{12} << (2 * level); }
  bool operator==(const Healpix&) const = default;
};
// The grid of a file: CF with 1-D or 2-D coordinates, UGRID, or SCRIP. Dims, shape and names are found when
// the configuration is read; the values stay in the file.
struct GridFile {
  std::string path;
  std::vector<std::string> dims;    // slowest first
  std::vector<std::int64_t> shape;  // of its horizontal dims
  std::int64_t corners = 0;         // of a cell; 0: the file has no bounds
  std::string identity = {};        // tells the file from later ones of this name
  bool operator==(const GridFile&) const = default;
};
using Target = std::variant<LatLon, Gaussian, Healpix, GridFile>;

enum class Method : std::uint8_t {
  conservative,  // first order: the share of a target cell that each source cell covers
  bilinear,      // between the centres of source cells
  nearest,       // the source cell whose centre is nearest
  average,       // the mean of the source cells whose centres surround the target's centre
  largest_area,  // for classes: the value that covers most of a target cell
  file,          // weights that others made: Options::weights
};

// How a sum over the valid part of a target cell is normalised, as SCRIP names it.
enum class Normalisation : std::uint8_t {
  fracarea,  // divided by the valid weight: a mean over the valid part
  destarea,  // not divided: what a flux needs
};

// Two fields, the components of a vector along the dims of their grid. They are rotated to true east and
// north before they are regridded.
struct VectorPair {
  std::string east, north;
  config::Location location, north_location;  // of `east` and of `north`
  bool operator==(const VectorPair& other) const { return east == other.east && north == other.north; }
};

// A field of a parent domain, and behind it those of its children. On the target the sample of a child takes
// the place of the parent's, and of those of earlier children, in each cell of which it has enough.
struct Merge {
  struct Name {
    std::string field;
    config::Location location;
    bool operator==(const Name& other) const { return field == other.field; }
  };
  std::vector<Name> names;  // at least two, all different
  const Name& parent() const { return names.front(); }
  bool operator==(const Merge&) const = default;
};

struct Options {
  Target target;
  Method method = Method::conservative;
  std::string weights;  // of Method::file
  // The least share of a target cell that must be valid, which is the sum of the weights of valid source
  // cells; below it the target cell is missing. 0: any.
  double coverage = 0.5;
  Normalisation normalisation = Normalisation::fracarea;
  bool with_fraction = false;  // a companion variable with the valid share of each target cell
  std::vector<VectorPair> vectors;
  std::vector<Merge> merges;  // of different parents
  config::Location location;
  std::string config_path;                       // as messages name it: output.a.nc.variables[0].regrid
  config::Location target_location;              // of the value of `to`
  config::Location weights_location;             // of the path of Method::file
  std::string weights_path;                      // as messages name it: output.a.nc.regrid.method
  bool operator==(const Options& other) const {  // wherever they stand
    return target == other.target && method == other.method && weights == other.weights &&
           coverage == other.coverage && normalisation == other.normalisation &&
           with_fraction == other.with_fraction && vectors == other.vectors && merges == other.merges;
  }
};

}  // namespace tailrace::regrid
