// The extents of this rank's part of each field, kept from the declarations: a binding that returns a slot as
// an array needs them, and the C++ interface returns bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tailrace/tailrace.hpp"

namespace tailrace::bindings {

struct LocalShape {
  std::string name;
  Type type = Type::float64;
  std::vector<std::int64_t> extents;
  std::optional<FillValue> fill_value;
};

class LocalShapes {
 public:
  // REQUIRES: the session has accepted the declaration.
  void add(const GridSpec& grid) {
    std::vector<std::int64_t> extents = grid.count.empty() ? grid.shape : grid.count;
    const auto indexed = std::find(grid.dims.begin(), grid.dims.end(), grid.indexed_dim);
    if (!grid.indexed_dim.empty() && indexed != grid.dims.end()) {
      extents[static_cast<std::size_t>(indexed - grid.dims.begin())] =
          static_cast<std::int64_t>(grid.indices.size());
    }
    grids_[grid.name] = extents;
  }
  void add(const HealpixGridSpec& grid) {
    std::vector<std::int64_t> extents = grid.shape;
    extents.push_back(grid.cells.empty() ? grid.count : static_cast<std::int64_t>(grid.cells.size()));
    grids_[grid.name] = extents;
  }
  // The values of several blocks are an array of rank 1.
  void add_block(const std::string& grid, const std::vector<std::int64_t>& count) {
    std::vector<std::int64_t>& extents = grids_[grid];
    const auto cells = [](const std::vector<std::int64_t>& of) {
      std::int64_t all = 1;
      for (const std::int64_t extent : of) all *= extent;
      return all;
    };
    extents = {cells(extents) + cells(count)};
  }
  // `Spec`: FieldSpec or InputSpec.
  template <class Spec>
  void add(const Spec& field, FieldHandle handle) {
    const auto grid = grids_.find(field.grid);
    fields_[handle.index] = {.name = field.name,
                             .type = field.type,
                             .extents = grid == grids_.end() ? std::vector<std::int64_t>{} : grid->second,
                             .fill_value = field.fill_value};
  }
  // Throws Error(usage) for a handle that the session did not return.
  const LocalShape& of(FieldHandle handle) const {
    const auto found = fields_.find(handle.index);
    if (found == fields_.end()) {
      throw Error(ErrorCode::usage, "field handle " + std::to_string(handle.index) +
                                        " was not returned by this session (it declared " +
                                        std::to_string(fields_.size()) + " fields)");
    }
    return found->second;
  }

 private:
  std::map<std::string, std::vector<std::int64_t>> grids_;
  std::map<int, LocalShape> fields_;
};

}  // namespace tailrace::bindings
