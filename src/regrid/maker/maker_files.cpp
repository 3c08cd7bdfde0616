#include "regrid/maker/maker_files.hpp"

#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "env/file_system.hpp"
#include "env/threads.hpp"
#include "regrid/target_grid.hpp"
#include "regrid/weights_file.hpp"

namespace tailrace::regrid {
namespace {

using nlohmann::json;

template <class T>
void write_raw(const std::string& path, std::span<const T> values) {
  const auto file = env::system_files().open(path, env::Access::create_new);
  file->write(0, std::as_bytes(values));
  file->close();
}

json bounds_of(const std::vector<double>& bounds) { return bounds.empty() ? json() : json(bounds); }

struct TargetJson {
  json operator()(const LatLon& target) const {
    return grid_json(RowsAndColumns{.lat = target.lat,
                                    .lon = target.lon,
                                    .lat_bounds = latitude_bounds(target.lat, false),
                                    .lon_bounds = longitude_bounds(target.lon)});
  }
  json operator()(const Gaussian& target) const { return {{"kind", "gaussian"}, {"number", target.number}}; }
  json operator()(const Healpix& target) const { return grid_json(target); }
  json operator()(const GridFile& target) const {
    return {{"kind", "file"}, {"path", std::filesystem::absolute(target.path).string()}};
  }
};

}  // namespace

// A folder that is there already is another's: of a process that was killed, or of a container with the same
// name and process numbers.
std::string make_scratch_folder(const std::string& directory) {
  static std::atomic<int> count{0};
  env::system_files().make_directories(directory);
  for (;;) {
    const std::string path =
        fmt::format("{}/making-{}-{}-{}", directory, env::host_name(), env::process_id(), ++count);
    std::error_code code;
    if (std::filesystem::create_directory(path, code)) {
      std::filesystem::permissions(path, std::filesystem::perms::owner_all, code);
      return path;
    }
    if (code && code != std::errc::file_exists)
      throw Error(ErrorCode::resource, fmt::format("cannot make the folder {}: {}", path, code.message()));
  }
}

// Links are removed, and never followed.
void remove_scratch_folder(const std::string& path) noexcept {
  std::error_code failed;
  if (!path.empty()) std::filesystem::remove_all(path, failed);
}

void write_cells(const std::string& folder, std::span<const std::int64_t> numbers,
                 const CellGeometry& cells) {
  env::system_files().make_directories(folder);
  write_raw(folder + "/id.i64", numbers);
  write_raw(folder + "/lat.f64", std::span(cells.lat));
  write_raw(folder + "/lon.f64", std::span(cells.lon));
  if (cells.lat_corners.empty()) return;
  write_raw(folder + "/lat_corners.f64", std::span(cells.lat_corners));
  write_raw(folder + "/lon_corners.f64", std::span(cells.lon_corners));
}

json grid_json(const RowsAndColumns& cells) {
  std::vector<std::size_t> shape{cells.lat.size(), cells.lon.size()};
  if (!cells.lat_first) std::swap(shape[0], shape[1]);
  return {{"kind", "latlon"},
          {"lat", cells.lat},
          {"lon", cells.lon},
          {"lat_bounds", bounds_of(cells.lat_bounds)},
          {"lon_bounds", bounds_of(cells.lon_bounds)},
          {"shape", shape},
          {"lat_first", cells.lat_first}};
}

json grid_json(const Healpix& healpix) {
  return {{"kind", "healpix"},
          {"level", healpix.level},
          {"order", healpix.order == HealpixOrder::nested ? "nested" : "ring"}};
}

json grid_json(const std::vector<std::int64_t>& shape, std::int64_t corners,
               const std::vector<std::string>& folders) {
  std::int64_t cells = 1;
  for (const std::int64_t extent : shape) cells *= extent;
  return {{"kind", "cells"}, {"cells", cells}, {"corners", corners}, {"shape", shape}, {"parts", folders}};
}

json target_json(const Target& target) { return std::visit(TargetJson{}, target); }

void check_made(const std::string& made, const std::string& error, const std::string& ending) {
  if (env::system_files().exists(error))
    throw Error(ErrorCode::configuration, env::system_files().read(error));
  if (!env::system_files().exists(made))
    throw Error(ErrorCode::resource,
                fmt::format("the process that makes weights (python -m tailrace.weights.maker) {} without a "
                            "result; its messages are above. It is run by the Python of VIRTUAL_ENV, "
                            "or else by python3 of the PATH, which needs tailrace with what `pip install "
                            "tailrace[regrid]` brings",
                            ending));
}

void check_cached(const std::string& path, const std::string& digest, std::int64_t source_cells,
                  std::int64_t target_cells) {
  constexpr const char* remedy = "remove the file, and it is made again";
  WeightsHeader header;
  try {
    header = read_weights_header(path);
  } catch (const Error& error) {
    throw Error(ErrorCode::configuration,
                fmt::format("{}, in the cache of weights; {}", error.what(), remedy));
  }
  if (header.digest == digest && header.source_cells == source_cells && header.target_cells == target_cells)
    return;
  throw Error(
      ErrorCode::configuration,
      fmt::format("{} has weights from {} to {} cells with the digest {}; expected from {} to {}, with "
                  "that of its name; {}",
                  path, header.source_cells, header.target_cells, header.digest, source_cells, target_cells,
                  remedy));
}

void keep_in_cache(const std::string& made, const std::string& path) {
  try {
    env::system_files().rename_new(made, path);
  } catch (const Error&) {
    if (!env::system_files().exists(path)) throw;
  }
}

}  // namespace tailrace::regrid
