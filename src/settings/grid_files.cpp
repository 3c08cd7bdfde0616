#include "settings/grid_files.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "config/placeholders.hpp"
#include "env/programs.hpp"
#include "input/entry/axis_dim.hpp"
#include "input/entry/source_files.hpp"
#include "input/reader/reader_process.hpp"
#include "input/regridding/healpix_mapping.hpp"
#include "model/data_type.hpp"
#include "regrid/target_grid.hpp"
#include "settings/output_entry.hpp"

namespace tailrace::settings {
namespace {

using input::FileHeader;
using input::VariableHeader;
using Json = nlohmann::json;
using Values = std::function<std::vector<double>(const VariableHeader&)>;

constexpr double patience = 120.0;  // seconds for a header

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::configuration, what); }

std::string text_of(const VariableHeader& variable, const char* attribute) {
  const std::string* text = variable.text(attribute);
  return text == nullptr ? "" : *text;
}

// CF 4.1 and 4.2.
bool is_coordinate(const VariableHeader& variable, const char* standard_name, char first_unit) {
  if (!variable.is_number) return false;
  if (const std::string* name = variable.text("standard_name")) return *name == standard_name;
  const std::string units = text_of(variable, "units");
  return units.starts_with("degree") && units.find('_') != std::string::npos &&
         units[units.find('_') + 1] == first_unit;
}

const VariableHeader* find_coordinate(const FileHeader& header, const char* standard_name, char first_unit,
                                      std::vector<const char*> names) {
  for (const VariableHeader& variable : header.variables)
    if (is_coordinate(variable, standard_name, first_unit)) return &variable;
  for (const char* name : names)
    if (const VariableHeader* variable = header.find(name); variable != nullptr && variable->is_number)
      return variable;
  return nullptr;
}

