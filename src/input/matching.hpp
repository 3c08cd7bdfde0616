// How the cells of a model's grid lie in a variable of a file, when both have the same cells: in any order of
// the dims, in both directions, with longitudes that begin elsewhere, or as a part of the file's cells.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tailrace::input {

enum class DimKind : std::uint8_t { other, time, vertical, latitude, longitude };

// One dim of a grid or of a variable, with its coordinate if it has one of one dimension.
struct Dim {
  std::string name;
  std::int64_t length = 0;
  DimKind kind = DimKind::other;
  std::vector<double> coordinate = {};  // in degrees for latitude and longitude; empty: not known
};

// By CF 4: from `units`, `standard_name`, `axis` and `positive`, each of which may be empty.
DimKind kind_of(const std::string& units, const std::string& standard_name, const std::string& axis,
                const std::string& positive);

// The index that a user chose along a dim that the grid lacks, such as the member of an ensemble.
using Selected = std::map<std::string, std::int64_t>;

struct Match {
  static constexpr int none = -1;
  int time = none;            // the file's dim of time
  std::vector<int> file_dim;  // by dim of the grid; none: the file has one value for all its cells
  // By dim of the grid: the index in the file of each cell along it. Empty where the file lacks the dim, and
  // for the vertical dim if levels are interpolated.
  std::vector<std::vector<std::int64_t>> cells;
  std::vector<std::int64_t> fixed;  // by dim of the file: the index that was selected; none for others
  bool operator==(const Match&) const = default;
};

// `interpolates`: the levels are interpolated, so those of the file may differ from the grid's. Throws
// Error(resource), without the names of the file and the variable, that names the dim: for cells of the grid
// that the file lacks, dims of the file that are neither the grid's nor selected, and dims that fit in more
// than one way.
Match match_dims(const std::vector<Dim>& file, const std::vector<Dim>& grid, const Selected& selected,
                 bool interpolates);

}  // namespace tailrace::input
