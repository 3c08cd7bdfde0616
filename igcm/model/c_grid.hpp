// One view of both C grids: volumes that hold the depth, walls between them with the normal velocity, and
// corners with the vorticity. The hexagons are volumes with triangles as corners; the triangles are volumes
// with the points of the icosahedral grid as corners.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "part.hpp"

namespace igcm::model {

enum class Volumes { hexagons, triangles };

/// Arrays of what a part holds, in its local numbers; own ones come first. Rings are
/// counter-clockwise, -1 behind the last and for what is not here: corner k of a volume lies between its
/// edges k-1 and k. Lengths in m, areas in m2.
struct CGrid {
  static constexpr std::size_t most = 6;  ///< neighbours of a volume, at most
  using Ring = std::array<std::int32_t, most>;

  Volumes kind = Volumes::hexagons;
  std::int64_t own_volumes = 0, own_edges = 0, own_corners = 0;
  std::int64_t volumes() const { return static_cast<std::int64_t>(area.size()); }
  std::int64_t edges() const { return static_cast<std::int64_t>(wall.size()); }
  std::int64_t corners() const { return static_cast<std::int64_t>(corner_area.size()); }
  double radius = 0;

  std::vector<std::int32_t> volume_numbers, corner_numbers;  ///< global
  std::vector<std::int8_t> degree, corner_degree;
  std::vector<Ring> edges_of_volume, corners_of_volume, edges_of_corner, volumes_of_corner;
  std::vector<std::array<double, most>> outward;  ///< +1 where the edge's normal points out of the volume
  std::vector<std::array<double, most>> turn;     ///< +1 where it turns counter-clockwise around the corner
  std::vector<std::array<double, most>> kite;     ///< area that a corner shares with each of its volumes
  std::vector<double> area, corner_area;
  std::vector<grid::Vec3> centre, corner;  ///< on the unit sphere

  std::vector<std::array<std::int32_t, 2>>
      volumes_of_edge;  ///< the normal points from the first to the second
  std::vector<std::array<std::int32_t, 2>> corners_of_edge;  ///< on the right of the normal, on its left
  std::vector<double> wall, distance;                        ///< between the corners, between the centres
  std::vector<grid::Vec3> normal, edge_point;                ///< of length 1; on the unit sphere
};

/// Local.
CGrid make_c_grid(const Part& part, Volumes kind);

/// The wind at the centre of a volume, a tangent vector, from the normal velocity at its edges (Perot 2000).
grid::Vec3 wind_in_volume(const CGrid& g, const std::vector<double>& velocity, std::size_t volume);
/// The wind at the own points of the icosahedral grid: hexagons, or corners of triangles. The velocity has
/// its halo.
std::vector<grid::Vec3> wind_at_points(const CGrid& g, const std::vector<double>& velocity);

}  // namespace igcm::model
