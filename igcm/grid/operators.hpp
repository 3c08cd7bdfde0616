// Discrete operators on a whole sphere: the two C grids, and NICAM's A grid. One level of a field is a vector
// with a value for each cell, edge or vertex of the grid; results are in SI units (1/m, 1/m2 times those of
// the argument). Local calls; several threads may share a grid.
#pragma once

#include <vector>

#include "grid.hpp"

namespace igcm::grid {

using Field = std::vector<double>;
using VectorField = std::vector<Vec3>;  ///< three components in space, tangent to the sphere

/// ICON's C grid: scalars in triangles, velocity along primal_normal. Needs circumcentres.
namespace triangles {
Field divergence(const Grid& grid, const Field& velocity);      ///< edges to cells
Field gradient(const Grid& grid, const Field& scalar);          ///< cells to edges
Field curl(const Grid& grid, const Field& velocity);            ///< edges to vertices
Field rotated_gradient(const Grid& grid, const Field& stream);  ///< vertices to edges: k x grad
Field laplacian(const Grid& grid, const Field& scalar);  ///< cells to cells: divergence of the gradient
}  // namespace triangles

/// DYNAMICO's C grid: scalars in hexagons, velocity along dual_normal. Needs circumcentres.
namespace hexagons {
Field divergence(const Grid& grid, const Field& velocity);      ///< edges to vertices
Field gradient(const Grid& grid, const Field& scalar);          ///< vertices to edges
Field curl(const Grid& grid, const Field& velocity);            ///< edges to cells
Field rotated_gradient(const Grid& grid, const Field& stream);  ///< cells to edges: k x grad
Field laplacian(const Grid& grid, const Field& scalar);         ///< vertices to vertices
}  // namespace hexagons

/// NICAM's A grid: everything at the vertices (Tomita et al. 2001). Values are interpolated to the triangles
/// and summed along the walls of the hexagons. Made for centroids.
/// The Laplacian does not converge at the 12 pentagons, where it is 14.5 % too large.
namespace a_grid {
Field divergence(const Grid& grid, const VectorField& velocity);
VectorField gradient(const Grid& grid, const Field& scalar);
Field curl(const Grid& grid, const VectorField& velocity);  ///< radial component
/// Divergence of the gradient in the triangles, as in NICAM's diffusion with a coefficient of 1.
Field laplacian(const Grid& grid, const Field& scalar);
}  // namespace a_grid

}  // namespace igcm::grid