std::string names_of(const FileHeader& header) {
  std::vector<std::string> names;
  for (const VariableHeader& variable : header.variables) names.push_back(variable.name);
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

class Finder {
 public:
  Finder(const std::string& path, const FileHeader& header, const Values& values)
      : path_(path), header_(header), values_(values) {}

  regrid::Target find() const {
    for (const VariableHeader& variable : header_.variables)
      if (input::is_healpix(variable)) return input::healpix_of(variable);
    if (header_.find("grid_center_lat") != nullptr) return scrip();
    for (const VariableHeader& variable : header_.variables)
      if (text_of(variable, "cf_role") == "mesh_topology") return mesh(variable);
    return by_coordinates();
  }

 private:
  regrid::GridFile file(std::vector<std::string> dims, std::vector<std::int64_t> shape,
                        std::int64_t corners) const {
    if (dims.size() != shape.size() || dims.empty() || dims.size() > 2 ||
        std::ranges::any_of(shape, [](std::int64_t extent) { return extent < 1; }))
      refuse(fmt::format("expected a grid of one or two dimensions with cells, but got [{}] of [{}]",
                         fmt::join(dims, ", "), fmt::join(shape, ", ")));
    return {.path = path_, .dims = std::move(dims), .shape = std::move(shape), .corners = corners};
  }

  // Its dims have no names of their own.
  regrid::Target scrip() const {
    const VariableHeader& lat = *header_.find("grid_center_lat");
    const VariableHeader* corners = header_.find("grid_corner_lat");
    const VariableHeader* dims = header_.find("grid_dims");
    std::vector<std::int64_t> shape = lat.shape;
    if (dims != nullptr && dims->is_number) {
      shape.clear();
      for (const double extent : values_(*dims)) shape.push_back(static_cast<std::int64_t>(extent));
      std::ranges::reverse(shape);  // SCRIP has the fastest first
    }
    std::vector<std::string> names{"y", "x"};
    if (shape.size() == 1) names = {"cell"};
    return file(std::move(names), std::move(shape), corners == nullptr ? 0 : corners->shape.back());
  }

  regrid::Target mesh(const VariableHeader& topology) const {
    const std::string name = text_of(topology, "face_node_connectivity");
    const VariableHeader* faces = header_.find(name);
    if (faces == nullptr || faces->dims.size() != 2)
      refuse(
          fmt::format("its mesh \"{}\" has no faces: expected `face_node_connectivity` to name a variable of "
                      "two dimensions",
                      topology.name));
    const std::string of_faces = text_of(topology, "face_dimension");
    const std::size_t cell = of_faces == faces->dims[1] ? 1 : 0;
    return file({faces->dims[cell]}, {faces->shape[cell]}, faces->shape[1 - cell]);
  }

  std::int64_t corners_of(const VariableHeader& coordinate) const {
    const VariableHeader* bounds = header_.find(text_of(coordinate, "bounds"));
    return bounds == nullptr || bounds->shape.size() != coordinate.shape.size() + 1 ? 0
                                                                                    : bounds->shape.back();
  }

  regrid::Target by_coordinates() const {
    const VariableHeader* lat = find_coordinate(header_, "latitude", 'n', {"lat", "latitude", "nav_lat"});
    const VariableHeader* lon = find_coordinate(header_, "longitude", 'e', {"lon", "longitude", "nav_lon"});
    if (lat == nullptr || lon == nullptr)
      refuse(fmt::format(
          "expected variables with the standard_names latitude and longitude, a mesh by UGRID, or "
          "the variables of SCRIP, but there are {}",
          names_of(header_)));
    if (lat->dims.size() == 1 && lon->dims.size() == 1 && lat->dims != lon->dims)
      return rows_and_columns(*lat, *lon);
    if (lat->dims != lon->dims)
      refuse(fmt::format("expected \"{}\" and \"{}\" along the same dimensions, but got [{}] and [{}]",
                         lat->name, lon->name, fmt::join(lat->dims, ", "), fmt::join(lon->dims, ", ")));
    return file(lat->dims, lat->shape, corners_of(*lat));
  }

  std::vector<double> degrees(const VariableHeader& coordinate) const {
    return input::in_degrees(values_(coordinate), text_of(coordinate, "units"));
  }

  regrid::Target rows_and_columns(const VariableHeader& lat, const VariableHeader& lon) const {
    regrid::LatLon grid{degrees(lat), degrees(lon)};
    if (grid.lat.empty() || grid.lon.empty()) refuse("its grid has no cells");
    const bool has_own = has_own_bounds(lat, regrid::latitude_bounds(grid.lat, false)) ||
                         has_own_bounds(lon, regrid::longitude_bounds(grid.lon));
    if (!has_own && std::ranges::is_sorted(grid.lon, std::less_equal<>())) return grid;
    return file({lat.dims[0], lon.dims[0]}, {lat.shape[0], lon.shape[0]}, 4);
  }

  // Bounds other than those of a LatLon with the same centres.
  bool has_own_bounds(const VariableHeader& coordinate, const std::vector<double>& usual) const {
    const VariableHeader* bounds = header_.find(text_of(coordinate, "bounds"));
    if (bounds == nullptr || !bounds->is_number) return false;
    const std::vector<double> own = input::in_degrees(values_(*bounds), text_of(coordinate, "units"));
    if (own.size() != usual.size()) return true;
    for (std::size_t i = 0; i + 1 < own.size(); i += 2)
      if (std::abs(std::min(own[i], own[i + 1]) - std::min(usual[i], usual[i + 1])) > 1e-6 ||
          std::abs(std::max(own[i], own[i + 1]) - std::max(usual[i], usual[i + 1])) > 1e-6)
        return true;
    return false;
  }

  const std::string& path_;
  const FileHeader& header_;
  const Values& values_;
};

// Collects `file` below `to` of each `regrid`, at any depth, except in attributes, whose names are free.
void collect(const config::Node& node, const std::string& path, config::Problems& problems,
             std::vector<config::DataFile>& found) {
  for (std::size_t i = 0; i < node.items.size(); ++i)
    collect(node.items[i], config::path_of(path, i), problems, found);
  for (const config::NodeEntry& entry : node.entries) {
    if (entry.key == "attributes") continue;
    const std::string inner = config::path_of(path, entry.key);
    if (entry.key != "regrid") {
      collect(entry.value, inner, problems, found);
      continue;
    }
    const config::NodeEntry* to = entry.value.find("to");
    const config::NodeEntry* file = to == nullptr ? nullptr : to->value.find("file");
    if (file == nullptr || file->value.kind != config::NodeKind::scalar) continue;
    for (config::DataFile& one : config::named_files(file->value, inner + ".to.file", problems))
      found.push_back(std::move(one));
  }
}

std::vector<double> numbers_of(input::ReaderProcess& process, std::int64_t file,
                               const VariableHeader& variable) {
  const auto pages =
      process.read(file, variable, std::vector<std::int64_t>(variable.shape.size(), 0), variable.shape);
  std::vector<double> values;
  model::dispatch(variable.type, [&](auto zero) {
    using T = decltype(zero);
    const auto* first = reinterpret_cast<const T*>(pages.bytes().data());
    for (std::size_t i = 0; i < pages.bytes().size() / sizeof(T); ++i)
      values.push_back(static_cast<double>(first[i]));
  });
  return values;
}

std::string read_summary(const std::string& path) {
  input::ReaderProcess process(input::command_of(input::NetcdfSource{}, env::beside_library("")), patience);
  const auto opened = process.open(path);
  regrid::Target target = grid_of(path, opened.header, [&](const VariableHeader& variable) {
    return numbers_of(process, opened.number, variable);
  });
  if (auto* file = std::get_if<regrid::GridFile>(&target)) file->identity = opened.identity;
  return summary_of(target);
}

}  // namespace

