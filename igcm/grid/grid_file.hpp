// Grids in NetCDF files: a mesh by UGRID 1.0 and CF 1.11, with all arrays of Grid under their names.
#pragma once

#include <string>

#include "grid.hpp"

namespace igcm::grid {

enum class Mesh { triangles, hexagons };  ///< which of the two the variable `mesh` describes

struct FileOptions {
  Mesh mesh = Mesh::triangles;
  bool only_mesh = false;  ///< coordinates, connectivity of the mesh and areas of its faces, nothing else
};

/// Writes the file under a temporary name (path + ".part"), then gives it its name. An existing file of
/// either name is an error, and is left as it is; after an error nothing of the new file is left, nor after
/// SIGINT, SIGTERM or SIGHUP, for which it sets handlers while it writes unless they are ignored. One call at
/// a time. The grid passes through in ranges of 131,072 vertices, so beside `sphere` it takes some 250 MB,
/// whatever the size; one range is computed while the one before is written. Throws std::runtime_error that
/// names the path.
void write_grid(const Sphere& sphere, const std::string& path, const FileOptions& options);

/// Reads the options that a file of write_grid was made with, opened for reading only. Throws
/// std::runtime_error that names the path and what is missing.
GridOptions read_options(const std::string& path);

/// Reads vertices first <= h < last with their cells and edges, and the poles where last is 10 N^2; last =
/// -1: all. The bits are those of Sphere::range. Not for files with only_mesh.
Grid read_grid(const std::string& path, std::int64_t first = 0, std::int64_t last = -1);

}  // namespace igcm::grid
