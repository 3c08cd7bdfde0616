#include "regrid/maker/weights_maker.hpp"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "env/child.hpp"
#include "env/file_system.hpp"
#include "env/threads.hpp"
#include "regrid/maker/maker_files.hpp"
#include "regrid/method.hpp"

namespace tailrace::regrid {
namespace {

using nlohmann::json;

constexpr double look = 0.1;  // seconds between two looks at the flag that stops; an end is noticed at once

// A folder in the cache directory, which is removed with all that it has.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& directory) : path_(make_scratch_folder(directory)) {}
  ~ScratchFolder() { remove_scratch_folder(path_); }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string file(const std::string& name) const { return path_ + '/' + name; }

 private:
  std::string path_;
};

// A grid as the maker gets it; listed cells are written to the folder.
struct Described {
  std::string folder;
  json operator()(const RowsAndColumns& cells) const { return grid_json(cells); }
  json operator()(const Healpix& healpix) const { return grid_json(healpix); }
  json operator()(const ListedCells& cells) const {
    std::vector<std::int64_t> numbers(cells.geometry.lat.size());
    std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
    write_cells(folder, numbers, cells.geometry);
    return grid_json(cells.shape, cells.geometry.corners, {folder});
  }
};

void check_stopped(const std::atomic<bool>& is_stopped) {
  if (is_stopped) throw Error(ErrorCode::resource, "the making of weights was stopped");
}

// The right to make a file of weights, which one process has at a time. The lock is an empty file, which the
// process that made it removes. A file that was there before stays: nobody knows whose it is.
class MakerLock {
 public:
  MakerLock(std::string path, const std::atomic<bool>& is_stopped) : path_(std::move(path)) {
    try {
      file_ = env::system_files().open(path_, env::Access::create_new);
      is_own_ = true;
    } catch (const Error&) {
      file_ = env::system_files().open(path_, env::Access::create);
    }
    while (!file_->mark_as_writer()) {
      check_stopped(is_stopped);
      std::this_thread::sleep_for(std::chrono::duration<double>(look));
    }
  }
  ~MakerLock() {
    try {
      if (is_own_ && file_->is_file_at(path_)) env::system_files().remove(path_);
    } catch (const Error&) {  // an empty file is left
    }
  }
  MakerLock(const MakerLock&) = delete;
  MakerLock& operator=(const MakerLock&) = delete;

 private:
  std::string path_;
  std::unique_ptr<env::File> file_;
  bool is_own_ = false;
};

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
  check_made(request.at("out"), request.at("error"), child.ending());
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
             {"parent", env::process_id()},
             {"source", std::visit(Described{scratch.file("source")}, request.source)},
             {"target", std::visit(Described{scratch.file("target")}, request.target)},
             {"digest", digest},
             {"weights", request.weights.empty() ? json() : json(request.weights)}},
            cache, scratch, is_stopped);
  keep_in_cache(made, weights_path(cache.directory, digest));
}

}  // namespace

bool has_weights(const WeightsRequest& request, const std::string& directory) {
  return env::system_files().exists(weights_path(directory, digest_of(request)));
}

std::string weights_file(const WeightsRequest& request, const WeightsCache& cache,
                         const std::atomic<bool>& is_stopped) {
  const std::string digest = digest_of(request), path = weights_path(cache.directory, digest);
  if (env::system_files().exists(path)) return path;
  try {
    env::system_files().make_directories(cache.directory);
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("the cache for weights {} cannot be written ({}); `regrid: {{cache: "
                            "DIRECTORY}}` names another one",
                            cache.directory, error.what()));
  }
  const MakerLock lock(fmt::format("{}/{}.lock", cache.directory, digest), is_stopped);
  if (!env::system_files().exists(path)) make(request, cache, digest, is_stopped);
  return path;
}

}  // namespace tailrace::regrid
