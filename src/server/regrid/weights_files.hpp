// The files of the set-up of regridding: the cache, the cells and requests that the makers of weights need,
// and the rows of a server. All of this blocks, so it runs on I/O threads.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/blueprint.hpp"
#include "pipeline/regridding/weights.hpp"
#include "plan/regridding.hpp"
#include "regrid/rank_cells.hpp"

namespace tailrace::server {

// The weights of a plan on their way from the cache, or to it. Equal on all servers.
struct WeightsJob {
  std::string digest;
  std::string path;         // of the whole file
  bool is_made = false;     // the cache had none
  int slices = 1;           // in which servers make it
  std::vector<int> givers;  // servers that laid out source cells

  void put(base::ByteWriter& writer) const;
  static WeightsJob get(base::ByteReader& reader);
};

// The folder for the files of one job, in the cache directory; empty where the cache has all weights.
struct WeightsFolder {
  std::string path;
  bool is_temporary = false;  // the cache directory cannot be written: the weights stay in it, too

  std::string cells_of(std::size_t weights, int server) const;  // a folder
  std::string slice(std::size_t weights, int number) const;
  std::string request(std::size_t weights, int number) const;
  std::string error(std::size_t weights, int number) const;
  std::string joined(std::size_t weights) const;
};
inline constexpr int join_number = -1;  // in place of the number of a slice

struct WeightsDecision {
  std::vector<WeightsJob> jobs;  // as plan::Regridding::weights
  WeightsFolder folder;
  std::string warning;
};

// On the leader. `sums`: by weights, the digests of cells that only ranks know. Makes the folder if some
// weights are absent. Throws Error(configuration) that begins with the place of the weights.
WeightsDecision decide(const plan::Regridding& regridding, const std::vector<regrid::CellDigest>& sums,
                       const std::string& cache, int servers);

// The path in the cache that the weights will have, without a job: none if only ranks know the cells of the
// source. Throws Error(configuration) and Error(resource) as decide().
std::optional<std::string> path_in_cache(const plan::Regridding& regridding, const plan::WeightsPlan& weights,
                                         const std::string& cache);

// Writes the cells of the ranks of one server. Returns whether there were any.
bool write_cells(const std::string& folder, const std::vector<const regrid::RankCells*>& cells);
// On the leader: those of the declarations, if cells are listed one by one.
bool write_known_cells(const plan::Regridding& regridding, const plan::WeightsPlan& weights,
                       const std::string& folder);

// Write the request of a maker, and return its path.
std::string write_make_request(const plan::Regridding& regridding, std::size_t weights, const WeightsJob& job,
                               const WeightsFolder& folder, int slice);
std::string write_join_request(std::size_t weights, const WeightsJob& job, const WeightsFolder& folder);
// regrid::check_made, with the place of the weights in the configuration.
void check_maker(const plan::WeightsPlan& weights, const std::string& made, const std::string& error,
                 const std::string& ending);

// On the leader, when all is joined: gives the files their names and removes the folder.
void keep(const std::vector<WeightsJob>& jobs, const WeightsFolder& folder);

// The rows and coordinates of the parts of a server. Throws Error(configuration) if the file is of other
// grids.
pipeline::regridding::Prepared read_weights(const pipeline::Blueprint& blueprint,
                                            const std::vector<WeightsJob>& jobs,
                                            const std::vector<int>& parts);

// For messages: "run.yaml:4:5  output.a.nc.regrid".
std::string place_of(const plan::WeightsPlan& weights);

}  // namespace tailrace::server
