#include "server/regrid/weights_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <numeric>
#include <span>

#include "base/bytes.hpp"
#include "base/index.hpp"
#include "base/text_tree.hpp"
#include "env/file_system.hpp"
#include "env/threads.hpp"
#include "input/regridding/model_cells.hpp"
#include "plan/memory_needs.hpp"
#include "regrid/maker/digest.hpp"
#include "regrid/maker/maker_files.hpp"
#include "regrid/maker/weights_request.hpp"
#include "regrid/method.hpp"
#include "regrid/needs.hpp"
#include "regrid/weights_file.hpp"

namespace tailrace::server {
namespace {

using nlohmann::json;
using pipeline::regridding::CoordinateBlock;

constexpr std::int64_t rows_in_slice = 20000;  // fewer are not worth another process

std::int64_t cells_of(const std::vector<std::int64_t>& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

std::string digest_of(const plan::WeightsPlan& weights, const regrid::CellDigest& sum) {
  std::string text = fmt::format("tailrace weights 3\n{}\n", regrid::name_of(weights.method));
  text += weights.source_text;
  for (const std::int64_t extent : weights.source.shape) text += fmt::format(" {}", extent);
  text += fmt::format("\n{:016x} {:016x}\n{}\n", sum.first, sum.second, weights.target_text);
  regrid::Digest digest;
  digest.add_text(text);
  if (const auto* file = std::get_if<regrid::GridFile>(&weights.target)) digest.add_content(file->path);
  if (weights.method == regrid::Method::file) digest.add_content(weights.weights);
  return digest.text();
}

template <class Act>
auto at_place(const plan::WeightsPlan& weights, const Act& act) {
  try {
    return act();
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("{}: {}", place_of(weights), error.what()));
  }
}

template <class T>
void append(std::vector<T>& to, const std::vector<T>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

// The corners of the cells that servers have laid out: as many numbers in each folder.
std::int64_t corners_in(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    if (!env::system_files().exists(folder + "/lat_corners.f64")) return 0;
    const auto size = [&](const char* name) {
      return env::system_files().open(folder + name, env::Access::read)->size();
    };
    if (const std::uint64_t cells = size("/lat.f64"); cells > 0)
      return static_cast<std::int64_t>(size("/lat_corners.f64") / cells);
  }
  return 0;
}

bool only_ranks_know_source(const plan::Regridding& regridding, const plan::WeightsPlan& weights) {
  return regrid::only_ranks_know_cells(regridding.declarations.grids[base::index(weights.source_grid)]);
}

// Cells of which all servers know the places.
regrid::GridCells known_cells(const plan::Regridding& regridding, const plan::WeightsPlan& weights) {
  return input::model_cells_of(regridding.declarations, weights.source_grid).cells;
}

json source_json(const plan::Regridding& regridding, const plan::WeightsPlan& weights,
                 const std::vector<std::string>& folders) {
  if (!only_ranks_know_source(regridding, weights)) {
    const regrid::GridCells cells = known_cells(regridding, weights);
    if (const auto* healpix = std::get_if<regrid::Healpix>(&cells)) return regrid::grid_json(*healpix);
    if (const auto* rows = std::get_if<regrid::RowsAndColumns>(&cells)) return regrid::grid_json(*rows);
  }
  return regrid::grid_json(weights.source.shape, corners_in(folders), folders);
}

// The file of the cache, if it is there. It stays as it is, whatever it has.
bool is_there(const plan::WeightsPlan& weights, const std::string& path, const std::string& digest,
              std::int64_t target_cells) {
  if (!env::system_files().exists(path)) return false;
  regrid::check_cached(path, digest, cells_of(weights.source.shape), target_cells);
  return true;
}

WeightsFolder make_folder(const std::string& cache, std::string& warning) {
  const auto make = [](const std::string& directory) {
    const std::string path = regrid::make_scratch_folder(directory);
    env::system_files().write(path + "/tailrace", "weights are being made here\n");
    return path;
  };
  try {
    return {make(cache), false};
  } catch (const Error& error) {
    WeightsFolder folder{make(std::filesystem::temp_directory_path().string()), true};
    warning = fmt::format(
        "the cache for weights {} cannot be written ({}); the weights are kept in {} for this job alone. "
        "`regrid: {{cache: DIRECTORY}}` names another one",
        cache, error.what(), folder.path);
    return folder;
  }
}

void check_header(const plan::WeightsPlan& weights, const std::string& path, std::int64_t target_cells) {
  const regrid::WeightsHeader header = regrid::read_weights_header(path);
  if (header.source_cells == cells_of(weights.source.shape) && header.target_cells == target_cells) return;
  throw Error(
      ErrorCode::configuration,
      fmt::format("{} has weights from {} to {} cells; expected from {} to {}", path, header.source_cells,
                  header.target_cells, cells_of(weights.source.shape), target_cells));
}

// The memory of rows once they are prepared.
std::size_t bytes_of(const regrid::Rows& rows) {
  return rows.start.size() * sizeof(std::int64_t) + rows.source.size() * plan::bytes_of_link;
}

// The plan estimates the memory for weights, and `ready` checks the estimate. Here the rows are read: those
// of others may be longer, and a server must not read on until the system ends it. `bytes`: of the rows so
// far; `need`: of all, if the rest is as long.
void check_size(const pipeline::ComponentInfo& info, std::size_t bytes, std::size_t need) {
  const settings::ServersOptions& servers = info.configuration.servers;
  const std::size_t room = servers.memory_given ? std::min(info.memory, info.memory_left) : info.memory_left;
  if (info.memory == 0 || bytes <= room) return;
  const auto words = [](std::size_t number) { return base::bytes_text(static_cast<double>(number)); };
  const std::size_t components = std::max<std::size_t>(1, servers.memory / info.memory);
  throw Error(
      ErrorCode::configuration,
      fmt::format("the weights of the target cells of one server need about {}, and it may have {}; "
                  "expected `servers: {{memory: {}}}` or more where the node has as much, more servers, "
                  "or a coarser target",
                  words(need), words(room), plan::memory_option(plan::memory_for(need) * components)));
}

// Whether vectors are regridded with these weights.
bool projects(const plan::Regridding& regridding, int weights) {
  return std::ranges::any_of(regridding.regrids, [weights](const plan::RegridPlan& one) {
    return one.weights == weights && one.projection != plan::Projection::none;
  });
}

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::byte> values_of(plan::TargetCoordinate::Kind kind, const std::string& path,
                                 const regrid::Share& share) {
  using Kind = plan::TargetCoordinate::Kind;
  if (kind == Kind::cell_number) {
    std::vector<std::int64_t> numbers(base::index(share.count));
    std::iota(numbers.begin(), numbers.end(), share.first);
    return bytes_of(numbers);
  }
  const regrid::TargetCells cells = regrid::read_target_cells(path, share.first, share.count);
  switch (kind) {
    case Kind::lat: return bytes_of(cells.lat);
    case Kind::lon: return bytes_of(cells.lon);
    case Kind::lat_corners: return bytes_of(cells.lat_corners);
    default: return bytes_of(cells.lon_corners);
  }
}

}  // namespace

std::string place_of(const plan::WeightsPlan& weights) {
  return fmt::format("{}  {}", weights.location.text(), weights.config_path);
}

void WeightsJob::put(base::ByteWriter& writer) const {
  writer.put_text(digest);
  writer.put_text(path);
  writer.put(is_made);
  writer.put(static_cast<std::int32_t>(slices));
  writer.put_all(std::span<const int>(givers));
}

WeightsJob WeightsJob::get(base::ByteReader& reader) {
  WeightsJob job;
  job.digest = reader.get_text();
  job.path = reader.get_text();
  job.is_made = reader.get<bool>();
  job.slices = reader.get<std::int32_t>();
  job.givers = reader.get_all<int>();
  return job;
}

std::string WeightsFolder::cells_of(std::size_t weights, int server) const {
  return fmt::format("{}/{}-cells-{}", path, weights, server);
}
std::string WeightsFolder::slice(std::size_t weights, int number) const {
  return fmt::format("{}/{}-slice-{}.nc", path, weights, number);
}
std::string WeightsFolder::request(std::size_t weights, int number) const {
  return fmt::format("{}/{}-request-{}.json", path, weights, number);
}
std::string WeightsFolder::error(std::size_t weights, int number) const {
  return fmt::format("{}/{}-error-{}.txt", path, weights, number);
}
std::string WeightsFolder::joined(std::size_t weights) const {
  return fmt::format("{}/{}.nc", path, weights);
}

WeightsDecision decide(const plan::Regridding& regridding, const std::vector<regrid::CellDigest>& sums,
                       const std::string& cache, int servers) {
  WeightsDecision decision;
  for (std::size_t w = 0; w < regridding.weights.size(); ++w) {
    const plan::WeightsPlan& weights = regridding.weights[w];
    const std::int64_t cells = regridding.targets[base::index(weights.target_cells)].cells;
    decision.jobs.push_back(at_place(weights, [&] {
      WeightsJob job;
      job.digest = digest_of(weights, sums[w]);
      job.path = regrid::weights_path(std::filesystem::absolute(cache).string(), job.digest);
      job.is_made = !is_there(weights, job.path, job.digest, cells);
      job.slices = static_cast<int>(std::clamp<std::int64_t>(cells / rows_in_slice, 1, servers));
      // Weights of others are converted in one piece.
      if (weights.method == regrid::Method::file) job.slices = 1;
      return job;
    }));
  }
  if (std::ranges::any_of(decision.jobs, &WeightsJob::is_made))
    decision.folder = make_folder(std::filesystem::absolute(cache).string(), decision.warning);
  if (decision.folder.is_temporary)
    for (WeightsJob& job : decision.jobs)
      if (job.is_made) job.path = regrid::weights_path(decision.folder.path, job.digest);
  return decision;
}

std::optional<std::string> path_in_cache(const plan::Regridding& regridding, const plan::WeightsPlan& weights,
                                         const std::string& cache) {
  if (only_ranks_know_source(regridding, weights)) return std::nullopt;
  return at_place(weights, [&] {
    return regrid::weights_path(std::filesystem::absolute(cache).string(), digest_of(weights, {}));
  });
}

bool write_cells(const std::string& folder, const std::vector<const regrid::RankCells*>& cells) {
  std::vector<std::int64_t> numbers;
  regrid::CellGeometry all;
  for (const regrid::RankCells* of_rank : cells) {
    if (of_rank->geometry.lat.empty()) continue;
    for (const model::Run& run : of_rank->numbers)
      for (std::int64_t number = run.start; number < run.start + run.count; ++number)
        numbers.push_back(number);
    const regrid::CellGeometry& one = of_rank->geometry;
    append(all.lat, one.lat);
    append(all.lon, one.lon);
    append(all.lat_corners, one.lat_corners);
    append(all.lon_corners, one.lon_corners);
    all.corners = one.corners;
  }
  if (numbers.empty()) return false;
  regrid::write_cells(folder, numbers, all);
  return true;
}

bool write_known_cells(const plan::Regridding& regridding, const plan::WeightsPlan& weights,
                       const std::string& folder) {
  if (only_ranks_know_source(regridding, weights)) return false;
  const auto cells = at_place(weights, [&] { return known_cells(regridding, weights); });
  const auto* listed = std::get_if<regrid::ListedCells>(&cells);
  if (listed == nullptr) return false;
  std::vector<std::int64_t> numbers(listed->geometry.lat.size());
  std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
  regrid::write_cells(folder, numbers, listed->geometry);
  return true;
}

std::string write_make_request(const plan::Regridding& regridding, std::size_t number, const WeightsJob& job,
                               const WeightsFolder& folder, int slice) {
  const plan::WeightsPlan& weights = regridding.weights[number];
  std::vector<std::string> folders;
  for (const int server : job.givers) folders.push_back(folder.cells_of(number, server));
  const json request{
      {"do", "make"},
      {"method", regrid::name_of(weights.method)},
      {"slice", {slice, job.slices}},
      {"out", folder.slice(number, slice)},
      {"error", folder.error(number, slice)},
      {"parent", env::process_id()},
      {"source", at_place(weights, [&] { return source_json(regridding, weights, folders); })},
      {"target", regrid::target_json(weights.target)},
      {"digest", job.digest},
      {"weights",
       weights.weights.empty() ? json() : json(std::filesystem::absolute(weights.weights).string())}};
  const std::string path = folder.request(number, slice);
  env::system_files().write(path, request.dump());
  return path;
}

std::string write_join_request(std::size_t number, const WeightsJob& job, const WeightsFolder& folder) {
  std::vector<std::string> slices;
  for (int slice = 0; slice < job.slices; ++slice) slices.push_back(folder.slice(number, slice));
  const json request{{"do", "join"},
                     {"slices", slices},
                     {"out", folder.joined(number)},
                     {"error", folder.error(number, join_number)},
                     {"parent", env::process_id()},
                     {"digest", job.digest}};
  const std::string path = folder.request(number, join_number);
  env::system_files().write(path, request.dump());
  return path;
}

void check_maker(const plan::WeightsPlan& weights, const std::string& made, const std::string& error,
                 const std::string& ending) {
  at_place(weights, [&] { regrid::check_made(made, error, ending); });
}

void keep(const std::vector<WeightsJob>& jobs, const WeightsFolder& folder) {
  for (std::size_t w = 0; w < jobs.size(); ++w)
    if (jobs[w].is_made) regrid::keep_in_cache(folder.joined(w), jobs[w].path);
  if (!folder.is_temporary) regrid::remove_scratch_folder(folder.path);
}

pipeline::regridding::Prepared read_weights(const pipeline::Blueprint& blueprint,
                                            const std::vector<WeightsJob>& jobs,
                                            const std::vector<int>& parts) {
  const plan::Regridding& regridding = *blueprint.plan.regridding;
  const std::size_t ranks = blueprint.info.decomposition.ranks();
  const auto share_of = [&](const plan::TargetGrid& target, int part) {
    return base::index(part) >= ranks ? regrid::Share{}
                                      : regrid::share_of(target.cells, target.unit, base::index(part), ranks);
  };
  pipeline::regridding::Prepared prepared;
  std::size_t bytes = 0;  // of all weights so far
  for (std::size_t w = 0; w < jobs.size(); ++w) {
    const plan::WeightsPlan& weights = regridding.weights[w];
    const plan::TargetGrid& target = regridding.targets[base::index(weights.target_cells)];
    prepared.weights.push_back(at_place(weights, [&] {
      check_header(weights, jobs[w].path, target.cells);
      std::vector<std::pair<int, regrid::Rows>> rows;
      const std::size_t before = bytes;
      std::int64_t all = 0, done = 0;
      for (const int part : parts) all += share_of(target, part).count;
      for (const int part : parts) {
        const regrid::Share share = share_of(target, part);
        if (share.count == 0) continue;
        rows.emplace_back(part, regrid::read_rows(jobs[w].path, share.first, share.count));
        bytes += bytes_of(rows.back().second);
        done += share.count;
        check_size(blueprint.info, bytes, before + (bytes - before) / base::index(done) * base::index(all));
      }
      auto made = pipeline::regridding::weights_of(rows);
      for (pipeline::regridding::PartRows& part : made.parts)
        if (projects(regridding, static_cast<int>(w))) {
          const regrid::Share share = share_of(target, part.part);
          regrid::TargetCells cells = regrid::read_target_cells(jobs[w].path, share.first, share.count);
          part.lat = std::move(cells.lat);
          part.lon = std::move(cells.lon);
        }
      return made;
    }));
  }
  for (const plan::TargetCoordinate& coordinate : regridding.coordinates) {
    const int grid = blueprint.field(coordinate.field).grid;
    const auto target = std::ranges::find(regridding.targets, grid, &plan::TargetGrid::grid);
    TAILRACE_ASSERT(target != regridding.targets.end(), "a coordinate of a target is on one of its grids");
    const std::string path = coordinate.weights < 0 ? "" : jobs[base::index(coordinate.weights)].path;
    for (const int part : parts)
      if (const regrid::Share share = share_of(*target, part); share.count > 0)
        prepared.coordinates.push_back({coordinate.field, part, values_of(coordinate.kind, path, share)});
  }
  return prepared;
}

}  // namespace tailrace::server
