#include "regrid/maker/weights_maker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "env/child.hpp"
#include "env/file_system.hpp"
#include "env/threads.hpp"
#include "regrid/maker/method_name.hpp"

namespace tailrace::regrid {
namespace {

using nlohmann::json;

constexpr double look = 0.1;  // seconds between two looks at the flag that stops; an end is noticed at once

// A folder in the cache directory, which is removed with all that it has.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& directory) {
    static std::atomic<int> count{0};
    path_ = fmt::format("{}/making-{}-{}-{}", directory, env::host_name(), env::process_id(), ++count);
    env::system_files().make_directories(path_);
  }
  ~ScratchFolder() {
    try {
      remove_all(path_);
    } catch (const Error&) {  // what is left is small, and nobody reads it
    }
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + '/' + name; }

 private:
  static void remove_all(const std::string& path) {
    for (const std::string& name : env::system_files().list(path)) {
      const std::string each = path + '/' + name;
      if (env::system_files().entry(each) == env::Entry::other) remove_all(each);
      env::system_files().remove(each);
    }
    env::system_files().remove(path);
  }
  std::string path_;
};

template <class T>
void write_raw(const std::string& path, const std::vector<T>& values) {
  const auto file = env::system_files().open(path, env::Access::create_new);
  file->write(0, std::as_bytes(std::span(values)));
  file->close();
}

json bounds_of(const std::vector<double>& bounds) { return bounds.empty() ? json() : json(bounds); }

// A grid as the maker gets it; listed cells are written to the folder.
struct Described {
  std::string folder;
  json operator()(const RowsAndColumns& cells) const {
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
  json operator()(const Healpix& healpix) const {
    return {{"kind", "healpix"},
            {"level", healpix.level},
            {"order", healpix.order == HealpixOrder::nested ? "nested" : "ring"}};
  }
  json operator()(const ListedCells& cells) const {
    env::system_files().make_directories(folder);
    std::vector<std::int64_t> numbers(cells.geometry.lat.size());
    std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
    write_raw(folder + "/id.i64", numbers);
    write_raw(folder + "/lat.f64", cells.geometry.lat);
    write_raw(folder + "/lon.f64", cells.geometry.lon);
    if (!cells.geometry.lat_corners.empty()) {
      write_raw(folder + "/lat_corners.f64", cells.geometry.lat_corners);
      write_raw(folder + "/lon_corners.f64", cells.geometry.lon_corners);
    }
    return {{"kind", "cells"},
            {"cells", cells.cells()},
            {"corners", cells.geometry.corners},
            {"shape", cells.shape},
            {"parts", {folder}}};
  }
};

void check_stopped(const std::atomic<bool>& is_stopped) {
  if (is_stopped) throw Error(ErrorCode::resource, "the making of weights was stopped");
}

// Throws with the text that the maker left, or with how it ended.
void run_maker(const json& request, const WeightsCache& cache, const ScratchFolder& scratch,
               const std::atomic<bool>& is_stopped) {
  const std::string path = scratch.file("request.json");
  env::system_files().write(path, request.dump());
  env::Child child({cache.interpreter, "-P", "-m", "tailrace.weights.maker", path});
  while (child.is_heard()) {
    check_stopped(is_stopped);
    child.receive(look);
  }
  const std::string ending = child.ending();
  const std::string error = request.at("error");
  if (env::system_files().exists(error))
    throw Error(ErrorCode::configuration, env::system_files().read(error));
  if (!env::system_files().exists(request.at("out").get<std::string>()))
    throw Error(ErrorCode::resource,
                fmt::format("the process that makes weights ({} -m tailrace.weights.maker) {} without a "
                            "result; its messages are above",
                            cache.interpreter, ending));
}

void make(const WeightsRequest& request, const WeightsCache& cache, const std::string& digest,
          const std::atomic<bool>& is_stopped) {
  const ScratchFolder scratch(cache.directory);
  const std::string made = scratch.file("weights.nc");
  run_maker({{"do", "make"},
             {"method", name_of(request.method)},
             {"slice", {0, 1}},
             {"out", made},
             {"error", scratch.file("error.txt")},
             {"source", std::visit(Described{scratch.file("source")}, request.source)},
             {"target", std::visit(Described{scratch.file("target")}, request.target)},
             {"digest", digest},
             {"weights", request.weights.empty() ? json() : json(request.weights)}},
            cache, scratch, is_stopped);
  env::system_files().rename(made, weights_path(cache.directory, digest));
}

}  // namespace

bool has_weights(const WeightsRequest& request, const std::string& directory) {
  return env::system_files().exists(weights_path(directory, digest_of(request)));
}

std::string weights_file(const WeightsRequest& request, const WeightsCache& cache,
                         const std::atomic<bool>& is_stopped) {
  const std::string digest = digest_of(request), path = weights_path(cache.directory, digest);
  if (env::system_files().exists(path)) return path;
  check_bounds(request.source, request.method);
  check_bounds(request.target, request.method);
  env::system_files().make_directories(cache.directory);
  const std::string mark = fmt::format("{}/{}.lock", cache.directory, digest);
  const auto lock = env::system_files().open(mark, env::Access::create);
  while (!lock->mark_as_writer()) {
    check_stopped(is_stopped);
    std::this_thread::sleep_for(std::chrono::duration<double>(look));
  }
  if (!env::system_files().exists(path)) make(request, cache, digest, is_stopped);
  env::system_files().remove(mark);
  return path;
}

}  // namespace tailrace::regrid
