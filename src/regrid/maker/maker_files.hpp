// The files by which grids and weights pass between Tailrace and the process that makes weights
// (weights_maker.hpp describes its protocol). All of this blocks.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "regrid/maker/weights_request.hpp"

namespace tailrace::regrid {

// Makes a folder with a name that nothing in the directory has yet, and returns its path. The directory is
// made too. Throws Error(resource) that names the path.
std::string make_scratch_folder(const std::string& directory);
// Removes such a folder with all that it has, as far as it can be removed: a rest is small, and nobody reads
// it.
void remove_scratch_folder(const std::string& path) noexcept;

// Writes cells to a new folder. `numbers`: of the cells, in the order of `cells`.
void write_cells(const std::string& folder, std::span<const std::int64_t> numbers, const CellGeometry& cells);

// The descriptions of grids in a request. `folders`: with the cells, as write_cells leaves them.
nlohmann::json grid_json(const RowsAndColumns& cells);
nlohmann::json grid_json(const Healpix& healpix);
nlohmann::json grid_json(const std::vector<std::int64_t>& shape, std::int64_t corners,
                         const std::vector<std::string>& folders);
nlohmann::json target_json(const Target& target);

// Throws Error(configuration) with the text that a maker left in the file `error`, or Error(resource) if it
// has not left the file `made`. `ending`: how the process ended.
void check_made(const std::string& made, const std::string& error, const std::string& ending);

// Checks a file of the cache. Throws Error(configuration) that names it and says what it has, if it is
// damaged or not of these grids and this digest. It stays as it is.
void check_cached(const std::string& path, const std::string& digest, std::int64_t source_cells,
                  std::int64_t target_cells);
// Gives a file of weights its name in the cache. A file that another job has given that name meanwhile stays.
void keep_in_cache(const std::string& made, const std::string& path);

}  // namespace tailrace::regrid