regrid::Target grid_of(const std::string& path, const FileHeader& header, const Values& values) {
  return Finder(path, header, values).find();
}

std::vector<config::DataFile> grid_files(const std::vector<config::Node>& trees, config::Problems& problems) {
  std::vector<config::DataFile> found;
  for (const config::Node& tree : trees)
    for (const char* section : {"defaults", "output", "in_situ"})
      if (const config::NodeEntry* entry = tree.find(section))
        collect(entry->value, section, problems, found);
  std::map<std::string, std::string> known;
  for (config::DataFile& file : found) {
    try {
      auto [summary, is_new] = known.try_emplace(file.path);
      if (is_new) summary->second = read_summary(file.path);
      file.text = summary->second;
    } catch (const Error& error) {
      problems.add(file.location, file.option, fmt::format("{}: {}", file.path, error.what()));
    }
  }
  return found;
}

std::string summary_of(const regrid::Target& target) {
  Json json;
  if (const auto* grid = std::get_if<regrid::LatLon>(&target))
    json = {{"kind", "latlon"}, {"lat", grid->lat}, {"lon", grid->lon}};
  else if (const auto* healpix = std::get_if<regrid::Healpix>(&target))
    json = {{"kind", "healpix"},
            {"level", healpix->level},
            {"ring", healpix->order == regrid::HealpixOrder::ring}};
  else if (const auto* file = std::get_if<regrid::GridFile>(&target))
    json = {{"kind", "file"},       {"path", file->path},       {"dims", file->dims},
            {"shape", file->shape}, {"corners", file->corners}, {"identity", file->identity}};
  return json.dump();
}

regrid::Target target_of(const std::string& summary) {
  const Json json = Json::parse(summary, nullptr, false);
  TAILRACE_ASSERT(json.is_object() && json.contains("kind"), "the summary of a grid is an object of JSON");
  const std::string kind = json.at("kind");
  if (kind == "latlon")
    return regrid::LatLon{json.at("lat").get<std::vector<double>>(),
                          json.at("lon").get<std::vector<double>>()};
  if (kind == "healpix")
    return regrid::Healpix{
        .level = json.at("level"),
        .order = json.at("ring").get<bool>() ? regrid::HealpixOrder::ring : regrid::HealpixOrder::nested};
  return regrid::GridFile{.path = json.at("path"),
                          .dims = json.at("dims").get<std::vector<std::string>>(),
                          .shape = json.at("shape").get<std::vector<std::int64_t>>(),
                          .corners = json.at("corners"),
                          .identity = json.at("identity")};
}

void fill_in_grids(std::vector<OutputEntry>& files, const config::Sources& sources) {
  std::set<regrid::Options*> all;
  for (OutputEntry& file : files) {
    if (file.regrid) all.insert(file.regrid.get());
    for (VariableEntry& variable : file.variables)
      if (variable.regrid) all.insert(variable.regrid.get());
  }
  for (regrid::Options* options : all) {
    const auto* file = std::get_if<regrid::GridFile>(&options->target);
    if (file == nullptr) continue;
    for (const config::SourceFile& source : sources)
      if (source.is_data && source.name == file->path) {
        options->target = target_of(source.text);
        break;
      }
  }
}

}  // namespace tailrace::settings
