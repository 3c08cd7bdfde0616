// Rows of weights, with the part of the file's cells that they need.
#pragma once

#include <cstdint>
#include <vector>

#include "regrid/apply.hpp"
#include "regrid/weights_file.hpp"

namespace tailrace::input {

struct SourceRows {
  // By horizontal dim of the file: the indices along it that some row needs, ascending. A record is read at
  // all combinations of them.
  std::vector<std::vector<std::int64_t>> used;
  regrid::LocalRows rows;  // sources are positions among these combinations, in C order
};

// `shape`: of the file's horizontal dims, one or two. Throws Error(resource) if the combinations are too
// many.
SourceRows source_rows_of(const regrid::Rows& rows, const std::vector<std::int64_t>& shape);

}  // namespace tailrace::input
