#include "input/regridding/mesh_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <sstream>
#include <string>

#include "base/error.hpp"
#include "base/index.hpp"

namespace tailrace::input {
namespace {

using regrid::CellGeometry;

constexpr double degree = std::numbers::pi / 180.0;

[[noreturn]] void refuse(const std::string& why) { throw Error(ErrorCode::resource, why); }

std::string text(const VariableHeader& variable, const char* attribute) {
  const std::string* const found = variable.text(attribute);
  return found == nullptr ? "" : *found;
}

const VariableHeader& named(const FileCoordinates& file, const VariableHeader& mesh, const std::string& name,
                            const char* attribute) {
  const VariableHeader* const found = name.empty() ? nullptr : file.find_near(mesh, name);
  if (found == nullptr)
    refuse(
        fmt::format("its mesh {} has no variable for the attribute {} (\"{}\")", mesh.name, attribute, name));
  return *found;
}

// Latitudes and longitudes of nodes or faces, in degrees.
struct NodePlaces {
  std::vector<double> lat, lon;
};
NodePlaces node_places_of(FileCoordinates& file, const VariableHeader& mesh, const char* attribute) {
  NodePlaces places;
  std::istringstream names(text(mesh, attribute));
  for (std::string name; names >> name;) {
    const VariableHeader& one = named(file, mesh, name, attribute);
    const std::string units = text(one, "units");
    const DimKind kind = kind_of(units, text(one, "standard_name"), "", "");
    if (kind == DimKind::latitude) places.lat = in_degrees(file.numbers(one), units);
    if (kind == DimKind::longitude) places.lon = in_degrees(file.numbers(one), units);
  }
  if (places.lat.size() != places.lon.size())
    refuse(fmt::format("{} of its mesh {} needs a latitude and a longitude of the same length", attribute,
                       mesh.name));
  return places;
}

// The middle of the corners on the sphere.
void add_centre(CellGeometry& geometry, std::size_t first, std::size_t count) {
  std::array<double, 3> sum{};
  for (std::size_t c = first; c < first + count; ++c) {
    const double lat = geometry.lat_corners[c] * degree, lon = geometry.lon_corners[c] * degree;
    sum[0] += std::cos(lat) * std::cos(lon);
    sum[1] += std::cos(lat) * std::sin(lon);
    sum[2] += std::sin(lat);
  }
  geometry.lat.push_back(std::atan2(sum[2], std::hypot(sum[0], sum[1])) / degree);
  geometry.lon.push_back(std::atan2(sum[1], sum[0]) / degree);
}

double first_index(const VariableHeader& connectivity) {
  const std::vector<double>* const start = connectivity.numbers("start_index");
  return start == nullptr || start->empty() ? 0.0 : start->front();
}

}  // namespace

std::optional<MeshCells> mesh_cells(FileCoordinates& file, const VariableHeader& variable) {
  const std::string name = text(variable, "mesh");
  if (name.empty() || text(variable, "location") != "face") return std::nullopt;
  const VariableHeader* const mesh = file.find_near(variable, name);
  if (mesh == nullptr) refuse(fmt::format("it names the mesh {}, which the file lacks", name));
  const char* const attribute = "face_node_connectivity";
  const VariableHeader& nodes_of = named(file, *mesh, text(*mesh, attribute), attribute);
  if (nodes_of.dims.size() != 2) refuse(fmt::format("{} needs two dims", nodes_of.name));
  // The dim of the faces may be the second one, which `face_dimension` then names.
  const bool is_turned = text(*mesh, "face_dimension") == nodes_of.dims[1];
  const std::string& dim = nodes_of.dims[is_turned ? 1 : 0];
  const auto found = std::ranges::find(variable.dims, dim);
  if (found == variable.dims.end())
    refuse(fmt::format("it lacks the dim {} of the faces of its mesh {}", dim, mesh->name));
  MeshCells cells;
  cells.dim = static_cast<std::size_t>(found - variable.dims.begin());

  const std::size_t faces = base::index(nodes_of.shape[is_turned ? 1 : 0]);
  const std::size_t width = base::index(nodes_of.shape[is_turned ? 0 : 1]);
  const NodePlaces nodes = node_places_of(file, *mesh, "node_coordinates");
  const std::vector<double>& numbers = file.numbers(nodes_of);
  const double start = first_index(nodes_of);
  NodePlaces centres;
  if (!text(*mesh, "face_coordinates").empty()) centres = node_places_of(file, *mesh, "face_coordinates");
  CellGeometry& geometry = cells.geometry;
  geometry.corners = static_cast<std::int64_t>(width);
  for (std::size_t face = 0; face < faces; ++face) {
    std::size_t own = 0;
    for (std::size_t k = 0; k < width; ++k) {
      const double number = numbers[is_turned ? k * faces + face : face * width + k] - start;
      const bool is_there = number >= 0.0 && number < static_cast<double>(nodes.lat.size());
      if (!is_there && (k < 3 || number >= 0.0))
        refuse(fmt::format("face {} (counted from 0) of its mesh {} has the node {}; it has {}", face,
                           mesh->name, number, nodes.lat.size()));
      const auto node = static_cast<std::size_t>(is_there ? number : 0.0);
      geometry.lat_corners.push_back(is_there ? nodes.lat[node] : geometry.lat_corners.back());
      geometry.lon_corners.push_back(is_there ? nodes.lon[node] : geometry.lon_corners.back());
      if (is_there) ++own;
    }
    if (centres.lat.empty()) add_centre(geometry, face * width, own);
  }
  if (!centres.lat.empty()) {
    if (centres.lat.size() != faces)
      refuse(fmt::format("face_coordinates of its mesh {} have {} values; expected {}", mesh->name,
                         centres.lat.size(), faces));
    geometry.lat = std::move(centres.lat);
    geometry.lon = std::move(centres.lon);
  }
  return cells;
}

}  // namespace tailrace::input
