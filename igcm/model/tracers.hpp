// Levels of air and of a tracer in it, which the wind of the model carries over the sphere, with the kernels
// of NICAM's kind: fluxes of mass from the A grid, values upwind along swept areas (Miura 2007), and
// Thuburn's limiter (1996) with its exchange between the halves. They conserve air and tracer to rounding;
// the ratio stays between the values of neighbours.
//
// The points are those of the grid in NICAM's regions, ten diamonds that are divided into 4^region_level
// each. A rank has a run of regions, whatever part of the model's own decomposition it has.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "fetch.hpp"
#include "part.hpp"

namespace igcm::model {

struct TracerOptions {
  int levels = 0;                 ///< 0: no tracer
  int region_level = 0;           ///< 2^region_level must divide the side of the diamonds
  std::string content = "bells";  ///< or "constant"
};

/// Throws std::invalid_argument if 2^region_level does not divide the side, or if there are more ranks than
/// regions.
void check_regions(const TracerOptions& options, int side, int ranks);

class Tracers {
 public:
  /// The options are checked. Collective over comm.
  Tracers(const TracerOptions& options, const grid::Sphere& sphere, const Part& part, MPI_Comm comm);
  ~Tracers();

  int levels() const { return options_.levels; }
  /// Carries by the wind (m s-1) at the own vertices of the part for dt seconds: all of it at the lowest
  /// level, half of it at the highest. Throws std::runtime_error if more flows out of a cell than it holds.
  /// Collective.
  void advance(const std::vector<grid::Vec3>& wind, double dt);

  /// The mixing ratio of the tracer (g kg-1), and the air (1 at the beginning), at own vertices of the part,
  /// levels first. Collective.
  std::vector<double> ratio() { return collected(ratio_); }
  std::vector<double> air() { return collected(air_); }
  void restore(const std::vector<double>& ratio, const std::vector<double>& air);
  /// Areas of the cells at own vertices of the part, m2, which make sums over air and tracer exact.
  const std::vector<double>& areas() const { return areas_; }

 private:
  struct Region;
  struct Poles;
  struct Level;
  void find_places(const grid::Sphere& sphere, const Part& part, MPI_Comm comm);
  void set_content();
  std::vector<double> collected(const std::vector<double>& field);
  void find_gradient(const Level& level);
  void find_fluxes(const Level& level, double factor, double dt);
  void limit_and_update(const Level& level);

  TracerOptions options_;
  std::int64_t own_vertices_ = 0;
  std::size_t places_ = 0;  // of all regions of this rank with their halos, and of the poles
  std::vector<std::unique_ptr<Region>> regions_;
  std::unique_ptr<Poles> poles_;  // on the last rank
  std::unique_ptr<Fetch> halo_, from_part_, to_part_;
  std::vector<grid::Vec3> points_;           // at places
  std::vector<double> areas_, ratio_, air_;  // the latter two: level, place
  // At places, of one level at a time.
  std::vector<double> wind_[3], momentum_[3], gradient_[3], least_, most_;
};

}  // namespace igcm::model
